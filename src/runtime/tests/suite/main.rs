//! The runtime through its public doors, on a small contract written by hand.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests too")]

mod answers;
mod consent;
mod decode;
mod fixture;
mod guards;
mod settings;
mod two_stage;
