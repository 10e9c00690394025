//! A whole surface, and its parts besides tools.

use std::borrow::Cow;

use crate::{
    BuiltinErrors, ConfigInfo, Envelope, ErrorInfo, GuardInfo, IconInfo, IconOwner, PromptInfo,
    SettingInfo, ToolInfo,
};

/// A whole surface.
#[derive(Debug)]
pub struct SurfaceInfo {
    /// Folder, Rust module, cargo feature and binary.
    pub name: &'static str,
    /// Human-readable title.
    pub title: &'static str,
    /// Version of the contract, such as `v1`.
    pub contract: &'static str,
    /// SHA-256 of the canonical contract, hex.
    pub digest: &'static str,
    /// Instructions for the model.
    pub instructions: &'static str,
    /// Prefix of every canonical tool name.
    pub prefix: &'static str,
    /// Sorted by name.
    pub tools: &'static [&'static ToolInfo],
    /// The registry, sorted by kind.
    pub errors: &'static [&'static ErrorInfo],
    /// Registry entries that the runtime uses.
    pub builtin: BuiltinErrors,
    /// Envelope templates.
    pub envelope: Envelope,
    /// The surface's guards, for docs.
    pub guards: &'static [GuardInfo],
    /// Settings of the contract, sorted by key.
    pub settings: &'static [SettingInfo],
    /// Settings that every server has, sorted by key; see [`SurfaceInfo::all_settings`].
    pub server_settings: &'static [SettingInfo],
    /// Location of the settings file.
    pub config: Option<ConfigInfo>,
    /// Readable resources.
    pub resources: &'static [ResourceInfo],
    /// Prompts, sorted by name.
    pub prompts: &'static [PromptInfo],
    /// Icons of the surface, its tools and its resources.
    pub icons: &'static [(IconOwner, IconInfo)],
    /// Role matrix, already expanded from the spec's globs.
    pub roles: &'static [RoleInfo],
    /// The settings that say for whom a server acts.
    pub identity: Option<IdentityInfo>,
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

    /// The tools of the tool list.
    pub fn listed_tools(&self) -> impl Iterator<Item = &'static ToolInfo> + use<> {
        self.tools.iter().copied().filter(|tool| tool.listed)
    }

    /// `text` with the names of this surface's tools in it spelled for clients that do not accept dots.
    pub fn portable_text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        crate::portable_text(text, |word| self.has_tool(word))
    }

    /// Does the same to the descriptions in a JSON schema or definition.
    pub fn portable_descriptions(&self, schema: &mut serde_json::Value) {
        crate::portable_descriptions(schema, &|word| self.has_tool(word));
    }

    fn has_tool(&self, canonical: &str) -> bool {
        self.tools.iter().any(|tool| tool.canonical == canonical)
    }

    /// The settings of the contract, then those that every server has; where both have a key, the
    /// contract's.
    pub fn all_settings(&self) -> impl Iterator<Item = &'static SettingInfo> + use<> {
        let own = self.settings;
        let added = self.server_settings.iter();
        own.iter().chain(added.filter(|added| own.iter().all(|own| own.key != added.key)))
    }

    /// The resource of a template as it is served, query included, and the tool whose arguments its
    /// variables are: their schemas are in [`ToolInfo::input`].
    pub fn resource_template(
        &self,
        served: &str,
    ) -> Option<(&'static ResourceInfo, &'static ToolInfo)> {
        let path = served.split_once("{?").map_or(served, |(path, _)| path);
        let resource = self.resources.iter().find(|resource| resource.uri == path)?;
        match resource.source {
            ResourceSource::Tool(index) => Some((resource, self.tools.get(index).copied()?)),
            ResourceSource::File { .. } | ResourceSource::Blob { .. } => None,
        }
    }

    /// Finds a setting by its key.
    pub fn setting(&self, key: &str) -> Option<&'static SettingInfo> {
        self.all_settings().find(|setting| setting.key == key)
    }

    /// Finds a prompt by its name.
    pub fn prompt(&self, name: &str) -> Option<&'static PromptInfo> {
        self.prompts.iter().find(|prompt| prompt.name == name)
    }

    /// The icons of the surface, or of one of its parts.
    pub fn icons_of(&self, owner: IconOwner) -> impl Iterator<Item = &'static IconInfo> + use<> {
        let icons = self.icons.iter();
        icons.filter(move |(of, _)| *of == owner).map(|(_, icon)| icon)
    }

    /// Finds a registry entry by its kind.
    pub fn error(&self, kind: &str) -> Option<&'static ErrorInfo> {
        self.errors.iter().find(|error| error.kind == kind).copied()
    }
}

/// A resource.
#[derive(Debug)]
pub struct ResourceInfo {
    /// `wa://panes`, or a template: `wa://panes/{paneId}`
    pub uri: &'static str,
    /// Short name.
    pub name: &'static str,
    /// Human-readable title.
    pub title: &'static str,
    /// For the model.
    pub description: &'static str,
    /// The content.
    pub source: ResourceSource,
    /// The variables of the template, in the order of the path.
    pub variables: &'static [VariableInfo],
    /// Arguments of the mirrored tool that have a fixed value, a JSON object as text.
    pub arguments: &'static str,
    /// Kinds of errors which say that there is no such resource.
    pub not_found: &'static [&'static str],
    /// What of the tool's answer is the content; all of it where there is none.
    pub content: Option<MemberInfo>,
    /// Clients may subscribe.
    pub subscribe: bool,
}

/// The member of a tool's answer that is the content of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemberInfo {
    /// Its name.
    pub member: &'static str,
    /// Media type of the content.
    pub mime_type: &'static str,
    /// It holds bytes in Base64.
    pub base64: bool,
}

/// A variable of a resource template.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VariableInfo {
    /// `paneId`
    pub name: &'static str,
    /// The argument that takes its value, `pane_id`. Its schema is the type of the variable.
    pub argument: &'static str,
}

/// The content of a resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceSource {
    /// The answer of the tool at this index of `SurfaceInfo::tools`.
    Tool(usize),
    /// A file of the contract.
    File {
        /// Media type.
        mime_type: &'static str,
        /// The text.
        text: &'static str,
    },
    /// A file of the contract that is not text.
    Blob {
        /// Media type.
        mime_type: &'static str,
        /// The bytes in Base64.
        base64: &'static str,
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

/// Keys of the settings that say for whom a server acts.
#[derive(Debug, Clone, Copy)]
pub struct IdentityInfo {
    /// The users over stdio, and on the command line.
    pub users: &'static str,
    /// Their tenant.
    pub tenant: Option<&'static str>,
    /// Bearer tokens over HTTP, each with its user.
    pub tokens: Option<&'static str>,
}

/// A named group of tools.
#[derive(Debug)]
pub struct ToolsetInfo {
    /// `default`
    pub name: &'static str,
    /// Names of tools as in the spec, sorted.
    pub tools: &'static [&'static str],
}
