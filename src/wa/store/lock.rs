//! Serialises opening the database: a lock on `open.lock`, which the kernel releases however its holder
//! ends. The file describes a long-running operation.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read as _, Seek as _, Write as _};
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;
use std::time::{Duration, Instant};

use super::{FILE, unusable};
use crate::error::{Kind, Result};

/// Interval between attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// Held while the database is opened.
pub struct Opening {
    file: File,
}

impl Opening {
    /// Waits for the process that opens the database now; refuses when that takes too long.
    pub(super) fn take(folder: &Path, wait: Duration) -> Result<Self> {
        let path = folder.join("open.lock");
        let mut options = OpenOptions::new();
        let options = options.read(true).write(true).create(true).truncate(false).mode(0o600);
        let mut file = options.open(&path).map_err(|error| unusable(&path, &error))?;
        let started = Instant::now();
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Self { file }),
                Err(TryLockError::Error(error)) => return Err(unusable(&path, &error)),
                Err(TryLockError::WouldBlock) if started.elapsed() < wait => {
                    std::thread::sleep(PAUSE);
                }
                Err(TryLockError::WouldBlock) => {
                    let mut status = String::new();
                    let _ = file.rewind();
                    let _ = file.take(200).read_to_string(&mut status);
                    let status = status.trim();
                    let who =
                        if status.is_empty() { "another process is opening it" } else { status };
                    let shown = folder.join(FILE);
                    return Err(Kind::Storage
                        .because(format!("`{}` cannot be used yet: {who}.", shown.display()))
                        .hint("Wait until that process is done, then try again."));
                }
            }
        }
    }

    /// Writes a status for waiting processes.
    pub fn write_status(&mut self, what: &str) {
        let status = format!("process {} {what}", std::process::id());
        // Informational only.
        let _ = self.file.set_len(0).and_then(|()| self.file.rewind());
        let _ = self.file.write_all(status.as_bytes());
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        let _ = self.file.set_len(0);
        // Closing is not enough: a child that is just being started has the file open as well.
        let _ = self.file.unlock();
    }
}
