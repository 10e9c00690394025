//! The contract compiler.
pub mod diagnostics;
pub mod model;
