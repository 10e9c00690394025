//! The static tables of a contract, built at run time instead of generated.
//!
//! With them a contract can be served as a mock before it has an implementation. The tables have the
//! same types and values as the generated ones; a test compares every field. They are leaked, because
//! servers rely on static contracts: a process builds them once and needs them until it ends.

mod prompts;

use std::collections::BTreeMap;

use serde_json::Value;
use toolwright_codegen::emit::setting_field;
use toolwright_codegen::model::{self, Contract};
use toolwright_codegen::{names, profile, schema};
use toolwright_contract::{
    BuiltinErrors, ConfigInfo, Constraint, Deprecation, Envelope, ErrorInfo, ExampleInfo, Expect,
    GuardInfo, GuardUse, IdentityInfo, MemberInfo, Piece, Projection, ResourceInfo, ResourceSource,
    RoleInfo, SettingInfo, SurfaceInfo, ToolInfo, ToolsetInfo, VariableInfo,
};

/// The tables of a checked contract; `None` for a dangling reference, which the checks rule out.
pub fn surface_info(contract: &Contract) -> Option<&'static SurfaceInfo> {
    let errors = list(contract.errors.iter().map(|(kind, error)| one(registry_entry(kind, error))));
    let entry = |kind: &str| errors.iter().copied().find(|error| error.kind == kind);
    let unknown_tool = match &contract.builtin.unknown_tool {
        Some(kind) => Some(entry(kind)?),
        None => None,
    };
    let resources: Option<Vec<ResourceInfo>> =
        contract.resources.iter().map(|resource| resource_info(contract, resource)).collect();
    Some(one(SurfaceInfo {
        name: text(&contract.name),
        title: text(&contract.title),
        contract: text(&contract.contract),
        digest: text(&contract.digest),
        instructions: text(&contract.instructions),
        prefix: text(&contract.prefix),
        tools: list(contract.tools.iter().map(|tool| one(tool_info(contract, tool)))),
        errors,
        builtin: BuiltinErrors {
            invalid_arguments: entry(&contract.builtin.invalid_arguments)?,
            unknown_tool,
            internal: entry(&contract.builtin.internal)?,
        },
        envelope: Envelope {
            success: pieces(&contract.envelope.success),
            failure: pieces(&contract.envelope.failure),
        },
        guards: list(contract.guards.iter().map(|(name, guard)| GuardInfo {
            name: text(name),
            doc: text(&guard.doc),
            strength: guard.strength,
        })),
        settings: settings(&contract.settings),
        server_settings: settings(&contract.server_settings),
        config: contract.config.as_ref().map(|config| ConfigInfo {
            default: text(&config.default),
            env: option(config.env.as_ref()),
            flag: text(&config.flag),
        }),
        resources: list(resources?),
        prompts: prompts::tables(contract)?,
        icons: prompts::icons(contract)?,
        roles: list(
            contract
                .roles
                .iter()
                .map(|(name, tools)| RoleInfo { name: text(name), tools: texts(tools) }),
        ),
        identity: contract.identity.as_ref().map(|identity| IdentityInfo {
            users: text(&identity.users),
            tenant: option(identity.tenant.as_ref()),
            tokens: option(identity.tokens.as_ref()),
        }),
        toolsets: list(
            contract
                .toolsets
                .iter()
                .map(|(name, tools)| ToolsetInfo { name: text(name), tools: texts(tools) }),
        ),
    }))
}

fn tool_info(contract: &Contract, tool: &model::Tool) -> ToolInfo {
    let canonical = format!("{}{}", contract.prefix, tool.name);
    ToolInfo {
        name: text(&tool.name),
        portable: text(&names::portable(&canonical)),
        canonical: text(&canonical),
        title: text(&tool.title),
        description: text(&tool.description),
        effects: tool.effects,
        idempotent: tool.idempotent,
        open_world: tool.open_world,
        immediate: tool.immediate,
        listed: tool.listed,
        since: text(&tool.since),
        deprecated: tool.deprecated.as_ref().map(|deprecated| Deprecation {
            since: text(&deprecated.since),
            replaced_by: option(deprecated.replaced_by.as_ref()),
            sunset: option(deprecated.sunset.as_ref()),
        }),
        command: texts(&tool.command),
        input: json(&schema::served_input(contract, tool)),
        projections: list(
            profile::projections(contract, tool)
                .into_iter()
                .map(|(profile, input)| Projection { profile, input: json(&input) }),
        ),
        accepted: json(&schema::accepted(contract, tool)),
        data: json(&schema::served_data(contract, tool)),
        output: json(&schema::served_output(contract, tool)),
        aliases: list(tool.aliases.iter().map(|(alias, name)| (text(alias), text(name)))),
        constraints: list(tool.constraints.iter().map(constraint)),
        errors: texts(&tool.errors),
        guards: list(tool.guards.iter().map(|guard| GuardUse {
            name: text(guard.name()),
            strength: guard.strength(contract),
            params: json(&guard.params()),
        })),
        budget: tool.budget,
        minimal_call: json(&schema::minimal_call(contract, tool)),
        examples: list(tool.examples.iter().map(|example| ExampleInfo {
            name: text(&example.name),
            given: option(example.given.as_ref()),
            input: json(&example.input),
            expect: match &example.expect {
                model::Expect::Output(value) => Expect::Output(json(value)),
                model::Expect::Error(kind) => Expect::Error(text(kind)),
            },
        })),
        meta: json(&Value::Object(tool.meta.clone())),
    }
}

