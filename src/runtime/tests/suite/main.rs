//! The runtime's public API, on a small handwritten contract.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests too")]

mod answers;
mod consent;
mod decode;
mod fixture;
mod guards;
mod identity;
mod settings;
mod two_stage;
