//! Toolwright: MCP servers from contracts.
//!
//! A contract under `specs/` is compiled into `generated/` when the crate is built; the handlers
//! under `src/<surface>/tools/` fill in the behaviour; `toolwright-runtime` serves it. This crate
//! may not name the MCP library: what a client sees is decided by the contract and rendered by the
//! runtime.

#[cfg(feature = "agentpack")]
pub mod agentpack;
#[cfg(any(feature = "worldforge", feature = "yarnnn"))]
mod blocking;
pub mod cli;
pub mod from_specs;
pub mod generated;
pub mod paths;
pub mod process;
#[cfg(any(feature = "wa", feature = "worldforge", feature = "yarnnn"))]
mod sqlite;
pub mod surfaces;

pub use toolwright_runtime::client;

#[cfg(feature = "wa")]
pub mod wa;
#[cfg(feature = "wink")]
pub mod wink;
#[cfg(feature = "worldforge")]
pub mod worldforge;
#[cfg(feature = "yarnnn")]
pub mod yarnnn;
