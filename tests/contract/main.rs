//! Contract tests: what every surface must hold, driven by its spec alone.
//!
//! A surface joins by a module that knows how to make the states which its examples are `given`.
//! Add an example to a spec, get a test; declare an error without an example, get a failure.

// In a test a broken expectation is the report.
#![allow(clippy::expect_used, clippy::panic, clippy::print_stderr, clippy::unwrap_used)]

#[cfg(feature = "agentpack")]
mod agentpack;
mod from_specs;
mod kit;
mod mock;
// Not all of it is needed here.
#[allow(dead_code)]
#[path = "../shared/random.rs"]
mod random;
// The live tests of agentpack use all of it.
#[cfg(feature = "agentpack")]
#[allow(dead_code)]
#[path = "../agentpack/sandbox.rs"]
mod sandbox;
#[cfg(feature = "wa")]
mod wa;
#[cfg(feature = "wink")]
mod wink;
#[cfg(feature = "worldforge")]
mod worldforge;
#[cfg(feature = "yarnnn")]
mod yarnnn;

/// The tests of the kit, for one surface.
macro_rules! contract_tests {
    ($surface:ident) => {
        mod $surface {
            use std::sync::OnceLock;

            use crate::kit::{self, States as _};
            use crate::$surface::States;

            /// The examples, run once for the tests that only look at what came of them.
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
            fn arguments_that_fit_are_never_invalid() {
                kit::properties::arguments_that_fit_are_never_invalid(&States);
            }

            #[test]
            fn arguments_with_one_violation_are_invalid() {
                kit::properties::arguments_with_one_violation_are_invalid(&States);
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
            fn every_declared_error_is_produced() {
                kit::errors::every_declared_error_is_produced(&States);
            }

            #[test]
            fn answers_stay_within_their_budget() {
                kit::examples::stay_within_their_budget(runs());
            }
        }
    };
}

mod surfaces {
    #[cfg(feature = "agentpack")]
    contract_tests!(agentpack);
    #[cfg(feature = "wa")]
    contract_tests!(wa);
    #[cfg(feature = "wink")]
    contract_tests!(wink);
    #[cfg(feature = "worldforge")]
    contract_tests!(worldforge);
    #[cfg(feature = "yarnnn")]
    contract_tests!(yarnnn);
}
