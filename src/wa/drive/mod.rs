//! Drives a pane: what a text is, how it gets there as one submission, and waiting for an answer.
//!
//! Knows one pane of one backend at a time, and nothing of policy, history or clients: who calls has
//! asked the policy before.

pub mod input;
pub mod send;
pub mod wait;

mod echo;
mod new_output;
mod regexes;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod tmux_fixture;

pub use input::{Input, classify};
pub use new_output::{Baseline, baseline};
pub use send::{Sent, Settle, send};
pub use wait::{Condition, LONGEST, Waited, Waiter, condition, wait};
