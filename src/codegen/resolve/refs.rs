//! `$ref`s: to `types.yaml`, to another tool's `input` or `output`, and nowhere else.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use crate::diagnostics::{Findings, Place, code};
use crate::names;
use crate::parse::{Doc, Entry, Folder, Kind, Node};

/// Keywords that hold one schema.
const ONE: [&str; 11] = [
    "items",
    "additionalProperties",
    "not",
    "if",
    "then",
    "else",
    "contains",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "additionalItems",
];
/// Keywords that hold a list of schemas.
const MANY: [&str; 4] = ["oneOf", "anyOf", "allOf", "prefixItems"];
/// Keywords that hold schemas by name.
const NAMED: [&str; 4] = ["properties", "patternProperties", "$defs", "dependentSchemas"];
/// Keywords that would change what the schema's words mean; the checks refuse them.
const IDENTITY: [&str; 6] =
    ["$schema", "$id", "$anchor", "$dynamicAnchor", "$dynamicRef", "$vocabulary"];

/// Name of the definition that a `$ref` in a spec or a resolved schema points to.
pub(crate) fn def_name(reference: &str) -> Option<&str> {
    reference.split_once("#/$defs/").map(|(_, name)| name)
}

/// Resolver of one surface.
pub(crate) struct Refs<'a> {
    folder: &'a Folder,
    pub(crate) entries: BTreeMap<&'a str, &'a Entry>,
}

impl<'a> Refs<'a> {
    /// Reads which types there are.
    pub(crate) fn new(folder: &'a Folder, out: &mut Findings) -> Self {
        let mut entries = BTreeMap::new();
        if let Some(doc) = &folder.types {
            let at = doc.root.place;
            if let Some(mut fields) = super::Fields::new(&doc.root, at, "`types.yaml`", out) {
                fields.need("$defs");
                for entry in fields.map("$defs", out) {
                    entries.insert(entry.key.as_str(), entry);
                }
                fields.finish(out);
            }
        }
        Self { folder, entries }
    }

    /// All types with their `$ref`s resolved; reports cycles.
    pub(crate) fn types(&mut self, out: &mut Findings) -> BTreeMap<String, Value> {
        let Some(doc) = &self.folder.types else { return BTreeMap::new() };
        let mut types = BTreeMap::new();
        let mut edges: BTreeMap<&str, Vec<(String, Place)>> = BTreeMap::new();
        for (name, entry) in self.entries.clone() {
            let mut seen = Vec::new();
            types.insert(name.to_owned(), self.convert(&entry.value, doc, &mut seen, out));
            edges.insert(name, seen);
        }
        cycles(&edges, out);
        types
    }

    /// A schema with its `$ref`s as `#/$defs/<Name>`.
    pub(crate) fn schema(&mut self, node: &Node, doc: &Doc, out: &mut Findings) -> Value {
        self.convert(node, doc, &mut Vec::new(), out)
    }

    fn convert(
        &mut self,
        node: &Node,
        doc: &Doc,
        seen: &mut Vec<(String, Place)>,
        out: &mut Findings,
    ) -> Value {
        let Kind::Map(entries) = &node.kind else { return node.to_value() };
        let mut schema = Map::new();
        for entry in entries {
            let key = entry.key.as_str();
            let value = if key == "$ref" {
                let Some(name) = self.target(entry, doc, out) else { continue };
                seen.push((name.clone(), entry.focus()));
                json!(format!("#/$defs/{name}"))
            } else if IDENTITY.contains(&key) {
                continue;
            } else if ONE.contains(&key) {
                self.convert(&entry.value, doc, seen, out)
            } else if MANY.contains(&key) && matches!(entry.value.kind, Kind::List(_)) {
                let list = entry.value.elements();
                list.iter().map(|node| self.convert(node, doc, seen, out)).collect()
            } else if NAMED.contains(&key) && matches!(entry.value.kind, Kind::Map(_)) {
                let members = entry.value.entries().iter();
                members
                    .map(|member| (member.key.clone(), self.convert(&member.value, doc, seen, out)))
                    .collect::<Map<_, _>>()
                    .into()
            } else {
                entry.value.to_value()
            };
            schema.insert(entry.key.clone(), value);
        }
        Value::Object(schema)
    }

    /// The definition that a `$ref` names.
    fn target(&self, entry: &Entry, doc: &Doc, out: &mut Findings) -> Option<String> {
        let (path, fragment) = split(entry, doc, out)?;
        let types = self.folder.types.as_ref().map(|types| types.path.as_str());
        let is_types = path.rsplit('/').next().is_some_and(|name| name.starts_with("types."));
        if Some(path.as_str()) == types
            && let Some(name) = fragment.strip_prefix("/$defs/")
        {
            if self.entries.contains_key(name) {
                return Some(name.to_owned());
            }
            out.add(code::BAD_REF, entry.focus(), format!("unknown type `{name}`"))
                .label("not under `$defs` in `types.yaml`")
                .help(names::suggest(name, self.entries.keys().copied()));
            return None;
        }
        if is_types && self.folder.types_unread {
            // The file is there; what is wrong with it was reported.
            return None;
        }
        let message = match types {
            None if is_types => "this surface has no `types.yaml`".to_owned(),
            _ => {
                format!("a `$ref` inside a schema must point to a type, not to `{path}#{fragment}`")
            }
        };
        out.add(code::BAD_REF, entry.focus(), message).label("target not found").help(form(doc));
        None
    }

