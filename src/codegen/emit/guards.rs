//! Guards: a struct of parameters for each of the surface's own, the tables for docs, and the step
//! that a guard is in the way of a call.

use std::collections::BTreeMap;

use proc_macro2::{Ident, Literal, TokenStream};
use quote::quote;
use serde_json::{Map, Value, json};

use super::errors::{entry, option};
use super::format::Text;
use super::inline_types::{Group, InlineTypes};
use super::types::Types;
use super::{EmitError, json, literal, names};
use crate::diagnostics::Span;
use crate::model::{Contract, GuardUse, Strength, Tool};

/// `policy` → `PolicyGuard`.
pub(crate) fn params_name(guard: &str) -> String {
    format!("{}Guard", names::type_name(guard))
}

/// Adds the parameters of the surface's own guards to the types.
pub(crate) fn collect_types(
    contract: &Contract,
    types: &mut InlineTypes<'_>,
    span: &Span,
) -> Result<(), EmitError> {
    for (name, guard) in &contract.guards {
        let required: Vec<&String> =
            guard.params.keys().filter(|param| !guard.optional.contains(param)).collect();
        let schema = json!({
            "type": "object",
            "description": guard.doc,
            "properties": guard.params,
            "required": required,
            "additionalProperties": false,
        });
        let what = format!("the guard `{name}`");
        types.root(Group::Guard(name.clone()), &params_name(name), &what, &schema, span)?;
    }
    Ok(())
}

/// Writes the parameters of the surface's own guards.
pub(crate) fn emit(contract: &Contract, types: &mut Types, text: &mut Text) -> Result<(), String> {
    for name in contract.guards.keys() {
        let params = names::ident(&params_name(name));
        text.section(&format!("guard {name}"));
        text.raws(&types.take(&Group::Guard(name.clone())));
        text.tokens(quote! {
            impl tool::GuardParams for #params {
                type Error = Error;
                const NAME: &'static str = #name;
            }
        })?;
    }
    Ok(())
}

