//! The walk: every `*.json` below the root, no links followed, nothing opened but directories.

use std::cmp::Ordering;
use std::fs;
use std::path::Path;

use crate::failure::Result;
use crate::store::storage;

/// Deeper than any namespace in use.
const MAX_DEPTH: usize = 64;

/// A file, by its path below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Found {
    relative: String,
}

impl Found {
    pub(super) fn new(relative: impl Into<String>) -> Self {
        Self { relative: relative.into() }
    }

    /// The path below the root, with slashes.
    pub(super) fn relative(&self) -> &str {
        &self.relative
    }

    /// Everything before the prompt's directory.
    pub(super) fn namespace(&self) -> &str {
        let directory = self.relative.rsplit_once('/').map_or("", |(directory, _)| directory);
        directory.rsplit_once('/').map_or("", |(namespace, _)| namespace)
    }
}

impl Ord for Found {
    /// Component by component: `a/b` comes before `a-b`.
    fn cmp(&self, other: &Self) -> Ordering {
        self.relative.split('/').cmp(other.relative.split('/'))
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// What was found.
#[derive(Debug, Default)]
pub(super) struct Walked {
    pub(super) files: Vec<Found>,
    /// Links to directories, relative.
    pub(super) links: Vec<String>,
}

/// Walks the tree; files come in order. A directory that cannot be read fails the list: its files
/// would be missing silently.
pub(super) fn walk(root: &Path) -> Result<Walked> {
    let mut walked = Walked::default();
    walk_into(root, "", 0, &mut walked)?;
    Ok(walked)
}

fn walk_into(path: &Path, relative: &str, depth: usize, walked: &mut Walked) -> Result<()> {
    let failed = |error| storage("read the directory", path, error);
    let entries = match fs::read_dir(path) {
        Ok(entries) => entries,
        // Pruned by a writer since it was seen.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(failed(error)),
    };
    let mut found = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let Ok(name) = entry.file_name().into_string() else { continue };
        found.push((name, entry.file_type().map_err(failed)?));
    }
    found.sort_unstable_by(|one, other| one.0.cmp(&other.0));
    for (name, kind) in found {
        let below = if relative.is_empty() { name.clone() } else { format!("{relative}/{name}") };
        if kind.is_dir() {
            if depth < MAX_DEPTH {
                walk_into(&path.join(name), &below, depth + 1, walked)?;
            }
        } else if below.ends_with(".json") {
            walked.files.push(Found::new(below));
        } else if kind.is_symlink() {
            walked.links.push(below);
        }
    }
    Ok(())
}
