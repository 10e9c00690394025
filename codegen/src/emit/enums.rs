//! What enums of strings can do: `as_str`, `Display`, `FromStr`. One macro at the end of the module
//! says it once; each enum calls it with its values.

use proc_macro2::Literal;
use syn::{Attribute, Fields, ItemEnum};

/// How a call of the macro starts.
pub(crate) const CALL: &str = "\nstring_enum! {";

/// The macro. Textual scope begins at the definition, hence the `use`, which lifts that.
pub(crate) const MACRO: &str = r##"
// strings -----------------------------------------------------------------------------------------

/// Enums that are strings on the wire.
macro_rules! string_enum {
    ($name:ident { $($variant:ident => $value:literal,)* }) => {
        impl $name {
            /// Every value, in the order of the spec.
            pub const ALL: &'static [$name] = &[$(Self::$variant),*];

            /// As on the wire.
            pub fn as_str(self) -> &'static str {
                match self {
                    $(Self::$variant => $value,)*
                }
            }
        }

        impl ::std::fmt::Display for $name {
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.pad(self.as_str())
            }
        }

        impl ::std::str::FromStr for $name {
            type Err = String;

            fn from_str(value: &str) -> ::std::result::Result<Self, String> {
                match value {
                    $($value => Ok(Self::$variant),)*
                    _ => Err(format!("`{value}` is none of {:?}", [$($value),*])),
                }
            }
        }
    };
}
use string_enum;
"##;

/// The call of the macro for an enum that stands for strings; none for unions.
pub(crate) fn strings(item: &ItemEnum) -> Option<String> {
    let is_union = item.variants.iter().any(|variant| !matches!(variant.fields, Fields::Unit))
        || item.attrs.iter().any(is_tagged);
    if is_union {
        return None;
    }
    let mut call = format!("{}\n    {} {{\n", CALL.trim_start(), item.ident);
    for variant in &item.variants {
        let value = variant.attrs.iter().find_map(renamed);
        let value = Literal::string(&value.unwrap_or_else(|| variant.ident.to_string()));
        call.push_str(&format!("        {} => {value},\n", variant.ident));
    }
    call.push_str("    }\n}\n");
    Some(call)
}

fn is_tagged(attribute: &Attribute) -> bool {
    let mut tagged = false;
    if attribute.path().is_ident("serde") {
        let _ = attribute.parse_nested_meta(|meta| {
            tagged |= meta.path.is_ident("tag") || meta.path.is_ident("untagged");
            let _ = meta.value().and_then(|value| value.parse::<syn::Expr>());
            Ok(())
        });
    }
    tagged
}

fn renamed(attribute: &Attribute) -> Option<String> {
    let mut name = None;
    if attribute.path().is_ident("serde") {
        let _ = attribute.parse_nested_meta(|meta| {
            let value: syn::LitStr = meta.value()?.parse()?;
            if meta.path.is_ident("rename") {
                name = Some(value.value());
            }
            Ok(())
        });
    }
    name
}
