//! Where a module's files are before anybody changed them.
//!
//! A local source is used in place. A git source is a commit (locked, or what its ref points to) in
//! the cache below the agentpack home; the network is asked only for what is not there.

mod git;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use toolwright_runtime::{ErrorKind, Failure};

use super::config::{LocalPath, Module, Source};
use super::failure::{self, Result};
use super::git::Git;
use super::lockfile::Lockfile;
use super::paths::{normal, posix};
use super::tree::{self, Files};
use crate::generated::Error;

/// Whether git sources may be fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fetch {
    /// Whatever is missing.
    Allowed,
    /// Cache only: no writes, no network.
    CacheOnly,
}

/// What sources are resolved with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sources<'a> {
    /// The config repo.
    pub repo: &'a Path,
    /// The cache of checkouts.
    pub cache: &'a Path,
    /// Commits that are settled.
    pub lock: Option<&'a Lockfile>,
    /// How to run git.
    pub git: &'a Git,
    /// Whether to fetch.
    pub fetch: Fetch,
}

/// A module's source, found.
#[derive(Debug, Clone)]
pub(crate) struct Upstream {
    /// By their path in the module.
    pub files: Files,
    /// Warnings.
    pub warnings: Vec<String>,
}

impl Sources<'_> {
    /// Finds the files of a module.
    pub(crate) fn find(&self, module: &Module) -> Result<Upstream> {
        let mut warnings = Vec::new();
        let path = match &module.source {
            Source::Local(local) => self.local(module, local)?,
            Source::Git(source) => self.git(module, source, &mut warnings)?,
        };
        let files = files(&module.id, &path)?;
        Ok(Upstream { files, warnings })
    }

    fn local(&self, module: &Module, local: &LocalPath) -> Result<PathBuf> {
        let path = normal(&self.repo.join(&local.path));
        if local.path.trim().is_empty() || !path.exists() {
            return Err(missing(&module.id, &path, "there is nothing at that path"));
        }
        Ok(path)
    }
}

/// A file is a module of one file, under its own name.
fn files(module_id: &str, path: &Path) -> Result<Files> {
    if path.is_dir() {
        return tree::list(path)
            .map_err(|refused| failure::module(module_id, &refused.path, refused.what));
    }
    let name = path.file_name().and_then(std::ffi::OsStr::to_str);
    match name {
        Some(name) if path.is_file() => Ok(Files::from([(name.to_owned(), path.to_owned())])),
        Some(_) => Err(failure::module(module_id, path, "it is neither a file nor a folder")),
        None => Err(failure::module(module_id, path, "its name is not UTF-8")),
    }
}

/// The source is not there. `what` completes "the source `…`: …".
fn missing(module_id: &str, path: &Path, what: impl std::fmt::Display) -> Failure<Error> {
    Error::SourceMissing
        .because(format!("Module `{module_id}`: the source `{}`: {what}.", path.display()))
        .with("module_id", module_id)
        .with("path", path)
        .with("path_posix", posix(path))
        .with("error", what.to_string())
}
