//! Replaces and removes files durably.
//!
//! Runs under the root's lock, so a temporary file found here was left by a writer that died.

use std::ffi::OsStr;

use rustix::fs::{AtFlags, unlinkat};
use rustix::io::Errno;
use toolwright_platform::durable::{FileMode, StagedFile};

use super::dirs::Directory;
use super::errors::storage;
use super::read::{RawFile, read_file};
use crate::failure::Result;

/// What temporary files start with; they end in `.tmp`, never in `.json`.
const TEMPORARY: &str = ".wink-";

/// Whether a write succeeded, or found the file changed by a program that takes no lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    Done,
    Conflict,
}

/// Replaces `name` by `bytes`, unless it has changed since `before` was read.
pub(super) fn replace(
    directory: &Directory,
    name: &str,
    before: Option<&RawFile>,
    bytes: &[u8],
) -> Result<Attempt> {
    sweep(directory);
    let temporary = format!("{TEMPORARY}{name}-{}.tmp", std::process::id());
    let path = directory.path.join(&temporary);
    let mode = before.map_or(FileMode::Umask(0o666), |before| FileMode::Exact(before.mode));
    let mut staged = StagedFile::create(&directory.fd, OsStr::new(&temporary), mode)
        .map_err(|error| storage("create", &path, error))?;
    staged.write(bytes).map_err(|error| storage("write", &path, error))?;
    if !is_unchanged(directory, name, before)? {
        return Ok(Attempt::Conflict);
    }
    staged
        .rename(OsStr::new(name))
        .map_err(|error| storage("replace", &directory.path.join(name), error))?;
    directory.sync()?;
    Ok(Attempt::Done)
}

/// Removes `name`, unless it has changed since `before` was read.
pub(super) fn remove(directory: &Directory, name: &str, before: &RawFile) -> Result<Attempt> {
    sweep(directory);
    if !is_unchanged(directory, name, Some(before))? {
        return Ok(Attempt::Conflict);
    }
    match unlinkat(&directory.fd, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(storage("delete", &directory.path.join(name), error)),
    }
    directory.sync()?;
    Ok(Attempt::Done)
}

/// Removes directories that have become empty, innermost first. The root stays.
pub(super) fn prune(root: &Directory, names: &[&str]) {
    for depth in (1..=names.len()).rev() {
        let (parents, name) = (&names[..depth - 1], names[depth - 1]);
        let mut here = None;
        for parent in parents {
            let next = here.as_ref().unwrap_or(root).enter(parent);
            let Ok(Some(next)) = next else { return };
            here = Some(next);
        }
        let parent = here.as_ref().unwrap_or(root);
        if unlinkat(&parent.fd, name, AtFlags::REMOVEDIR).is_err() {
            return;
        }
        let _ = parent.sync();
    }
}

fn is_unchanged(directory: &Directory, name: &str, before: Option<&RawFile>) -> Result<bool> {
    let now = read_file(directory, name)?;
    Ok(now.as_ref().map(|now| &now.bytes) == before.map(|before| &before.bytes))
}

/// Removes temporary files of writers that died.
fn sweep(directory: &Directory) {
    let Ok(entries) = rustix::fs::Dir::read_from(&directory.fd) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_bytes();
        if name.starts_with(TEMPORARY.as_bytes()) && name.ends_with(b".tmp") {
            let _ = unlinkat(&directory.fd, entry.file_name(), AtFlags::empty());
        }
    }
}
