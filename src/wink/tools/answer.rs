//! Converts the engine's reports into the contract's answers.

use toolwright_runtime::Call;

use crate::descriptor::SourceName;
use crate::engine::{self, DescriptorFacts, Mode, SectionReport, ToolReport};
use crate::generated::{
    Descriptor, DescriptorSource, EntryStatus, SectionChange, ToolChange, ToolOverride, Warning,
};
use crate::override_file;

/// The confirm guard decides whether this is a dry run.
pub(super) fn mode(call: &Call) -> Mode {
    if call.is_rehearsal() { Mode::DryRun } else { Mode::Commit }
}

/// A section write or delete.
pub(super) fn section_change(report: SectionReport) -> SectionChange {
    let outcome = report.outcome;
    SectionChange {
        ns: report.file.ns,
        prompt: report.file.prompt,
        tag: report.file.tag,
        section_path: report.section_path,
        section_keys: report.section_path_parts,
        changed: outcome.is_some_and(|outcome| outcome.changed),
        status: status(report.status),
        previous_status: status(outcome.and_then(|outcome| outcome.previous)),
        expected_hash: report.expected_hash,
        descriptor: descriptor(report.descriptor),
        backing_file_path: report.file.backing_file_path,
        file_exists: report.file.content_hash.is_some(),
        content_hash: report.file.content_hash,
        format: report.file.format.map(|format| i64::from(format.number())),
        updated_at: report.file.updated_at,
        warnings: warnings(report.warnings),
    }
}

/// A tool write or delete.
pub(super) fn tool_change(report: ToolReport) -> ToolChange {
    let outcome = report.outcome;
    ToolChange {
        ns: report.file.ns,
        prompt: report.file.prompt,
        tag: report.file.tag,
        tool_name: report.tool_name,
        changed: outcome.is_some_and(|outcome| outcome.changed),
        status: status(report.status),
        previous_status: status(outcome.and_then(|outcome| outcome.previous)),
        expected_contract_hash: report.expected_contract_hash,
        descriptor: descriptor(report.descriptor),
        backing_file_path: report.file.backing_file_path,
        file_exists: report.file.content_hash.is_some(),
        content_hash: report.file.content_hash,
        format: report.file.format.map(|format| i64::from(format.number())),
        updated_at: report.file.updated_at,
        warnings: warnings(report.warnings),
    }
}

/// A tool as it is.
pub(super) fn tool(report: ToolReport) -> ToolOverride {
    ToolOverride {
        ns: report.file.ns,
        prompt: report.file.prompt,
        tag: report.file.tag,
        tool_name: report.tool_name,
        status: status(report.status),
        description: report.description,
        param_descriptions: report.param_descriptions,
        override_description: report.override_description,
        override_param_descriptions: report.override_param_descriptions,
        default_description: report.default_description,
        default_param_descriptions: report.default_param_descriptions.unwrap_or_default(),
        expected_contract_hash: report.expected_contract_hash,
        current_contract_hash: report.current_contract_hash,
        accepts_overrides: report.accepts_overrides,
        matches_default: report.matches_default,
        descriptor: descriptor(report.descriptor),
        backing_file_path: report.file.backing_file_path,
        content_hash: report.file.content_hash,
        format: report.file.format.map(|format| i64::from(format.number())),
        updated_at: report.file.updated_at,
        warnings: warnings(report.warnings),
    }
}

/// What the application does with an entry.
pub(super) fn status(status: Option<override_file::EntryStatus>) -> EntryStatus {
    use override_file::EntryStatus as Stored;
    match status {
        None => EntryStatus::None,
        Some(Stored::Current) => EntryStatus::Current,
        Some(Stored::Stale) => EntryStatus::Stale,
        Some(Stored::Unknown) => EntryStatus::Unknown,
        Some(Stored::Invalid) => EntryStatus::Invalid,
        Some(Stored::Locked) => EntryStatus::Locked,
        Some(Stored::Unverified) => EntryStatus::Unverified,
    }
}

/// The source of the descriptor.
pub(super) fn descriptor(facts: DescriptorFacts) -> Descriptor {
    Descriptor {
        source: match facts.source {
            None => DescriptorSource::None,
            Some(SourceName::ExportFile) => DescriptorSource::ExportFile,
            Some(SourceName::ExportCommand) => DescriptorSource::ExportCommand,
            Some(SourceName::RegistryModules) => DescriptorSource::RegistryModules,
            Some(SourceName::SeededFile) => DescriptorSource::SeededFile,
        },
        origin: facts.origin,
        hash: facts.hash,
        version: facts.version.unsigned_abs(),
    }
}

/// Warnings for the answer.
pub(super) fn warnings(warnings: Vec<engine::Warning>) -> Vec<Warning> {
    warnings
        .into_iter()
        .map(|warning| Warning { code: warning.code.as_str().to_owned(), message: warning.message })
        .collect()
}
