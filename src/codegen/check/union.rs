//! `oneOf`: only as a union of objects with a common tag, or of closed types that each have a required
//! property of their own.

use crate::diagnostics::{Findings, code};
use crate::parse::{Entry, Kind, Node};
use crate::resolve::{Draft, def_name};

/// Checks the branches of a `oneOf`.
pub(super) fn check(entry: &Entry, draft: &Draft<'_>, out: &mut Findings) {
    let branches: Vec<&Node> =
        entry.value.elements().iter().filter_map(|branch| resolve(branch, draft)).collect();
    if branches.len() != entry.value.elements().len() {
        // An unresolved branch was reported; its content is unknown.
        return;
    }
    if branches.len() < 2 {
        refuse(entry, "fewer than two branches", out);
        return;
    }
    let tags = |branch: &Node| -> Vec<(String, String)> {
        let required = branch.get("required").map(Node::elements).unwrap_or_default();
        let properties = branch.get("properties").map(Node::entries).unwrap_or_default();
        properties
            .iter()
            .filter(|property| required.iter().any(|name| name.text() == Some(&property.key)))
            .filter_map(|property| {
                Some((property.key.clone(), property.value.text_of("const")?.to_owned()))
            })
            .collect()
    };
    let all: Vec<Vec<(String, String)>> = branches.iter().map(|branch| tags(branch)).collect();
    let candidates = all.first().into_iter().flatten().map(|(name, _)| name);
    let told_apart = candidates.into_iter().any(|name| {
        let mut values: Vec<&String> = all
            .iter()
            .filter_map(|tags| tags.iter().find(|(tag, _)| tag == name).map(|(_, value)| value))
            .collect();
        values.sort();
        values.dedup();
        values.len() == branches.len()
    });
    if !told_apart && !own_members(entry, &branches) {
        refuse(entry, "no required `const` string that differs in every branch", out);
    }
}

/// Every branch is a closed type with a required property that no other branch has.
fn own_members(entry: &Entry, branches: &[&Node]) -> bool {
    let names = |branch: &Node, key: &str| -> Vec<String> {
        let node = branch.get(key);
        let required = node.map(Node::elements).unwrap_or_default();
        let properties = node.map(Node::entries).unwrap_or_default();
        let required = required.iter().filter_map(Node::text).map(str::to_owned);
        required.chain(properties.iter().map(|property| property.key.clone())).collect()
    };
    let is_closed = |branch: &Node| {
        branch
            .get("additionalProperties")
            .is_some_and(|open| matches!(open.kind, Kind::Bool(false)))
    };
    let named = entry.value.elements().iter().all(|branch| branch.text_of("$ref").is_some());
    named
        && branches.iter().enumerate().all(|(at, branch)| {
            let others = branches.iter().enumerate().filter(|(other, _)| *other != at);
            let taken: Vec<String> =
                others.flat_map(|(_, other)| names(other, "properties")).collect();
            is_closed(branch) && names(branch, "required").iter().any(|own| !taken.contains(own))
        })
}

fn refuse(entry: &Entry, why: &str, out: &mut Findings) {
    out.add(code::BAD_CONSTRUCT, entry.place, "the branches of `oneOf` cannot be distinguished")
        .label(why)
        .help(
            "give each branch a required property such as `kind: {const: circle}`, or make each a \
             closed type with a required property of its own",
        );
}

fn resolve<'a>(branch: &'a Node, draft: &Draft<'a>) -> Option<&'a Node> {
    match branch.text_of("$ref") {
        Some(reference) => draft.types.get(def_name(reference)?).map(|entry| &entry.value),
        None => Some(branch),
    }
}
