//! The reports of the operations. Detailed on purpose: handlers pick what the contract shows.

use std::collections::BTreeMap;

use serde::Serialize;

use super::context::Context;
use super::warning::Warning;
use crate::descriptor::{DESCRIPTOR_VERSION, Prompt, SourceName};
use crate::descriptor::{assess_section, assess_tool, section_matches, tool_matches};
use crate::failure::Result;
use crate::ids::SectionPath;
use crate::override_file::{EntryStatus, Format, OverrideFile};
use crate::store::Snapshot;

/// Which file, and its state.
#[derive(Debug, Clone, Serialize)]
pub struct FileFacts {
    /// Namespace, canonical.
    pub ns: String,
    /// Prompt key.
    pub prompt: String,
    /// Tag.
    pub tag: String,
    /// Absolute path, even when there is no file.
    pub backing_file_path: String,
    /// SHA-256 of the file's bytes; none without a file.
    pub content_hash: Option<String>,
    /// Format of the file.
    pub format: Option<Format>,
    /// Modification time, RFC 3339; none without a file or after a dry run.
    pub updated_at: Option<String>,
}

/// The source of the prompt's descriptor.
#[derive(Debug, Clone, Serialize)]
pub struct DescriptorFacts {
    /// Kind of source; none if nothing describes the prompt.
    pub source: Option<SourceName>,
    /// File or command.
    pub origin: Option<String>,
    /// Digest of the prompt's descriptor; none for seeded files.
    pub hash: Option<String>,
    /// Upstream's constant.
    pub version: i64,
}

/// What a write or delete did, or would do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Outcome {
    /// Whether the file's content changed.
    pub changed: bool,
    /// Whether the file was deleted because nothing was left in it.
    pub file_deleted: bool,
    /// Whether this was a dry run.
    pub dry_run: bool,
    /// Status of the entry before; none if there was none.
    pub previous: Option<EntryStatus>,
}

/// A section and its override.
#[derive(Debug, Clone, Serialize)]
pub struct SectionReport {
    /// Which file.
    pub file: FileFacts,
    /// Source of the descriptor.
    pub descriptor: DescriptorFacts,
    /// Slash form.
    pub section_path: String,
    /// Array form.
    pub section_path_parts: Vec<String>,
    /// Display number.
    pub number: Option<String>,
    /// Title.
    pub title: Option<String>,
    /// Whether the code accepts an override here, where known.
    pub accepts_overrides: Option<bool>,
    /// Text of the override; none if there is none.
    pub override_body: Option<String>,
    /// Hash that the override records.
    pub expected_hash: Option<String>,
    /// Hash of the default in code.
    pub current_hash: Option<String>,
    /// What the application does with the override; none if there is none.
    pub status: Option<EntryStatus>,
    /// Why the status is not `current`.
    pub problem: Option<String>,
    /// Stored summary.
    pub summary: Option<String>,
    /// Stored visibility.
    pub visibility: Option<String>,
    /// Default text, where known.
    pub default_body: Option<String>,
    /// Whether the override's text equals the default; none without an override or a default.
    pub matches_default: Option<bool>,
    /// Placeholders that render here, sorted, where known.
    pub placeholders: Option<Vec<String>>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// For writes and deletes.
    pub outcome: Option<Outcome>,
}

/// A tool and its override.
#[derive(Debug, Clone, Serialize)]
pub struct ToolReport {
    /// Which file.
    pub file: FileFacts,
    /// Source of the descriptor.
    pub descriptor: DescriptorFacts,
    /// Name of the tool.
    pub tool_name: String,
    /// Path of the section that carries the tool, slash form, where known.
    pub section_path: Option<String>,
    /// Whether the code accepts an override here, where known.
    pub accepts_overrides: Option<bool>,
    /// Contract hash that the override records.
    pub expected_contract_hash: Option<String>,
    /// Contract hash in code.
    pub current_contract_hash: Option<String>,
    /// What the application does with the override; none if there is none.
    pub status: Option<EntryStatus>,
    /// Why the status is not `current`.
    pub problem: Option<String>,
    /// Description of the override.
    pub override_description: Option<String>,
    /// Parameter texts of the override.
    pub override_param_descriptions: BTreeMap<String, String>,
    /// Default description, where known.
    pub default_description: Option<String>,
    /// Default parameter texts, where known.
    pub default_param_descriptions: Option<BTreeMap<String, String>>,
    /// The description in effect, where known.
    pub description: Option<String>,
    /// The parameter texts in effect.
    pub param_descriptions: BTreeMap<String, String>,
    /// Names of the parameters, where known.
    pub parameters: Option<Vec<String>>,
    /// Whether the override equals the defaults; none if that is not known.
    pub matches_default: Option<bool>,
    /// Warnings.
    pub warnings: Vec<Warning>,
    /// For writes and deletes.
    pub outcome: Option<Outcome>,
}

fn file_facts(context: &Context<'_>, snapshot: Option<&Snapshot>) -> FileFacts {
    FileFacts {
        ns: context.prompt.ns.as_str().to_owned(),
        prompt: context.prompt.prompt.as_str().to_owned(),
        tag: context.prompt.tag.as_str().to_owned(),
        backing_file_path: context.path.display().to_string(),
        content_hash: snapshot.map(|snapshot| snapshot.content_hash.clone()),
        format: snapshot.map(|snapshot| snapshot.file.format()),
        updated_at: snapshot.and_then(|snapshot| snapshot.updated_at.clone()),
    }
}

