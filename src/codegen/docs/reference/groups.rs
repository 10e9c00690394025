//! The keys of the spec language in groups: one for each file, one for each key with members.

use serde_json::Value;

use super::keys::{Key, alone, definition, members};
use super::quote;

/// Keys that are shown in one table, with an example that uses all of them.
pub(super) struct Group {
    /// The key whose members these are.
    pub(super) key: Key,
    pub(super) members: Vec<Key>,
    /// Quoted fixtures.
    pub(super) examples: Vec<String>,
    /// Members that no example uses.
    pub(super) missing: Vec<String>,
    /// Alternatives of a list, each with members of its own.
    pub(super) alternatives: Vec<Group>,
}

/// A kind of file.
pub(super) struct File {
    pub(super) node: &'static Value,
    pub(super) keys: Vec<Key>,
    /// Fixtures of this kind.
    pub(super) fixtures: &'static [&'static str],
    /// Of the keys that do not fit into one line.
    pub(super) groups: Vec<Group>,
}

/// `surface.yaml`.
pub(super) fn surface() -> File {
    file("surface", &quote::SURFACE)
}

/// `tools/<tool>.yaml`.
pub(super) fn tool() -> File {
    file("tool", &quote::TOOLS)
}

/// `prompts/<prompt>.yaml`.
pub(super) fn prompt() -> File {
    file("prompt", &quote::PROMPTS)
}

fn file(name: &'static str, fixtures: &'static [&'static str]) -> File {
    let node = definition(name);
    let keys = members(node, name, false);
    let long = |key: &&Key| entry(key.node).is_some() || quote::cell(fixtures, &key.path).is_none();
    let groups = keys.iter().filter(long).map(|key| group(name, key, fixtures)).collect();
    File { node, keys, fixtures, groups }
}

fn group(file: &str, key: &Key, fixtures: &[&str]) -> Group {
    let within = format!("{file}.{}", key.path);
    let branches = branches(key.node);
    let is_guard = |node: &Value| node.get("maxProperties").is_some();
    if branches.iter().any(|branch| is_guard(branch)) {
        let alternatives = branches
            .into_iter()
            .map(|branch| alternative(&within, key, branch, fixtures))
            .collect();
        let (examples, missing) = quote::blocks(fixtures, &key.path, &[]);
        return Group { key: key.clone(), members: vec![], examples, missing, alternatives };
    }
    let members = match entry(key.node) {
        Some(entry) => members(entry, &within, true),
        None => branches.into_iter().flat_map(|branch| members(branch, &within, true)).collect(),
    };
    let (examples, missing) = quote::blocks(fixtures, &key.path, &members);
    Group { key: key.clone(), members, examples, missing, alternatives: vec![] }
}

/// A built-in guard, or the surface's own ones, which have no name here.
fn alternative(within: &str, list: &Key, branch: &'static Value, fixtures: &[&str]) -> Group {
    let named = branch.pointer("/required/0").and_then(Value::as_str);
    let Some((name, node)) =
        named.and_then(|name| Some((name, branch.get("properties")?.get(name)?)))
    else {
        let builtin = crate::resolve::BUILTIN;
        let own = |name: &str| !builtin.contains(&name);
        let (examples, missing) = quote::elements(fixtures, &list.path, own, &[]);
        let key = alone(branch, within, "<own guard>");
        return Group { key, members: vec![], examples, missing, alternatives: vec![] };
    };
    let members = members(node, &format!("{within}.{name}"), true);
    let (examples, missing) =
        quote::elements(fixtures, &list.path, |found| found == name, &members);
    Group { key: alone(node, within, name), members, examples, missing, alternatives: vec![] }
}

/// What a key holds, if that has members: itself, each value of a map or each element of a list.
fn entry(node: &'static Value) -> Option<&'static Value> {
    let inner = node.get("additionalProperties").or_else(|| node.get("items"));
    [Some(node), inner]
        .into_iter()
        .flatten()
        .map(resolved)
        .find(|node| node.get("properties").is_some() && !std::ptr::eq(*node, definition("schema")))
}

fn resolved(node: &'static Value) -> &'static Value {
    let target = node.get("$ref").and_then(Value::as_str);
    target.and_then(|target| target.rsplit('/').next()).map_or(node, definition)
}

fn branches(node: &'static Value) -> Vec<&'static Value> {
    let items = node.get("items");
    let list = items.and_then(|items| items.get("oneOf").or_else(|| items.get("anyOf")));
    list.and_then(Value::as_array).into_iter().flatten().collect()
}
