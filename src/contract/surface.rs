//! A whole surface, and what it has beside its tools.

use crate::{BuiltinErrors, ConfigInfo, Envelope, ErrorInfo, GuardInfo, SettingInfo, ToolInfo};

/// A whole surface.
#[derive(Debug)]
pub struct SurfaceInfo {
    /// Folder, Rust module, cargo feature and binary.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// Version of the contract, such as `v1`.
    pub contract: &'static str,
    /// SHA-256 of the canonical contract, hex.
    pub digest: &'static str,
    /// What a client shows to its model.
    pub instructions: &'static str,
    /// What every canonical tool name starts with.
    pub prefix: &'static str,
    /// Sorted by name.
    pub tools: &'static [&'static ToolInfo],
    /// The registry, sorted by kind.
    pub errors: &'static [&'static ErrorInfo],
    /// Which registry entries the runtime itself uses.
    pub builtin: BuiltinErrors,
    /// Template of answers.
    pub envelope: Envelope,
    /// The surface's guards, for docs.
    pub guards: &'static [GuardInfo],
    /// Settings, sorted by key.
    pub settings: &'static [SettingInfo],
    /// Where the settings file is looked for.
    pub config: Option<ConfigInfo>,
    /// Readable resources.
    pub resources: &'static [ResourceInfo],
    /// Role matrix, already expanded from the spec's globs.
    pub roles: &'static [RoleInfo],
    /// Named groups of tools.
    pub toolsets: &'static [ToolsetInfo],
}

impl SurfaceInfo {
    /// Finds a tool by its canonical or portable name.
    pub fn tool(&self, name: &str) -> Option<(usize, &'static ToolInfo)> {
        self.tools
            .iter()
            .enumerate()
            .find(|(_, tool)| tool.canonical == name || tool.portable == name)
            .map(|(index, tool)| (index, *tool))
    }

    /// Finds a registry entry by its kind.
    pub fn error(&self, kind: &str) -> Option<&'static ErrorInfo> {
        self.errors.iter().find(|error| error.kind == kind).copied()
    }
}

/// Something that clients can read.
#[derive(Debug)]
pub struct ResourceInfo {
    /// `wa://panes`
    pub uri: &'static str,
    /// Short name.
    pub name: &'static str,
    /// For people.
    pub title: &'static str,
    /// For the model.
    pub description: &'static str,
    /// What is read.
    pub source: ResourceSource,
    /// Clients may subscribe.
    pub subscribe: bool,
}

/// What a resource gives to its reader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceSource {
    /// The answer of the tool at this index of `SurfaceInfo::tools`.
    Tool(usize),
    /// A text that is part of the contract.
    File {
        /// What kind of text it is.
        mime_type: &'static str,
        /// The text.
        text: &'static str,
    },
}

/// One role with the tools it may call.
#[derive(Debug)]
pub struct RoleInfo {
    /// `WRITER`
    pub name: &'static str,
    /// Names of tools as in the spec, sorted.
    pub tools: &'static [&'static str],
}

/// A named group of tools.
#[derive(Debug)]
pub struct ToolsetInfo {
    /// `default`
    pub name: &'static str,
    /// Names of tools as in the spec, sorted.
    pub tools: &'static [&'static str],
}
