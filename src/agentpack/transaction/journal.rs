//! The journal: what a transaction is about to do, on disk before it begins.
//!
//! `state/journal/<id>.json`, which upstream ignores. While it exists, the transaction has neither
//! finished nor been undone. With a snapshot file of the same id it is committed; without one it is not.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toolwright_platform::durable;
use toolwright_runtime::ErrorKind;

use super::Work;
use crate::failure::{self, Result};
use crate::fs::{Walker, missing_ancestors, peek, write_durable};
use crate::generated::Error;
use crate::snapshot::Snapshot;

/// A transaction on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Journal {
    pub(super) schema_version: u32,
    /// Always `applying`; when done, the file is removed.
    pub(super) state: String,
    pub(super) operation: String,
    pub(super) id: String,
    pub(super) entries: Vec<Entry>,
    /// Folders that do not exist yet, outermost first.
    pub(super) new_folders: Vec<PathBuf>,
    /// What is to be recorded at the end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) snapshot: Option<Snapshot>,
}

/// One file of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Entry {
    pub(super) root: PathBuf,
    pub(super) path: PathBuf,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) before_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) after_sha256: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) backup: Option<PathBuf>,
    /// Permission bits of the file from before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mode: Option<u32>,
    /// Where the link from before points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) link: Option<PathBuf>,
    /// Name of the temporary file, in the folder of the file.
    pub(super) temporary: String,
}

/// Where the journals of a home are.
pub(super) fn folder(home: &Path) -> PathBuf {
    home.join("state").join("journal")
}

impl Journal {
    /// What `work` is about to do, and what is there now.
    pub(super) fn of(work: &Work<'_>) -> Result<Self> {
        let mut walker = Walker::default();
        let mut new_folders = BTreeSet::new();
        let mut entries = Vec::with_capacity(work.steps.len());
        let mut seen: Option<&Path> = None;
        for (number, step) in work.steps.iter().enumerate() {
            let (mode, link) = match walker.find(&step.root, &step.path)? {
                Some(folder) => peek(&folder, step.path.file_name().unwrap_or_default())?,
                None => (None, None),
            };
            if step.after.is_some() && seen != step.path.parent() {
                new_folders.extend(missing_ancestors(&step.path));
                seen = step.path.parent();
            }
            entries.push(Entry {
                root: step.root.clone(),
                path: step.path.clone(),
                before_sha256: step.before.clone(),
                after_sha256: step.after.as_ref().map(|after| after.sha256.clone()),
                backup: step.backup.clone().filter(|_| step.before.is_some()),
                mode,
                link,
                temporary: format!(".agentpack-{}-{number}.tmp", work.id),
            });
        }
        Ok(Self {
            schema_version: 1,
            state: "applying".to_owned(),
            operation: work.purpose.as_str().to_owned(),
            id: work.id.clone(),
            entries,
            new_folders: new_folders.into_iter().collect(),
            snapshot: work.snapshot.clone(),
        })
    }

    fn file(&self, home: &Path) -> PathBuf {
        folder(home).join(format!("{}.json", self.id))
    }

    pub(super) fn write(&self, home: &Path) -> Result<()> {
        let bytes = serde_json::to_vec(self).map_err(|error| {
            Error::IoInvalidPath.because(format!("A path is not text: {error}."))
        })?;
        write_durable(&self.file(home), &bytes)
    }

    pub(super) fn remove(&self, home: &Path) -> Result<()> {
        let path = self.file(home);
        let folder = folder(home);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(failure::io("remove", &path, &error)),
            Ok(()) => durable::open_directory(&folder)
                .and_then(durable::sync_directory)
                .map_err(|error| failure::io("sync", &folder, &error)),
        }
    }

    /// The journals of a home, oldest first.
    pub(super) fn all(home: &Path) -> Result<Vec<Self>> {
        let mut journals = Vec::new();
        for path in files(home)? {
            let bytes = std::fs::read(&path).map_err(|error| failure::io("read", &path, &error))?;
            let journal: Self =
                serde_json::from_slice(&bytes).map_err(|error| broken(&path, &error))?;
            journals.push(journal);
        }
        Ok(journals)
    }
}

/// The files of the journals of a home, sorted. None if the folder is not there.
pub(super) fn files(home: &Path) -> Result<Vec<PathBuf>> {
    let folder = folder(home);
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failure::io("list", &folder, &error)),
    };
    let is_journal = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "json");
    let mut files: Vec<PathBuf> =
        entries.flatten().map(|entry| entry.path()).filter(is_journal).collect();
    files.sort();
    Ok(files)
}

fn broken(path: &Path, error: &serde_json::Error) -> toolwright_runtime::Failure<Error> {
    let hint = "Compare the deployed files with `status`, then remove that file.";
    Error::ApplyFailed
        .because(format!(
            "An earlier apply was interrupted, and its journal `{}` cannot be read: {error}.",
            path.display()
        ))
        .hint(hint)
        .with("path", path)
        .with("error", error.to_string())
        .with("hint", hint)
}
