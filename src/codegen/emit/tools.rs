//! A tool: marker, link to its types, static description.

use proc_macro2::{Literal, TokenStream};
use quote::quote;
use serde_json::{Value, json};

use super::errors::option;
use super::format::Text;
use super::inline_types::{Group, InlineTypes};
use super::types::Types;
use super::{EmitError, docs, guards, json, literal, names, schemas};
use crate::model::{Constraint, Contract, Example, Expect, GuardUse, Tool};
use crate::profile::{self, Profile};
use crate::schema;

/// Name on the wire, `wink.list_overrides`.
pub(crate) fn canonical(contract: &Contract, tool: &Tool) -> String {
    format!("{}{}", contract.prefix, tool.name)
}

/// The path of a tool's static description.
pub(crate) fn info(tool: &Tool) -> proc_macro2::Ident {
    names::ident(&names::const_name(&tool.name))
}

/// Adds request and response to the types.
pub(crate) fn collect_types(
    contract: &Contract,
    types: &mut InlineTypes<'_>,
    index: usize,
    tool: &Tool,
) -> Result<(), EmitError> {
    let (marker, wire) = (names::type_name(&tool.name), canonical(contract, tool));
    let request = described(request(contract, tool), format!("Arguments of `{wire}`."));
    let response = described(tool.output.clone(), format!("Answer of `{wire}`."));
    let what = |part: &str| format!("the {part} of the tool `{}`", tool.name);
    let (name, span) = (format!("{marker}Request"), &tool.span);
    types.root(Group::Request(index), &name, &what("input"), &request, span)?;
    if tool.raw_output {
        return Ok(());
    }
    let name = format!("{marker}Response");
    types.root(Group::Response(index), &name, &what("output"), &response, span)
}

fn described(mut schema: Value, text: String) -> Value {
    if let Some(keywords) = schema.as_object_mut() {
        keywords.entry("description").or_insert(Value::String(text));
    }
    schema
}

/// The input with the arguments that belong to guards as decode lets them through: never required,
/// of any value of their type; and with raw arguments as any value.
fn request(contract: &Contract, tool: &Tool) -> Value {
    let mut request = tool.input.clone();
    for name in &tool.raw {
        let property = request.pointer_mut(&format!("/properties/{name}"));
        if let Some(property) = property {
            *property = match property.get("description") {
                Some(text) => json!({"description": text}),
                None => json!({}),
            };
        }
    }
    for guard in &tool.guards {
        let Some(field) = guard.owned_field() else { continue };
        if let Some(keywords) = schemas::resolved(contract, &request) {
            request = Value::Object(keywords.clone());
        }
        let mut owned = match guard {
            GuardUse::Confirm { .. } => json!({"type": "boolean", "default": false}),
            _ => json!({"type": "string"}),
        };
        if let Some(text) = request.pointer(&format!("/properties/{field}/description")) {
            owned["description"] = text.clone();
        }
        if let Some(properties) = request.get_mut("properties").and_then(Value::as_object_mut) {
            properties.insert(field.to_owned(), owned);
        }
        if let Some(required) = request.get_mut("required").and_then(Value::as_array_mut) {
            required.retain(|name| name != field);
        }
    }
    request
}

/// Writes the group of items of a tool.
pub(crate) fn emit(
    contract: &Contract,
    index: usize,
    tool: &Tool,
    types: &mut Types,
    text: &mut Text,
) -> Result<(), String> {
    let marker = names::type_name(&tool.name);
    let (request, response) =
        (names::ident(&format!("{marker}Request")), names::ident(&format!("{marker}Response")));
    let (marker, info) = (names::ident(&marker), info(tool));
    let doc = docs::doc(&format!("{}\n\n{}", tool.title, tool.description));
    let table = table(contract, tool);
    text.section(&format!("tool {}", tool.name));
    text.tokens(quote! {
        #doc
        #[derive(Debug)]
        pub struct #marker;

        impl tool::Tool for #marker {
            type Request = #request;
            type Response = #response;
            type Error = Error;
            const INFO: &'static contract::ToolInfo = &#info;

            fn compiled() -> &'static tool::LazyTool {
                static COMPILED: tool::LazyTool = tool::LazyTool::new(&#info);
                &COMPILED
            }
        }

        static #info: contract::ToolInfo = #table;
    })?;
    text.raws(&types.take(&Group::Request(index)));
    if tool.raw_output {
        let doc = docs::doc(&format!("Answer of `{}`, as JSON text.", canonical(contract, tool)));
        text.tokens(quote! {
            #doc
            pub type #response = Box<::toolwright_runtime::generated::serde_json::value::RawValue>;
        })?;
    }
    text.raws(&types.take(&Group::Response(index)));
    Ok(())
}

