//! Fields of structs: in Rust as the spec lists them, on the wire sorted.
//!
//! serde writes fields as they are declared, and answers are sorted. So a struct that is answered
//! and whose spec is not sorted is written by a macro instead of the derive; one that is only read,
//! such as arguments, needs neither.

use quote::{ToTokens as _, quote};
use syn::punctuated::Punctuated;
use syn::{Attribute, Field, Fields, Item, ItemStruct, LitStr, Meta, Token};

use super::format::item_text;
use crate::model::PropertyOrder;

/// How a call of the macro starts.
pub(crate) const CALL: &str = "\nsorted_keys! {";

/// The macro. Textual scope begins at the definition, hence the `use`, which lifts that.
pub(crate) const MACRO: &str = r##"
// keys --------------------------------------------------------------------------------------------

/// Structs whose keys are sorted on the wire, other than their fields.
macro_rules! sorted_keys {
    ($name:ident { $($key:literal => $field:ident $(unless $absent:path)?,)* }) => {
        impl Serialize for $name {
            fn serialize<S: ::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::std::result::Result<S::Ok, S::Error> {
                let mut map = serializer.serialize_map(None)?;
                $(
                    if true $(&& !$absent(&self.$field))? {
                        ::serde::ser::SerializeMap::serialize_entry(&mut map, $key, &self.$field)?;
                    }
                )*
                ::serde::ser::SerializeMap::end(map)
            }
        }
    };
}
use sorted_keys;
"##;

/// The text of a struct with its fields in the order of the spec, and of what keeps its keys sorted
/// where it is `answered`.
pub(crate) fn items(mut item: ItemStruct, order: &PropertyOrder, answered: bool) -> Vec<String> {
    let mut keys: Vec<String> = item.fields.iter().map(key).collect();
    keys.sort();
    let written = order.get(&keys).filter(|written| **written != keys);
    let (Some(written), Fields::Named(fields)) = (written, &mut item.fields) else {
        return vec![item_text(Item::Struct(item))];
    };
    // Fields come sorted from typify.
    let sorted: Vec<Field> = fields.named.iter().cloned().collect();
    let mut listed = sorted.clone();
    listed.sort_by_key(|field| written.iter().position(|name| *name == key(field)));
    fields.named = listed.into_iter().collect();
    if !answered {
        return vec![item_text(Item::Struct(item))];
    }
    let mut call = format!("{}\n    {} {{\n", CALL.trim_start(), item.ident);
    for field in &sorted {
        let name = field.ident.to_token_stream();
        let absent = serde_value(field, "skip_serializing_if");
        let absent = absent.map(|path| format!(" unless {path}")).unwrap_or_default();
        call.push_str(&format!("        {:?} => {name}{absent},\n", key(field)));
    }
    call.push_str("    }\n}\n");
    item.attrs = without(std::mem::take(&mut item.attrs), "Serialize");
    for field in &mut item.fields {
        field.attrs = without(std::mem::take(&mut field.attrs), "skip_serializing_if");
    }
    vec![item_text(Item::Struct(item)), call]
}

/// Attributes without what `#[derive(…)]` or `#[serde(…)]` says under this name.
fn without(attributes: Vec<Attribute>, name: &str) -> Vec<Attribute> {
    let mut kept = Vec::new();
    for mut attribute in attributes {
        let parts = attribute.parse_args_with(Punctuated::<Meta, Token![,]>::parse_terminated);
        if let (Ok(parts), Meta::List(list)) = (parts, &mut attribute.meta) {
            let rest: Vec<&Meta> =
                parts.iter().filter(|part| !part.path().is_ident(name)).collect();
            if rest.is_empty() {
                continue;
            }
            list.tokens = quote! { #(#rest),* };
        }
        kept.push(attribute);
    }
    kept
}

/// The key of a field on the wire. A map of everything else has none that a spec could list.
fn key(field: &Field) -> String {
    let own = || field.ident.as_ref().map(ToString::to_string).unwrap_or_default();
    serde_value(field, "rename").unwrap_or_else(own)
}

/// The string of `#[serde(name = "…")]`.
fn serde_value(field: &Field, name: &str) -> Option<String> {
    let mut found = None;
    for attribute in field.attrs.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        let _ = attribute.parse_nested_meta(|meta| {
            let value = meta.value().and_then(|value| value.parse::<LitStr>());
            if let (true, Ok(value)) = (meta.path.is_ident(name), value) {
                found = Some(value.value());
            }
            Ok(())
        });
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(answered: bool, order: &[&str]) -> String {
        let written: Vec<String> = order.iter().map(|name| (*name).to_owned()).collect();
        let mut sorted = written.clone();
        sorted.sort();
        let item = syn::parse_quote! {
            #[derive(Debug, Serialize, Deserialize)]
            pub struct A {
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub last: Option<u8>,
                #[serde(rename = "projectId", skip_serializing_if = "Vec::is_empty")]
                pub project_id: Vec<u8>,
            }
        };
        items(item, &[(sorted, written)].into(), answered).concat()
    }

    #[test]
    fn what_is_only_read_is_listed_as_in_the_spec() {
        let text = text(false, &["projectId", "last"]);
        assert!(text.find("project_id:") < text.find("last:"), "{text}");
        assert!(text.contains("Serialize, Deserialize") && !text.contains("sorted_keys"), "{text}");
    }

    #[test]
    fn what_is_answered_keeps_its_keys_sorted() {
        let text = text(true, &["projectId", "last"]);
        assert!(text.find("pub project_id:") < text.find("pub last:"), "{text}");
        let keys = "\"last\" => last unless Option::is_none,\n        \
                    \"projectId\" => project_id unless Vec::is_empty,";
        assert!(text.contains(keys), "{text}");
        assert!(text.contains("#[serde(default)]\n    pub last"), "{text}");
        assert!(!text.contains("Serialize, Des") && !text.contains("skip_serializing"), "{text}");
    }

    #[test]
    fn sorted_and_unknown_objects_are_left_to_serde() {
        for order in [["last", "projectId"], ["other", "last"]] {
            assert!(text(true, &order).contains("Serialize, Deserialize"));
        }
    }
}
