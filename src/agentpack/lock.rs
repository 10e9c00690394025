//! One writer at a time per agentpack home, across processes.
//!
//! An advisory `flock` on `state/lock`: nothing is left behind by a crash. The file stays and tells
//! who held it last. Readers take no lock.

use std::fs::File;
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};
use toolwright_runtime::{ErrorKind, Failure};

use super::failure::{self, Result};
use crate::generated::Error;

/// How long a writer waits for another one.
pub const WAIT: Duration = Duration::from_secs(5);

/// The lock, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing is not enough: a child that is just being started elsewhere in this process has
        // the file open as well, until it runs its program.
        let _ = flock(&self.file, FlockOperation::Unlock);
    }
}

/// What the lock file says.
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
    pub fn take(home: &Path, operation: &str, wait: Duration) -> Result<Self> {
        let path = path(home);
        let state = home.join("state");
        std::fs::create_dir_all(&state)
            .map_err(|error| failure::io("create the folder", &state, &error))?;
        let mut file = open(&path).map_err(|error| failure::io("open", &path, &error))?;
        let started = Instant::now();
        let mut pause = Duration::from_millis(1);
        loop {
            match flock(&file, FlockOperation::NonBlockingLockExclusive) {
                Ok(()) => break,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(error) => return Err(failure::io("lock", &path, &error.into())),
            }
            if started.elapsed() >= wait {
                return Err(held(&path, &mut file, wait));
            }
            std::thread::sleep(pause.min(wait));
            pause = (pause * 2).min(Duration::from_millis(25));
        }
        let holder = Holder { pid: std::process::id(), operation: operation.to_owned() };
        // Only a courtesy to those who wait: a lock without a name still locks.
        let _ = file.set_len(0).and_then(|()| file.rewind()).and_then(|()| {
            file.write_all(serde_json::to_string(&holder).unwrap_or_default().as_bytes())
        });
        Ok(Self { file })
    }

    /// Whether somebody holds the lock of a home now. Creates nothing.
    pub fn is_held(home: &Path) -> bool {
        let Ok(file) = File::open(path(home)) else { return false };
        let taken = flock(&file, FlockOperation::NonBlockingLockShared);
        if taken.is_ok() {
            drop(Self { file });
        }
        taken == Err(Errno::AGAIN)
    }
}

fn held(path: &Path, file: &mut File, wait: Duration) -> Failure<Error> {
    let mut text = String::new();
    let _ = file.rewind().and_then(|()| file.read_to_string(&mut text));
    let holder: Option<Holder> = serde_json::from_str(&text).ok();
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
    fn the_second_writer_is_told_who_the_first_is() {
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