fn table(contract: &Contract, tool: &Tool) -> TokenStream {
    let Tool { name, title, idempotent, open_world, immediate, listed, since, .. } = tool;
    let description = literal::text(&tool.description);
    let canonical = canonical(contract, tool);
    let portable = crate::names::portable(&canonical);
    let effects = names::variant(tool.effects);
    let deprecated = match &tool.deprecated {
        Some(deprecation) => {
            let since = &deprecation.since;
            let replaced_by = option(deprecation.replaced_by.as_deref());
            let sunset = option(deprecation.sunset.as_deref());
            quote! {
                Some(contract::Deprecation {
                    since: #since,
                    replaced_by: #replaced_by,
                    sunset: #sunset,
                })
            }
        }
        None => quote! { None },
    };
    let (command, errors) = (&tool.command, &tool.errors);
    let constant = |part: &str| {
        let name = names::ident(&format!("{}_{part}", names::const_name(name)));
        quote! { schemas::#name }
    };
    let (input, data, output) = (constant("INPUT"), constant("DATA"), constant("OUTPUT"));
    let accepted = match schema::accepted(contract, tool) == schema::served_input(contract, tool) {
        true => constant("INPUT"),
        false => constant("ACCEPTED"),
    };
    let projections = profile::projections(contract, tool).into_iter().map(|(profile, _)| {
        let input = constant(&format!("INPUT_{}", names::const_name(profile.name())));
        let profile = names::variant(profile);
        quote! { contract::Projection { profile: contract::Profile::#profile, input: #input } }
    });
    let aliases = tool.aliases.iter().map(|(alias, argument)| quote! { (#alias, #argument) });
    let constraints = tool.constraints.iter().map(constraint);
    let guards = guards::uses(contract, tool);
    let definition_tokens = Literal::u32_unsuffixed(tool.budget.definition_tokens);
    let result_tokens = Literal::u32_unsuffixed(tool.budget.result_tokens);
    let minimal_call = json::expression(&schema::minimal_call(contract, tool));
    let examples = tool.examples.iter().map(example);
    let meta = json::expression(&Value::Object(tool.meta.clone()));
    quote! {
        contract::ToolInfo {
            name: #name,
            canonical: #canonical,
            portable: #portable,
            title: #title,
            description: #description,
            effects: contract::Effects::#effects,
            idempotent: #idempotent,
            open_world: #open_world,
            immediate: #immediate,
            listed: #listed,
            since: #since,
            deprecated: #deprecated,
            command: &[#(#command),*],
            input: #input,
            projections: &[#(#projections),*],
            accepted: #accepted,
            data: #data,
            output: #output,
            aliases: &[#(#aliases),*],
            constraints: &[#(#constraints),*],
            errors: &[#(#errors),*],
            guards: #guards,
            budget: contract::Budget {
                definition_tokens: #definition_tokens,
                result_tokens: #result_tokens,
            },
            minimal_call: #minimal_call,
            examples: &[#(#examples),*],
            meta: #meta,
        }
    }
}

fn constraint(constraint: &Constraint) -> TokenStream {
    match constraint {
        Constraint::AtLeastOneOf(names) => {
            quote! { contract::Constraint::AtLeastOneOf(&[#(#names),*]) }
        }
        Constraint::AtMostOneOf(names) => {
            quote! { contract::Constraint::AtMostOneOf(&[#(#names),*]) }
        }
        Constraint::ExactlyOneOf(names) => {
            quote! { contract::Constraint::ExactlyOneOf(&[#(#names),*]) }
        }
        Constraint::Requires { field, needs } => {
            quote! { contract::Constraint::Requires { field: #field, needs: #needs } }
        }
    }
}

fn example(example: &Example) -> TokenStream {
    let (name, given) = (&example.name, option(example.given.as_deref()));
    let input = json::expression(&example.input);
    let expect = match &example.expect {
        Expect::Output(value) => {
            let value = json::expression(value);
            quote! { contract::Expect::Output(#value) }
        }
        Expect::Error(kind) => quote! { contract::Expect::Error(#kind) },
    };
    quote! {
        contract::ExampleInfo { name: #name, given: #given, input: #input, expect: #expect }
    }
}

/// Writes the schemas of all tools, as JSON texts.
pub(crate) fn emit_schemas(contract: &Contract, text: &mut Text) {
    let mut items = Vec::new();
    for tool in &contract.tools {
        let mut constant = |part: &str, text: &str| {
            let name = names::const_name(&tool.name);
            items.push(format!("pub(super) const {name}_{part}: &str = {text};\n"));
        };
        let input = schema::served_input(contract, tool);
        let accepted = schema::accepted(contract, tool);
        constant("INPUT", &json::lines(&input, None));
        let projections = profile::projections(contract, tool);
        for (index, (profile, projected)) in projections.iter().enumerate() {
            let part = |profile: &Profile| format!("INPUT_{}", names::const_name(profile.name()));
            // Families mostly ask for the same; then the first one's is named.
            let same = projections[..index].iter().find(|(_, other)| other == projected);
            let text = match same {
                Some((other, _)) => format!("{}_{}", names::const_name(&tool.name), part(other)),
                None => json::lines(projected, None),
            };
            constant(&part(profile), &text);
        }
        if accepted != input {
            constant("ACCEPTED", &json::lines(&accepted, None));
        }
        // The answer is part of the output as well; a macro works in both places, a constant does not.
        let data = schema::served_data(contract, tool);
        let output = schema::served_output(contract, tool);
        let part = format!("{}_data", names::field_name(&tool.name));
        let call = format!("{part}!()");
        constant("DATA", &call);
        constant("OUTPUT", &json::lines(&output, Some((&data, &call))));
        let body = json::lines(&data, None).replace('\n', "\n        ");
        let part = format!("macro_rules! {part} {{\n    () => {{\n        {body}\n    }};\n}}\n");
        items.insert(items.len() - 2, part);
    }
    text.section("schemas");
    text.module("/// JSON Schemas, compact; broken into lines only here.", "schemas", &items);
}
