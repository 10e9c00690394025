//! `/contract.json`: the compiled contract as data, for the page and for any other program.
//!
//! Rendered from the static tables only, in their order, so the same binary gives the same bytes.
//! Contains the declarations of settings, not their values.

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::contract::{
    Constraint, ErrorInfo, Expect, GuardUse, Piece, ResourceInfo, ResourceSource, SettingInfo,
    SurfaceInfo, ToolInfo,
};

/// The whole contract as JSON text.
pub(super) fn render(info: &'static SurfaceInfo, version: &str) -> String {
    let contract = Contract {
        surface: info.name,
        title: info.title,
        version,
        contract: info.contract,
        digest: info.digest,
        instructions: info.instructions,
        builtin: json!({
            "invalid_arguments": info.builtin.invalid_arguments.kind,
            "unknown_tool": info.builtin.unknown_tool.map(|error| error.kind),
            "internal": info.builtin.internal.kind,
        }),
        envelope: json!({
            "success": template(info.envelope.success),
            "failure": template(info.envelope.failure),
        }),
        tools: info.listed_tools().map(describe).collect(),
        errors: info.errors.iter().map(|error| error_entry(error)).collect(),
        guards: info
            .guards
            .iter()
            .map(|guard| {
                json!({"name": guard.name, "doc": guard.doc, "strength": guard.strength.name()})
            })
            .collect(),
        resources: info.resources.iter().map(|resource| readable(info, resource)).collect(),
        toolsets: info.toolsets.iter().map(|set| group(set.name, set.tools)).collect(),
        roles: info.roles.iter().map(|role| group(role.name, role.tools)).collect(),
        settings: info.all_settings().map(setting).collect(),
    };
    // Strings, numbers and checked JSON text: serialising them cannot fail.
    serde_json::to_string(&contract).unwrap_or_default()
}

#[derive(Serialize)]
struct Contract<'a> {
    surface: &'a str,
    title: &'a str,
    version: &'a str,
    contract: &'a str,
    digest: &'a str,
    instructions: &'a str,
    builtin: Value,
    envelope: Value,
    tools: Vec<Tool>,
    errors: Vec<Value>,
    guards: Vec<Value>,
    resources: Vec<Value>,
    toolsets: Vec<Value>,
    roles: Vec<Value>,
    settings: Vec<Value>,
}

#[derive(Serialize)]
struct Tool {
    name: &'static str,
    canonical: &'static str,
    portable: &'static str,
    title: &'static str,
    description: &'static str,
    effects: &'static str,
    idempotent: bool,
    open_world: bool,
    since: &'static str,
    deprecated: Option<Value>,
    command: &'static [&'static str],
    input: &'static RawValue,
    data: &'static RawValue,
    output: &'static RawValue,
    aliases: Vec<Value>,
    constraints: Vec<Value>,
    errors: &'static [&'static str],
    guards: Vec<Guard>,
    budget: Value,
    minimal_call: &'static RawValue,
    examples: Vec<Example>,
    meta: &'static RawValue,
}

#[derive(Serialize)]
struct Guard {
    name: &'static str,
    strength: &'static str,
    params: &'static RawValue,
}

#[derive(Serialize)]
struct Example {
    name: &'static str,
    given: Option<&'static str>,
    input: &'static RawValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<&'static RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'static str>,
}

fn describe(tool: &'static ToolInfo) -> Tool {
    Tool {
        name: tool.name,
        canonical: tool.canonical,
        portable: tool.portable,
        title: tool.title,
        description: tool.description,
        effects: tool.effects.name(),
        idempotent: tool.idempotent,
        open_world: tool.open_world,
        since: tool.since,
        deprecated: tool.deprecated.map(
            |it| json!({"since": it.since, "replaced_by": it.replaced_by, "sunset": it.sunset}),
        ),
        command: tool.command,
        input: raw(tool.input),
        data: raw(tool.data),
        output: raw(tool.output),
        aliases: tool
            .aliases
            .iter()
            .map(|(alias, name)| json!({"alias": alias, "name": name}))
            .collect(),
        constraints: tool.constraints.iter().map(constraint).collect(),
        errors: tool.errors,
        guards: tool.guards.iter().map(bound).collect(),
        budget: json!({
            "definition_tokens": tool.budget.definition_tokens,
            "result_tokens": tool.budget.result_tokens,
        }),
        minimal_call: raw(tool.minimal_call),
        examples: tool
            .examples
            .iter()
            .map(|example| {
                let (output, error) = match example.expect {
                    Expect::Output(text) => (Some(raw(text)), None),
                    Expect::Error(kind) => (None, Some(kind)),
                };
                let input = raw(example.input);
                Example { name: example.name, given: example.given, input, output, error }
            })
            .collect(),
        meta: raw(tool.meta),
    }
}

