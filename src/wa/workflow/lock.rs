//! Locks of executions: the process that runs one holds the lock on `runners/<id>.lock`.
//!
//! The kernel releases the lock when the process ends, however it ends. Knows no database.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use crate::error::{Error, Kind, Result};
use crate::store::private_folder;

/// A held lock. Released when dropped.
#[derive(Debug)]
pub(super) struct RunnerLock {
    // Holds the lock as long as it is open.
    _file: File,
    path: PathBuf,
}

impl RunnerLock {
    /// Takes the lock of an execution; `None` when it is held.
    pub(super) fn take(folder: &Path, id: &str) -> Result<Option<Self>> {
        let runners = folder.join("runners");
        private_folder(&runners)?;
        let path = runners.join(format!("{id}.lock"));
        let mut options = OpenOptions::new();
        options.create(true).truncate(false).write(true).mode(0o600);
        loop {
            let file = options.open(&path).map_err(|error| unusable(&path, &error))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(unusable(&path, &error)),
            }
            // The holder before may have removed the file between our opening and locking it; a
            // lock on a file that nobody else can find is no lock.
            let ours = file.metadata().map_err(|error| unusable(&path, &error))?;
            if fs::metadata(&path).is_ok_and(|there| there.ino() == ours.ino()) {
                return Ok(Some(Self { _file: file, path }));
            }
        }
    }
}

impl Drop for RunnerLock {
    fn drop(&mut self) {
        // While the lock is still held, so that only its holder ever removes the file.
        let _ = fs::remove_file(&self.path);
    }
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Kind::Storage.because(format!("`{}` cannot be used: {error}.", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        let folder = tempfile::tempdir().unwrap();
        let held = RunnerLock::take(folder.path(), "x").unwrap();
        assert!(held.is_some());
        assert!(RunnerLock::take(folder.path(), "x").unwrap().is_none());
        assert!(RunnerLock::take(folder.path(), "y").unwrap().is_some());
        drop(held);
        assert_eq!(fs::read_dir(folder.path().join("runners")).unwrap().count(), 0);
        assert!(RunnerLock::take(folder.path(), "x").unwrap().is_some());
    }

    #[test]
    fn many_takers_never_hold_it_together() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let (holders, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..300 {
                        if let Some(lock) = RunnerLock::take(folder.path(), "x").unwrap() {
                            assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                            taken.fetch_add(1, Ordering::SeqCst);
                            holders.fetch_sub(1, Ordering::SeqCst);
                            drop(lock);
                        }
                    }
                });
            }
        });
        assert!(taken.load(Ordering::SeqCst) > 0);
    }
}
