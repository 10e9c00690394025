//! Rust names for names of the contract, and the register that detects clashes.
//!
//! Generated modules mix names that the emitter chooses with names that the spec chooses. Two equal
//! names would cause an error of rustc in a generated file, or one type that typify silently uses
//! twice; here they are a finding.

use std::collections::BTreeMap;

use heck::{ToPascalCase as _, ToShoutySnakeCase as _, ToSnakeCase as _};
use proc_macro2::{Ident, Span as TokenSpan};

use super::EmitError;
use crate::diagnostics::Span;

/// Names that every generated module defines or uses without a path.
const RESERVED: [(&str, &str); 19] = [
    ("Error", "the error registry"),
    ("Result", "the result of handlers"),
    ("Settings", "the settings"),
    ("Role", "the roles"),
    ("Handlers", "the sum of all handlers"),
    ("Surface", "the connection of handlers and runtime"),
    ("Self", "Rust itself"),
    ("Option", "Rust's prelude"),
    ("String", "Rust's prelude"),
    ("Vec", "Rust's prelude"),
    ("Box", "Rust's prelude"),
    ("Some", "Rust's prelude"),
    ("None", "Rust's prelude"),
    ("Ok", "Rust's prelude"),
    ("Err", "Rust's prelude"),
    ("Default", "Rust's prelude"),
    ("BTreeMap", "the maps of generated types"),
    ("Serialize", "the trait of serde"),
    ("Deserialize", "the trait of serde"),
];

/// `list_overrides` → `ListOverrides`, `entity.upsert` → `EntityUpsert`.
pub(crate) fn type_name(text: &str) -> String {
    sound(&plain(text).to_pascal_case(), "X")
}

/// `list_overrides` → `LIST_OVERRIDES`.
pub(crate) fn const_name(text: &str) -> String {
    sound(&plain(text).to_shouty_snake_case(), "X_")
}

/// `llm.model` → `llm_model`; a keyword gets an underscore.
pub(crate) fn field_name(text: &str) -> String {
    sound(&plain(text).to_snake_case(), "x")
}

/// An identifier for a name created by this module.
pub(crate) fn ident(name: &str) -> Ident {
    Ident::new(&sound(name, "x"), TokenSpan::call_site())
}

/// The variant of an enum that compiler and runtime share, for a path in generated code. Only for
/// variants without fields: of those `Debug` writes the name and nothing else.
pub(crate) fn variant(value: impl std::fmt::Debug) -> Ident {
    ident(&format!("{value:?}"))
}

/// `LLMConfig` is kept as the spec writes it, when it can be a type's name at all.
pub(crate) fn keeps_its_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric())
        && name != "Self"
}

fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Makes sure that the name is an identifier and no keyword.
fn sound(name: &str, lead: &str) -> String {
    let name = match name.chars().next() {
        Some(first) if first.is_ascii_alphabetic() || first == '_' && name.len() > 1 => {
            name.to_owned()
        }
        _ => format!("{lead}{name}"),
    };
    if syn::parse_str::<Ident>(&name).is_ok() { name } else { format!("{}_", plain(&name)) }
}

/// Types of one generated module and their origins.
pub(crate) struct Names {
    taken: BTreeMap<String, String>,
}

impl Names {
    /// A register with the names that every module has.
    pub(crate) fn new() -> Self {
        let taken = RESERVED
            .iter()
            .map(|(name, owner)| (folded(name), format!("`{name}`, {owner}")))
            .collect();
        Self { taken }
    }

    /// Takes a name, or says who has it.
    pub(crate) fn claim(&mut self, name: &str, what: &str, span: &Span) -> Result<(), EmitError> {
        let entry = format!("`{name}`, {what}");
        match self.taken.insert(folded(name), entry) {
            None => Ok(()),
            Some(owner) => Err(EmitError::new(
                span,
                format!(
                    "the Rust type `{name}` for {what} clashes with {owner}; rename one of them \
                     in the spec"
                ),
            )),
        }
    }
}

/// The name as typify normalizes it: two names with the same form are one type to it.
fn folded(name: &str) -> String {
    name.to_pascal_case()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_contract_become_rust_names() {
        assert_eq!(type_name("list_overrides"), "ListOverrides");
        assert_eq!(type_name("entity.upsert"), "EntityUpsert");
        assert_eq!(type_name("9x"), "X9x");
        assert_eq!(type_name("self"), "Self_");
        assert_eq!(const_name("entity.upsert"), "ENTITY_UPSERT");
        assert_eq!(field_name("llm.model"), "llm_model");
        assert_eq!(field_name("type"), "type_");
        assert_eq!(field_name("-"), "x");
    }

    #[test]
    fn equal_names_are_reported_with_both_owners() {
        let mut names = Names::new();
        let span = Span::default();
        names.claim("PlanItem", "the type `PlanItem`", &span).unwrap();
        let clash = names.claim("PlanItem", "the tool `plan_item`", &span).unwrap_err();
        assert!(clash.message.contains("the tool `plan_item`"), "{}", clash.message);
        assert!(clash.message.contains("the type `PlanItem`"), "{}", clash.message);
        let reserved = names.claim("Error", "the tool `error`", &span).unwrap_err();
        assert!(reserved.message.contains("error registry"), "{}", reserved.message);
    }
}
