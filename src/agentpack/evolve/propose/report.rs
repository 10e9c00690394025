//! The report of a proposal: edits that it includes, and edits that it skips.

use std::path::PathBuf;

use serde::Serialize;

use crate::model::{Layer, Target};

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Proposal {
    /// What was done.
    pub outcome: Outcome,
    /// Which overlays.
    pub scope: Layer,
    /// Edits that can be proposed, sorted by module and path.
    pub candidates: Vec<Candidate>,
    /// Drift that cannot, sorted by reason, target and path.
    pub skipped: Vec<Skipped>,
    /// Counts.
    pub summary: Summary,
    /// What the user should know.
    pub warnings: Vec<String>,
}

impl Proposal {
    /// Why no branch was created; none if one was.
    pub(crate) fn reason(&self) -> Option<&'static str> {
        match self.outcome {
            Outcome::Nothing if self.skipped.is_empty() => Some("no_drift"),
            Outcome::Nothing => Some("no_proposeable_drift"),
            Outcome::DryRun => Some("dry_run"),
            Outcome::NotCommitted => Some("commit_failed"),
            Outcome::Created(_) => None,
        }
    }
}

/// What was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// There was nothing to propose.
    Nothing,
    /// A dry run.
    DryRun,
    /// Git refused to commit; there is no branch. The warnings have the reason.
    NotCommitted,
    /// There is a new branch.
    Created(Created),
}

/// A new branch with one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Created {
    /// Its name.
    pub branch: String,
    /// Files of the commit, relative to the config repo, with `/`.
    pub files: Vec<String>,
}

/// An edit that can be proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Candidate {
    /// The module.
    pub module_id: String,
    /// The target of the edited file.
    pub target: Target,
    /// That file.
    pub path: PathBuf,
    /// Where it goes, relative to the config repo, with `/`.
    pub file: String,
}

/// Counts of outputs and edits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Summary {
    /// Edits that can be proposed.
    pub drifted_proposeable: u64,
    /// Outputs that differ and cannot.
    pub drifted_skipped: u64,
    /// Of these: not on disk.
    pub skipped_missing: u64,
    /// Of these: several modules in one file, and the edit cannot be attributed to one.
    pub skipped_multi_module: u64,
    /// Could not be read; not among the skipped.
    pub skipped_read_error: u64,
    /// Of the skipped: not edited, only older than the sources.
    pub skipped_outdated: u64,
    /// Of the skipped: edited differently in several places, or edited here and in the sources.
    pub skipped_conflicting: u64,
}

/// Drift that cannot be proposed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Skipped {
    /// The target.
    pub target: Target,
    /// Absolute.
    pub path: PathBuf,
    /// Why.
    pub reason: Reason,
    /// What can be done: command lines.
    pub next_actions: Vec<String>,
    /// The only module, or the one that the edit belongs to.
    pub module_id: Option<String>,
    /// The modules, where there are several.
    pub module_ids: Vec<String>,
    /// Where else the same module was edited.
    pub conflicts_with: Vec<PathBuf>,
}

/// A suggestion.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) struct Suggestion {
    /// What.
    pub action: &'static str,
    /// What for.
    pub reason: &'static str,
}

/// Why drift cannot be proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Reason {
    /// The module was edited differently in several outputs.
    ConflictingEdits,
    /// Only what rendering adds was edited.
    GeneratedPart,
    /// Not on disk.
    Missing,
    /// The edit cannot be attributed to one of several modules.
    MultiModuleOutput,
    /// A link or something else that is no file.
    NotAFile,
    /// Not edited; the sources are newer.
    OutdatedOutput,
    /// The overlay of that scope consists of patches.
    PatchOverlay,
    /// An overlay of a higher scope would hide the edit.
    ShadowedByOverlay,
    /// Edited here and changed in the sources, in the same lines.
    SourceChanged,
    /// No manifest names it: it was not deployed by us.
    UnmanagedOutput,
}

impl Reason {
    /// Stable name.
    pub(crate) fn code(self) -> &'static str {
        match self {
            Self::ConflictingEdits => "conflicting_edits",
            Self::GeneratedPart => "generated_part",
            Self::Missing => "missing",
            Self::MultiModuleOutput => "multi_module_output",
            Self::NotAFile => "not_a_file",
            Self::OutdatedOutput => "outdated_output",
            Self::PatchOverlay => "patch_overlay",
            Self::ShadowedByOverlay => "shadowed_by_overlay",
            Self::SourceChanged => "source_changed",
            Self::UnmanagedOutput => "unmanaged_output",
        }
    }

    /// Message for the user.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Self::ConflictingEdits => "the module was edited differently in several outputs",
            Self::GeneratedPart => "only the generated front matter was edited; no module holds it",
            Self::Missing => "the deployed file is missing; restore or deploy it",
            Self::MultiModuleOutput => {
                "several modules share this file and the edit cannot be attributed to one of them"
            }
            Self::NotAFile => "there is no regular file in its place",
            Self::OutdatedOutput => "the file was not edited; the sources are newer, so deploy it",
            Self::PatchOverlay => "the overlay of this scope consists of patches",
            Self::ShadowedByOverlay => "an overlay of a higher scope replaces the same file",
            Self::SourceChanged => "the sources have changed in the same lines since the deploy",
            Self::UnmanagedOutput => "no manifest names the file, so it was not deployed from here",
        }
    }

    /// What the user could do.
    pub(crate) fn suggestions(self) -> &'static [Suggestion] {
        match self {
            Self::Missing => &[
                Suggestion {
                    action: "agentpack evolve restore",
                    reason: "writes only what is missing",
                },
                Suggestion {
                    action: "agentpack deploy --apply",
                    reason: "brings everything up to date",
                },
            ],
            Self::MultiModuleOutput => &[Suggestion {
                action: "edit between the `agentpack:module` comments and leave these in place",
                reason: "they mark which module an edit belongs to",
            }],
            Self::ConflictingEdits => &[Suggestion {
                action: "give all outputs of the module the same edit, or deploy over all but one",
                reason: "one module can only have one content",
            }],
            Self::OutdatedOutput => &[Suggestion {
                action: "agentpack deploy --apply",
                reason: "brings the file up to date",
            }],
            Self::ShadowedByOverlay => &[Suggestion {
                action: "propose with the scope of the overlay that replaces the file",
                reason: "a lower scope would have no effect",
            }],
            Self::SourceChanged => &[Suggestion {
                action: "merge the edit into the source manually, then deploy",
                reason: "both sides changed the same lines",
            }],
            Self::PatchOverlay => &[Suggestion {
                action: "propose with another scope, or turn the overlay into files",
                reason: "an overlay has either files or patches",
            }],
            Self::UnmanagedOutput => &[Suggestion {
                action: "agentpack deploy --apply --adopt",
                reason: "takes the file over, with a backup",
            }],
            Self::GeneratedPart | Self::NotAFile => &[],
        }
    }
}
