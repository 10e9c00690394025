//! What every product needs of the operating system: durable writes, file locks, SQLite files, processes,
//! blocking work, paths, health checks.
//!
//! Knows no contract, no protocol and no surface.

pub mod blocking;
pub mod durable;
pub mod health;
pub mod line_file;
pub mod lock;
pub mod paths;
pub mod process;
#[cfg(feature = "sqlite")]
pub mod sqlite;
