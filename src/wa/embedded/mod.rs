//! Our own pseudo-terminals: panes that need no other program and outlive the server.
//!
//! A host process per workspace owns the panes. It is started by the first spawn, listens on
//! `host.sock` in the workspace's folder and ends by itself when it has nothing to do. Every
//! process of the workspace is a client of it: [`Embedded`] is the backend, [`attach`] shows a pane
//! in a person's terminal, [`host`] is the process itself.
//!
//! Knows nothing of policy, history or tools.

mod attach;
mod client;
#[doc(hidden)]
pub mod fuzzing;
mod host;
mod socket;
mod start;
mod term;
#[cfg(test)]
mod tests;
mod wire;

pub use attach::{AttachEnd, attach};
pub use client::Embedded;
pub use host::host;
