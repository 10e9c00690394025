//! A prompt as its code describes it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::hash;
use crate::ids::{Namespace, PromptKey, SectionPath};
use crate::override_file::{Format, Known};
use crate::placeholders;
use crate::python_json::{Json, Members};

/// Which kind of source a descriptor came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceName {
    /// An export file.
    ExportFile,
    /// The configured export command.
    ExportCommand,
    /// The shipped exporter over the configured Python modules.
    RegistryModules,
    /// The override file itself.
    SeededFile,
}

impl SourceName {
    /// The name in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ExportFile => "export_file",
            Self::ExportCommand => "export_command",
            Self::RegistryModules => "registry_modules",
            Self::SeededFile => "seeded_file",
        }
    }
}

/// One prompt.
#[derive(Debug, Clone)]
pub struct Prompt {
    /// Namespace.
    pub ns: Namespace,
    /// Key.
    pub key: PromptKey,
    /// Display name, where known.
    pub name: Option<String>,
    /// Sections, depth first.
    pub sections: Vec<Section>,
    /// Tools.
    pub tools: Vec<Tool>,
    /// Kind of source.
    pub source: SourceName,
    /// The file or command it came from.
    pub origin: String,
    /// Library release that exported it.
    pub library: Option<String>,
    /// File format that this release reads.
    pub format: Option<Format>,
}

/// One section.
#[derive(Debug, Clone)]
pub struct Section {
    /// Path.
    pub path: SectionPath,
    /// Display number, `1.1`.
    pub number: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Hash of the default text; none where the section takes no overrides.
    pub content_hash: Option<String>,
    /// Whether the code accepts overrides here.
    pub accepts_overrides: bool,
    /// Default text, verbatim.
    pub body: Option<String>,
    /// Placeholders of the default text, as exported.
    pub placeholders: Option<BTreeSet<String>>,
    /// All names that the section can fill in, used by the default or not.
    pub params: Option<BTreeSet<String>>,
    /// Why this part of the descriptor cannot be trusted.
    pub flaw: Option<String>,
}

/// One tool.
#[derive(Debug, Clone)]
pub struct Tool {
    /// Name.
    pub name: String,
    /// Section that carries it.
    pub path: Vec<String>,
    /// Hash of description and schemas; none where the tool takes no overrides.
    pub contract_hash: Option<String>,
    /// Whether the code accepts overrides here.
    pub accepts_overrides: bool,
    /// Default description.
    pub description: Option<String>,
    /// Default parameter texts.
    pub param_descriptions: Option<BTreeMap<String, String>>,
    /// Names of the parameters, where the schema has them.
    pub parameters: Option<BTreeSet<String>>,
    /// Why this part of the descriptor cannot be trusted.
    pub flaw: Option<String>,
}

impl Prompt {
    /// The section at a path.
    pub fn section(&self, path: &SectionPath) -> Option<&Section> {
        self.sections.iter().find(|section| section.path == *path)
    }

    /// The tool of a name.
    pub fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Whether staleness can be determined: a seeded file has no current hashes.
    pub fn is_authoritative(&self) -> bool {
        self.source != SourceName::SeededFile
    }

    /// The section that an entry's path names, as described; a path of `None` is invalid.
    pub fn known_section(&self, path: Option<&SectionPath>) -> Known<'_> {
        if !self.is_authoritative() {
            return Known::Undescribed;
        }
        let Some(section) = path.and_then(|path| self.section(path)) else {
            return Known::Absent;
        };
        known(section.accepts_overrides, section.content_hash.as_deref(), section.flaw.is_some())
    }

    /// A tool, as described.
    pub fn known_tool(&self, name: &str) -> Known<'_> {
        if !self.is_authoritative() {
            return Known::Undescribed;
        }
        let Some(tool) = self.tool(name) else { return Known::Absent };
        known(tool.accepts_overrides, tool.contract_hash.as_deref(), tool.flaw.is_some())
    }

    /// Digest of everything in the descriptor that an override depends on. None for seeded files.
    pub fn hash(&self) -> Option<String> {
        if !self.is_authoritative() {
            return None;
        }
        let text = |text: Option<&str>| text.map_or(Json::Null, Json::string);
        let object = |members: Vec<(&str, Json)>| {
            Json::Object(members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect::<Members>())
        };
        let sections = self.sections.iter().filter(|section| section.content_hash.is_some());
        let sections = sections.map(|section| {
            object(vec![
                ("path", Json::strings(section.path.parts())),
                ("content_hash", text(section.content_hash.as_deref())),
                ("number", text(section.number.as_deref())),
            ])
        });
        let tools = self.tools.iter().filter(|tool| tool.contract_hash.is_some()).map(|tool| {
            object(vec![
                ("path", Json::strings(tool.path.iter().map(String::as_str))),
                ("name", Json::string(tool.name.as_str())),
                ("contract_hash", text(tool.contract_hash.as_deref())),
            ])
        });
        Some(hash::of_json(&object(vec![
            ("ns", Json::string(self.ns.as_str())),
            ("key", Json::string(self.key.as_str())),
            ("sections", Json::Array(sections.collect())),
            ("tools", Json::Array(tools.collect())),
        ])))
    }
}

fn known(accepts: bool, hash: Option<&str>, flawed: bool) -> Known<'_> {
    match hash {
        _ if flawed => Known::Undescribed,
        Some(hash) if accepts => Known::Hash(hash),
        _ => Known::Locked,
    }
}

impl Section {
    /// Whether an override can be applied.
    pub fn is_open(&self) -> bool {
        self.accepts_overrides && self.content_hash.is_some()
    }

    /// Placeholders of the default text, where it or its list is known.
    pub fn default_placeholders(&self) -> Option<BTreeSet<String>> {
        let scanned = self.body.as_deref().map(|body| placeholders::scan(body).names());
        scanned.or_else(|| self.placeholders.clone())
    }

    /// Every name that renders here, where known.
    pub fn allowed_placeholders(&self) -> Option<BTreeSet<String>> {
        let mut allowed = self.default_placeholders();
        for more in [&self.placeholders, &self.params].into_iter().flatten() {
            allowed.get_or_insert_default().extend(more.iter().cloned());
        }
        allowed
    }
}

impl Tool {
    /// Whether an override can be applied.
    pub fn is_open(&self) -> bool {
        self.accepts_overrides && self.contract_hash.is_some()
    }
}
