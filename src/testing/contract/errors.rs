//! The error grid: which example of which tool produces which code.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use toolwright_runtime::contract::Expect;

use super::{States, all_examples};

/// Every code that a tool declares has an example. Gives the grid, a snapshot to review.
///
/// The compiler asks for the examples, `examples_answer_as_written` runs them; this test shows the
/// whole picture and that no registry entry is dead.
pub fn every_declared_error_is_produced(states: &dyn States) -> String {
    let surface = states.surface();
    let mut grid = String::new();
    let mut produced = BTreeSet::new();
    for error in surface.errors {
        let places: Vec<String> = all_examples(surface)
            .filter(|(_, _, example)| matches!(example.expect, Expect::Error(kind) if kind == error.kind))
            .map(|(_, tool, example)| format!("{}/{}", tool.name, example.name))
            .collect();
        if !places.is_empty() {
            produced.insert(error.kind);
        }
        let _ = writeln!(grid, "{}: {}", error.code, places.join(", "));
    }
    // Arguments that do not fit come from mutations; a defect has no example by its nature, and a
    // tool that is not there has none either.
    let own = &surface.builtin;
    let builtin: Vec<_> = [own.invalid_arguments, own.internal]
        .into_iter()
        .chain(own.unknown_tool)
        .map(|error| error.kind)
        .collect();
    let missing: Vec<_> = surface
        .errors
        .iter()
        .map(|error| error.kind)
        .filter(|kind| !produced.contains(kind) && !builtin.contains(kind))
        .collect();
    assert!(missing.is_empty(), "no example produces: {missing:?}");
    grid
}
