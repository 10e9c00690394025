//! The operations behind the seven tools, as plain functions over the store and the descriptors.
//!
//! Validation comes first, then the change; a dry run does all of it and writes nothing. Knows no
//! transport, no confirmation and no envelope.

mod checks;
mod context;
mod report;
mod sections;
#[cfg(test)]
mod tests;
mod tools;
mod warning;

use std::collections::BTreeMap;
use std::time::Duration;

use super::descriptor::{self, Descriptors};
use super::failure::Result;
use super::listing::{self, ListRequest, Page};
use super::override_file::Format;
use super::root::OverridesRoot;
use super::store::{DEFAULT_LOCK_TIMEOUT, Store};

pub use super::store::Mode;
pub use report::{DescriptorFacts, FileFacts, Outcome, SectionReport, ToolReport};
pub use warning::{Warning, WarningCode};

/// The settings of an engine.
#[derive(Debug)]
pub struct Config {
    /// The overrides directory, or why it is not known; then every call fails with that reason.
    pub root: Result<OverridesRoot>,
    /// Where descriptors come from. Its `default_file` is filled in from the root if unset.
    pub descriptors: descriptor::Config,
    /// Format of new files unless an export sets it.
    pub default_format: Option<Format>,
    /// How long a writer waits for another one.
    pub lock_timeout: Duration,
}

impl Config {
    /// Defaults around a root.
    pub fn new(root: Result<OverridesRoot>) -> Self {
        Self {
            root,
            descriptors: descriptor::Config::default(),
            default_format: None,
            lock_timeout: DEFAULT_LOCK_TIMEOUT,
        }
    }
}

/// Reads and changes overrides. Shared by all calls.
#[derive(Debug)]
pub struct Engine {
    root: Result<OverridesRoot>,
    store: Option<Store>,
    descriptors: Descriptors,
    default_format: Option<Format>,
}

/// Names a prompt's file, as sent by a client.
#[derive(Debug, Clone, Default)]
pub struct Target {
    /// Namespace.
    pub ns: String,
    /// Prompt key.
    pub prompt: String,
    /// Tag; none means `latest`.
    pub tag: Option<String>,
}

/// Preconditions of a change; all optional.
#[derive(Debug, Clone, Default)]
pub struct Guards {
    /// `expected_hash` of a section or `expected_contract_hash` of a tool: must be current.
    pub expected_hash: Option<String>,
    /// Must be 1.
    pub descriptor_version: Option<i64>,
    /// Digest of the prompt's descriptor: must be current.
    pub descriptor_hash: Option<String>,
    /// Hash of the file as it was read; `absent` means that there was none.
    pub if_content_hash: Option<String>,
}

/// A section override to write.
#[derive(Debug, Clone, Default)]
pub struct SectionWrite {
    /// Which file.
    pub target: Target,
    /// Slash-delimited path.
    pub section_path: String,
    /// Replacement text.
    pub body: String,
    /// Conditions.
    pub guards: Guards,
}

/// A tool override to write. It replaces description and parameter texts of the entry.
#[derive(Debug, Clone, Default)]
pub struct ToolWrite {
    /// Which file.
    pub target: Target,
    /// Name of the tool.
    pub tool_name: String,
    /// Replacement description; none keeps the default.
    pub description: Option<String>,
    /// Replacement texts of parameters.
    pub param_descriptions: BTreeMap<String, String>,
    /// Conditions.
    pub guards: Guards,
}

impl Engine {
    /// Sets up. Touches no file.
    pub fn new(config: Config) -> Self {
        let Config { root, mut descriptors, default_format, lock_timeout } = config;
        if let Ok(root) = &root
            && descriptors.default_file.is_none()
        {
            descriptors.default_file = root.default_export();
        }
        let store = root.as_ref().ok().map(|root| Store::new(root.dir.clone(), lock_timeout));
        Self { root, store, descriptors: Descriptors::new(descriptors), default_format }
    }

    /// The overrides directory and why it was chosen.
    pub fn root(&self) -> Result<&OverridesRoot> {
        self.root.as_ref().map_err(Clone::clone)
    }

    /// The store.
    pub fn store(&self) -> Result<&Store> {
        match (&self.store, &self.root) {
            (Some(store), _) => Ok(store),
            (None, Err(failure)) => Err(failure.clone()),
            (None, Ok(root)) => Err(super::store::storage(
                "use the overrides directory",
                &root.dir,
                rustix::io::Errno::NOENT,
            )),
        }
    }

    /// The sources of descriptors.
    pub fn descriptors(&self) -> &Descriptors {
        &self.descriptors
    }

    /// Lists override files.
    pub fn list(&self, request: &ListRequest) -> Result<Page> {
        listing::list(self.root()?, &self.descriptors, request)
    }
}
