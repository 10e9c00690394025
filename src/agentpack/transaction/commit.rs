//! The renames, and the steps after them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, RenameFlags, renameat, renameat_with, unlinkat};
use rustix::io::Errno;

use super::journal::{Entry, Journal};
use super::{FEW, Step, Stop, Work, moved};
use crate::failure;
use crate::fs::{Folder, Found, Walker, look, sync_files, write_durable};
use crate::snapshot;

/// Renames everything into place and records it.
pub(super) fn commit(work: &Work<'_>, journal: &Journal) -> Result<(), Stop> {
    let mut walker = Walker::default();
    for (step, entry) in work.steps.iter().zip(&journal.entries) {
        make(work, step, entry, &mut walker)?;
        work.faults.at("file in place")?;
    }
    let folders: BTreeSet<&Path> =
        work.steps.iter().filter_map(|step| step.path.parent()).collect();
    if work.steps.len() <= FEW {
        for folder in folders {
            if let Some(folder) = Folder::open(folder)? {
                folder.sync()?;
            }
        }
    } else {
        sync_files(folders, std::iter::empty())?;
    }
    work.faults.at("all in place")?;
    if let Some(record) = &work.snapshot {
        write_durable(&snapshot::file(work.home, &work.id), &record.to_bytes())?;
    } else {
        // Without a snapshot, removing the journal commits the transaction.
        journal.remove(work.home)?;
    }
    Ok(())
}

/// Checks one file for the last time, then replaces or removes it.
fn make(work: &Work<'_>, step: &Step, entry: &Entry, walker: &mut Walker) -> Result<(), Stop> {
    let name = step.path.file_name().unwrap_or_default();
    let gone = || Stop::from(moved(work.purpose, &step.path, &Found::Nothing.describe()));
    let folder = walker.find(&step.root, &step.path)?.ok_or_else(gone)?;
    let found = look(&folder, name)?;
    if !found.is(step.before.as_deref()) {
        return Err(moved(work.purpose, &step.path, &found.describe()).into());
    }
    let result = match &step.after {
        None => unlinkat(&folder.fd, name, AtFlags::empty()),
        Some(_) if found == Found::Nothing => create(&folder, entry.temporary.as_ref(), name),
        Some(_) => renameat(&folder.fd, entry.temporary.as_str(), &folder.fd, name),
    };
    match result {
        Ok(()) => Ok(()),
        Err(Errno::EXIST) => Err(moved(work.purpose, &step.path, "there is a file now").into()),
        Err(error) => {
            let doing = if step.after.is_some() { "write" } else { "remove" };
            Err(failure::io(doing, &step.path, &error.into()).into())
        }
    }
}

/// Renames a new file into place, unless the name was taken meanwhile.
fn create(folder: &Folder, temporary: &OsStr, name: &OsStr) -> rustix::io::Result<()> {
    let flags = RenameFlags::NOREPLACE;
    match renameat_with(&folder.fd, temporary, &folder.fd, name, flags) {
        // The file system cannot do that; the check a moment ago has to suffice.
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            renameat(&folder.fd, temporary, &folder.fd, name)
        }
        result => result,
    }
}

/// Removes the folders that deletes have left empty, up to their root.
pub(super) fn tidy(journal: &Journal) {
    for entry in journal.entries.iter().filter(|entry| entry.after_sha256.is_none()) {
        let mut folder: Option<PathBuf> = entry.path.parent().map(Path::to_owned);
        while let Some(path) = folder.filter(|path| path.starts_with(&entry.root)) {
            // The root stays. A folder that is in use cannot be removed, which is the check.
            if path == entry.root || std::fs::remove_dir(&path).is_err() {
                break;
            }
            folder = path.parent().map(Path::to_owned);
        }
    }
}
