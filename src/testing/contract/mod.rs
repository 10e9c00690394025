//! The kit: generic checks over a surface's static tables and the states it can be put into.

pub(crate) mod effects;
pub(crate) mod errors;
pub(crate) mod examples;
mod generate;
pub(crate) mod mutations;
pub(crate) mod properties;
pub(crate) mod state;

use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_runtime::contract::{ExampleInfo, SurfaceInfo, ToolInfo};

pub(crate) use properties::Beyond;
pub(crate) use state::{Picture, Reply, State, States};

/// An example that was run, for all checks that only look.
pub(crate) struct Run {
    pub(crate) tool: &'static ToolInfo,
    pub(crate) example: &'static ExampleInfo,
    pub(crate) before: Picture,
    pub(crate) reply: Reply,
    pub(crate) after: Picture,
}

/// Runs every example in a state of its own.
pub(crate) fn run_all(states: &dyn States) -> Vec<Run> {
    let run = |(index, tool, example): (usize, &'static ToolInfo, &'static ExampleInfo)| {
        let mut state = states.make_for(tool, example);
        let before = state.picture();
        let reply = state.call(index, &json(example.input));
        Run { tool, example, before, reply, after: state.picture() }
    };
    all_examples(states.surface()).map(run).collect()
}

/// Every example of every tool.
pub(crate) fn all_examples(
    surface: &'static SurfaceInfo,
) -> impl Iterator<Item = (usize, &'static ToolInfo, &'static ExampleInfo)> {
    surface
        .tools
        .iter()
        .enumerate()
        .flat_map(|(index, tool)| tool.examples.iter().map(move |example| (index, *tool, example)))
}

/// JSON text of a static table.
pub(crate) fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("static tables hold JSON")
}

/// Arguments as a transport would pass them.
pub(crate) fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("a JSON value serialises")
}

/// Fails with all complaints at once.
pub(crate) fn report(complaints: &[String]) {
    let shown = complaints.iter().take(12).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(complaints.is_empty(), "{} complaints, the first:\n{shown}", complaints.len());
}
