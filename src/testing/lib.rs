//! The test kit: contract tests over a surface's own tables, servers as real processes, an HTTP
//! client that hides nothing, random numbers whose seed is told.
//!
//! For this workspace and for every author of a server. It knows contracts and the runtime, and no
//! surface by name. A broken expectation panics: in a test that is the report.

pub mod contract;
pub mod disk;
pub mod expected;
pub mod http_client;
pub mod http_server;
pub mod process;
mod program;
pub mod provided;
pub mod random;
pub mod thread_server;

pub use program::{profile_folder, program};

#[doc(hidden)]
pub use insta;
