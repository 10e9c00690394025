//! Checks of a contract beyond its structure. Each kind of finding has its own code.
//!
//! Checks see a [`Draft`]: the contract as the emitters would get it, and the trees it came from
//! for places. They never change it.

mod arguments;
pub(crate) mod budget;
mod command_line;
mod envelope;
mod examples;
mod guards;
mod meta;
mod names;
mod prompts;
mod registry;
mod resources;
mod rules;
mod sanitize;
mod schemas;
mod settings;
mod subset;
mod templates;
mod types;
mod union;
mod validators;

use crate::diagnostics::{Findings, Place, code};
use crate::resolve::Draft;

/// Runs all checks of one surface. None waits for another to succeed: a fault hides no other fault.
pub(crate) fn check(draft: &Draft<'_>, out: &mut Findings) {
    let mut validators = validators::Validators::default();
    names::check(draft, out);
    command_line::check(draft, out);
    types::check(draft, out);
    let sound = schemas::check(draft, &mut validators, out);
    // Without it registry, guards and settings are unknown; their findings would only be noise.
    let surface = draft.folder.surface.is_some();
    if surface {
        registry::check(draft, out);
        envelope::check(draft, out);
        settings::check(draft, out);
        resources::check(draft, &mut validators, out);
        rules::check(draft, out);
    }
    let sanitized = (!sound).then(|| sanitize::contract(&draft.contract));
    let contract = sanitized.as_ref().unwrap_or(&draft.contract);
    for (tool, source) in contract.tools.iter().zip(&draft.tools) {
        arguments::check(tool, source, out);
        if surface {
            guards::check(draft, tool, source, &mut validators, out);
            meta::check(draft, tool, source, out);
        }
        examples::check(draft, contract, tool, source, &mut validators, out);
    }
    prompts::check(draft, &mut validators, out);
    // A reference that leads nowhere may have been meant for any type.
    let lost = [code::BAD_REF, code::CYCLIC_REF, code::REMOTE_REF];
    if draft.whole && !out.has(&lost) {
        schemas::unused(draft, out);
    }
    budget::check(draft, out);
}

/// Where the value at a pointer into `surface.yaml` stands.
fn in_surface(draft: &Draft<'_>, pointer: &str) -> Place {
    draft.folder.surface.as_ref().map_or(draft.folder.place, |doc| doc.root.locate(pointer))
}
