//! Contract tests: what every surface must fulfil, driven by its spec alone.
//!
//! A surface joins with [`contract_tests!`](crate::contract_tests) and a type that creates the states
//! that its examples are `given`. Add an example to a spec, get a test; declare an error without
//! an example, get a failure.

pub mod answers;
pub mod effects;
pub mod errors;
pub mod examples;
mod generate;
pub mod mutations;
mod picture;
pub mod properties;
mod settings;
mod sqlite;
pub mod state;

use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_runtime::contract::{ExampleInfo, SurfaceInfo, ToolInfo};

pub use picture::Picture;
pub use properties::Beyond;
pub use settings::StateSettings;
pub use state::{Reply, State, States};

/// An example that was run, for all checks that only inspect the result.
pub struct Run {
    /// The tool.
    pub tool: &'static ToolInfo,
    /// What was called.
    pub example: &'static ExampleInfo,
    /// The store before.
    pub before: Picture,
    /// What the call returned.
    pub reply: Reply,
    /// The store after.
    pub after: Picture,
}

/// Runs every example in a state of its own.
pub fn run_all(states: &dyn States) -> Vec<Run> {
    let run = |(index, tool, example): (usize, &'static ToolInfo, &'static ExampleInfo)| {
        let mut state = states.make_for(tool, example);
        let before = state.picture();
        let reply = state.call(index, &json(example.input));
        Run { tool, example, before, reply, after: state.picture() }
    };
    all_examples(states.surface()).map(run).collect()
}

/// Every example of every tool.
pub fn all_examples(
    surface: &'static SurfaceInfo,
) -> impl Iterator<Item = (usize, &'static ToolInfo, &'static ExampleInfo)> {
    surface
        .tools
        .iter()
        .enumerate()
        .flat_map(|(index, tool)| tool.examples.iter().map(move |example| (index, *tool, example)))
}

/// JSON text of a static table.
pub fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("static tables hold JSON")
}

/// Arguments as a transport would pass them.
pub fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).expect("a JSON value serialises")
}

/// Fails with all complaints at once.
pub fn report(complaints: &[String]) {
    let shown = complaints.iter().take(12).map(String::as_str).collect::<Vec<_>>().join("\n");
    assert!(complaints.is_empty(), "{} complaints, the first:\n{shown}", complaints.len());
}

/// The contract tests of one surface, for a type that implements [`States`] and has no fields.
///
/// `contract_tests!(States)` runs the examples: they answer as written, within their budget; what must
/// not change anything does not; what is idempotent is; and arguments and answers that do not fit are
/// told from those that do. With `snapshots: "folder"`, relative to the file that calls this, tools are
/// also called with random arguments, and a snapshot holds which example gives which error.
#[macro_export]
macro_rules! contract_tests {
    ($states:path) => {
        $crate::contract_tests!(@module $states {});
    };
    ($states:path, snapshots: $snapshots:literal) => {
        $crate::contract_tests!(@module $states {
            #[test]
            fn arguments_that_fit_are_never_invalid() {
                kit::properties::arguments_that_fit_are_never_invalid(&States);
            }

            #[test]
            fn arguments_with_one_violation_are_invalid() {
                kit::properties::arguments_with_one_violation_are_invalid(&States);
            }

            #[test]
            fn every_declared_error_is_produced() {
                let grid = kit::errors::every_declared_error_is_produced(&States);
                let name = format!("{}.errors", States.surface().name);
                $crate::insta::with_settings!(
                    { snapshot_path => $snapshots, prepend_module_to_snapshot => false },
                    { $crate::insta::assert_snapshot!(name, grid) }
                );
            }
        });
    };
    (@module $states:path { $($more:item)* }) => {
        mod contract_tests {
            use std::sync::OnceLock;

            use $crate::contract::{self as kit, States as _};
            use $states as States;

            /// The examples, run once for the tests that only inspect the results.
            fn runs() -> &'static [kit::Run] {
                static RUNS: OnceLock<Vec<kit::Run>> = OnceLock::new();
                RUNS.get_or_init(|| kit::run_all(&States))
            }

            #[test]
            fn examples_answer_as_written() {
                kit::examples::answer_as_written(States.surface(), runs());
            }

            #[test]
            fn mutated_examples_are_invalid_arguments() {
                kit::mutations::are_invalid_arguments(&States);
            }

            #[test]
            fn nothing_changes_on_reads_refusals_and_errors() {
                kit::effects::nothing_changes_on_reads_refusals_and_errors(runs());
            }

            #[test]
            fn idempotent_tools_change_nothing_the_second_time() {
                kit::effects::idempotent_tools_change_nothing_the_second_time(&States);
            }

            #[test]
            fn what_is_wrong_with_an_answer_names_tool_field_and_rule() {
                kit::answers::what_is_wrong_names_tool_field_and_rule(States.surface(), runs());
            }

            #[test]
            fn answers_stay_within_their_budget() {
                kit::examples::stay_within_their_budget(runs());
            }

            $($more)*
        }
    };
}
