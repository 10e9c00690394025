//! Names of Rust types: in the right form, and without clashes in the generated module.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostics::{Findings, Place, code};
use crate::names;
use crate::resolve::Draft;

/// Names that the generated module uses itself.
const RESERVED: [&str; 8] =
    ["Error", "Result", "Settings", "Surface", "Handlers", "Role", "Self", "Option"];

/// Checks the names of shared types against each other and against generated names.
pub(super) fn check(draft: &Draft<'_>, out: &mut Findings) {
    let mut taken: BTreeMap<String, (String, Option<Place>)> = RESERVED
        .iter()
        .map(|name| ((*name).to_owned(), ("a generated type".to_owned(), None)))
        .collect();
    let mut claim = |name: String, what: String, place: Place, out: &mut Findings| {
        if let Some((other, first)) = taken.get(&name) {
            let message = format!("{what} and {other} both become `{name}` in Rust");
            let finding = out.add(code::SAME_TYPE, place, message);
            finding.label("same Rust name").help("rename one of the two");
            if let Some(first) = first {
                finding.also(*first, "first here");
            }
        } else {
            taken.insert(name, (what, Some(place)));
        }
    };
    let mut portable = BTreeSet::new();
    let mut generated = Vec::new();
    for (tool, source) in draft.contract.tools.iter().zip(&draft.tools) {
        let marker = names::rust_type(&tool.name);
        let what = format!("tool `{}`", tool.name);
        // Names that differ by a dot only are reported as such.
        if portable.insert(names::portable(&tool.name)) {
            claim(marker.clone(), what.clone(), source.place(), out);
            generated.push((marker, what, source.place()));
        }
    }
    for (marker, what, place) in generated {
        for suffix in ["Request", "Response"] {
            claim(format!("{marker}{suffix}"), what.clone(), place, out);
        }
    }
    for name in draft.contract.guards.keys() {
        let place = super::in_surface(draft, &format!("/guards/{name}"));
        let rust = format!("{}Guard", names::rust_type(name));
        claim(rust, format!("guard `{name}`"), place, out);
    }
    for (name, entry) in &draft.types {
        let rust = names::rust_type(name);
        if rust != **name {
            out.add(code::BAD_NAME, entry.place, format!("`{name}` is not a valid type name"))
                .label("not in UpperCamelCase")
                .help(format!("rename it to `{rust}`"));
        }
        claim(rust, format!("type `{name}`"), entry.place, out);
    }
}
