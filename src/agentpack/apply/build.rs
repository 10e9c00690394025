//! From a plan to the steps of a transaction and the snapshot that records them.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use jiff::Timestamp;
use toolwright_runtime::ErrorKind;

use crate::content::{self, OnDisk, on_disk};
use crate::failure::{self, Result};
use crate::generated::Error;
use crate::manifest;
use crate::model::{Change, Content, Op, Output, Plan, Root, Target};
use crate::paths::relative;
use crate::snapshot::{
    AppliedChange, DEPLOY, ManagedFile, Snapshot, SnapshotRoot, backup_root, copy_for, state_root,
};
use crate::transaction::{After, Purpose, Step, Work};
use crate::writer::Writer;

/// Everything needed to apply `plan`.
pub(super) fn work<'a>(
    plan: &Plan,
    writer: &'a Writer,
    id: String,
    now: Timestamp,
) -> Result<Work<'a>> {
    let home = writer.home();
    let mut builder = Builder {
        plan,
        backups: backup_root(home, &id),
        copies: state_root(home, &id),
        steps: Vec::new(),
        changes: Vec::new(),
        touched: BTreeSet::new(),
    };
    for change in &plan.changes {
        builder.change(change)?;
    }
    let unchanged = builder.unchanged();
    let roots = builder.manifests(&id, now)?;
    let snapshot = Snapshot {
        kind: DEPLOY.to_owned(),
        id: id.clone(),
        created_at: format!("{now:.9}"),
        targets: plan.targets.iter().map(|target| target.as_str().to_owned()).collect(),
        managed_files: plan.desired.outputs.values().map(managed_file).collect::<Result<_>>()?,
        changes: builder.changes,
        rolled_back_to: None,
        lockfile_sha256: plan.lockfile_sha256.clone(),
        backup_root: text(&builder.backups)?,
        project_root: Some(text(&plan.project_root)?),
        roots: Some(roots),
    };
    Ok(Work {
        home,
        purpose: Purpose::Deploy,
        id,
        steps: builder.steps,
        copies: unchanged,
        snapshot: Some(snapshot),
        faults: writer.faults(),
    })
}

struct Builder<'a> {
    plan: &'a Plan,
    backups: PathBuf,
    copies: PathBuf,
    steps: Vec<Step>,
    changes: Vec<AppliedChange>,
    /// Roots (indices) with a changed file.
    touched: BTreeSet<usize>,
}

impl Builder<'_> {
    fn change(&mut self, change: &Change) -> Result<()> {
        let key = (change.target, change.path.clone());
        let output = self.plan.desired.outputs.get(&key);
        let root = output.map(|output| output.root);
        let root = root.or_else(|| self.plan.managed.get(&key).map(|managed| managed.root));
        self.touched.extend(root);
        let root = root.and_then(|index| self.plan.desired.roots.get(index));
        let after = match (change.op, output) {
            (Op::Delete, _) => None,
            (Op::Create | Op::Update, Some(output)) => Some(self.after(output)),
            (Op::Create | Op::Update, None) => return Err(not_planned(&change.path)),
        };
        let root = root.ok_or_else(|| not_planned(&change.path))?.path.clone();
        self.push(change.target, root, &change.path, change.before_sha256.clone(), after)
    }

    fn push(
        &mut self,
        target: Target,
        root: PathBuf,
        path: &Path,
        before: Option<String>,
        after: Option<After>,
    ) -> Result<()> {
        let backup = before.is_some().then(|| copy_for(&self.backups, target, path));
        let op = match (&before, &after) {
            (_, None) => "delete",
            (None, Some(_)) => "create",
            (Some(_), Some(_)) => "update",
        };
        self.changes.push(AppliedChange {
            target: target.as_str().to_owned(),
            op: op.to_owned(),
            path: text(path)?,
            backup_path: backup.as_deref().map(text).transpose()?,
            before_sha256: before.clone(),
            after_sha256: after.as_ref().map(|after| after.sha256.clone()),
        });
        self.steps.push(Step { root, path: path.to_owned(), before, after, backup });
        Ok(())
    }

    fn after(&self, output: &Output) -> After {
        After {
            content: output.content.clone(),
            sha256: output.sha256.clone(),
            executable: output.executable,
            copy: Some(copy_for(&self.copies, output.target, &output.path)),
        }
    }

    /// Outputs that are in place already; the snapshot keeps a copy of them as well.
    fn unchanged(&self) -> Vec<After> {
        let changed: BTreeSet<(Target, &Path)> =
            self.plan.changes.iter().map(|change| (change.target, change.path.as_path())).collect();
        let outputs = self.plan.desired.outputs.values();
        let unchanged = outputs.filter(|output| !changed.contains(&(output.target, &output.path)));
        unchanged.map(|output| self.after(output)).collect()
    }

    /// The manifests come after all files. Returns the roots that have one.
    fn manifests(&mut self, id: &str, now: Timestamp) -> Result<Vec<SnapshotRoot>> {
        let mut written = Vec::new();
        let desired = Arc::clone(&self.plan.desired);
        for (index, root) in desired.roots.iter().enumerate() {
            let outputs = desired.outputs.values().filter(|output| output.root == index);
            let entries = outputs.map(|output| entry(root, output)).collect::<Result<Vec<_>>>()?;
            let path = root.path.join(manifest::file_name(root.target));
            let before = current(&path)?;
            let touched = self.touched.contains(&index);
            if before.is_none() && entries.is_empty() && !(touched && root.path.is_dir()) {
                continue;
            }
            let bytes = manifest::bytes(root.target, &entries, Some(id), now);
            let after = After {
                sha256: content::sha256(&bytes),
                content: Content::Bytes(bytes.into()),
                executable: false,
                copy: Some(copy_for(&self.copies, root.target, &path)),
            };
            self.push(root.target, root.path.clone(), &path, before, Some(after))?;
            written.push(SnapshotRoot {
                target: root.target.as_str().to_owned(),
                path: text(&root.path)?,
                in_project: root.in_project,
            });
        }
        Ok(written)
    }
}

/// Hash of what is at the path of a manifest or a managed file now.
pub(crate) fn current(path: &Path) -> Result<Option<String>> {
    match on_disk(path) {
        Ok(OnDisk::Other(what)) => {
            let error = std::io::Error::other(format!("it is {what}"));
            Err(failure::io("replace", path, &error))
        }
        Ok(found) => Ok(found.sha256().map(str::to_owned)),
        Err(error) => Err(failure::io("read", path, &error)),
    }
}

fn entry(root: &Root, output: &Output) -> Result<manifest::Entry> {
    let path = relative(&output.path, &root.path).ok_or_else(|| not_planned(&output.path))?;
    let module_ids = output.module_ids.clone();
    Ok(manifest::Entry { path, sha256: output.sha256.clone(), module_ids })
}

fn managed_file(output: &Output) -> Result<ManagedFile> {
    Ok(ManagedFile {
        target: output.target.as_str().to_owned(),
        path: text(&output.path)?,
        sha256: output.sha256.clone(),
    })
}

/// Snapshots are JSON, so their paths are text.
pub(crate) fn text(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| {
        Error::IoInvalidPath
            .because(format!("The path `{}` is not UTF-8 text.", path.display()))
            .with("path_posix", path.to_string_lossy())
    })
}

fn not_planned(path: &Path) -> toolwright_runtime::Failure<Error> {
    Error::Unexpected
        .because(format!("The plan has a change of `{}` and no root for it.", path.display()))
        .with("path", path)
}
