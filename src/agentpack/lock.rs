//! One writer at a time per agentpack home, across processes.
//!
//! A lock on `state/lock`, which a crash frees. The file stays and names its last holder. Readers take
//! no lock.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use toolwright_platform::lock::{self, FileLock, LockError};
use toolwright_runtime::{ErrorKind, Failure};

use super::failure::{self, Result};
use crate::generated::Error;

/// How long a writer waits for another one.
pub(crate) const WAIT: Duration = Duration::from_secs(5);

/// The lock, until it is dropped.
#[derive(Debug)]
pub(crate) struct Lock {
    _file: FileLock,
}

/// The content of the lock file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Holder {
    pid: u32,
    operation: String,
}

fn path(home: &Path) -> PathBuf {
    home.join("state").join("lock")
}

fn open(path: &Path) -> std::io::Result<File> {
    File::options().read(true).write(true).create(true).truncate(false).open(path)
}

impl Lock {
    /// Takes the lock of a home, creating its `state` folder if need be.
    pub(crate) fn take(home: &Path, operation: &str, wait: Duration) -> Result<Self> {
        let path = path(home);
        let state = home.join("state");
        std::fs::create_dir_all(&state)
            .map_err(|error| failure::io("create the folder", &state, &error))?;
        let file = open(&path).map_err(|error| failure::io("open", &path, &error))?;
        let mut file = FileLock::acquire(file, wait).map_err(|error| match error {
            LockError::TimedOut(mut file) => held(&path, &mut file, wait),
            LockError::Io(error) => failure::io("lock", &path, &error),
        })?;
        let holder = Holder { pid: std::process::id(), operation: operation.to_owned() };
        file.set_note(&serde_json::to_string(&holder).unwrap_or_default());
        Ok(Self { _file: file })
    }

    /// Whether a process holds the lock of a home now. Creates nothing.
    pub(crate) fn is_held(home: &Path) -> bool {
        File::open(path(home)).is_ok_and(lock::is_held)
    }
}

fn held(path: &Path, file: &mut File, wait: Duration) -> Failure<Error> {
    let holder: Option<Holder> = serde_json::from_str(&lock::read_note(file)).ok();
    let who = match &holder {
        Some(holder) => format!("Process {} ({})", holder.pid, holder.operation),
        None => "Another process".to_owned(),
    };
    let home = path.parent().and_then(Path::parent).unwrap_or(path);
    let hint = "Try again; if it lasts, end the process that holds the lock.";
    Error::LockHeld
        .because(format!("{who} is writing for the agentpack home `{}`.", home.display()))
        .hint(hint)
        .with("path", path)
        .with("holder", &holder)
        .with("waited_ms", u64::try_from(wait.as_millis()).unwrap_or(u64::MAX))
        .with("retryable", true)
        .with("hint", hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_writer_learns_who_the_first_is() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!Lock::is_held(dir.path()));
        assert!(!dir.path().join("state").exists(), "asking creates nothing");
        let first = Lock::take(dir.path(), "deploy", Duration::ZERO).unwrap();
        assert!(Lock::is_held(dir.path()));
        let failure = Lock::take(dir.path(), "rollback", Duration::from_millis(5)).unwrap_err();
        assert_eq!(failure.kind(), Error::LockHeld);
        assert!(failure.message().contains("deploy"), "{failure}");
        let details = failure.erase().details;
        assert_eq!(details["holder"]["pid"], std::process::id());
        assert_eq!(details["retryable"], true);
        drop(first);
        assert!(!Lock::is_held(dir.path()));
        assert!(Lock::take(dir.path(), "rollback", Duration::ZERO).is_ok());
    }
}
