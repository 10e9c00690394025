//! Unmanaged files in a root.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::{Drift, DriftKind};
use crate::content::{OnDisk, on_disk, parallel};
use crate::manifest::is_manifest_name;
use crate::model::Desired;
use crate::plan::RootSurvey;

/// More are counted, not listed: a `node_modules` must not fill the answer.
const MAX_LISTED: usize = 2_000;
/// Folders that belong to other tools.
const SKIPPED: [&str; 2] = [".git", ".agentpack"];

/// The extra files of one root, hashed. Links are not followed.
pub(super) fn find(
    desired: &Desired,
    survey: &RootSurvey,
    root: usize,
    warnings: &mut Vec<String>,
) -> Vec<Drift> {
    let here = &desired.roots[root];
    let nested: BTreeSet<&Path> = desired
        .roots
        .iter()
        .filter(|other| other.target == here.target && other.path != here.path)
        .map(|other| other.path.as_path())
        .collect();
    let mut files = Vec::new();
    walk(&here.path, &nested, &mut files, warnings);
    files.retain(|path| {
        let key = (here.target, path.clone());
        !desired.outputs.contains_key(&key) && !survey.managed.contains_key(&key)
    });
    if files.len() > MAX_LISTED {
        warnings.push(format!(
            "`{}` has {} extra files; the first {MAX_LISTED} are listed",
            here.path.display(),
            files.len()
        ));
        files.truncate(MAX_LISTED);
    }
    let seen = parallel(&files, |path| on_disk(path));
    let mut found = Vec::with_capacity(files.len());
    for (path, disk) in files.into_iter().zip(seen) {
        let actual = match disk {
            Ok(OnDisk::Missing) => continue,
            Ok(OnDisk::File(print)) => Some(print.sha256),
            Ok(OnDisk::Link { .. } | OnDisk::Other(_)) => None,
            Err(error) => {
                warnings.push(format!("`{}` could not be read: {error}", path.display()));
                None
            }
        };
        found.push(Drift {
            target: here.target,
            root: here.path.clone(),
            path,
            kind: DriftKind::Extra,
            cause: None,
            expected: None,
            actual,
            managed: false,
            module_ids: BTreeSet::new(),
        });
    }
    found
}

fn walk(
    folder: &Path,
    nested: &BTreeSet<&Path>,
    files: &mut Vec<PathBuf>,
    warnings: &mut Vec<String>,
) {
    let entries = match std::fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) => {
            warnings.push(format!("`{}` could not be listed: {error}", folder.display()));
            return;
        }
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let (path, name) = (entry.path(), entry.file_name());
        let skipped =
            name.to_str().is_some_and(|name| SKIPPED.contains(&name) || is_manifest_name(name));
        if skipped || nested.contains(path.as_path()) {
            continue;
        }
        if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            walk(&path, nested, files, warnings);
        } else {
            files.push(path);
        }
    }
}
