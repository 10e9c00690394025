//! The snapshot to go back to: the roots it covers and the bytes it recorded.

use std::collections::BTreeSet;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::apply::inside_project;
use crate::content;
use crate::failure::Result;
use crate::model::Content;
use crate::snapshot::{
    ManagedFile, ROLLBACK, Snapshot, SnapshotRoot, copy_of, file, invalid, list, load, state_root,
};

/// A snapshot that can be restored.
pub(super) struct RestorePoint {
    pub(super) snapshot: Snapshot,
    /// Folders that may be touched: its own, and those that later deploys of the same targets and
    /// the same project have added.
    pub(super) roots: Vec<SnapshotRoot>,
    /// Its own folders.
    pub(super) own: BTreeSet<SnapshotRoot>,
    later: Vec<Snapshot>,
    path: PathBuf,
    copies: PathBuf,
}

/// The bytes to restore.
pub(super) struct Source {
    pub(super) content: Content,
    pub(super) executable: bool,
}

impl RestorePoint {
    pub(super) fn load(home: &Path, id: &str) -> Result<Self> {
        let snapshot = load(home, id)?;
        let path = file(home, id);
        if snapshot.kind == ROLLBACK {
            let instead = match &snapshot.rolled_back_to {
                Some(to) => format!("; go back to {to} instead"),
                None => String::new(),
            };
            let why = format!("it records a rollback, not a deploy{instead}");
            return Err(invalid(id, &path, &why));
        }
        let later: Vec<Snapshot> = list(home)?
            .into_iter()
            .skip_while(|other| other.id != id)
            .filter(|other| other.id != id)
            .collect();
        let own: BTreeSet<SnapshotRoot> = snapshot.known_roots().into_iter().collect();
        let copies = state_root(home, id);
        let mut point = Self { roots: Vec::new(), own, later, path, copies, snapshot };
        point.roots = point.restorable_roots();
        point.check_project()?;
        Ok(point)
    }

    fn restorable_roots(&self) -> Vec<SnapshotRoot> {
        let targets: BTreeSet<&str> = self.snapshot.targets.iter().map(String::as_str).collect();
        let project = self.snapshot.project_root.as_deref();
        let added = self.later.iter().filter(|later| later.kind != ROLLBACK).flat_map(|later| {
            let same = project.is_some() && later.project_root.as_deref() == project;
            let roots = later.roots.iter().flatten();
            roots.filter(move |root| !root.in_project || same)
        });
        let added = added.filter(|root| targets.contains(root.target.as_str())).cloned();
        // Upstream does not record which roots are in a project, so equal paths count as one root.
        let mut roots: Vec<SnapshotRoot> = self.own.iter().cloned().collect();
        for root in added {
            if !roots.iter().any(|known| known.target == root.target && known.path == root.path) {
                roots.push(root);
            }
        }
        roots.sort();
        roots
    }

    fn check_project(&self) -> Result<()> {
        let Some(project) = &self.snapshot.project_root else { return Ok(()) };
        for root in self.roots.iter().filter(|root| root.in_project) {
            if !inside_project(Path::new(&root.path), Path::new(project)) {
                let why = format!("a link leads its root `{}` out of the project", root.path);
                return Err(self.invalid(&why));
            }
        }
        Ok(())
    }

    /// The deepest of its own roots that a file is in.
    pub(super) fn root_of(&self, target: &str, path: &Path) -> Result<&SnapshotRoot> {
        let contains = |root: &&SnapshotRoot| root.target == target && path.starts_with(&root.path);
        let roots = self.own.iter().filter(contains);
        roots
            .max_by_key(|root| Path::new(&root.path).components().count())
            .ok_or_else(|| self.invalid(&format!("`{}` is in none of its roots", path.display())))
    }

    /// Where the bytes of a managed file are: the snapshot's copy; in snapshots of old versions, which
    /// have none, what is in place or the backup of a later event. Checked by hash in any case.
    pub(super) fn source(&self, managed: &ManagedFile, now: Option<&str>) -> Result<Source> {
        let path = Path::new(&managed.path);
        if self.copies.is_dir() {
            return self.copy(&managed.target, path, &managed.sha256);
        }
        if now == Some(managed.sha256.as_str()) {
            let executable = is_executable(path);
            return Ok(Source { content: Content::File(path.to_owned()), executable });
        }
        let changes = self.later.iter().flat_map(|later| &later.changes);
        let same = changes.filter(|change| {
            change.target == managed.target
                && change.path == managed.path
                && change.before_sha256.as_ref() == Some(&managed.sha256)
        });
        let backups = same.filter_map(|change| change.backup_path.as_ref()).map(PathBuf::from);
        let intact = |backup: &PathBuf| hash(backup).is_ok_and(|found| found == managed.sha256);
        match backups.into_iter().find(intact) {
            Some(backup) => Ok(Source { content: Content::File(backup), executable: false }),
            None => Err(self.invalid(&format!("no copy of `{}` was kept", managed.path))),
        }
    }

    fn copy(&self, target: &str, path: &Path, sha256: &str) -> Result<Source> {
        let copy = copy_of(&self.copies, target, path);
        match hash(&copy) {
            Ok(found) if found == sha256 => {
                let executable = is_executable(&copy);
                Ok(Source { content: Content::File(copy), executable })
            }
            Ok(found) => Err(self.invalid(&format!(
                "its copy `{}` of `{}` has sha256 {found} instead of {sha256}",
                copy.display(),
                path.display()
            ))),
            Err(error) => Err(self.invalid(&format!(
                "its copy `{}` of `{}` cannot be read: {error}",
                copy.display(),
                path.display()
            ))),
        }
    }

    /// The copy of a manifest, if it was kept and is the one that was written.
    pub(super) fn manifest_copy(&self, target: &str, path: &Path, sha256: &str) -> Option<Content> {
        let copy = copy_of(&self.copies, target, path);
        hash(&copy).is_ok_and(|found| found == sha256).then_some(Content::File(copy))
    }

    pub(super) fn invalid(
        &self,
        why: &str,
    ) -> toolwright_runtime::Failure<crate::generated::Error> {
        invalid(&self.snapshot.id, &self.path, why)
    }
}

fn hash(path: &Path) -> std::io::Result<String> {
    content::fingerprint(&Content::File(path.to_owned())).map(|print| print.sha256)
}

fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.permissions().mode() & 0o100 != 0)
}
