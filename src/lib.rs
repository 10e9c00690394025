//! The command `toolwright`: contract tools, and the surfaces together.
//!
//! Each surface is a package of its own below `src/`. This one knows them all, serves any of them, and
//! works on contracts that are not compiled yet. It may not name the MCP library: the contract defines
//! what clients see, and the runtime renders it.

pub mod cli;
pub mod from_specs;
pub mod surfaces;
