//! What a client sees: the binaries over real standard streams.

mod boot;
mod command_line;
mod definitions;
mod protocol;
mod server;
