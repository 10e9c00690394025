//! Drives a pane: classifies input, sends it as one submission, and waits for output.
//!
//! Knows one pane of one backend at a time, and nothing of policy, history or clients: the caller has
//! already consulted the policy.

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
