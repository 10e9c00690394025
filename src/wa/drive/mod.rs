//! Drives a pane: what a text is, how it gets there as one submission, and waiting for an answer.
//!
//! Knows one pane of one backend at a time, and nothing of policy, history or clients: who calls has
//! asked the policy before.

mod input;
mod send;
mod wait;

mod echo;
mod new_output;
mod regexes;
#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) mod tmux_fixture;

pub(crate) use input::{Input, classify};
pub(crate) use new_output::Baseline;
pub(crate) use send::{Settle, send};
pub(crate) use wait::{Condition, Waited, Waiter, condition, wait};
