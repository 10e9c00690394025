//! Resources: files of the contract, and mirrors of read tools, whose arguments are the query of the
//! URI.
//!
//! Reading `wa://events?limit=5` calls the mirrored tool with `{"limit": 5}`; the types come from
//! the tool's input schema. Values that do not match are passed on as strings, so that the tool's
//! validation reports them.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use rmcp::model::{Icon, Resource, ResourceTemplate};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::notifier::base;
use super::offer::Offer;
use crate::contract::{IconOwner, ResourceInfo, ResourceSource, SurfaceInfo, ToolInfo};

/// MIME type of tool answers.
pub(super) const MIME: &str = "application/json";

/// Resources that can be read without arguments: files, and tools without required arguments.
pub(super) fn list(info: &SurfaceInfo, offer: &Offer, callable: Option<&[usize]>) -> Vec<Resource> {
    info.resources
        .iter()
        .filter(|resource| offer.has_resource(resource, callable))
        .filter_map(|resource| {
            let mime_type = match resource.source {
                ResourceSource::File { mime_type, .. } => mime_type,
                ResourceSource::Tool(_) if needs(tool(info, resource)?).is_empty() => MIME,
                ResourceSource::Tool(_) => return None,
            };
            Some(
                Resource::new(resource.uri, resource.name)
                    .with_title(resource.title)
                    .with_description(resource.description)
                    .with_mime_type(mime_type),
            )
        })
        .collect()
}

/// Templates with the tool's arguments as query parameters.
pub(super) fn templates(
    info: &SurfaceInfo,
    offer: &Offer,
    callable: Option<&[usize]>,
) -> Vec<ResourceTemplate> {
    info.resources
        .iter()
        .filter(|resource| offer.has_resource(resource, callable))
        .filter_map(|resource| {
            let names = properties(tool(info, resource)?)
                .into_iter()
                .map(|(name, _)| name)
                .collect::<Vec<_>>();
            if names.is_empty() {
                return None;
            }
            let template = format!("{}{{?{}}}", resource.uri, names.join(","));
            Some(
                ResourceTemplate::new(template, resource.name)
                    .with_title(resource.title)
                    .with_description(resource.description)
                    .with_mime_type(MIME),
            )
        })
        .collect()
}

/// The icons of the resource that `uri` names.
pub(super) fn icons(info: &SurfaceInfo, uri: &str, known: bool) -> Option<Vec<Icon>> {
    let index = info.resources.iter().position(|resource| resource.uri == uri)?;
    super::icons::served(info.icons_of(IconOwner::Resource(index)), known)
}

/// The resource that `uri` names, query aside.
pub(super) fn find<'a>(info: &'a SurfaceInfo, uri: &str) -> Option<&'a ResourceInfo> {
    info.resources.iter().find(|resource| resource.uri == base(uri))
}

/// The mirrored tool.
fn tool(info: &SurfaceInfo, resource: &ResourceInfo) -> Option<&'static ToolInfo> {
    match resource.source {
        ResourceSource::Tool(index) => info.tools.get(index).copied(),
        ResourceSource::File { .. } => None,
    }
}

/// The query of `uri` as arguments of `tool`. A repeated parameter becomes a list.
pub(super) fn arguments(tool: &ToolInfo, uri: &str) -> Value {
    let types = properties(tool);
    let mut arguments = Map::new();
    let query = uri.split_once('?').map_or("", |(_, query)| query);
    let query = query.split_once('#').map_or(query, |(query, _)| query);
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, text) = pair.split_once('=').unwrap_or((pair, "true"));
        let (name, text) = (percent_decode(name), percent_decode(text));
        let kind =
            types.iter().find(|(known, _)| *known == name).map_or(&Kind::Other, |(_, kind)| kind);
        let value = kind.read(&text);
        match (arguments.get_mut(&name), value) {
            (Some(Value::Array(items)), Value::Array(more)) => items.extend(more),
            (_, value) => {
                arguments.insert(name, value);
            }
        }
    }
    Value::Object(arguments)
}

/// The type of a query parameter.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Boolean,
    List(Box<Kind>),
    Other,
}

impl Kind {
    fn of(schema: &Value) -> Self {
        let is = |wanted: &str| match schema.get("type") {
            Some(Value::String(name)) => name == wanted,
            Some(Value::Array(names)) => names.iter().any(|name| name == wanted),
            _ => false,
        };
        if is("string") {
            Self::Other
        } else if is("integer") {
            Self::Integer
        } else if is("number") {
            Self::Number
        } else if is("boolean") {
            Self::Boolean
        } else if is("array") {
            Self::List(Box::new(schema.get("items").map_or(Self::Other, Self::of)))
        } else {
            Self::Other
        }
    }

    fn read(&self, text: &str) -> Value {
        let number =
            |wanted: fn(&Value) -> bool| serde_json::from_str::<Value>(text).ok().filter(wanted);
        let read = match self {
            Self::Integer => number(|value| value.is_i64() || value.is_u64()),
            Self::Number => number(Value::is_number),
            Self::Boolean => match text {
                "true" | "1" => Some(Value::Bool(true)),
                "false" | "0" => Some(Value::Bool(false)),
                _ => None,
            },
            Self::List(items) => {
                Some(text.split(',').map(|item| items.read(item)).collect::<Vec<_>>().into())
            }
            Self::Other => None,
        };
        read.unwrap_or_else(|| Value::String(text.to_owned()))
    }
}

#[derive(Deserialize, Default)]
struct InputSchema {
    #[serde(default)]
    properties: Map<String, Value>,
    #[serde(default)]
    required: Vec<String>,
}

fn input(tool: &ToolInfo) -> InputSchema {
    serde_json::from_str(tool.input).unwrap_or_default()
}

/// The tool's arguments, sorted by name.
fn properties(tool: &ToolInfo) -> Vec<(String, Kind)> {
    input(tool).properties.into_iter().map(|(name, schema)| (name, Kind::of(&schema))).collect()
}

fn needs(tool: &ToolInfo) -> Vec<String> {
    input(tool).required
}

/// Percent-decodes; invalid escapes and invalid UTF-8 are left unchanged.
pub(super) fn percent_decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8().map_or_else(|_| text.to_owned(), Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn decodes_escapes_and_leaves_the_rest() {
        assert_eq!(percent_decode("a%20b%2Fc%C3%A9"), "a b/cé");
        assert_eq!(percent_decode("100%"), "100%");
        assert_eq!(percent_decode("%zz%4"), "%zz%4");
        assert_eq!(percent_decode("%+1"), "%+1");
        assert_eq!(percent_decode("%ff"), "%ff");
    }

    #[test]
    fn reads_text_by_the_schema_and_passes_on_what_does_not_fit() {
        let read = |schema: Value, text: &str| Kind::of(&schema).read(text);
        assert_eq!(read(json!({"type": "integer"}), "5"), json!(5));
        assert_eq!(read(json!({"type": "integer"}), "5.5"), json!("5.5"));
        assert_eq!(read(json!({"type": ["integer", "null"]}), "x"), json!("x"));
        assert_eq!(read(json!({"type": "number"}), "1e3"), json!(1000.0));
        assert_eq!(read(json!({"type": "boolean"}), "0"), json!(false));
        assert_eq!(read(json!({"type": "boolean"}), "maybe"), json!("maybe"));
        assert_eq!(read(json!({"type": "string"}), "12"), json!("12"));
        let list = json!({"type": "array", "items": {"type": "integer"}});
        assert_eq!(read(list, "1,2,x"), json!([1, 2, "x"]));
    }
}
