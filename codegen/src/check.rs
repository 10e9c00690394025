//! Everything a contract promises beyond its shape. Each finding has its own code.
//!
//! Checks see a [`Draft`]: the contract as the emitters would get it, and the trees it came from
//! for places. They never change it.

mod arguments;
mod budget;
mod envelope;
mod examples;
mod guards;
mod meta;
mod names;
mod registry;
mod resources;
mod rules;
mod schemas;
mod settings;
mod subset;
mod types;
mod union;
mod validators;

use crate::diagnostics::{Findings, Place};
use crate::resolve::Draft;

/// Runs all checks of one surface.
///
/// `mark` is where the surface's findings began: some checks only make sense without errors.
pub(crate) fn check(draft: &Draft<'_>, mark: usize, out: &mut Findings) {
    let mut validators = validators::Validators::default();
    names::check(draft, out);
    types::check(draft, out);
    let sound = schemas::check(draft, &mut validators, out);
    if draft.folder.surface.is_none() {
        // Registry, guards and settings are unknown; what follows would only be noise.
        return;
    }
    registry::check(draft, out);
    envelope::check(draft, out);
    settings::check(draft, out);
    resources::check(draft, out);
    rules::check(draft, out);
    for (tool, source) in draft.contract.tools.iter().zip(&draft.tools) {
        arguments::check(tool, source, out);
        guards::check(draft, tool, source, &mut validators, out);
        meta::check(draft, tool, source, out);
        examples::check(draft, tool, source, sound, &mut validators, out);
    }
    if draft.whole && !out.errors_since(mark) {
        schemas::unused(draft, out);
    }
    if sound {
        budget::check(draft, out);
    }
}

/// Where the value at a pointer into `surface.yaml` stands.
fn in_surface(draft: &Draft<'_>, pointer: &str) -> Place {
    draft.folder.surface.as_ref().map_or(draft.folder.place, |doc| doc.root.locate(pointer))
}
