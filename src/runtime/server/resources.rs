//! Resources: files of the contract, and mirrors of read tools, whose arguments are variables of the
//! path and the query of the URI.
//!
//! Reading `wa://events?limit=5` calls the mirrored tool with `{"limit": 5}`, reading `wa://panes/3` one
//! of `wa://panes/{paneId}` with `{"pane_id": 3}`; the types come from the tool's input schema. Values
//! that do not match are passed on as strings, so that the tool's validation reports them.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;
use rmcp::model::{Icon, Resource, ResourceTemplate};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::notifier::base;
use super::offer::Offer;
use crate::contract::{
    IconOwner, ResourceInfo, ResourceSource, SurfaceInfo, ToolInfo, UriTemplate,
};
use crate::identity;

/// MIME type of tool answers.
const MIME: &str = "application/json";

/// Resources that can be read without arguments: files, and tools without required arguments.
pub(super) fn list(info: &SurfaceInfo, offer: &Offer, callable: Option<&[usize]>) -> Vec<Resource> {
    info.resources
        .iter()
        .filter(|resource| offer.has_resource(resource, callable))
        .filter_map(|resource| {
            let mime_type = match resource.source {
                ResourceSource::File { mime_type, .. } | ResourceSource::Blob { mime_type, .. } => {
                    mime_type
                }
                ResourceSource::Tool(_) if is_complete(info, resource)? => mime_type(resource),
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

/// Templates, with the tool's other arguments as query parameters.
pub(super) fn templates(
    info: &SurfaceInfo,
    offer: &Offer,
    callable: Option<&[usize]>,
) -> Vec<ResourceTemplate> {
    info.resources
        .iter()
        .filter(|resource| offer.has_resource(resource, callable))
        .filter_map(|resource| {
            let tool = tool(info, resource)?;
            let (fixed, of_identity) = (fixed(resource), identity::arguments_of(info, tool));
            let names: Vec<String> = properties(tool)
                .into_iter()
                .filter(|(_, kind)| *kind != Kind::Object)
                .map(|(name, _)| name)
                .filter(|name| !is_given(resource, &fixed, name))
                .filter(|name| !of_identity.contains(name))
                .collect();
            let template = match (names.is_empty(), resource.variables) {
                (true, []) => return None,
                (true, _) => resource.uri.to_owned(),
                (false, _) => format!("{}{{?{}}}", resource.uri, names.join(",")),
            };
            Some(
                ResourceTemplate::new(template, resource.name)
                    .with_title(resource.title)
                    .with_description(resource.description)
                    .with_mime_type(mime_type(resource)),
            )
        })
        .collect()
}

/// The icons of the resource that `uri` names.
pub(super) fn icons(info: &SurfaceInfo, uri: &str, known: bool) -> Option<Vec<Icon>> {
    let index = info.resources.iter().position(|resource| resource.uri == uri)?;
    super::icons::served(info.icons_of(IconOwner::Resource(index)), known)
}

/// Media type of what a tool answers.
pub(super) fn mime_type(resource: &ResourceInfo) -> &'static str {
    resource.content.map_or(MIME, |content| content.mime_type)
}

/// A resource that a URI names.
pub(super) struct Found {
    pub(super) resource: &'static ResourceInfo,
    /// Values of the variables of its template, in the order of the path.
    values: Vec<String>,
}

/// The resource that `uri` names, query aside.
pub(super) fn find(info: &SurfaceInfo, uri: &str) -> Option<Found> {
    let path = base(uri);
    info.resources.iter().find_map(|resource| match resource.variables {
        [] => (resource.uri == path).then(|| Found { resource, values: Vec::new() }),
        _ => {
            let values = UriTemplate::parse(resource.uri).ok()?.matches(path)?;
            Some(Found { resource, values })
        }
    })
}

/// The mirrored tool.
fn tool(info: &SurfaceInfo, resource: &ResourceInfo) -> Option<&'static ToolInfo> {
    match resource.source {
        ResourceSource::Tool(index) => info.tools.get(index).copied(),
        ResourceSource::File { .. } | ResourceSource::Blob { .. } => None,
    }
}

/// Whether it can be read under its URI as it is.
fn is_complete(info: &SurfaceInfo, resource: &ResourceInfo) -> Option<bool> {
    let tool = tool(info, resource)?;
    let (fixed, of_identity) = (fixed(resource), identity::arguments_of(info, tool));
    let given = |name: &String| fixed.contains_key(name) || of_identity.contains(name);
    Some(resource.variables.is_empty() && input(tool).required.iter().all(given))
}

/// Arguments with a fixed value.
fn fixed(resource: &ResourceInfo) -> Map<String, Value> {
    serde_json::from_str(resource.arguments).unwrap_or_default()
}

/// Whether the path or the contract gives the argument.
fn is_given(resource: &ResourceInfo, fixed: &Map<String, Value>, name: &str) -> bool {
    resource.variables.iter().any(|variable| variable.argument == name) || fixed.contains_key(name)
}

impl Found {
    /// The variables of the path and the query of `uri` as arguments of `tool`; or what is wrong with the
    /// query. A repeated parameter becomes a list.
    pub(super) fn arguments(&self, tool: &ToolInfo, uri: &str) -> Result<Value, String> {
        let types = properties(tool);
        let typed = |name: &str, text: &str| {
            let known = types.iter().find(|(known, _)| *known == name);
            known.map_or(&Kind::Other, |(_, kind)| kind).read(text)
        };
        let fixed = fixed(self.resource);
        let mut arguments = Map::new();
        let query = uri.split_once('?').map_or("", |(_, query)| query);
        let query = query.split_once('#').map_or(query, |(query, _)| query);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, text) = pair.split_once('=').unwrap_or((pair, "true"));
            let (name, text) = (percent_decode(name), percent_decode(text));
            if is_given(self.resource, &fixed, &name) {
                return Err(format!(
                    "`{name}` is not a parameter of `{}`: leave it out of the query",
                    self.resource.uri
                ));
            }
            match (arguments.get_mut(&name), typed(&name, &text)) {
                (Some(Value::Array(items)), Value::Array(more)) => items.extend(more),
                (_, value) => {
                    arguments.insert(name, value);
                }
            }
        }
        arguments.extend(fixed);
        for (variable, text) in self.resource.variables.iter().zip(&self.values) {
            arguments.insert(variable.argument.to_owned(), typed(variable.argument, text));
        }
        Ok(Value::Object(arguments))
    }
}

/// The type of an argument in a URI.
#[derive(Debug, PartialEq, Eq)]
enum Kind {
    Integer,
    Number,
    Boolean,
    List(Box<Kind>),
    /// Nothing that a query can say.
    Object,
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
        } else if is("object") {
            Self::Object
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
            Self::Object | Self::Other => None,
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
