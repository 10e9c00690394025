//! One of the two versions: a folder or a revision.

use std::path::{Path, PathBuf};

use toolwright_codegen::Loaded;
use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::diff::{ACCEPTED_FILE, Version};

use super::{Problem, git};

/// A version that compiles.
pub(super) struct Side {
    name: String,
    /// The folder of specs, also of a revision: git is run beside it.
    specs: String,
    revision: Option<String>,
    loaded: Loaded,
    /// Its file of accepted breaks, as read.
    pub(super) accepted: Option<(PathBuf, Vec<u8>)>,
}

impl Side {
    /// Reads a folder, else a revision of `specs`, else `REVISION:FOLDER`.
    pub(super) fn read(name: &str, specs: &str) -> Result<Self, Problem> {
        let side = if Path::new(name).is_dir() { folder(name) } else { revision(name, specs)? };
        if side.loaded.report.has_errors() {
            let report = side.loaded.report.render(Colour::Never);
            return Err(Problem::Said(format!(
                "the contracts of `{name}` do not compile, so there is nothing to compare\n\n{report}"
            )));
        }
        Ok(side)
    }

    /// The version for the diff.
    pub(super) fn version(&self) -> Version<'_> {
        Version { name: &self.name, revision: self.revision.as_deref(), loaded: &self.loaded }
    }

    /// The date of its commit, or of the last one before the folder's state; none outside of git.
    pub(super) fn day(&self) -> Option<String> {
        git::day(&self.specs, self.revision.as_deref().unwrap_or("HEAD"))
    }
}

fn folder(name: &str) -> Side {
    let path = Path::new(name).join(ACCEPTED_FILE);
    let accepted = std::fs::read(&path).ok().map(|bytes| (path, bytes));
    let loaded = toolwright_codegen::load(Path::new(name));
    Side { name: name.to_owned(), specs: name.to_owned(), revision: None, loaded, accepted }
}

fn revision(name: &str, specs: &str) -> Result<Side, Problem> {
    let found = git::read(name, specs)?;
    let root = Path::new(&found.folder);
    let accepted = found.accepted.map(|bytes| {
        let file = root.join(ACCEPTED_FILE);
        (PathBuf::from(format!("{}:{}", found.revision, file.display())), bytes)
    });
    let loaded = toolwright_codegen::load_files(root, &found.files);
    let (name, specs) = (name.to_owned(), specs.to_owned());
    Ok(Side { name, specs, revision: Some(found.revision), loaded, accepted })
}
