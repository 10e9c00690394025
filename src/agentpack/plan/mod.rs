//! The plan of a deploy: desired files compared with the files on disk and the manifests.
//!
//! Only manifests in the roots of the selected targets define what is managed; nothing else can cause a
//! delete. An unusable root keeps its own changes out of the plan, and no others.

#[cfg(test)]
mod tests;

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::content::{OnDisk, on_disk, parallel};
use super::identity::Project;
use super::manifest;
use super::model::{Change, Desired, Managed, Op, Output, Plan, Target, UpdateKind};
use super::writable::{Folders, unusable};

/// The state of the roots before any file is compared: manifests, and which roots are usable.
#[derive(Debug, Default)]
pub(crate) struct RootSurvey {
    /// By target and absolute path.
    pub managed: BTreeMap<(Target, PathBuf), Managed>,
    /// Roots (indices) with a manifest that can be used.
    pub with_manifest: BTreeSet<usize>,
    /// Roots (indices) that cannot be used, with the reason.
    pub unusable: BTreeMap<usize, String>,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl RootSurvey {
    /// Reads the manifests and checks the roots.
    pub(crate) fn new(desired: &Desired, project: &Project) -> Self {
        let mut survey = Self::default();
        let mut folders: Vec<Folders<'_>> =
            desired.roots.iter().map(|root| Folders::new(&root.path)).collect();
        let mut managed = Vec::new();
        for (index, root) in desired.roots.iter().enumerate() {
            if let Some(why) = unusable(root, &project.root) {
                survey.unusable.insert(index, why);
                continue;
            }
            let state = manifest::read(root);
            survey.warnings.extend(state.warnings);
            let Some(found) = state.manifest else { continue };
            survey.with_manifest.insert(index);
            for entry in found.entries {
                let path = root.path.join(&entry.path);
                if let Some(why) = folders[index].blocked(&path) {
                    survey
                        .warnings
                        .push(format!("managed file `{}` is left alone: {why}", path.display()));
                    continue;
                }
                let known =
                    Managed { root: index, sha256: entry.sha256, module_ids: entry.module_ids };
                managed.push(((root.target, path), known));
            }
        }
        survey.managed = managed.into_iter().collect();
        for output in desired.outputs.values() {
            if survey.unusable.contains_key(&output.root) {
                continue;
            }
            if let Some(why) = folders[output.root].blocked(&output.path) {
                survey.unusable.insert(output.root, why);
            }
        }
        survey
    }

    /// Records that a root turned out to be unusable.
    fn mark_unusable(&mut self, root: usize, path: &std::path::Path, why: impl std::fmt::Display) {
        let line = format!("`{}` cannot be used: {why}", path.display());
        self.unusable.entry(root).or_insert(line);
    }

    /// One line per unusable root.
    pub(crate) fn unusable_warnings(&self, desired: &Desired) -> Vec<String> {
        self.unusable
            .iter()
            .map(|(index, why)| {
                let root = &desired.roots[*index];
                format!(
                    "target `{}`: the root `{}` cannot be used, its files are left out: {why}",
                    root.target.as_str(),
                    root.path.display()
                )
            })
            .collect()
    }
}

/// A desired or managed file and what is on disk.
pub(super) struct FileState<'a> {
    pub(super) key: &'a (Target, PathBuf),
    pub(super) output: Option<&'a Output>,
    pub(super) managed: Option<&'a Managed>,
    /// Its root.
    pub(super) root: usize,
    pub(super) disk: io::Result<OnDisk>,
}

/// Hashes all desired and all managed files of usable roots, in parallel.
pub(super) fn file_states<'a>(desired: &'a Desired, survey: &'a RootSurvey) -> Vec<FileState<'a>> {
    let mut files = pairs(desired, survey);
    files.retain(|file| !survey.unusable.contains_key(&file.root()));
    let disk = parallel(&files, |file| on_disk(&file.key.1));
    files
        .into_iter()
        .zip(disk)
        .map(|(file, disk)| {
            let root = file.root();
            FileState { key: file.key, output: file.output, managed: file.managed, root, disk }
        })
        .collect()
}

struct Pair<'a> {
    key: &'a (Target, PathBuf),
    output: Option<&'a Output>,
    managed: Option<&'a Managed>,
}

impl Pair<'_> {
    fn root(&self) -> usize {
        self.output
            .map(|output| output.root)
            .or(self.managed.map(|managed| managed.root))
            .unwrap_or(0)
    }
}

/// Both maps side by side, in order. Comparing paths is slow, so each is compared about once.
fn pairs<'a>(desired: &'a Desired, survey: &'a RootSurvey) -> Vec<Pair<'a>> {
    let mut outputs = desired.outputs.iter().peekable();
    let mut managed = survey.managed.iter().peekable();
    let mut pairs = Vec::with_capacity(desired.outputs.len());
    loop {
        let order = match (outputs.peek(), managed.peek()) {
            (Some((wanted, _)), Some((known, _))) => wanted.cmp(known),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => return pairs,
        };
        let output = if order.is_le() { outputs.next() } else { None };
        let known = if order.is_ge() { managed.next() } else { None };
        let Some(key) = output.map(|(key, _)| key).or(known.map(|(key, _)| key)) else {
            return pairs;
        };
        let (output, managed) = (output.map(|(_, it)| it), known.map(|(_, it)| it));
        pairs.push(Pair { key, output, managed });
    }
}

