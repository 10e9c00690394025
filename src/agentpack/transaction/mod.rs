//! Many files changed as one: all of them or none, whatever happens in between.
//!
//! ```text
//! journal ─ stage ─ sync ─ check again, rename ─ sync ─ snapshot file ─ tidy ─ remove journal
//!           └ temporary files, backups, copies            └ committed from here on
//! ```
//!
//! Everything slow or likely to fail comes before the first rename. A failure undoes what was done and
//! reports it; after a crash the next writer undoes or finishes by the journal. Knows nothing of plans
//! and manifests: it gets steps.

mod commit;
mod fault_injection;
mod journal;
mod recover;
mod stage;
#[cfg(test)]
mod tests;
mod undo;

use std::path::{Path, PathBuf};

use toolwright_runtime::{ErrorKind, Failure};

use super::failure::Result;
use super::model::Content;
use super::paths::posix;
use super::snapshot::Snapshot;
use crate::generated::Error;

pub(crate) use fault_injection::FaultInjector;
#[cfg(test)]
pub(crate) use fault_injection::InjectedFault;
pub(crate) use recover::recover;
pub(crate) use recover::{Pending, Recovered, Undone, pending};

use journal::Journal;

/// Up to so many files are synced one by one; more are synced by file system.
const FEW: usize = 8;

/// What a transaction is for; decides the error code when a file has changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    Deploy,
    Rollback,
    Restore,
}

impl Purpose {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Deploy => "deploy",
            Self::Rollback => "rollback",
            Self::Restore => "evolve restore",
        }
    }
}

/// One file to be changed.
#[derive(Debug)]
pub(crate) struct Step {
    /// Folder that the file may not leave.
    pub(crate) root: PathBuf,
    /// Absolute, below the root.
    pub(crate) path: PathBuf,
    /// Hash that must be on disk until the moment of the change; none: nothing may be there.
    pub(crate) before: Option<String>,
    /// What to write; none: remove the file.
    pub(crate) after: Option<After>,
    /// Where to keep the bytes from before.
    pub(crate) backup: Option<PathBuf>,
}

/// The new content of a file.
#[derive(Debug)]
pub(crate) struct After {
    pub(crate) content: Content,
    /// Checked when the content is read.
    pub(crate) sha256: String,
    pub(crate) executable: bool,
    /// Where to keep a copy.
    pub(crate) copy: Option<PathBuf>,
}

/// Everything that a transaction is to do.
#[derive(Debug)]
pub(crate) struct Work<'a> {
    /// The agentpack home.
    pub(crate) home: &'a Path,
    pub(crate) purpose: Purpose,
    /// Id of the snapshot, or of the journal alone.
    pub(crate) id: String,
    /// In the order in which they are applied.
    pub(crate) steps: Vec<Step>,
    /// Contents that stay as they are and are only copied.
    pub(crate) copies: Vec<After>,
    /// Written when all is in place.
    pub(crate) snapshot: Option<Snapshot>,
    pub(crate) faults: &'a FaultInjector,
}

/// Why a transaction ends early.
#[derive(Debug)]
enum Stop {
    Failed(Failure<Error>),
    /// As if the process had been killed: nothing is cleaned up.
    Killed,
}

impl From<Failure<Error>> for Stop {
    fn from(failure: Failure<Error>) -> Self {
        Self::Failed(failure)
    }
}

/// Does the work. The caller holds the lock of the home.
pub(crate) fn run(work: &Work<'_>) -> Result<()> {
    let journal = Journal::of(work)?;
    let outcome = carry_out(work, &journal);
    match outcome {
        Ok(()) => Ok(()),
        Err(Stop::Killed) => Err(Error::Unexpected.because("Killed by a test.")),
        Err(Stop::Failed(failure)) => Err(explain(failure, &undo::undo(work.home, &journal))),
    }
}

fn carry_out(work: &Work<'_>, journal: &Journal) -> std::result::Result<(), Stop> {
    work.faults.at("before the journal")?;
    journal.write(work.home)?;
    work.faults.at("journal written")?;
    stage::stage(work, journal)?;
    work.faults.at("staged")?;
    commit::commit(work, journal)?;
    // What is left is tidying; if it fails, the next writer does it by the journal.
    work.faults.at("committed")?;
    commit::tidy(journal);
    work.faults.at("tidied")?;
    let _ = journal.remove(work.home);
    work.faults.at("done")?;
    Ok(())
}

/// A file is not what it was when the work was planned.
fn moved(purpose: Purpose, path: &Path, what: &str) -> Failure<Error> {
    let (kind, hint) = match purpose {
        Purpose::Deploy => (
            Error::ConfirmTokenMismatch,
            "Call deploy again, review the new plan, and apply that one.",
        ),
        Purpose::Rollback | Purpose::Restore => {
            (Error::ApplyFailed, "Try again when no other program writes there.")
        }
    };
    kind.because(format!("`{}` changed in the meantime: {what}.", path.display()))
        .hint(hint)
        .with("path", path)
        .with("path_posix", posix(path))
        .with("hint", hint)
}

/// The failure as the client gets it: with the files that were restored and those that were not.
fn explain(failure: Failure<Error>, undone: &Undone) -> Failure<Error> {
    let moved = matches!(failure.kind(), Error::ConfirmTokenMismatch | Error::ApplyFailed);
    if undone.failed.is_empty() && (undone.restored.is_empty() || moved) {
        return failure.with("restored", &undone.restored);
    }
    let cause = failure.erase();
    let (message, hint) = if undone.failed.is_empty() {
        (
            format!(
                "{} Nothing is changed: {} file(s) that had been written are as before again.",
                cause.message,
                undone.restored.len()
            ),
            "Remove the cause and try again.".to_owned(),
        )
    } else {
        let (path, error) = &undone.failed[0];
        (
            format!(
                "{} Undoing it failed for {} file(s), first `{}`: {error}",
                cause.message,
                undone.failed.len(),
                path.display()
            ),
            "Remove the cause; the next deploy or rollback goes on undoing by the journal."
                .to_owned(),
        )
    };
    let not_restored: Vec<&Path> = undone.failed.iter().map(|(path, _)| path.as_path()).collect();
    let mut failure = Error::ApplyFailed.because(message).hint(&hint);
    for (name, value) in &cause.details {
        failure = failure.with(name, value);
    }
    failure
        .with("hint", hint)
        .with("cause_code", cause.info.code)
        .with("error", cause.message)
        .with("restored", &undone.restored)
        .with("not_restored", not_restored)
}
