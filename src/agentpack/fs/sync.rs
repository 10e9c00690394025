//! Making writes durable: one file at a time, or many at once.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use toolwright_platform::durable::{self, FileMode};

use super::Folder;
use crate::failure::{self, Result};

/// Makes everything written below these folders durable. Folders that are gone are skipped.
///
/// A sync per file costs a disk wait each; on Linux one call per file system does for all.
pub(crate) fn sync_files<'a>(
    folders: impl IntoIterator<Item = &'a Path>,
    files: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let mut open: BTreeMap<PathBuf, Folder> = BTreeMap::new();
    for path in folders {
        if !open.contains_key(path)
            && let Some(folder) = Folder::open(path)?
        {
            open.insert(path.to_owned(), folder);
        }
    }
    sync_open(open, files)
}

#[cfg(target_os = "linux")]
fn sync_open<'a>(
    open: BTreeMap<PathBuf, Folder>,
    _files: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    let mut devices = std::collections::BTreeSet::new();
    for folder in open.values() {
        let failed = |error: rustix::io::Errno| failure::io("sync", &folder.path, &error.into());
        let device = rustix::fs::fstat(&folder.fd).map_err(failed)?.st_dev;
        if devices.insert(device) {
            rustix::fs::syncfs(&folder.fd).map_err(failed)?;
        }
    }
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn sync_open<'a>(
    open: BTreeMap<PathBuf, Folder>,
    files: impl IntoIterator<Item = &'a Path>,
) -> Result<()> {
    for path in files {
        let sync = || std::fs::File::open(path)?.sync_data();
        match sync() {
            Ok(()) => {}
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {}
            Err(error) => return Err(failure::io("sync", path, &error)),
        }
    }
    open.values().try_for_each(Folder::sync)
}

/// Replaces a file of our own state, readable by its owner only: all or nothing, and durable.
pub(crate) fn write_durable(path: &Path, bytes: &[u8]) -> Result<()> {
    let parent = path.parent().unwrap_or(Path::new("/"));
    std::fs::create_dir_all(parent)
        .and_then(|()| durable::replace(path, bytes, FileMode::Exact(0o600)))
        .map_err(|error| failure::io("write", path, &error))
}