    /// Follows `{$ref: "plan.yaml#/input"}` to the schema itself and the file it is in.
    pub(crate) fn root(
        &mut self,
        entry: &'a Entry,
        doc: &'a Doc,
        out: &mut Findings,
    ) -> Option<(&'a Node, &'a Doc)> {
        let (mut node, mut doc) = (&entry.value, doc);
        let mut visited = vec![(doc.path.clone(), format!("/{}", entry.key))];
        while let [reference] = node.entries()
            && reference.key == "$ref"
        {
            let (path, fragment) = split(reference, doc, out)?;
            if fragment.starts_with("/$defs/") {
                break;
            }
            let Some(next) = self.folder.tools.iter().find(|tool| tool.path == path) else {
                out.add(code::BAD_REF, reference.focus(), format!("file `{path}` not found"))
                    .label("target not found")
                    .help(form(doc));
                return None;
            };
            let key = fragment.trim_start_matches('/');
            let found = next.root.get(key).filter(|_| matches!(key, "input" | "output"));
            let Some(found) = found else {
                let message = format!("`{path}` has no `{fragment}` that can be referenced here");
                out.add(code::BAD_REF, reference.focus(), message)
                    .label("target not found")
                    .help("use `#/input` or `#/output` of the other tool");
                return None;
            };
            if visited.contains(&(path.clone(), fragment.clone())) {
                out.add(code::CYCLIC_REF, reference.focus(), "this `$ref` refers to itself")
                    .help("write the schema in one of the tools");
                return None;
            }
            visited.push((path, fragment));
            (node, doc) = (found, next);
        }
        Some((node, doc))
    }
}

/// File (below the specs folder) and fragment of a `$ref`.
fn split(entry: &Entry, doc: &Doc, out: &mut Findings) -> Option<(String, String)> {
    let Some(text) = entry.value.text() else {
        super::fields::wrong(&entry.value, entry.focus(), "`$ref` is a text", out);
        return None;
    };
    if text.contains("://") {
        out.add(code::REMOTE_REF, entry.focus(), "remote `$ref`s are never fetched")
            .label("remote")
            .help("copy the definition into `types.yaml`");
        return None;
    }
    let Some((file, fragment)) = text.split_once('#') else {
        out.add(code::BAD_REF, entry.focus(), format!("`{text}` has no fragment"))
            .label("without `#`")
            .help(form(doc));
        return None;
    };
    let mut path: Vec<&str> = doc.path.split('/').collect();
    if !file.is_empty() {
        path.pop();
        for step in file.split('/') {
            match step {
                "." => {}
                ".." => {
                    path.pop();
                }
                step => path.push(step),
            }
        }
    }
    Some((path.join("/"), fragment.to_owned()))
}

/// How references are written from this file.
fn form(doc: &Doc) -> &'static str {
    if doc.path.contains("/tools/") {
        "write `../types.yaml#/$defs/<Name>`, or `<tool>.yaml#/input` for a whole input"
    } else if doc.stem() == "types" {
        "write `#/$defs/<Name>`"
    } else {
        "write `types.yaml#/$defs/<Name>`"
    }
}

/// Reports each reference that closes a cycle.
fn cycles(edges: &BTreeMap<&str, Vec<(String, Place)>>, out: &mut Findings) {
    let mut done: BTreeSet<&str> = BTreeSet::new();
    for start in edges.keys() {
        visit(start, edges, &mut Vec::new(), &mut done, out);
    }
}

fn visit<'a>(
    name: &'a str,
    edges: &'a BTreeMap<&str, Vec<(String, Place)>>,
    path: &mut Vec<&'a str>,
    done: &mut BTreeSet<&'a str>,
    out: &mut Findings,
) {
    if done.contains(name) {
        return;
    }
    path.push(name);
    for (next, place) in edges.get(name).into_iter().flatten() {
        if let Some(at) = path.iter().position(|step| step == next) {
            let mut way: Vec<&str> = path[at..].to_vec();
            way.push(next);
            out.add(code::CYCLIC_REF, *place, "this type contains itself")
                .label(way.join(" → "))
                .help("served schemas cannot be recursive: refer by id, or limit the depth");
        } else {
            visit(next, edges, path, done, out);
        }
    }
    path.pop();
    done.insert(name);
}
