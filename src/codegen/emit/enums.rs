//! Implementations for string enums: `as_str`, `Display`, `FromStr`. One macro at the end of the module
//! defines them; each enum calls it with its values.

use proc_macro2::Literal;
use syn::{Attribute, Fields, Item, ItemEnum, Variant};

use super::format::item_text;

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

/// The text of an enum; one that stands for strings is followed by a call of the macro.
pub(crate) fn items(mut item: ItemEnum) -> Vec<String> {
    let is_union = item.variants.iter().any(|variant| !matches!(variant.fields, Fields::Unit))
        || item.attrs.iter().any(is_tagged);
    if is_union {
        return vec![item_text(Item::Enum(item))];
    }
    let values: Vec<String> = item.variants.iter().map(value).collect();
    let mut call = format!("{}\n    {} {{\n", CALL.trim_start(), item.ident);
    for (variant, value) in item.variants.iter().zip(&values) {
        call.push_str(&format!("        {} => {},\n", variant.ident, Literal::string(value)));
    }
    call.push_str("    }\n}\n");
    rename_all(&mut item, &values);
    vec![item_text(Item::Enum(item)), call]
}

/// One attribute for the enum instead of one for each variant, where serde's rule gives the values.
fn rename_all(item: &mut ItemEnum, values: &[String]) {
    for (rule, separator) in [("snake_case", "_"), ("kebab-case", "-")] {
        let mut pairs = item.variants.iter().zip(values);
        if pairs.all(|(variant, value)| words(&variant.ident.to_string(), separator) == *value) {
            for variant in &mut item.variants {
                variant.attrs.retain(|attribute| renamed(attribute).is_none());
            }
            item.attrs.push(syn::parse_quote!(#[serde(rename_all = #rule)]));
            return;
        }
    }
}

/// What serde makes of `HalfDone`: every capital opens a word.
fn words(ident: &str, separator: &str) -> String {
    let mut text = String::new();
    for (index, letter) in ident.char_indices() {
        if index > 0 && letter.is_uppercase() {
            text.push_str(separator);
        }
        text.push(letter.to_ascii_lowercase());
    }
    text
}

/// A variant as on the wire.
fn value(variant: &Variant) -> String {
    variant.attrs.iter().find_map(renamed).unwrap_or_else(|| variant.ident.to_string())
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_replaces_the_names_of_variants_only_where_it_gives_them_all() {
        let text = |item: ItemEnum| items(item).concat();
        let snake = text(syn::parse_quote! {
            enum A { #[serde(rename = "half_done")] HalfDone, #[serde(rename = "v2")] V2 }
        });
        assert!(snake.contains("#[serde(rename_all = \"snake_case\")]\nenum A"), "{snake}");
        assert!(snake.contains("HalfDone => \"half_done\""), "{snake}");
        assert!(!snake.contains("rename ="), "{snake}");
        let kebab = text(syn::parse_quote! { enum A { #[serde(rename = "half-done")] HalfDone } });
        assert!(kebab.contains("kebab-case"), "{kebab}");
        let own = text(syn::parse_quote! { enum A { #[serde(rename = "HALF")] Half, Done } });
        assert!(own.contains("rename = \"HALF\"") && !own.contains("rename_all"), "{own}");
    }

    #[test]
    fn unions_are_no_strings() {
        let union = syn::parse_quote! { #[serde(tag = "kind")] enum A { B, C } };
        assert_eq!(items(union).len(), 1);
    }
}