/// The guards of a tool as a table.
pub(crate) fn uses(contract: &Contract, tool: &Tool) -> TokenStream {
    let uses = tool.guards.iter().map(|guard| {
        let name = guard.name();
        let strength = strength(guard.strength(contract));
        let params = json::expression(&guard.params());
        quote! { contract::GuardUse { name: #name, strength: #strength, params: #params } }
    });
    quote! { &[#(#uses),*] }
}

/// `contract::Strength::…`
pub(crate) fn strength(strength: Strength) -> TokenStream {
    let strength = names::variant(strength);
    quote! { contract::Strength::#strength }
}

/// How many seconds the tokens of each issuing tool live: the shortest that any guard says.
pub(crate) fn lives(contract: &Contract) -> Vec<TokenStream> {
    let mut lives: BTreeMap<&str, u32> = BTreeMap::new();
    for guard in contract.tools.iter().flat_map(|tool| &tool.guards) {
        if let GuardUse::TwoStage { issuer, ttl_seconds, .. } = guard {
            let life = lives.entry(issuer).or_insert(*ttl_seconds);
            *life = (*life).min(*ttl_seconds);
        }
    }
    let lives =
        lives.into_iter().map(|(issuer, seconds)| (issuer, Literal::u32_unsuffixed(seconds)));
    lives.map(|(issuer, seconds)| quote! { (#issuer, #seconds) }).collect()
}

/// A guard in the way of a call.
pub(crate) struct Step {
    /// The statement that makes the guard's parameters.
    pub(crate) params: TokenStream,
    /// The expression that runs it: a `Result` whose error is the refusal.
    pub(crate) call: TokenStream,
    /// It finds something out for the handler.
    pub(crate) gives: bool,
}

/// The type of what a guard of a tool finds out for the handler, where `handlers` implements the
/// surface.
pub(crate) fn given(guard: &GuardUse, tool: &Ident, handlers: &Ident) -> Option<TokenStream> {
    match guard {
        GuardUse::Own { name, .. } => {
            let own = names::ident(&params_name(name));
            Some(quote! { <#handlers as tool::Guard<#own>>::Pass })
        }
        GuardUse::TwoStage { unless, .. } => {
            let plan = quote! { <#handlers as tool::Stage<#tool>>::Plan };
            Some(match unless {
                Some(_) => quote! { Option<#plan> },
                None => plan,
            })
        }
        GuardUse::Confirm { .. } | GuardUse::Ask { .. } | GuardUse::Role { .. } => None,
    }
}

/// As [`step`], for a guard of the surface that runs over `undecoded`, before there are arguments.
pub(crate) fn admission(name: &str, bind: &Map<String, Value>) -> Step {
    let own = names::ident(&params_name(name));
    let params = bind.iter().map(|(param, value)| {
        let literal = json::expression(value);
        quote! { (#param, #literal) }
    });
    let call = quote! { guard::admit::<#own, _, _>(undecoded, &self.handlers, &params).await };
    Step { params: quote! { let params = [#(#params),*]; }, call, gives: true }
}

/// A guard that runs over `decoded`.
pub(crate) fn step(guard: &GuardUse) -> Step {
    let (params, call) = match guard {
        GuardUse::Confirm { field, unless, refuses, rehearse } => {
            let (unless, refuses) = (option(unless.as_deref()), entry(refuses));
            let params = quote! {
                guard::Confirm {
                    field: #field,
                    unless: #unless,
                    refuses: &#refuses,
                    rehearse: #rehearse,
                }
            };
            (params, quote! { guard::confirm(decoded, &params) })
        }
        GuardUse::TwoStage { issuer, field, unless, missing, expired, mismatch, hash, .. } => {
            let hash = option(hash.as_deref());
            let (missing, expired, mismatch) = (entry(missing), entry(expired), entry(mismatch));
            let params = quote! {
                guard::TwoStage {
                    issuer: #issuer,
                    field: #field,
                    missing: &#missing,
                    expired: &#expired,
                    mismatch: &#mismatch,
                    hash: #hash,
                }
            };
            let arguments = quote! { decoded, &self.handlers, &self.confirmations, &params };
            let call = match unless {
                Some(unless) => quote! { guard::two_stage_unless(#arguments, #unless).await },
                None => quote! { guard::two_stage(#arguments).await },
            };
            (params, call)
        }
        GuardUse::Ask { message, refuses, otherwise, optional } => {
            let (refuses, otherwise) = (entry(refuses), option(otherwise.as_deref()));
            let message = literal::text(message);
            let params = quote! {
                guard::Ask {
                    message: #message,
                    refuses: &#refuses,
                    otherwise: #otherwise,
                    optional: #optional,
                }
            };
            (params, quote! { guard::ask(decoded, &params).await })
        }
        GuardUse::Role { tenant, user, project, unknown, forbidden } => {
            let (tenant, user) = (option(tenant.as_deref()), option(user.as_deref()));
            let project = option(project.as_deref());
            let (unknown, forbidden) = (entry(unknown), entry(forbidden));
            let params = quote! {
                guard::Role {
                    tenant: #tenant,
                    user: #user,
                    project: #project,
                    unknown: &#unknown,
                    forbidden: &#forbidden,
                }
            };
            (params, quote! { guard::role(decoded, &self.handlers, &params).await })
        }
        GuardUse::Own { name, bind } => {
            let own = names::ident(&params_name(name));
            let binds = bind.iter().map(|(param, value)| {
                match value.as_str().and_then(|text| text.strip_prefix('$')) {
                    Some(argument) => quote! { (#param, guard::Bind::Argument(#argument)) },
                    None => {
                        let literal = json::expression(value);
                        quote! { (#param, guard::Bind::Literal(#literal)) }
                    }
                }
            });
            let call = quote! { guard::own::<#own, _, _>(decoded, &self.handlers, &params).await };
            (quote! { [#(#binds),*] }, call)
        }
    };
    let gives = matches!(guard, GuardUse::TwoStage { .. } | GuardUse::Own { .. });
    Step { params: quote! { let params = #params; }, call, gives }
}
