//! The test kit: contract tests over a surface's own tables, servers as real processes, an HTTP
//! client that hides nothing, reproducible random numbers.
//!
//! For this workspace and for every author of a server. It knows contracts and the runtime, and no
//! surface by name. A broken expectation panics: in a test that is the report.
//!
//! Most tests of a server as a process begin with a [`ServerHome`]: a temporary folder, a clean
//! environment and a program. From it they [run](ServerHome::run) commands, open a
//! [session](ServerHome::session) over stdio, or start the server [over HTTP](ServerHome::http).

pub mod contract;
pub mod disk;
pub mod expected;
pub mod files;
mod finished;
mod home;
pub mod http_client;
pub mod http_server;
mod http_user;
pub mod in_process;
pub mod json;
pub mod keeper;
mod log;
pub mod namespace;
mod person;
pub mod process;
mod program;
pub mod provided;
pub mod random;
mod reply;
pub mod session;
pub mod thread_server;
mod wait;

pub use finished::{Finished, run, run_reading};
pub use home::{Environment, ServerHome};
pub use http_server::HttpServer;
pub use http_user::HttpUser;
pub use person::Person;
pub use program::{profile_folder, program};
pub use reply::ToolReply;
pub use session::StdioSession;
pub use wait::{PATIENCE, eventually, wait_until};

#[doc(hidden)]
pub use insta;
