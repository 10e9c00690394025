//! Embedded panes: pseudo-terminals that need no other program and outlive the server.
//!
//! A host process per workspace owns the panes. The first spawn starts it; it listens on `host.sock`
//! in the workspace's folder and exits when idle. Every process of the workspace is its client:
//! [`Embedded`] is the backend, [`attach`] shows a pane in the user's terminal, [`host`] is the host
//! process.
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
