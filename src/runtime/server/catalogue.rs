//! Tool definitions and tool lists as they are served.
//!
//! Built from the static contract only, so the same contract gives the same bytes in every
//! process.

use std::sync::OnceLock;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::view::{View, Views};
use crate::contract::{Deprecation, Effects, GuardUse, SurfaceInfo, ToolInfo};

/// `_meta` key of the contract's version and digest.
pub(super) const CONTRACT_KEY: &str = "toolwright/contract";
/// `_meta` key of a tool's deprecation.
const DEPRECATED_KEY: &str = "toolwright/deprecated";
/// `_meta` key of a tool's guards: the name of each, and who can satisfy it.
const GUARDS_KEY: &str = "toolwright/guards";
/// `_meta` key of the server's identity, reserved by the protocol.
const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";
/// How long a client may cache a list. The contract is compiled in, and clients are told of what else
/// changes a list.
pub(super) const LIST_TTL_MS: u64 = 300_000;

/// Lists and metadata of one surface.
pub(super) struct Catalogue {
    info: &'static SurfaceInfo,
    contract: Value,
    server_info: Value,
    views: Views,
    /// `_meta` of a 2026-07-28 result without further metadata.
    pub(super) plain_meta: String,
    /// By view, then by the tool's index: name and definition.
    definitions: [OnceLock<Vec<(&'static str, String)>>; View::COUNT],
}

/// For whom a list is; says who may keep it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Audience {
    Everybody,
    /// The caller alone.
    Caller,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Definition<'a> {
    name: &'a str,
    title: &'a str,
    description: String,
    input_schema: &'a RawValue,
    output_schema: &'a RawValue,
    annotations: Annotations<'a>,
    #[serde(rename = "_meta", skip_serializing_if = "Map::is_empty")]
    meta: Map<String, Value>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Annotations<'a> {
    title: &'a str,
    read_only_hint: bool,
    destructive_hint: bool,
    idempotent_hint: bool,
    open_world_hint: bool,
}

impl Catalogue {
    /// Definitions are rendered on first use.
    pub(super) fn new(info: &'static SurfaceInfo, server_info: Value, views: Views) -> Self {
        let contract = json!({"version": info.contract, "digest": info.digest});
        let plain_meta = json!({ SERVER_INFO_KEY: server_info }).to_string();
        Self {
            info,
            contract,
            server_info,
            views,
            plain_meta,
            definitions: [const { OnceLock::new() }; View::COUNT],
        }
    }

    /// `_meta` that describes the contract.
    pub(super) fn contract_meta(&self, modern: bool) -> Map<String, Value> {
        let mut meta = Map::new();
        meta.insert(CONTRACT_KEY.to_owned(), self.contract.clone());
        if modern { self.with_server_info(meta) } else { meta }
    }

    /// Adds the server's identity, which every 2026-07-28 result should carry.
    pub(super) fn with_server_info(&self, mut meta: Map<String, Value>) -> Map<String, Value> {
        meta.insert(SERVER_INFO_KEY.to_owned(), self.server_info.clone());
        meta
    }

    /// The result of `tools/list` with the tools that `offered` names by their index.
    pub(super) fn render(
        &self,
        view: View,
        modern: bool,
        audience: Audience,
        offered: impl Fn(usize) -> bool,
    ) -> String {
        let definitions = self.definitions[view.index()].get_or_init(|| self.define(view));
        let mut tools: Vec<&(&str, String)> = (definitions.iter().enumerate())
            .filter(|(index, _)| self.info.tools[*index].listed && offered(*index))
            .map(|(_, definition)| definition)
            .collect();
        tools.sort_unstable_by_key(|(name, _)| *name);
        let texts: Vec<&str> = tools.iter().map(|(_, text)| text.as_str()).collect();
        let meta = Value::Object(self.contract_meta(modern));
        let array = texts.join(",");
        if !modern {
            return format!(r#"{{"_meta":{meta},"tools":[{array}]}}"#);
        }
        let scope = match audience {
            Audience::Everybody if !self.views.differ() => "public",
            // A cache must not hand one client's list to another.
            _ => "private",
        };
        format!(
            r#"{{"resultType":"complete","_meta":{meta},"ttlMs":{LIST_TTL_MS},"cacheScope":"{scope}","tools":[{array}]}}"#
        )
    }

    fn define(&self, view: View) -> Vec<(&'static str, String)> {
        let define = |tool: &&'static ToolInfo| {
            let name = if view.dots { tool.canonical } else { tool.portable };
            (name, definition(self.info, name, tool, view))
        };
        self.info.tools.iter().map(define).collect()
    }
}

fn definition(info: &SurfaceInfo, name: &str, tool: &ToolInfo, view: View) -> String {
    let mut meta: Map<String, Value> = serde_json::from_str(tool.meta).unwrap_or_default();
    if let Some(deprecated) = tool.deprecated {
        meta.insert(
            DEPRECATED_KEY.to_owned(),
            json!({
                "since": deprecated.since,
                "replacedBy": deprecated.replaced_by,
                "sunset": deprecated.sunset,
            }),
        );
    }
    if !tool.guards.is_empty() {
        let guard =
            |guard: &GuardUse| json!({"name": guard.name, "strength": guard.strength.name()});
        meta.insert(GUARDS_KEY.to_owned(), tool.guards.iter().map(guard).collect());
    }
    let mut description = description(tool);
    if !view.dots {
        description = info.portable_text(&description).into_owned();
    }
    let definition = Definition {
        name,
        title: tool.title,
        description,
        input_schema: &schema(info, tool.input_for(view.profile), view),
        output_schema: &schema(info, tool.output, view),
        annotations: Annotations {
            title: tool.title,
            read_only_hint: tool.effects == Effects::Read,
            destructive_hint: tool.effects == Effects::Destructive,
            idempotent_hint: tool.idempotent,
            open_world_hint: tool.open_world,
        },
        meta,
    };
    // Only strings, booleans and checked JSON text: serialising them cannot fail.
    serde_json::to_string(&definition).unwrap_or_default()
}

fn schema(info: &SurfaceInfo, text: &str, view: View) -> Box<RawValue> {
    const ANYTHING: &str = r#"{"type":"object"}"#;
    let schema = if view.dots {
        serde_json::from_str(text)
    } else {
        serde_json::from_str(text).and_then(|mut schema| {
            info.portable_descriptions(&mut schema);
            serde_json::value::to_raw_value(&schema)
        })
    };
    let anything = |_| serde_json::from_str(ANYTHING);
    schema.or_else(anything).unwrap_or_else(|_| RawValue::NULL.to_owned())
}

fn description(tool: &ToolInfo) -> String {
    let Some(Deprecation { since, replaced_by, sunset }) = tool.deprecated else {
        return tool.description.to_owned();
    };
    let mut notice = format!("Deprecated since {since}");
    if let Some(replacement) = replaced_by {
        notice.push_str(&format!(", use {replacement} instead"));
    }
    if let Some(sunset) = sunset {
        notice.push_str(&format!(", will be removed on {sunset}"));
    }
    format!("{notice}. {}", tool.description)
}
