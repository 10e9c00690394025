//! The override files on disk: reading, and read-modify-write under a lock.
//!
//! Every write is lock, read, edit, temporary file, sync, compare, rename, sync. The Python library takes
//! no lock, hence the comparison. Knows files and directories, no descriptors.

mod dirs;
mod errors;
mod lock;
mod read;
#[cfg(test)]
mod tests;
mod update;
mod write;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::failure::Result;
use super::ids::PromptRef;
use super::override_file::{Format, OverrideFile};

pub(crate) use dirs::{Directory, open_root};
pub(crate) use errors::storage;
pub(crate) use lock::holder_of;
pub(crate) use read::{RawFile, read_file};

/// Larger files are not read and not written.
pub(crate) const MAX_FILE_BYTES: u64 = 16 << 20;
/// The value of `if_content_hash` that means "there is no file".
pub(crate) const ABSENT: &str = "absent";
/// How long a writer waits for another one, unless configured.
pub(crate) const DEFAULT_LOCK_TIMEOUT: Duration = Duration::from_secs(5);

/// A directory of override files.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
    lock_timeout: Duration,
    /// The file read last: one edit parses the same bytes several times.
    last: Arc<Mutex<Option<Parsed>>>,
}

#[derive(Debug)]
struct Parsed {
    bytes: Vec<u8>,
    file: OverrideFile,
    content_hash: String,
}

/// A file as it was read or written.
#[derive(Debug, Clone)]
pub struct Snapshot {
    /// Its content.
    pub file: OverrideFile,
    /// SHA-256 of its bytes.
    pub content_hash: String,
    /// Modification time, RFC 3339 in UTC with milliseconds; none after a dry run.
    pub updated_at: Option<String>,
}

/// Whether a change is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Write it.
    Commit,
    /// Check and report everything, write nothing.
    DryRun,
}

/// The conditions of a change.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// The file must still have this hash; [`ABSENT`] means that there must be none.
    pub if_content_hash: Option<&'a str>,
    /// Format of a new file.
    pub new_format: Format,
    /// Write it or not.
    pub mode: Mode,
}

/// The result of a change.
#[derive(Debug, Clone)]
pub struct Updated<T> {
    /// What the edit returned.
    pub value: T,
    /// The file now, or as it would be.
    pub after: Option<Snapshot>,
    /// Whether the file's content changed.
    pub changed: bool,
    /// Whether the file was removed because nothing was left in it.
    pub deleted: bool,
}

impl Store {
    /// A store in a directory, which may not exist yet.
    pub fn new(root: PathBuf, lock_timeout: Duration) -> Self {
        Self { root, lock_timeout, last: Arc::default() }
    }

    /// The overrides directory.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Where a prompt's file is, whether or not it exists.
    pub fn file_path(&self, prompt: &PromptRef) -> PathBuf {
        let mut path = self.root.clone();
        path.extend(prompt.directories());
        path.push(prompt.file_name());
        path
    }

    /// Reads a prompt's file; none if there is none. Creates nothing.
    pub fn read(&self, prompt: &PromptRef) -> Result<Option<Snapshot>> {
        let Some(root) = open_root(&self.root)? else { return Ok(None) };
        let Some(directory) = root.descend(prompt.directories())? else { return Ok(None) };
        let Some(raw) = read_file(&directory, &prompt.file_name())? else { return Ok(None) };
        self.snapshot(prompt, &raw).map(Some)
    }

    fn snapshot(&self, prompt: &PromptRef, raw: &RawFile) -> Result<Snapshot> {
        let path = self.file_path(prompt);
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let parsed = match last.take().filter(|parsed| parsed.bytes == raw.bytes) {
            Some(parsed) => parsed,
            None => Parsed {
                bytes: raw.bytes.clone(),
                file: OverrideFile::parse(&raw.bytes, &path)?,
                content_hash: raw.hash(),
            },
        };
        let parsed = last.insert(parsed);
        parsed.file.check_header(prompt, &path)?;
        let (file, content_hash) = (parsed.file.clone(), parsed.content_hash.clone());
        Ok(Snapshot { file, content_hash, updated_at: Some(raw.updated_at()) })
    }
}
