//! The built-in guards, and the entry point for a surface's own guards.
//!
//! A guard decides before any side effect whether a call may reach its handler. It sees the decoded
//! arguments and the call, never the handler; an admission guard sees the call alone, because it
//! runs before the arguments are read. Generated code calls the guards of a tool in the order of
//! the spec; each either passes, optionally with a value for the handler, or returns a [`Refusal`] with
//! a kind that the spec declares.

mod ask;
mod confirm;
mod confirmations;
mod own;
mod role;
mod two_stage;

pub use ask::{Ask, ask};
pub(crate) use confirm::unconfirmed;
pub use confirm::{Confirm, confirm};
pub use confirmations::{Confirmations, MintedToken, TokenStatus};
pub use own::{Bind, admit, own};
pub use role::{Role, callable, role};
pub use two_stage::{TwoStage, two_stage, two_stage_unless};
pub(crate) use two_stage::{missing, unknown};

pub use crate::pipeline::Refusal;
