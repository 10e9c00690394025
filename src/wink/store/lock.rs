//! One writer at a time per overrides directory, across processes.
//!
//! The lock is on the overrides directory itself, so no lock file appears in the user's repository and a
//! crash leaves nothing behind. The store never removes that directory, but a user may: after locking,
//! its inode is compared with the one at the path.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{fstat, stat};
use toolwright_platform::lock::{FileLock, LockError, holder_pid};
use toolwright_runtime::ErrorKind;

use super::dirs::{Directory, open_root};
use super::errors::storage;
use crate::failure::Result;
use crate::generated::Error;

/// Locks the root, creating it if needed.
pub(super) fn lock_root(root: &Path, timeout: Duration) -> Result<FileLock<Directory>> {
    let started = Instant::now();
    loop {
        let Some(directory) = open_root(root)? else {
            std::fs::create_dir_all(root)
                .map_err(|error| storage("create the overrides directory", root, error))?;
            continue;
        };
        match FileLock::acquire(directory, timeout.saturating_sub(started.elapsed())) {
            Ok(lock) if lock.is_at(root) => return Ok(lock),
            Ok(_) => {}
            Err(LockError::TimedOut(directory)) => return Err(timed_out(&directory, timeout)),
            Err(LockError::Io(error)) => {
                return Err(storage("lock the overrides directory", root, error));
            }
        }
    }
}

fn timed_out(directory: &Directory, timeout: Duration) -> toolwright_runtime::Failure<Error> {
    let holder = fstat(&directory.fd).ok().and_then(|stat| holder_pid(stat.st_ino));
    let who = holder.map_or_else(|| "Another process".to_owned(), |pid| format!("Process {pid}"));
    Error::LockTimeout
        .because(format!(
            "{who} has been writing below `{}` for more than {} ms.",
            directory.path.display(),
            timeout.as_millis()
        ))
        .hint("Try again; if it lasts, end the process that holds the lock.")
        .with("path", &directory.path)
        .with("holder_pid", holder)
        .with("waited_ms", u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX))
}

/// Id of the process that is writing below `root`, where the kernel reports it.
pub(crate) fn holder_of(root: &Path) -> Option<u32> {
    holder_pid(stat(root).ok()?.st_ino)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_no_longer_than_the_timeout() {
        let dir = tempfile::tempdir().unwrap();
        let held = lock_root(dir.path(), Duration::ZERO).unwrap();
        let failure = lock_root(dir.path(), Duration::from_millis(20)).unwrap_err();
        assert_eq!(failure.kind(), Error::LockTimeout);
        drop(held);
        assert!(lock_root(dir.path(), Duration::ZERO).is_ok());
    }
}
