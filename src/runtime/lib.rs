//! Serves a compiled contract.
//!
//! A call enters through [`server`] as a tool name and raw arguments. The [`pipeline`] decodes and
//! validates it, runs its guards and its handler, and renders the answer as an envelope. The crate
//! knows no surface by name: everything specific to one is in the static tables of [`contract`],
//! which generated code fills, and behind the traits of [`tool`], which handlers implement.
//! Only [`server`] depends on rmcp.

pub mod ask;
pub mod audit;
mod call;
pub mod client;
pub mod clock;
pub mod decode;
pub mod digest;
pub mod dispatch;
pub mod duplicate_keys;
mod envelope;
mod error;
pub mod guard;
pub mod hidden;
mod identity;
pub mod logging;
pub mod mock;
pub mod page;
pub mod pipeline;
pub mod problem;
pub mod server;
pub mod settings;
pub mod suggest;
pub mod tool;
mod tool_selection;
mod validate_output;
pub mod web_pages;

pub use toolwright_contract as contract;
pub use toolwright_platform::blocking::spawn_blocking;

pub use call::{Call, Client, ProgressSink, Services};
pub use dispatch::{Answer, Dispatch, Outcome};
pub use error::{ErrorKind, Failure, RawFailure};
pub use identity::{Caller, Identity, acting_for};
pub use tool::{Guard, Handle, HandleGuarded, Roles, Stage, Staged, StagedQuestion, Subject, Tool};
pub use tool_selection::{ChoiceError, ToolChoice, ToolSelection};
pub use validate_output::ValidateOutput;

/// Re-exports for generated code; not for handwritten code.
pub mod generated {
    pub use {regress, serde, serde_json};
}
