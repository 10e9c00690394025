//! The static description of the surface: envelope, settings, resources, roles, toolsets.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::Value;

use super::errors::{entry, option};
use super::format::Text;
use super::{guards, json, literal, names, prompts, settings, tools};
use crate::model::{Contract, Member, Setting, Source, Variable};
use crate::schema::{self, Piece};

/// Writes `SURFACE`.
pub(crate) fn emit(contract: &Contract, text: &mut Text) -> Result<(), String> {
    let Contract { name, title, contract: version, digest, prefix, .. } = contract;
    let instructions = literal::text(&contract.instructions);
    let tool_tables = contract.tools.iter().map(tools::info);
    let errors = contract.errors.keys().map(|kind| entry(kind));
    let invalid_arguments = entry(&contract.builtin.invalid_arguments);
    let internal = entry(&contract.builtin.internal);
    let unknown_tool = match &contract.builtin.unknown_tool {
        Some(kind) => {
            let entry = entry(kind);
            quote! { Some(&#entry) }
        }
        None => quote! { None },
    };
    let (success, failure) =
        (pieces(&contract.envelope.success), pieces(&contract.envelope.failure));
    let guards = contract.guards.iter().map(|(name, guard)| {
        let (doc, strength) = (literal::text(&guard.doc), guards::strength(guard.strength));
        quote! { contract::GuardInfo { name: #name, doc: #doc, strength: #strength } }
    });
    let settings = contract.settings.iter().map(|(key, value)| setting(key, value));
    let env_prefix = crate::names::env_prefix(name);
    let config = match &contract.config {
        Some(config) => {
            let (default, env, flag) =
                (&config.default, option(config.env.as_deref()), &config.flag);
            quote! { Some(contract::ConfigInfo { default: #default, env: #env, flag: #flag }) }
        }
        None => quote! { None },
    };
    let resources = resources(contract)?;
    let (prompts, icons) = (prompts::tables(contract)?, prompts::icons(contract)?);
    let roles = contract.roles.iter().map(|(name, tools)| {
        quote! { contract::RoleInfo { name: #name, tools: &[#(#tools),*] } }
    });
    let identity = match &contract.identity {
        Some(identity) => {
            let users = &identity.users;
            let tenant = option(identity.tenant.as_deref());
            let tokens = option(identity.tokens.as_deref());
            quote! {
                Some(contract::IdentityInfo { users: #users, tenant: #tenant, tokens: #tokens })
            }
        }
        None => quote! { None },
    };
    let toolsets = contract.toolsets.iter().map(|(name, tools)| {
        quote! { contract::ToolsetInfo { name: #name, tools: &[#(#tools),*] } }
    });
    text.tokens(quote! {
        /// The contract of this surface.
        pub static SURFACE: contract::SurfaceInfo = contract::SurfaceInfo {
            name: #name,
            title: #title,
            contract: #version,
            digest: #digest,
            instructions: #instructions,
            prefix: #prefix,
            tools: &[#(&#tool_tables),*],
            errors: &[#(&#errors),*],
            builtin: contract::BuiltinErrors {
                invalid_arguments: &#invalid_arguments,
                unknown_tool: #unknown_tool,
                internal: &#internal,
            },
            envelope: contract::Envelope { success: #success, failure: #failure },
            guards: &[#(#guards),*],
            settings: &[#(#settings),*],
            server_settings: &contract::server_settings!(#env_prefix),
            config: #config,
            resources: &[#(#resources),*],
            prompts: &[#(#prompts),*],
            icons: &[#(#icons),*],
            roles: &[#(#roles),*],
            identity: #identity,
            toolsets: &[#(#toolsets),*],
        };
    })
}

fn pieces(template: &Value) -> TokenStream {
    let pieces = schema::envelope_pieces(template).into_iter().map(|piece| {
        let name = match piece {
            Piece::Text(text) => {
                let text = literal::text(&text);
                quote! { Text(#text) }
            }
            hole => {
                let hole = names::variant(hole);
                quote! { #hole }
            }
        };
        quote! { contract::Piece::#name }
    });
    quote! { &[#(#pieces),*] }
}

fn setting(key: &str, setting: &Setting) -> TokenStream {
    let field = settings::field(key);
    let kind = names::variant(setting.kind);
    let Setting { choices, aliases, secret, .. } = setting;
    let doc = literal::text(&setting.doc);
    let range = match setting.range {
        Some((low, high)) => {
            let (low, high) = (Literal::i64_unsuffixed(low), Literal::i64_unsuffixed(high));
            quote! { Some((#low, #high)) }
        }
        None => quote! { None },
    };
    let default = match &setting.default {
        Some(value) => {
            let value = json::expression(value);
            quote! { Some(#value) }
        }
        None => quote! { None },
    };
    let (env, flag) = (option(setting.env.as_deref()), option(setting.flag.as_deref()));
    quote! {
        contract::SettingInfo {
            key: #key,
            field: #field,
            kind: contract::SettingKind::#kind,
            choices: &[#(#choices),*],
            range: #range,
            default: #default,
            env: #env,
            flag: #flag,
            aliases: &[#(#aliases),*],
            secret: #secret,
            doc: #doc,
        }
    }
}

fn resources(contract: &Contract) -> Result<Vec<TokenStream>, String> {
    let mut tables = Vec::new();
    for resource in &contract.resources {
        let source = match &resource.source {
            Source::Tool(name) => {
                let index = contract.tools.iter().position(|tool| tool.name == *name);
                let index = index.map(Literal::usize_unsuffixed).ok_or_else(|| {
                    format!("the resource `{}` mirrors `{name}`, which is no tool", resource.uri)
                })?;
                quote! { Tool(#index) }
            }
            Source::File { mime_type, text, .. } => {
                let text = literal::text(text);
                quote! { File { mime_type: #mime_type, text: #text } }
            }
            Source::Blob { mime_type, base64, .. } => {
                quote! { Blob { mime_type: #mime_type, base64: #base64 } }
            }
        };
        let variables = resource.variables.iter().map(|Variable { name, argument }| {
            quote! { contract::VariableInfo { name: #name, argument: #argument } }
        });
        let arguments = json::expression(&Value::Object(resource.arguments.clone()));
        let not_found = &resource.not_found;
        let content = match &resource.content {
            Some(Member { member, mime_type, base64 }) => quote! {
                Some(contract::MemberInfo {
                    member: #member,
                    mime_type: #mime_type,
                    base64: #base64,
                })
            },
            None => quote! { None },
        };
        let (uri, name, title) = (&resource.uri, &resource.name, &resource.title);
        let (description, subscribe) = (literal::text(&resource.description), resource.subscribe);
        tables.push(quote! {
            contract::ResourceInfo {
                uri: #uri,
                name: #name,
                title: #title,
                description: #description,
                source: contract::ResourceSource::#source,
                variables: &[#(#variables),*],
                arguments: #arguments,
                not_found: &[#(#not_found),*],
                content: #content,
                subscribe: #subscribe,
            }
        });
    }
    Ok(tables)
}
