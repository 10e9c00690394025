//! Descriptors: what the code of an application says about its prompts.
//!
//! A process that is not Python cannot import prompts, so it learns of them from an export file,
//! from a command that prints one, or, failing both, from what a seeded override file reveals.
//! Knows nothing of edits; never writes.

mod cache;
mod catalog;
mod command;
mod judge;
mod load;
mod model;
mod seeded;
mod sources;
#[cfg(test)]
mod tests;
mod verify;

pub use catalog::{Catalog, Described};
pub use command::ExportCommand;
pub(crate) use judge::{judge_section, judge_tool, section_matches, tool_matches};
pub use model::{Prompt, Section, SourceName, Tool};
pub use seeded::from_file as from_seeded_file;
pub use sources::{Config, Descriptors, Lookup};

/// The constant that upstream called `descriptor_version`.
pub const DESCRIPTOR_VERSION: i64 = 1;

/// The exporter that we ship: prints the descriptors of the prompts of the modules it is given.
pub const EXPORTER: &str = include_str!("exporter.py");