fn bound(guard: &'static GuardUse) -> Guard {
    Guard { name: guard.name, strength: guard.strength.name(), params: raw(guard.params) }
}

fn constraint(constraint: &Constraint) -> Value {
    match constraint {
        Constraint::AtLeastOneOf(fields) => json!({"rule": "at_least_one_of", "fields": fields}),
        Constraint::AtMostOneOf(fields) => json!({"rule": "at_most_one_of", "fields": fields}),
        Constraint::ExactlyOneOf(fields) => json!({"rule": "exactly_one_of", "fields": fields}),
        Constraint::Requires { field, needs } => {
            json!({"rule": "requires", "fields": [field, needs]})
        }
    }
}

fn error_entry(error: &ErrorInfo) -> Value {
    json!({
        "kind": error.kind,
        "code": error.code,
        "when": error.when,
        "retryable": error.retryable,
        "next": error.next,
        "aliases": error.aliases,
        "jsonrpc": error.jsonrpc,
        "exit": error.exit,
    })
}

fn readable(info: &SurfaceInfo, resource: &ResourceInfo) -> Value {
    let (mime_type, tool) = match resource.source {
        ResourceSource::Tool(index) => {
            let mime_type = resource.content.map_or("application/json", |it| it.mime_type);
            let tool = info.tools.get(index).filter(|tool| tool.listed);
            (mime_type, tool.map(|tool| tool.canonical))
        }
        ResourceSource::File { mime_type, .. } | ResourceSource::Blob { mime_type, .. } => {
            (mime_type, None)
        }
    };
    json!({
        "uri": resource.uri,
        "name": resource.name,
        "title": resource.title,
        "description": resource.description,
        "mime_type": mime_type,
        "tool": tool,
        "variables": resource.variables.iter().map(|variable| variable.name).collect::<Vec<_>>(),
        "subscribe": resource.subscribe,
    })
}

fn group(name: &str, tools: &[&str]) -> Value {
    json!({"name": name, "tools": tools})
}

fn setting(setting: &SettingInfo) -> Value {
    let default = setting.default.filter(|_| !setting.secret);
    json!({
        "key": setting.key,
        "type": setting.kind.name(),
        "choices": setting.choices,
        "range": setting.range,
        "default": default.and_then(|text| serde_json::from_str::<Value>(text).ok()),
        "env": setting.env,
        "flag": setting.flag,
        "secret": setting.secret,
        "doc": setting.doc,
    })
}

/// JSON text of the contract as it stands.
fn raw(text: &'static str) -> &'static RawValue {
    serde_json::from_str(text).unwrap_or(RawValue::NULL)
}

/// An envelope as the spec writes it: names with a dollar sign stand where values go.
fn template(pieces: &[Piece]) -> Value {
    let text: String = pieces.iter().map(|piece| spelled(*piece)).collect();
    serde_json::from_str(&text).unwrap_or_default()
}

fn spelled(piece: Piece) -> &'static str {
    match piece {
        Piece::Text(text) => text,
        Piece::Data => r#""$data""#,
        Piece::ErrorCode => r#""$error.code""#,
        Piece::ErrorMessage => r#""$error.message""#,
        Piece::ErrorHint => r#""$error.hint""#,
        Piece::ErrorRetryable => r#""$error.retryable""#,
        Piece::ErrorDetails => r#""$error.details""#,
        Piece::ErrorSpread => r#","$spread":"$error.details""#,
        Piece::Warnings => r#""$warnings""#,
        Piece::ElapsedMs => r#""$elapsed_ms""#,
        Piece::NowMs => r#""$now_ms""#,
        Piece::Now => r#""$now""#,
        Piece::Version => r#""$version""#,
        Piece::Contract => r#""$contract""#,
        Piece::Tool => r#""$tool""#,
        Piece::Command => r#""$command""#,
        Piece::CommandId => r#""$command_id""#,
        Piece::CommandPath => r#""$command_path""#,
        Piece::RequestId => r#""$request_id""#,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_envelope_is_shown_as_the_spec_writes_it() {
        let flat =
            [Piece::Text(r#"{"code":"#), Piece::ErrorCode, Piece::ErrorSpread, Piece::Text("}")];
        assert_eq!(template(&flat), json!({"code": "$error.code", "$spread": "$error.details"}));
        assert_eq!(template(&[Piece::Data]), json!("$data"));
        let deep = [
            Piece::Text(r#"{"errors":[{"code":"#),
            Piece::ErrorCode,
            Piece::Text(r#","details":"#),
            Piece::ErrorDetails,
            Piece::Text("}]}"),
        ];
        assert_eq!(
            template(&deep),
            json!({"errors": [{"code": "$error.code", "details": "$error.details"}]})
        );
    }
}
