//! From a restore point to the steps of a transaction and the snapshot that records them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use super::restore_point::{RestorePoint, Source};
use crate::apply::build::{current, text};
use crate::content;
use crate::failure::Result;
use crate::manifest;
use crate::model::{Content, Root, Target};
use crate::paths::relative;
use crate::snapshot::{
    AppliedChange, ROLLBACK, Snapshot, SnapshotRoot, backup_root, copy_of, is_manifest,
};
use crate::transaction::{After, Purpose, Step, Work};
use crate::writer::Writer;

pub(super) struct Built<'a> {
    pub(super) work: Work<'a>,
    pub(super) files: usize,
    pub(super) warnings: Vec<String>,
}

/// Everything that going back to `point` takes.
pub(super) fn work<'a>(
    point: &RestorePoint,
    writer: &'a Writer,
    id: String,
    now: Timestamp,
) -> Result<Built<'a>> {
    let home = writer.home();
    let mut builder = Builder {
        point,
        backups: backup_root(home, &id),
        steps: Vec::new(),
        changes: Vec::new(),
        ours: ours(point),
        edited: BTreeSet::new(),
        warnings: Vec::new(),
    };
    builder.restore_files()?;
    builder.remove_files()?;
    let files = builder.steps.len();
    builder.restore_manifests()?;
    builder.remove_manifests()?;
    builder.report_edits();
    let record = Snapshot {
        kind: ROLLBACK.to_owned(),
        id: id.clone(),
        created_at: format!("{now:.9}"),
        targets: point.snapshot.targets.clone(),
        managed_files: point.snapshot.managed_files.clone(),
        changes: builder.changes,
        rolled_back_to: Some(point.snapshot.id.clone()),
        lockfile_sha256: point.snapshot.lockfile_sha256.clone(),
        backup_root: text(&builder.backups)?,
        project_root: point.snapshot.project_root.clone(),
        roots: point.snapshot.roots.clone(),
    };
    let work = Work {
        home,
        purpose: Purpose::Rollback,
        id,
        steps: builder.steps,
        copies: Vec::new(),
        snapshot: Some(record),
        faults: writer.faults(),
    };
    Ok(Built { work, files, warnings: builder.warnings })
}

/// What the manifests of the restorable roots name now: root and hash by target and path.
fn ours(point: &RestorePoint) -> BTreeMap<(String, PathBuf), (PathBuf, String)> {
    let mut ours = BTreeMap::new();
    for root in &point.roots {
        let Some(target) = Target::from_name(&root.target) else { continue };
        let path = PathBuf::from(&root.path);
        let read = Root { target, path, scan_extras: false, in_project: root.in_project };
        for entry in manifest::read(&read).manifest.into_iter().flat_map(|found| found.entries) {
            let key = (root.target.clone(), read.path.join(&entry.path));
            ours.insert(key, (read.path.clone(), entry.sha256));
        }
    }
    ours
}

struct Builder<'a> {
    point: &'a RestorePoint,
    backups: PathBuf,
    steps: Vec<Step>,
    changes: Vec<AppliedChange>,
    ours: BTreeMap<(String, PathBuf), (PathBuf, String)>,
    edited: BTreeSet<PathBuf>,
    warnings: Vec<String>,
}

