//! One writer at a time per overrides directory, across processes.
//!
//! The lock is an advisory `flock` on the overrides directory itself: no lock file appears in
//! the user's repository, nothing is left behind by a crash, and because the root is never
//! pruned, no holder can find itself locking a directory that is gone. A user may still remove
//! it, so the inode is compared after the lock is had.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, Stat, flock, fstat, stat};
use rustix::io::Errno;
use toolwright_runtime::ErrorKind;

use super::dirs::{Directory, open_root};
use super::errors::storage;
use crate::failure::Result;
use crate::generated::Error;

/// Creates the root if need be and locks it. The lock ends when the directory is dropped.
pub(super) fn lock_root(root: &Path, timeout: Duration) -> Result<Directory> {
    let started = Instant::now();
    let mut pause = Duration::from_millis(1);
    loop {
        let directory = match open_root(root)? {
            Some(directory) => directory,
            None => {
                std::fs::create_dir_all(root)
                    .map_err(|error| storage("create the overrides directory", root, error))?;
                continue;
            }
        };
        loop {
            match flock(&directory.fd, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) if is_same(&directory, root) => return Ok(directory),
                Ok(()) => break,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(storage("lock the overrides directory", root, error)),
            }
            if started.elapsed() >= timeout {
                return Err(timed_out(&directory, timeout));
            }
            std::thread::sleep(pause.min(timeout));
            pause = (pause * 2).min(Duration::from_millis(25));
        }
    }
}

fn is_same(directory: &Directory, root: &Path) -> bool {
    let id = |stat: Stat| (stat.st_dev, stat.st_ino);
    fstat(&directory.fd).ok().map(id) == stat(root).ok().map(id)
}

fn timed_out(directory: &Directory, timeout: Duration) -> toolwright_runtime::Failure<Error> {
    let holder = fstat(&directory.fd).ok().and_then(|stat| holder(stat.st_ino));
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

/// The process that writes below `root` now, where the kernel tells.
pub(crate) fn holder_of(root: &Path) -> Option<u32> {
    holder(stat(root).ok()?.st_ino)
}

/// The process that holds a `flock` on an inode, where the kernel tells (Linux).
fn holder(inode: u64) -> Option<u32> {
    let locks = std::fs::read_to_string("/proc/locks").ok()?;
    holder_in(&locks, inode)
}

fn holder_in(locks: &str, inode: u64) -> Option<u32> {
    let suffix = format!(":{inode}");
    locks.lines().find_map(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        let ["FLOCK", _, _, pid, file, ..] = words.get(1..)? else { return None };
        file.ends_with(&suffix).then(|| pid.parse().ok()).flatten().filter(|pid| *pid > 0)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_tells_the_holder() {
        let locks = "1: POSIX  ADVISORY  WRITE 7 fd:01:42 0 EOF\n\
                     2: FLOCK  ADVISORY  WRITE 812 fd:01:42 0 EOF\n\
                     2: -> FLOCK  ADVISORY  WRITE 9 fd:01:42 0 EOF\n";
        assert_eq!(holder_in(locks, 42), Some(812));
        assert_eq!(holder_in(locks, 2), None);
    }

    #[test]
    fn waits_no_longer_than_told() {
        let dir = tempfile::tempdir().unwrap();
        let held = lock_root(dir.path(), Duration::ZERO).unwrap();
        let failure = lock_root(dir.path(), Duration::from_millis(20)).unwrap_err();
        assert_eq!(failure.kind(), Error::LockTimeout);
        drop(held);
        // A child that another test is just starting holds it for a moment, too.
        assert!(lock_root(dir.path(), Duration::from_secs(60)).is_ok());
    }
}
