//! Descriptors: the prompts of an application, as defined in its code.
//!
//! A process that is not Python cannot import prompts, so it reads them from an export file, from the
//! output of a command, or else infers them from a seeded override file. Knows nothing of edits; never
//! writes.

mod assess;
mod cache;
mod catalog;
mod command;
mod load;
mod model;
mod seeded;
mod sources;
#[cfg(test)]
mod tests;
mod verify;

pub(crate) use assess::{assess_section, assess_tool, section_matches, tool_matches};
pub use catalog::{Catalog, Described};
pub use command::ExportCommand;
pub use model::{Prompt, Section, SourceName, Tool};
pub use seeded::from_file as from_seeded_file;
pub use sources::{Config, Descriptors, Lookup};

/// The constant that upstream called `descriptor_version`.
pub const DESCRIPTOR_VERSION: i64 = 1;

/// The exporter that we ship: prints the descriptors of the prompts of the modules it is given.
pub const EXPORTER: &str = include_str!("exporter.py");
