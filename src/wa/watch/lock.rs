//! One watcher per workspace: a lock on `watch.lock`.
//!
//! The kernel releases it however its holder ends. The file names the holder.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use toolwright_platform::lock::{FileLock, LockError, is_held, open_private, read_note};

use crate::error::{Kind, Result};
use crate::store::private_folder;

/// The lock's file in the workspace's folder.
const FILE: &str = "watch.lock";
/// Before the lock counts as held: a process that only checks the holder takes it for a moment, too.
const WAIT: Duration = Duration::from_millis(15);

/// Held as long as this lives.
#[derive(Debug)]
pub(super) struct Lock(FileLock);

pub(super) enum LockOutcome {
    Ours(Lock),
    Held { by: String },
}

/// Takes the lock, or returns its holder.
pub(super) fn take(folder: &Path) -> Result<LockOutcome> {
    private_folder(folder)?;
    let path = folder.join(FILE);
    let unusable =
        |error| Kind::Storage.because(format!("`{}` cannot be used: {error}.", path.display()));
    match FileLock::acquire(open_private(&path).map_err(unusable)?, WAIT) {
        Ok(mut lock) => {
            lock.set_note(&format!("process {}\n", std::process::id()));
            Ok(LockOutcome::Ours(Lock(lock)))
        }
        Err(LockError::TimedOut(mut file)) => Ok(LockOutcome::Held { by: named(&mut file) }),
        Err(LockError::Io(error)) => Err(unusable(error)),
    }
}

/// Who watches this workspace now, such as `process 4711`; `None` when nobody does. A lock that
/// cannot be checked counts as nobody's.
pub fn holder(folder: &Path) -> Option<String> {
    let mut file = File::open(folder.join(FILE)).ok()?;
    is_held(&file).then(|| named(&mut file))
}

fn named(file: &mut File) -> String {
    // The holder writes its name just after it got the lock.
    let name = read_note(file);
    if name.is_empty() { "another process".to_owned() } else { name }
}

impl Drop for Lock {
    fn drop(&mut self) {
        self.0.set_note("");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holds_it_and_the_next_takes_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(".wa");
        assert_eq!(holder(&path), None);
        let LockOutcome::Ours(lock) = take(&path).unwrap() else { panic!("held") };
        let name = format!("process {}", std::process::id());
        let LockOutcome::Held { by } = take(&path).unwrap() else { panic!("taken twice") };
        assert_eq!(by, name);
        assert_eq!(holder(&path), Some(name));
        drop(lock);
        assert_eq!(holder(&path), None);
        assert!(matches!(take(&path).unwrap(), LockOutcome::Ours(_)));
    }
}
