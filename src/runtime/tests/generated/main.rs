//! Modules as the emitter writes them, compiled and called. They are the goldens of the emitter's
//! own tests (`src/codegen/tests/emit.rs`), so what is compared there is what runs here.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests too")]

mod echo;
mod kitchen_sink;
