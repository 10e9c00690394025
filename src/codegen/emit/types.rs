//! Request, response, guard and shared types: typify over the definitions of [`super::inline_types`].
//!
//! typify panics on what it does not know and gives no positions, so it runs behind
//! `catch_unwind`, and a failure is narrowed down to the tool that causes it.

use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};

use proc_macro2::TokenStream;
use quote::{ToTokens as _, quote};
use schemars::schema::Schema;
use syn::{File, Item, Type};
use typify::{TypeSpace, TypeSpacePatch, TypeSpaceSettings};

use super::format::item_text;
use super::inline_types::{Definition, Group};
use super::{EmitError, cleanup, docs, enums, fields, names};
use crate::model::PropertyOrder;

/// The Rust types of a contract.
pub(crate) struct Types {
    groups: BTreeMap<Group, Vec<String>>,
    /// Functions for `#[serde(default = …)]`.
    pub(crate) defaults: Vec<Item>,
}

impl Types {
    /// Takes the items of a group, as text.
    pub(crate) fn take(&mut self, group: &Group) -> Vec<String> {
        self.groups.remove(group).unwrap_or_default()
    }
}

/// Translates all definitions.
pub(crate) fn translate(
    definitions: &[Definition],
    order: &PropertyOrder,
) -> Result<Types, EmitError> {
    let everything: Vec<&Definition> = definitions.iter().collect();
    run(&everything, order).map_err(|reason| failing_definition(definitions, order, reason))
}

/// Finds the group whose types cannot be translated even alone with the shared ones.
fn failing_definition(
    definitions: &[Definition],
    order: &PropertyOrder,
    reason: String,
) -> EmitError {
    let groups: BTreeSet<&Group> = definitions.iter().map(|definition| &definition.group).collect();
    for group in groups {
        let part: Vec<&Definition> = definitions
            .iter()
            .filter(|definition| definition.group == Group::Shared || definition.group == *group)
            .collect();
        if let (Err(reason), Some(last)) = (run(&part, order), part.last()) {
            return fault(last, &reason);
        }
    }
    match definitions.first() {
        Some(first) => fault(first, &reason),
        None => EmitError::new(&Default::default(), reason),
    }
}

fn fault(definition: &Definition, reason: &str) -> EmitError {
    EmitError::new(
        &definition.span,
        format!("the schema of `{}` cannot be translated to Rust: {reason}", definition.name),
    )
}

fn run(definitions: &[&Definition], order: &PropertyOrder) -> Result<Types, String> {
    match catch_unwind(AssertUnwindSafe(|| typified(definitions, order))) {
        Ok(result) => result,
        Err(panic) => Err(panic
            .downcast_ref::<String>()
            .map(String::as_str)
            .or_else(|| panic.downcast_ref::<&str>().copied())
            .unwrap_or("typify gave up without a reason")
            .to_owned()),
    }
}

fn typified(definitions: &[&Definition], order: &PropertyOrder) -> Result<Types, String> {
    let mut settings = TypeSpaceSettings::default();
    settings.with_derive("PartialEq".to_owned()).with_map_type("::std::collections::BTreeMap");
    for definition in definitions {
        let usual = heck::ToPascalCase::to_pascal_case(definition.name.as_str());
        if usual != definition.name {
            let mut patch = TypeSpacePatch::default();
            patch.with_rename(&definition.name);
            settings.with_patch(usual, &patch);
        }
    }
    let mut space = TypeSpace::new(&settings);
    let mut schemas = Vec::new();
    for definition in definitions.iter().filter(|definition| !definition.alias) {
        schemas.push((definition.name.as_str(), schema(definition)?));
    }
    space.add_ref_types(schemas).map_err(|error| error.to_string())?;

    let mut aliases = BTreeMap::new();
    for definition in definitions.iter().filter(|definition| definition.alias) {
        let id = space.add_type(&schema(definition)?).map_err(|error| error.to_string())?;
        let target = space.get_type(&id).map_err(|error| error.to_string())?.ident();
        aliases.insert(definition.name.as_str(), cleanup::short_paths(target));
    }
    sorted(definitions, order, &aliases, cleanup::short_paths(space.to_stream()))
}

fn schema(definition: &Definition) -> Result<Schema, String> {
    serde_json::from_value(definition.schema.clone()).map_err(|error| error.to_string())
}

/// Puts typify's items to their groups, in the order of the definitions.
fn sorted(
    definitions: &[&Definition],
    order: &PropertyOrder,
    aliases: &BTreeMap<&str, TokenStream>,
    stream: TokenStream,
) -> Result<Types, String> {
    let file: File = syn::parse2(stream).map_err(|error| error.to_string())?;
    let mut by_type: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut defaults = Vec::new();
    for item in file.items {
        match item {
            Item::Struct(mut item) => {
                cleanup::structure(&mut item);
                let name = item.ident.to_string();
                let answered = definitions.iter().any(|one| one.name == name && one.is_answered());
                by_type.entry(name).or_default().extend(fields::items(item, order, answered));
            }
            Item::Enum(mut item) => {
                cleanup::enumeration(&mut item);
                by_type.entry(item.ident.to_string()).or_default().extend(enums::items(item));
            }
            Item::Impl(item) if is_wanted(&item) => {
                let items = by_type.entry(type_text(&item.self_ty)).or_default();
                items.push(item_text(Item::Impl(item)));
            }
            Item::Mod(item) if item.ident == "defaults" => {
                defaults = item.content.map(|(_, items)| items).unwrap_or_default();
            }
            _ => {}
        }
    }
    let mut groups: BTreeMap<Group, Vec<String>> = BTreeMap::new();
    for definition in definitions {
        let items = groups.entry(definition.group.clone()).or_default();
        match aliases.get(definition.name.as_str()) {
            Some(target) => items.push(item_text(alias(definition, target)?)),
            None => items.extend(
                by_type
                    .remove(&definition.name)
                    .ok_or_else(|| format!("typify created no type named `{}`", definition.name))?,
            ),
        }
    }
    match by_type.keys().next() {
        None => Ok(Types { groups, defaults }),
        Some(name) => Err(format!("typify created an unexpected type `{name}`")),
    }
}

/// `Default` is of use; the conversions from strings are made by [`enums`], the others are noise.
fn is_wanted(item: &syn::ItemImpl) -> bool {
    item.trait_.as_ref().is_some_and(|(path, _)| {
        path.segments.last().is_some_and(|segment| segment.ident == "Default")
    })
}

fn type_text(ty: &Type) -> String {
    ty.to_token_stream().to_string()
}

fn alias(definition: &Definition, target: &TokenStream) -> Result<Item, String> {
    let name = names::ident(&definition.name);
    let text = definition.schema.get("description").and_then(serde_json::Value::as_str);
    let doc = docs::doc(text.unwrap_or_default());
    syn::parse2(quote! { #doc pub type #name = #target; }).map_err(|error| error.to_string())
}
