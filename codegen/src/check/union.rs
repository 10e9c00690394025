//! `oneOf`: only as a union of objects that a common text tells apart.

use crate::diagnostics::{Findings, code};
use crate::parse::{Entry, Node};
use crate::resolve::{Draft, def_name};

/// Checks the branches of a `oneOf`.
pub(super) fn check(entry: &Entry, draft: &Draft<'_>, out: &mut Findings) {
    let branches: Vec<&Node> =
        entry.value.elements().iter().filter_map(|branch| resolve(branch, draft)).collect();
    if branches.len() < 2 || branches.len() != entry.value.elements().len() {
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
    if !told_apart {
        refuse(entry, "no required `const` text that differs in every branch", out);
    }
}

fn refuse(entry: &Entry, why: &str, out: &mut Findings) {
    out.add(code::BAD_CONSTRUCT, entry.place, "`oneOf` is for objects that a tag tells apart")
        .label(why)
        .help("give each branch a required property such as `kind: {const: circle}`");
}

fn resolve<'a>(branch: &'a Node, draft: &Draft<'a>) -> Option<&'a Node> {
    match branch.text_of("$ref") {
        Some(reference) => draft.types.get(def_name(reference)?).map(|entry| &entry.value),
        None => Some(branch),
    }
}
