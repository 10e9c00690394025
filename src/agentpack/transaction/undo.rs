//! Restores everything to the state recorded in the journal.
//!
//! May run any number of times, after a failure or after a crash at any point. A file that is neither in
//! its old nor in its new state was changed by someone else and is left alone.

use std::ffi::OsStr;
use std::path::Path;

use rustix::fs::{AtFlags, renameat, statat, symlinkat, unlinkat};
use rustix::io::Errno;

use super::Undone;
use super::journal::{Entry, Journal};
use crate::failure::{self, Result};
use crate::fs::{Folder, Found, Walker, look, mode_replacing, write_new};
use crate::snapshot;

/// Undoes a transaction that has not happened, and removes its traces.
pub(super) fn undo(home: &Path, journal: &Journal) -> Undone {
    let mut undone = Undone { id: journal.id.clone(), ..Undone::default() };
    let mut walker = Walker::default();
    // From here on it counts as not committed, also for a later recovery.
    let _ = std::fs::remove_file(snapshot::file(home, &journal.id));
    for entry in journal.entries.iter().rev() {
        match put_back(entry, &mut walker) {
            Ok(State::AsBefore) => {}
            Ok(State::Restored) => undone.restored.push(entry.path.clone()),
            Ok(State::Foreign) => undone.left.push(entry.path.clone()),
            Err(failure) => undone.failed.push((entry.path.clone(), failure.message().to_owned())),
        }
    }
    undone.restored.sort();
    undone.left.sort();
    if !undone.failed.is_empty() {
        return undone;
    }
    for folder in journal.new_folders.iter().rev() {
        // Fails for a folder that is in use, or was never created.
        let _ = std::fs::remove_dir(folder);
    }
    if undone.left.is_empty() {
        let _ = std::fs::remove_dir_all(snapshot::folder(home).join(&journal.id));
    }
    if let Err(failure) = journal.remove(home) {
        tracing::warn!(journal = %journal.id, "journal stays: {}", failure.message());
    }
    undone
}

enum State {
    AsBefore,
    Restored,
    Foreign,
}

fn put_back(entry: &Entry, walker: &mut Walker) -> Result<State> {
    let name = entry.path.file_name().unwrap_or_default();
    let folder = match walker.find(&entry.root, &entry.path)? {
        Some(folder) => {
            remove(&folder, entry.temporary.as_ref())?;
            Some(folder)
        }
        None => None,
    };
    let found = match &folder {
        Some(folder) => look(folder, name)?,
        None => Found::Nothing,
    };
    if found.is(entry.before_sha256.as_deref()) {
        return Ok(State::AsBefore);
    }
    if !found.is(entry.after_sha256.as_deref()) {
        return Ok(State::Foreign);
    }
    let folder = match folder {
        Some(folder) => folder,
        None => walker.create(&entry.root, &entry.path)?,
    };
    match (&entry.before_sha256, &entry.link, &entry.backup) {
        (None, ..) => remove(&folder, name)?,
        (_, Some(link), _) => {
            symlinkat(link, &folder.fd, entry.temporary.as_str())
                .map_err(|error| failure::io("restore the link", &entry.path, &error.into()))?;
            rename(&folder, entry)?;
        }
        (Some(_), None, Some(backup)) => {
            let bytes =
                std::fs::read(backup).map_err(|error| failure::io("read", backup, &error))?;
            let mode = mode_replacing(entry.mode, false);
            write_new(&folder, entry.temporary.as_ref(), &bytes, mode, true)?;
            rename(&folder, entry)?;
        }
        // A step with a file before has a backup; a journal without one is not ours.
        (Some(_), None, None) => return Ok(State::Foreign),
    }
    folder.sync()?;
    Ok(State::Restored)
}

fn rename(folder: &Folder, entry: &Entry) -> Result<()> {
    let name = entry.path.file_name().unwrap_or_default();
    renameat(&folder.fd, entry.temporary.as_str(), &folder.fd, name)
        .map_err(|error| failure::io("restore", &entry.path, &error.into()))
}

fn remove(folder: &Folder, name: &OsStr) -> Result<()> {
    match unlinkat(&folder.fd, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        // A read-only disk refuses before it looks whether there is anything to remove.
        Err(_) if is_missing(folder, name) => Ok(()),
        Err(error) => Err(failure::io("remove", &folder.path.join(name), &error.into())),
    }
}

fn is_missing(folder: &Folder, name: &OsStr) -> bool {
    statat(&folder.fd, name, AtFlags::SYMLINK_NOFOLLOW).err() == Some(Errno::NOENT)
}
