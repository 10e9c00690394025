//! Cache validation: fingerprints of files and directories by modification time and size.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// How deep watched directories are scanned.
const MAX_DEPTH: usize = 12;

/// Directories that hold no code of the application.
const FOREIGN: [&str; 5] = ["__pycache__", "node_modules", "site-packages", "target", "venv"];

/// The state of a file when it was last read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stamp {
    path: PathBuf,
    seen: Option<(SystemTime, u64)>,
}

/// The stamp of one file.
pub(super) fn stamp(path: &Path) -> Stamp {
    let seen = fs::metadata(path).ok();
    let seen = seen.map(|meta| (meta.modified().unwrap_or(SystemTime::UNIX_EPOCH), meta.len()));
    Stamp { path: path.to_owned(), seen }
}

/// The export files at the given paths: a directory means the `*.json` in it.
pub(super) fn export_files(paths: &[PathBuf]) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for path in paths {
        match fs::read_dir(path) {
            Ok(entries) => {
                let found = entries.flatten().map(|entry| entry.path());
                let mut found: Vec<_> =
                    found.filter(|file| file.extension().is_some_and(|e| e == "json")).collect();
                found.sort();
                files.append(&mut found);
            }
            Err(_) => files.push(path.clone()),
        }
    }
    files
}

/// Stamps of watched paths; of directories, every `*.py` below them.
pub(super) fn watch(paths: &[PathBuf]) -> Vec<Stamp> {
    let mut stamps = Vec::new();
    for path in paths {
        watch_one(path, 0, &mut stamps);
    }
    stamps
}

fn watch_one(path: &Path, depth: usize, stamps: &mut Vec<Stamp>) {
    let Ok(entries) = fs::read_dir(path) else {
        stamps.push(stamp(path));
        return;
    };
    let mut entries: Vec<_> = entries.flatten().collect();
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        let directory = entry.file_type().is_ok_and(|kind| kind.is_dir());
        let foreign = name.starts_with('.') || FOREIGN.contains(&name.as_ref());
        if directory && !foreign && depth < MAX_DEPTH {
            watch_one(&entry.path(), depth + 1, stamps);
        } else if name.ends_with(".py") {
            stamps.push(stamp(&entry.path()));
        }
    }
}
