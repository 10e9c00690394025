//! The `Settings` struct and an enum for each setting with a list of choices.

use std::collections::BTreeMap;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::format::Text;
use super::names::{self, Names};
use super::{EmitError, docs, enums};
use crate::diagnostics::Span;
use crate::model::{Contract, Setting, SettingKind};

/// Field of each setting by its key.
pub(crate) type Fields = BTreeMap<String, String>;

/// `llm.model` → `llm_model`: the field in `Settings`.
pub fn field(key: &str) -> String {
    names::field_name(key)
}

/// Takes the names of fields and enums.
pub(crate) fn claim(
    contract: &Contract,
    names: &mut Names,
    span: &Span,
) -> Result<Fields, EmitError> {
    let mut fields = Fields::new();
    for (key, setting) in &contract.settings {
        if let Some((other, _)) = fields.iter().find(|(_, taken)| **taken == field(key)) {
            return Err(EmitError::new(
                span,
                format!(
                    "the settings `{other}` and `{key}` would be the same Rust field; rename one"
                ),
            ));
        }
        fields.insert(key.clone(), field(key));
        if !setting.choices.is_empty() {
            names.claim(
                &choices_name(key),
                &format!("the choices of the setting `{key}`"),
                span,
            )?;
        }
    }
    Ok(fields)
}

/// Writes the struct, its enums and the link to the runtime.
pub(crate) fn emit(contract: &Contract, fields: &Fields, text: &mut Text) -> Result<(), String> {
    let settings = || {
        contract.settings.iter().filter_map(|(key, setting)| {
            fields.get(key).map(|field| (key, names::ident(field), setting))
        })
    };
    let members = settings().map(|(key, field, setting)| {
        let doc = docs::doc(&format!("`{key}`: {}", setting.doc));
        let (ty, default) = member_type(key, setting);
        quote! { #doc #default pub #field: #ty, }
    });
    let shown = settings().map(|(_, field, setting)| {
        let name = field.to_string();
        match setting.secret {
            true => quote! { .field(#name, &"…") },
            false => quote! { .field(#name, &self.#field) },
        }
    });
    text.section("settings");
    text.tokens(quote! {
        /// Settings of the surface: flag over environment over file over default.
        #[derive(Clone, Deserialize)]
        pub struct Settings { #(#members)* }

        impl ::std::fmt::Debug for Settings {
            /// Secrets are not shown.
            fn fmt(&self, f: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                f.debug_struct("Settings") #(#shown)* .finish()
            }
        }

        impl ::toolwright_runtime::settings::SurfaceSettings for Settings {
            const SURFACE: &'static contract::SurfaceInfo = &SURFACE;
        }
    })?;
    for (key, _, setting) in settings().filter(|(_, _, setting)| !setting.choices.is_empty()) {
        text.raws(&choices(key, setting)?);
    }
    Ok(())
}

fn choices_name(key: &str) -> String {
    format!("Settings{}", names::type_name(key))
}

/// The type of a field, and serde's leave to omit it.
fn member_type(key: &str, setting: &Setting) -> (TokenStream, Option<TokenStream>) {
    let path = quote! { ::std::path::PathBuf };
    let text = match setting.choices.is_empty() {
        true => quote! { String },
        false => {
            let name = names::ident(&choices_name(key));
            quote! { #name }
        }
    };
    let may_be_left_out = quote! { #[serde(default)] };
    let scalar = match setting.kind {
        SettingKind::StringList => return (quote! { Vec<#text> }, Some(may_be_left_out)),
        SettingKind::PathList => return (quote! { Vec<#path> }, Some(may_be_left_out)),
        SettingKind::StringMap => {
            return (quote! { BTreeMap<String, #text> }, Some(may_be_left_out));
        }
        SettingKind::String => text,
        SettingKind::Path => path,
        SettingKind::Integer => quote! { i64 },
        SettingKind::Boolean => quote! { bool },
    };
    match setting.default {
        Some(_) => (scalar, None),
        None => (quote! { Option<#scalar> }, Some(may_be_left_out)),
    }
}

fn choices(key: &str, setting: &Setting) -> Result<Vec<String>, String> {
    let name = names::ident(&choices_name(key));
    let variants: Vec<Ident> =
        setting.choices.iter().map(|choice| names::ident(&names::type_name(choice))).collect();
    if let Some((_, twice)) =
        variants.iter().enumerate().find(|(at, one)| variants[..*at].contains(one))
    {
        return Err(format!("two choices of the setting `{key}` would be the variant `{twice}`"));
    }
    let values = &setting.choices;
    let doc = docs::doc(&format!("Choices of `{key}`."));
    let item: syn::ItemEnum = syn::parse2(quote! {
        #doc
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[derive(Serialize, Deserialize)]
        pub enum #name { #(#[serde(rename = #values)] #variants,)* }
    })
    .map_err(|error| error.to_string())?;
    Ok(enums::items(item))
}