/// Compares.
pub(super) fn plan(
    profile: &str,
    targets: &[Target],
    desired: Desired,
    project: &Project,
    lockfile_sha256: Option<String>,
) -> Plan {
    let mut survey = RootSurvey::new(&desired, project);
    let mut changes: Vec<(usize, Change)> = Vec::new();
    let mut broken = Vec::new();
    let mut notes = Vec::new();
    for state in file_states(&desired, &survey) {
        let wanted = state.output.is_some();
        match &state.disk {
            Ok(OnDisk::Other(what)) if wanted => {
                broken.push((state.root, state.key, format!("it is {what}")));
            }
            Err(error) if wanted => broken.push((state.root, state.key, error.to_string())),
            Ok(disk @ (OnDisk::Missing | OnDisk::File(_))) => {
                changes.extend(change(&state, disk).map(|change| (state.root, change)));
            }
            Ok(disk @ OnDisk::Link { .. }) if wanted => {
                changes.extend(change(&state, disk).map(|change| (state.root, change)));
            }
            Ok(OnDisk::Link { .. }) => notes.push((state.key, "it is a link now".to_owned())),
            Ok(OnDisk::Other(what)) => notes.push((state.key, format!("it is {what} now"))),
            Err(error) => notes.push((state.key, error.to_string())),
        }
    }
    let notes: Vec<String> = notes
        .into_iter()
        .map(|((_, path), why)| format!("managed file `{}` is left alone: {why}", path.display()))
        .collect();
    let broken: Vec<_> =
        broken.into_iter().map(|(root, key, why)| (root, key.1.clone(), why)).collect();
    for (root, path, why) in broken {
        survey.mark_unusable(root, &path, why);
    }
    changes.retain(|(root, _)| !survey.unusable.contains_key(root));

    let in_project = |root: &usize| desired.roots[*root].in_project;
    let touches_project = changes.iter().any(|(root, _)| in_project(root));
    let unsafe_project = project.unsafe_reason.clone().filter(|_| touches_project);
    let mut warnings = desired.warnings.clone();
    warnings.extend(survey.unusable_warnings(&desired));
    warnings.append(&mut survey.warnings);
    warnings.extend(notes);
    warnings.extend(
        unsafe_project.iter().map(|why| {
            format!("{why}; project files are written there only with consent (`adopt`)")
        }),
    );
    let roots_without_manifest = desired
        .outputs
        .values()
        .map(|output| output.root)
        .filter(|root| !survey.with_manifest.contains(root) && !survey.unusable.contains_key(root))
        .collect();
    Plan {
        profile: profile.to_owned(),
        targets: targets.to_vec(),
        managed: survey.managed,
        changes: changes.into_iter().map(|(_, change)| change).collect(),
        roots_without_manifest,
        unusable_roots: survey.unusable,
        warnings,
        unsafe_project,
        project_root: project.root.clone(),
        lockfile_sha256,
        desired: Arc::new(desired),
    }
}

fn change(state: &FileState<'_>, disk: &OnDisk) -> Option<Change> {
    let (key, managed) = (state.key, state.managed);
    let before = disk.sha256().map(str::to_owned);
    let is_link = matches!(disk, OnDisk::Link { .. });
    let edited = managed.is_some_and(|managed| before.as_deref() != Some(&managed.sha256));
    let none = Change {
        target: key.0,
        op: Op::Create,
        path: key.1.clone(),
        before_sha256: before.clone(),
        after_sha256: None,
        update_kind: None,
        reason: "file missing",
        local_edits: false,
        module_ids: BTreeSet::new(),
    };
    let Some(output) = state.output else {
        let managed = managed?;
        before.as_ref()?;
        return Some(Change {
            op: Op::Delete,
            reason: "no longer managed",
            local_edits: edited,
            module_ids: managed.module_ids.clone(),
            ..none
        });
    };
    let wanted = Change {
        after_sha256: Some(output.sha256.clone()),
        module_ids: output.module_ids.clone(),
        ..none
    };
    match before {
        None => Some(wanted),
        // A link is never ours, whatever it leads to.
        Some(before) if before == output.sha256 && !is_link => None,
        Some(_) if managed.is_some() && !is_link => Some(Change {
            op: Op::Update,
            update_kind: Some(UpdateKind::ManagedUpdate),
            reason: "content differs",
            local_edits: edited,
            ..wanted
        }),
        Some(_) => Some(Change {
            op: Op::Update,
            update_kind: Some(UpdateKind::AdoptUpdate),
            reason: "would overwrite unmanaged existing file",
            ..wanted
        }),
    }
}
