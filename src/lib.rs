//! The command `toolwright`: contract tools, and the surfaces together.
//!
//! Each surface is a package of its own below `src/`; this one knows them all, serves any of them,
//! and works on contracts that nobody has compiled yet. It may not name the MCP library: what a
//! client sees is decided by the contract and rendered by the runtime.

pub mod cli;
pub mod from_specs;
pub mod surfaces;
