//! Serialises opening the database: a lock on `open.lock`, which the kernel releases however its holder
//! ends. The file describes a long-running operation.

use std::fs::File;
use std::path::Path;
use std::time::Duration;

use toolwright_platform::lock::{FileLock, LockError, open_private, read_note};

use super::{FILE, unusable};
use crate::error::{Error, Kind, Result};

/// Held while the database is opened.
pub struct Opening {
    lock: FileLock,
}

impl Opening {
    /// Waits for the process that opens the database now; refuses when that takes too long.
    pub(super) fn take(folder: &Path, wait: Duration) -> Result<Self> {
        let path = folder.join("open.lock");
        let file = open_private(&path).map_err(|error| unusable(&path, &error))?;
        let lock = FileLock::acquire(file, wait).map_err(|error| match error {
            LockError::TimedOut(file) => held(folder, file),
            LockError::Io(error) => unusable(&path, &error),
        })?;
        Ok(Self { lock })
    }

    /// Writes a status for waiting processes.
    pub fn write_status(&mut self, what: &str) {
        self.lock.set_note(&format!("process {} {what}", std::process::id()));
    }
}

fn held(folder: &Path, mut file: File) -> Error {
    let status = read_note(&mut file);
    let who = if status.is_empty() { "another process is opening it" } else { &status };
    Kind::Storage
        .because(format!("`{}` cannot be used yet: {who}.", folder.join(FILE).display()))
        .hint("Wait until that process is done, then try again.")
}

impl Drop for Opening {
    fn drop(&mut self) {
        self.lock.set_note("");
    }
}