impl Builder<'_> {
    fn restore_files(&mut self) -> Result<()> {
        for managed in &self.point.snapshot.managed_files {
            let path = Path::new(&managed.path);
            let root = PathBuf::from(&self.point.root_of(&managed.target, path)?.path);
            let before = current(path)?;
            let source = self.point.source(managed, before.as_deref())?;
            self.put(&managed.target, root, path, before, source, &managed.sha256)?;
        }
        Ok(())
    }

    /// What is ours now and was not then.
    fn remove_files(&mut self) -> Result<()> {
        let files = self.point.snapshot.managed_files.iter();
        let then: BTreeSet<(String, PathBuf)> =
            files.map(|file| (file.target.clone(), PathBuf::from(&file.path))).collect();
        let gone: Vec<_> = self.ours.iter().filter(|(key, _)| !then.contains(*key)).collect();
        let gone: Vec<_> =
            gone.into_iter().map(|(key, (root, _))| (key.clone(), root.clone())).collect();
        for ((target, path), root) in gone {
            if let Some(before) = current(&path)? {
                self.push(&target, root, &path, Some(before), None)?;
            }
        }
        Ok(())
    }

    fn restore_manifests(&mut self) -> Result<()> {
        let changes = self.point.snapshot.changes.iter();
        let written = changes.filter(|change| is_manifest(Path::new(&change.path)));
        for change in written {
            let Some(sha256) = &change.after_sha256 else { continue };
            let path = Path::new(&change.path);
            let root = self.point.root_of(&change.target, path)?;
            let copy = self.point.manifest_copy(&change.target, path, sha256);
            let (content, sha256) = match copy {
                Some(content) => (content, sha256.clone()),
                None => match self.manifest(root)? {
                    Some(bytes) => {
                        let sha256 = content::sha256(&bytes);
                        (Content::Bytes(bytes.into()), sha256)
                    }
                    None => {
                        self.warnings.push(format!(
                            "the manifest `{}` was not restored: no copy of it was kept",
                            path.display()
                        ));
                        continue;
                    }
                },
            };
            let source = Source { content, executable: false };
            let before = current(path)?;
            let root = PathBuf::from(&root.path);
            self.put(&change.target, root, path, before, source, &sha256)?;
        }
        Ok(())
    }

    /// The manifest of a root, rebuilt; the modules of its files are lost.
    fn manifest(&self, root: &SnapshotRoot) -> Result<Option<Vec<u8>>> {
        let Some(target) = Target::from_name(&root.target) else { return Ok(None) };
        let mut entries = Vec::new();
        for file in &self.point.snapshot.managed_files {
            let path = Path::new(&file.path);
            if file.target == root.target && self.point.root_of(&file.target, path)? == root {
                let path = relative(path, Path::new(&root.path)).unwrap_or_default();
                let module_ids = BTreeSet::new();
                entries.push(manifest::Entry { path, sha256: file.sha256.clone(), module_ids });
            }
        }
        let at = self.point.snapshot.created_at.parse().unwrap_or(Timestamp::UNIX_EPOCH);
        Ok(Some(manifest::bytes(target, &entries, Some(&self.point.snapshot.id), at)))
    }

    /// Roots that later deploys have added have no manifest any more.
    fn remove_manifests(&mut self) -> Result<()> {
        for root in self.point.roots.iter().filter(|root| !self.point.own.contains(root)) {
            let Some(target) = Target::from_name(&root.target) else { continue };
            let path = Path::new(&root.path).join(manifest::file_name(target));
            if let Some(before) = current(&path)? {
                self.push(&root.target, root.path.clone().into(), &path, Some(before), None)?;
            }
        }
        Ok(())
    }

    fn put(
        &mut self,
        target: &str,
        root: PathBuf,
        path: &Path,
        before: Option<String>,
        source: Source,
        sha256: &str,
    ) -> Result<()> {
        if before.as_deref() == Some(sha256) {
            return Ok(());
        }
        let Source { content, executable } = source;
        let after = After { content, sha256: sha256.to_owned(), executable, copy: None };
        self.push(target, root, path, before, Some(after))
    }

    fn push(
        &mut self,
        target: &str,
        root: PathBuf,
        path: &Path,
        before: Option<String>,
        after: Option<After>,
    ) -> Result<()> {
        let key = (target.to_owned(), path.to_owned());
        if let (Some(before), Some((_, deployed))) = (&before, self.ours.get(&key))
            && before != deployed
        {
            self.edited.insert(path.to_owned());
        }
        let backup = before.is_some().then(|| copy_of(&self.backups, target, path));
        let op = if after.is_some() { "rollback_restore" } else { "rollback_delete" };
        self.changes.push(AppliedChange {
            target: target.to_owned(),
            op: op.to_owned(),
            path: text(path)?,
            backup_path: backup.as_deref().map(text).transpose()?,
            before_sha256: before.clone(),
            after_sha256: after.as_ref().map(|after| after.sha256.clone()),
        });
        self.steps.push(Step { root, path: path.to_owned(), before, after, backup });
        Ok(())
    }

    fn report_edits(&mut self) {
        for path in &self.edited {
            self.warnings.push(format!(
                "`{}` had been edited since it was deployed; that version is kept below `{}`",
                path.display(),
                self.backups.display()
            ));
        }
    }
}
