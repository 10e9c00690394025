//! Drift: how the files on disk differ from the desired ones, and why.
//!
//! The kind is the difference; the cause, found by comparing with the manifest, is an edit on disk, a
//! source that changed, or a file that was never deployed.

mod extras;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::content::OnDisk;
use super::failure::Result;
use super::model::{Desired, Root, Target};
use super::plan::{FileState, RootSurvey, file_states};
use super::workspace::Workspace;

/// The kind of difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DriftKind {
    /// The file does not exist.
    Missing,
    /// The content differs.
    Modified,
    /// The file is not desired.
    Extra,
}

/// Why a file differs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Cause {
    /// The deployed file was changed or removed.
    Edited,
    /// The file is as it was deployed; the config repo moved on.
    Outdated,
    /// No manifest names the file: it was never deployed here.
    Undeployed,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Drift {
    /// The target.
    pub target: Target,
    /// The root's folder.
    pub root: PathBuf,
    /// Absolute.
    pub path: PathBuf,
    /// The kind of difference.
    pub kind: DriftKind,
    /// Why; none for unmanaged files.
    pub cause: Option<Cause>,
    /// Hash that it should have, without a prefix.
    pub expected: Option<String>,
    /// Hash that it has; none when it is not there or not a regular file.
    pub actual: Option<String>,
    /// A managed file or an output, not just a file in the root.
    pub managed: bool,
    /// Modules that it comes from, or came from.
    pub module_ids: BTreeSet<String>,
}

/// How many of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct DriftSummary {
    /// Modified.
    pub modified: u64,
    /// Missing.
    pub missing: u64,
    /// Extra.
    pub extra: u64,
}

/// All differences of a selection.
#[derive(Debug, Clone)]
pub(crate) struct Status {
    /// Profile that was rendered.
    pub profile: String,
    /// Selected targets, sorted by name.
    pub targets: Vec<Target>,
    /// Sorted by target, root and path.
    pub drift: Vec<Drift>,
    /// At least one root has a manifest.
    pub any_manifest: bool,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl Status {
    /// Counts.
    pub(crate) fn summary(&self) -> DriftSummary {
        summary(&self.drift)
    }

    /// Counts per root that has any, in the order of the drift.
    pub(crate) fn summary_by_root(&self) -> Vec<(Target, PathBuf, DriftSummary)> {
        self.drift
            .chunk_by(|a, b| (a.target, &a.root) == (b.target, &b.root))
            .filter_map(|chunk| {
                let first = chunk.first()?;
                Some((first.target, first.root.clone(), summary(chunk)))
            })
            .collect()
    }

    /// Keeps only these kinds; none means all.
    #[must_use]
    pub(crate) fn only(mut self, kinds: &[DriftKind]) -> Self {
        if !kinds.is_empty() {
            self.drift.retain(|drift| kinds.contains(&drift.kind));
        }
        self
    }
}

fn summary(drift: &[Drift]) -> DriftSummary {
    let count = |kind| drift.iter().filter(|drift| drift.kind == kind).count() as u64;
    DriftSummary {
        modified: count(DriftKind::Modified),
        missing: count(DriftKind::Missing),
        extra: count(DriftKind::Extra),
    }
}

/// Compares the desired state with the disk.
pub(crate) fn status(workspace: &Workspace) -> Result<Status> {
    let desired = workspace.render()?;
    let survey = RootSurvey::new(&desired, &workspace.project);
    let mut warnings = desired.warnings.clone();
    warnings.extend(survey.unusable_warnings(&desired));
    warnings.extend(survey.warnings.iter().cloned());
    warnings.extend(missing_manifests(&desired, &survey));

    let mut drift = Vec::new();
    for state in file_states(&desired, &survey) {
        match &state.disk {
            Ok(disk) => drift.extend(compare(&desired, &state, disk)),
            Err(error) => {
                warnings.push(format!("`{}` could not be read: {error}", state.key.1.display()));
            }
        }
    }
    for (index, root) in desired.roots.iter().enumerate() {
        // Without a manifest it is not known what was managed, as in upstream.
        if root.scan_extras && survey.with_manifest.contains(&index) {
            drift.extend(extras::find(&desired, &survey, index, &mut warnings));
        }
    }
    drift.sort_by(|a, b| (a.target, &a.root, &a.path).cmp(&(b.target, &b.root, &b.path)));
    Ok(Status {
        profile: workspace.selection.profile.clone(),
        targets: workspace.targets.clone(),
        drift,
        any_manifest: !survey.with_manifest.is_empty(),
        warnings,
    })
}

fn missing_manifests(desired: &Desired, survey: &RootSurvey) -> Vec<String> {
    let usable = |index: &usize| !survey.unusable.contains_key(index);
    if survey.with_manifest.is_empty() {
        let any = (0..desired.roots.len()).any(|index| usable(&index));
        let line = "no target manifests found; drift may be inaccurate (deploy writes them)";
        return any.then(|| line.to_owned()).into_iter().collect();
    }
    let roots: BTreeSet<usize> = desired.outputs.values().map(|output| output.root).collect();
    let without = |index: &usize| usable(index) && !survey.with_manifest.contains(index);
    let line = |root: &Root| {
        format!(
            "no target manifest in `{}` (target `{}`); its files are compared with what is on disk",
            root.path.display(),
            root.target.as_str()
        )
    };
    roots.iter().filter(|index| without(index)).map(|index| line(&desired.roots[*index])).collect()
}

fn compare(desired: &Desired, state: &FileState<'_>, disk: &OnDisk) -> Option<Drift> {
    let (output, managed) = (state.output, state.managed);
    let actual = match disk {
        OnDisk::File(print) => Some(print.sha256.clone()),
        OnDisk::Missing | OnDisk::Link { .. } | OnDisk::Other(_) => None,
    };
    let present = *disk != OnDisk::Missing;
    let kind = match (output, present) {
        (Some(output), true) if actual.as_ref() == Some(&output.sha256) => return None,
        (Some(_), true) => DriftKind::Modified,
        (Some(_), false) => DriftKind::Missing,
        (None, true) => DriftKind::Extra,
        (None, false) => return None,
    };
    let cause = match managed {
        None => Cause::Undeployed,
        Some(managed) if actual.as_ref() == Some(&managed.sha256) => Cause::Outdated,
        Some(_) => Cause::Edited,
    };
    let ids = output.map(|output| &output.module_ids).or(managed.map(|known| &known.module_ids));
    Some(Drift {
        target: state.key.0,
        root: desired.roots[state.root].path.clone(),
        path: state.key.1.clone(),
        kind,
        cause: Some(cause),
        expected: output.map(|output| output.sha256.clone()),
        actual,
        managed: true,
        module_ids: ids.cloned().unwrap_or_default(),
    })
}