fn registry_entry(kind: &str, error: &model::Error) -> ErrorInfo {
    ErrorInfo {
        kind: text(kind),
        code: text(&error.code),
        when: text(&error.when),
        retryable: error.retryable,
        next: option(error.next.as_ref()),
        aliases: texts(&error.aliases),
        jsonrpc: error.jsonrpc,
        exit: error.exit,
        details: json(&Value::Object(error.details.clone())),
    }
}

fn settings(all: &BTreeMap<String, model::Setting>) -> &'static [SettingInfo] {
    list(all.iter().map(|(key, value)| setting_info(key, value)))
}

fn setting_info(key: &str, setting: &model::Setting) -> SettingInfo {
    SettingInfo {
        key: text(key),
        field: text(&setting_field(key)),
        kind: setting.kind,
        choices: texts(&setting.choices),
        range: setting.range,
        default: setting.default.as_ref().map(json),
        env: option(setting.env.as_ref()),
        flag: option(setting.flag.as_ref()),
        aliases: texts(&setting.aliases),
        secret: setting.secret,
        doc: text(&setting.doc),
    }
}

fn resource_info(contract: &Contract, resource: &model::Resource) -> Option<ResourceInfo> {
    Some(ResourceInfo {
        uri: text(&resource.uri),
        name: text(&resource.name),
        title: text(&resource.title),
        description: text(&resource.description),
        source: match &resource.source {
            model::Source::Tool(name) => {
                let index = contract.tools.iter().position(|tool| tool.name == *name);
                ResourceSource::Tool(index?)
            }
            model::Source::File { mime_type, text: content, .. } => {
                ResourceSource::File { mime_type: text(mime_type), text: text(content) }
            }
            model::Source::Blob { mime_type, base64, .. } => {
                ResourceSource::Blob { mime_type: text(mime_type), base64: text(base64) }
            }
        },
        variables: list(resource.variables.iter().map(|variable| VariableInfo {
            name: text(&variable.name),
            argument: text(&variable.argument),
        })),
        arguments: json(&Value::Object(resource.arguments.clone())),
        not_found: texts(&resource.not_found),
        content: resource.content.as_ref().map(|content| MemberInfo {
            member: text(&content.member),
            mime_type: text(&content.mime_type),
            base64: content.base64,
        }),
        subscribe: resource.subscribe,
    })
}

fn constraint(constraint: &model::Constraint) -> Constraint {
    match constraint {
        model::Constraint::AtLeastOneOf(names) => Constraint::AtLeastOneOf(texts(names)),
        model::Constraint::AtMostOneOf(names) => Constraint::AtMostOneOf(texts(names)),
        model::Constraint::ExactlyOneOf(names) => Constraint::ExactlyOneOf(texts(names)),
        model::Constraint::Requires { field, needs } => {
            Constraint::Requires { field: text(field), needs: text(needs) }
        }
    }
}

fn pieces(template: &Value) -> &'static [Piece] {
    let pieces = schema::envelope_pieces(template).into_iter();
    list(pieces.map(|piece| piece.map(|run| text(&run))))
}

fn one<T>(value: T) -> &'static T {
    Box::leak(Box::new(value))
}

fn list<T>(values: impl IntoIterator<Item = T>) -> &'static [T] {
    Vec::leak(values.into_iter().collect())
}

fn text(text: &str) -> &'static str {
    String::leak(text.to_owned())
}

fn texts(all: &[String]) -> &'static [&'static str] {
    list(all.iter().map(|one| text(one)))
}

fn option(value: Option<&String>) -> Option<&'static str> {
    value.map(|value| text(value))
}

fn json(value: &Value) -> &'static str {
    String::leak(value.to_string())
}
