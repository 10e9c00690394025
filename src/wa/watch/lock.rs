//! One watcher per workspace: a lock on `watch.lock`.
//!
//! The kernel releases it however its holder ends. The file names the holder.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::Duration;

use crate::error::{Error, Kind, Result};
use crate::store::private_folder;

/// The lock's file in the workspace's folder.
const FILE: &str = "watch.lock";
/// How often the lock is tried again before it counts as held.
const LOOKS: u32 = 3;

/// Held as long as this lives.
#[derive(Debug)]
pub(super) struct Lock {
    file: File,
}

pub(super) enum LockOutcome {
    Ours(Lock),
    Held { by: String },
}

/// Takes the lock, or returns its holder.
pub(super) fn take(folder: &Path) -> Result<LockOutcome> {
    private_folder(folder)?;
    let path = folder.join(FILE);
    let unusable = |error: std::io::Error| unusable(&path, &error);
    let mut options = OpenOptions::new();
    let options = options.read(true).write(true).create(true).truncate(false).mode(0o600);
    let mut file = options.open(&path).map_err(unusable)?;
    let mut tried = file.try_lock();
    // A process that only checks the holder takes it for a moment, too.
    for _ in 0..LOOKS {
        if tried.is_ok() {
            break;
        }
        std::thread::sleep(Duration::from_millis(5));
        tried = file.try_lock();
    }
    match tried {
        Ok(()) => {
            file.set_len(0).map_err(unusable)?;
            writeln!(file, "process {}", std::process::id()).map_err(unusable)?;
            Ok(LockOutcome::Ours(Lock { file }))
        }
        Err(TryLockError::WouldBlock) => Ok(LockOutcome::Held { by: named(&mut file) }),
        Err(TryLockError::Error(error)) => Err(unusable(error)),
    }
}

/// Who watches this workspace now, such as `process 4711`; `None` when nobody does. A lock that
/// cannot be checked counts as nobody's.
pub fn holder(folder: &Path) -> Option<String> {
    let mut file = OpenOptions::new().read(true).open(folder.join(FILE)).ok()?;
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Some(named(&mut file)),
        _ => {
            // Not only closed; why, is said below.
            let _ = file.unlock();
            None
        }
    }
}

fn named(file: &mut File) -> String {
    let mut text = String::new();
    // The holder writes its name just after it got the lock.
    let _ = file.rewind();
    let _ = file.take(100).read_to_string(&mut text);
    let name = text.trim();
    if name.is_empty() { "another process".to_owned() } else { name.to_owned() }
}

fn unusable(path: &Path, error: &std::io::Error) -> Error {
    Kind::Storage.because(format!("`{}` cannot be used: {error}.", path.display()))
}

impl Drop for Lock {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        // Closing is not enough: a child that is just being started elsewhere in this process has
        // the file open as well, until it runs its program.
        let _ = self.file.unlock();
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
