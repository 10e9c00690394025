//! Putting bytes in place of a file, and taking a file away, durably.
//!
//! Everything here runs under the root's lock, so a temporary file of ours that is found belongs
//! to a writer that died.

use std::fs::File;
use std::io::Write;

use rustix::fs::{AtFlags, Mode, OFlags, fchmod, renameat, unlinkat};
use rustix::io::Errno;

use super::dirs::Directory;
use super::errors::storage;
use super::read::{RawFile, read_file};
use crate::failure::Result;

/// What temporary files start with; they end in `.tmp`, never in `.json`.
const TEMPORARY: &str = ".wink-";

/// Whether an attempt went through or found the file changed by somebody without a lock.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Attempt {
    Done,
    Overtaken,
}

/// Replaces `name` by `bytes`, provided that it still is what `before` says.
pub(super) fn replace(
    directory: &Directory,
    name: &str,
    before: Option<&RawFile>,
    bytes: &[u8],
) -> Result<Attempt> {
    sweep(directory);
    let temporary = format!("{TEMPORARY}{name}-{}.tmp", std::process::id());
    let result = write_temporary(directory, &temporary, before, bytes)
        .and_then(|()| is_unchanged(directory, name, before))
        .and_then(|unchanged| {
            if !unchanged {
                return Ok(Attempt::Overtaken);
            }
            renameat(&directory.fd, &temporary, &directory.fd, name)
                .map_err(|error| storage("replace", &directory.path.join(name), error))?;
            directory.sync()?;
            Ok(Attempt::Done)
        });
    if !matches!(result, Ok(Attempt::Done)) {
        let _ = unlinkat(&directory.fd, &temporary, AtFlags::empty());
    }
    result
}

fn write_temporary(
    directory: &Directory,
    temporary: &str,
    before: Option<&RawFile>,
    bytes: &[u8],
) -> Result<()> {
    let path = directory.path.join(temporary);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let fd = rustix::fs::openat(&directory.fd, temporary, flags, Mode::from_raw_mode(0o666))
        .map_err(|error| storage("create", &path, error))?;
    if let Some(before) = before {
        fchmod(&fd, Mode::from_raw_mode(before.mode))
            .map_err(|error| storage("set the mode of", &path, error))?;
    }
    let mut file = File::from(fd);
    file.write_all(bytes)
        .and_then(|()| file.sync_all())
        .map_err(|error| storage("write", &path, error))
}

/// Removes `name`, provided that it still is what `before` says.
pub(super) fn remove(directory: &Directory, name: &str, before: &RawFile) -> Result<Attempt> {
    sweep(directory);
    if !is_unchanged(directory, name, Some(before))? {
        return Ok(Attempt::Overtaken);
    }
    match unlinkat(&directory.fd, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(storage("delete", &directory.path.join(name), error)),
    }
    directory.sync()?;
    Ok(Attempt::Done)
}

/// Removes directories that have become empty, from the innermost up; the root stays.
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

/// Removes what dead writers left behind.
fn sweep(directory: &Directory) {
    let Ok(entries) = rustix::fs::Dir::read_from(&directory.fd) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name().to_bytes();
        if name.starts_with(TEMPORARY.as_bytes()) && name.ends_with(b".tmp") {
            let _ = unlinkat(&directory.fd, entry.file_name(), AtFlags::empty());
        }
    }
}