fn descriptor_facts(prompt: Option<&Prompt>) -> DescriptorFacts {
    DescriptorFacts {
        source: prompt.map(|prompt| prompt.source),
        origin: prompt.map(|prompt| prompt.origin.clone()),
        hash: prompt.and_then(Prompt::hash),
        version: DESCRIPTOR_VERSION,
    }
}

/// A section as a client names it. A key of the file that no section can have (upper case,
/// blanks) is taken literally, so that it can be read and deleted.
#[derive(Debug, Clone)]
pub(super) enum SectionName {
    Path(SectionPath),
    Key(String),
}

impl SectionName {
    pub(super) fn find(text: &str, file: Option<&OverrideFile>) -> Result<Self> {
        let entry = file.and_then(|file| file.section_by_key(text));
        match entry.filter(|entry| entry.path().is_none()) {
            Some(odd) => Ok(Self::Key(odd.key().to_owned())),
            None => SectionPath::parse(text).map(Self::Path),
        }
    }

    pub(super) fn path(&self) -> Option<&SectionPath> {
        if let Self::Path(path) = self { Some(path) } else { None }
    }

    pub(super) fn as_str(&self) -> &str {
        match self {
            Self::Path(path) => path.as_str(),
            Self::Key(key) => key,
        }
    }
}

/// A section as it is in `snapshot`.
pub(super) fn section(
    context: &Context<'_>,
    snapshot: Option<&Snapshot>,
    name: &SectionName,
) -> SectionReport {
    let prompt = context.described.as_deref();
    let described = name.path().and_then(|path| prompt?.section(path));
    let entry = snapshot.and_then(|snapshot| match name {
        SectionName::Path(path) => snapshot.file.section(path),
        SectionName::Key(key) => snapshot.file.section_by_key(key),
    });
    let verdict = entry.map(|entry| assess_section(entry, prompt));
    let authoritative = prompt.is_some_and(Prompt::is_authoritative);
    SectionReport {
        file: file_facts(context, snapshot),
        descriptor: descriptor_facts(prompt),
        section_path_parts: name.as_str().split('/').map(str::to_owned).collect(),
        section_path: name.as_str().to_owned(),
        number: described.and_then(|section| section.number.clone()),
        title: described.and_then(|section| section.title.clone()),
        accepts_overrides: described.filter(|_| authoritative).map(|section| section.is_open()),
        override_body: entry.and_then(|entry| entry.body()).map(str::to_owned),
        expected_hash: entry.and_then(|entry| entry.expected_hash()).map(str::to_owned),
        current_hash: described
            .filter(|section| authoritative && section.flaw.is_none())
            .and_then(|section| section.content_hash.clone()),
        status: verdict.as_ref().map(|verdict| verdict.status),
        problem: verdict.and_then(|verdict| verdict.problem),
        summary: entry.and_then(|entry| entry.summary()).map(str::to_owned),
        visibility: entry.and_then(|entry| entry.visibility()).map(str::to_owned),
        default_body: described.and_then(|section| section.body.clone()),
        matches_default: entry.and_then(|entry| section_matches(entry, prompt)),
        placeholders: described
            .and_then(|section| section.allowed_placeholders())
            .map(Vec::from_iter),
        warnings: Vec::new(),
        outcome: None,
    }
}

/// A tool as it is in `snapshot`.
pub(super) fn tool(context: &Context<'_>, snapshot: Option<&Snapshot>, name: &str) -> ToolReport {
    let prompt = context.described.as_deref();
    let described = prompt.and_then(|prompt| prompt.tool(name));
    let entry = snapshot.and_then(|snapshot| snapshot.file.tool(name));
    let verdict = entry.map(|entry| assess_tool(entry, prompt));
    let authoritative = prompt.is_some_and(Prompt::is_authoritative);
    let status = verdict.as_ref().map(|verdict| verdict.status);
    let applied = matches!(status, Some(EntryStatus::Current | EntryStatus::Unverified));
    let override_description = entry.and_then(|entry| entry.description()).map(str::to_owned);
    let overridden = entry.map(|entry| entry.param_descriptions()).unwrap_or_default();
    let default_description = described.and_then(|tool| tool.description.clone());
    let defaults = described.and_then(|tool| tool.param_descriptions.clone());
    let mut effective = defaults.clone().unwrap_or_default();
    if applied {
        effective.extend(overridden.clone());
    }
    ToolReport {
        file: file_facts(context, snapshot),
        descriptor: descriptor_facts(prompt),
        tool_name: name.to_owned(),
        section_path: described.filter(|_| authoritative).map(|tool| tool.path.join("/")),
        accepts_overrides: described.filter(|_| authoritative).map(|tool| tool.is_open()),
        expected_contract_hash: entry
            .and_then(|entry| entry.expected_contract_hash())
            .map(str::to_owned),
        current_contract_hash: described
            .filter(|tool| authoritative && tool.flaw.is_none())
            .and_then(|tool| tool.contract_hash.clone()),
        status,
        problem: verdict.and_then(|verdict| verdict.problem),
        description: override_description
            .clone()
            .filter(|_| applied)
            .or_else(|| default_description.clone()),
        override_description,
        override_param_descriptions: overridden,
        default_description,
        default_param_descriptions: defaults,
        param_descriptions: effective,
        parameters: described.and_then(|tool| tool.parameters.clone()).map(Vec::from_iter),
        matches_default: entry.and_then(|entry| tool_matches(entry, prompt)),
        warnings: Vec::new(),
        outcome: None,
    }
}
