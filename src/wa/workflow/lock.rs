//! Locks of executions: the process that runs one holds the lock on `runners/<id>.lock`.
//!
//! The kernel releases the lock when the process ends, however it ends. Knows no database.

use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright_platform::lock::{FileLock, LockError, open_private};

use crate::error::{Kind, Result};
use crate::store::private_folder;

/// A held lock. Released when dropped.
#[derive(Debug)]
pub(super) struct RunnerLock {
    _lock: FileLock,
    path: PathBuf,
}

impl RunnerLock {
    /// Takes the lock of an execution; `None` when it is held.
    pub(super) fn take(folder: &Path, id: &str) -> Result<Option<Self>> {
        let runners = folder.join("runners");
        private_folder(&runners)?;
        let path = runners.join(format!("{id}.lock"));
        let unusable = |error: io::Error| {
            Kind::Storage.because(format!("`{}` cannot be used: {error}.", path.display()))
        };
        loop {
            let file = open_private(&path).map_err(unusable)?;
            match FileLock::acquire(file, Duration::ZERO) {
                Ok(lock) if lock.is_at(&path) => return Ok(Some(Self { _lock: lock, path })),
                // The holder before removed the file between our opening and locking it.
                Ok(_) => {}
                Err(LockError::TimedOut(_)) => return Ok(None),
                Err(LockError::Io(error)) => return Err(unusable(error)),
            }
        }
    }
}

impl Drop for RunnerLock {
    fn drop(&mut self) {
        // While the lock is still held, so that only its holder ever removes the file.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

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
