//! What a crash left behind: finding it, and finishing or undoing it.

use std::path::{Path, PathBuf};

use toolwright_runtime::ErrorKind;

use super::journal::{self, Journal};
use super::{commit, undo};
use crate::failure::Result;
use crate::generated::Error;
use crate::lock::Lock;
use crate::snapshot;

/// A transaction that was undone.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Undone {
    /// Its id.
    pub id: String,
    /// Files that were restored.
    pub restored: Vec<PathBuf>,
    /// Files that have been changed since; they are left alone, backups are kept.
    pub left: Vec<PathBuf>,
    /// Files that could not be restored, and why.
    pub failed: Vec<(PathBuf, String)>,
}

/// What was done about transactions that a crash interrupted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Recovered {
    /// Ids of those that were committed and only needed cleaning up.
    pub finished: Vec<String>,
    /// Those that were not committed.
    pub undone: Vec<Undone>,
}

impl Recovered {
    /// Text for the warnings of an answer.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let finished = self.finished.iter().map(|id| {
            format!(
                "An interrupted run ({id}) had put everything in place; its journal was cleaned up."
            )
        });
        let undone = self.undone.iter().map(|undone| {
            let left: Vec<String> =
                undone.left.iter().map(|path| format!("`{}`", path.display())).collect();
            let left = match left.as_slice() {
                [] => String::new(),
                paths => format!(" Changed since and left alone: {}.", paths.join(", ")),
            };
            format!(
                "An interrupted run ({}) was undone; {} file(s) were restored.{left}",
                undone.id,
                undone.restored.len()
            )
        });
        finished.chain(undone).collect()
    }
}

/// A journal that waits for the next writer, or belongs to a running one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pending {
    /// The journal.
    pub path: PathBuf,
    /// The lock is held: its transaction may still be running.
    pub running: bool,
}

/// Journals of a home. Writes nothing.
pub(crate) fn pending(home: &Path) -> Result<Vec<Pending>> {
    let files = journal::files(home)?;
    let running = !files.is_empty() && Lock::is_held(home);
    Ok(files.into_iter().map(|path| Pending { path, running }).collect())
}

/// Finishes or undoes what a crash interrupted. The caller holds the lock.
pub(crate) fn recover(home: &Path) -> Result<Recovered> {
    let mut recovered = Recovered::default();
    for journal in Journal::all(home)? {
        if snapshot::file(home, &journal.id).exists() {
            commit::tidy(&journal);
            journal.remove(home)?;
            recovered.finished.push(journal.id);
            continue;
        }
        let undone = undo::undo(home, &journal);
        if let Some((path, error)) = undone.failed.first() {
            return Err(Error::ApplyFailed
                .because(format!(
                    "An earlier run ({}) was interrupted, and `{}` cannot be restored: {error}",
                    undone.id,
                    path.display()
                ))
                .hint("Remove the cause and try again; the journal is kept until then.")
                .with("path", path)
                .with("error", error)
                .with("restored", &undone.restored)
                .with(
                    "not_restored",
                    undone.failed.iter().map(|(path, _)| path).collect::<Vec<_>>(),
                ));
        }
        recovered.undone.push(undone);
    }
    sweep(home);
    Ok(recovered)
}

/// Removes journals and snapshots that were not wholly written when a crash came.
fn sweep(home: &Path) {
    for folder in [journal::folder(home), snapshot::folder(home)] {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            if name.starts_with('.') && name.ends_with(".json.tmp") {
                let _ = std::fs::remove_file(entry.path());
            }
        }
    }
}
