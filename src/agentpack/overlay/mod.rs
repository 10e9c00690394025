//! Overlays: the user's changes to a module, kept beside it in the config repo.
//!
//! Three scopes, low to high: global, machine, project. An overlay either replaces files (kind dir)
//! or patches them (kind patch), never both. Nothing under its `.agentpack/` is deployed.

pub(crate) mod baseline;
mod patch;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use toolwright_runtime::{ErrorKind, Failure};

use super::content::read_file;
use super::failure::{self, Result};
use super::identity::{legacy_module_fs_key, module_fs_key};
use super::model::Layer;
use super::paths::{is_inside, is_name, posix};
use super::tree;
use crate::generated::Error;

pub(super) use patch::apply as apply_patch;

/// Where an overlay keeps what is not deployed.
const METADATA: &str = ".agentpack";
/// Metadata are small.
const MAX_METADATA: u64 = 64 << 20;

/// The machine and project whose overlays apply.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Owner<'a> {
    /// The config repo.
    pub repo: &'a Path,
    /// The machine's id.
    pub machine: &'a str,
    /// The project's id.
    pub project: &'a str,
}

/// One overlay of one module.
#[derive(Debug, Clone)]
pub(crate) struct Overlay {
    /// The layer it belongs to.
    pub module_id: String,
    /// Global, machine or project.
    pub layer: Layer,
    /// Its folder.
    pub dir: PathBuf,
    /// What it does.
    pub edits: Edits,
}

/// What an overlay does, by path in the module.
#[derive(Debug, Clone)]
pub(crate) enum Edits {
    /// Files that replace, or are added.
    Replace(BTreeMap<String, PathBuf>),
    /// Patches that change files.
    Patch(BTreeMap<String, PathBuf>),
}

impl Edits {
    /// The files of the module that it is about.
    pub(crate) fn paths(&self) -> impl Iterator<Item = &String> {
        match self {
            Self::Replace(files) | Self::Patch(files) => files.keys(),
        }
    }
}

impl Owner<'_> {
    /// The folder that holds the overlays of a scope.
    pub(crate) fn parent(&self, layer: Layer) -> PathBuf {
        match layer {
            Layer::Upstream | Layer::Global => self.repo.join("overlays"),
            Layer::Machine => self.repo.join("overlays").join("machines").join(self.machine),
            Layer::Project => self.repo.join("projects").join(self.project).join("overlays"),
        }
    }

    /// Where a new overlay of a module goes.
    pub(crate) fn dir(&self, layer: Layer, module_id: &str) -> PathBuf {
        self.parent(layer).join(module_fs_key(module_id))
    }

    /// Every folder that an overlay of the module may have in a scope, the right name first.
    pub(crate) fn candidates(&self, layer: Layer, module_id: &str) -> Vec<PathBuf> {
        let mut names = vec![module_fs_key(module_id), legacy_module_fs_key(module_id)];
        if is_name(module_id) {
            names.push(module_id.to_owned());
        }
        names.dedup();
        let parent = self.parent(layer);
        names.into_iter().map(|name| parent.join(name)).collect()
    }

    /// The overlays of a module that are there, low to high.
    pub(crate) fn find(&self, module_id: &str) -> Result<Vec<Overlay>> {
        let mut found = Vec::new();
        for layer in [Layer::Global, Layer::Machine, Layer::Project] {
            let dirs = self.candidates(layer, module_id);
            if let Some(dir) = dirs.into_iter().find(|dir| dir.is_dir()) {
                found.push(open(module_id, layer, dir)?);
            }
        }
        Ok(found)
    }
}

#[derive(Deserialize)]
struct Metadata {
    #[serde(default)]
    overlay_kind: Kind,
}

#[derive(Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    Dir,
    Patch,
}

fn open(module_id: &str, layer: Layer, dir: PathBuf) -> Result<Overlay> {
    let refuse = |path: &Path, what: String, hint: &str| -> Failure<Error> {
        let scope = layer.as_str();
        Error::ConfigInvalid
            .because(format!("Module `{module_id}`, {scope} overlay: `{}`: {what}", path.display()))
            .hint(hint)
            .with("module_id", module_id)
            .with("scope", scope)
            .with("overlay_dir", &dir)
            .with("path", path)
            .with("path_posix", posix(path))
            .with("error", what)
            .with("hint", hint)
    };
    let kind = kind(&dir, &refuse)?;
    let own = |refused: tree::Refused| failure::module(module_id, &refused.path, refused.what);
    let replaced = tree::list(&dir).map_err(own)?;
    let patches_dir = dir.join(METADATA).join("patches");
    let listed =
        if patches_dir.is_dir() { tree::list(&patches_dir).map_err(own)? } else { BTreeMap::new() };
    let edits = match kind {
        Kind::Dir if !listed.is_empty() => {
            return Err(refuse(
                &patches_dir,
                "the overlay is of kind dir and has patches".to_owned(),
                "Set overlay_kind to \"patch\" in .agentpack/overlay.json, or remove the patches.",
            ));
        }
        Kind::Dir => Edits::Replace(replaced),
        Kind::Patch => {
            if let Some(name) = replaced.keys().next() {
                return Err(refuse(
                    &dir.join(name),
                    "the overlay is of kind patch and has a file that replaces".to_owned(),
                    "Remove the file, or set overlay_kind to \"dir\" and remove the patches.",
                ));
            }
            let mut patches = BTreeMap::new();
            for (name, path) in listed {
                let Some(target) = name.strip_suffix(".patch").filter(|name| is_inside(name))
                else {
                    let what = "it is among the patches and does not end in .patch".to_owned();
                    return Err(refuse(&path, what, "Rename or remove it."));
                };
                patches.insert(target.to_owned(), path);
            }
            Edits::Patch(patches)
        }
    };
    Ok(Overlay { module_id: module_id.to_owned(), layer, dir, edits })
}

fn kind(dir: &Path, refuse: &dyn Fn(&Path, String, &str) -> Failure<Error>) -> Result<Kind> {
    let path = dir.join(METADATA).join("overlay.json");
    let bytes = match read_file(&path, MAX_METADATA) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Kind::Dir),
        Err(error) => return Err(failure::io("read", &path, &error)),
    };
    let metadata: Metadata = serde_json::from_slice(&bytes).map_err(|error| {
        let hint = "Delete the file (the overlay is then of kind dir), or make it \
                    {\"overlay_kind\": \"dir\"} or {\"overlay_kind\": \"patch\"}.";
        refuse(&path, error.to_string(), hint).with("meta_path", &path)
    })?;
    Ok(metadata.overlay_kind)
}

/// The module that an overlay's folder claims to belong to, if any.
pub(crate) fn claimed_module(dir: &Path) -> Option<String> {
    let bytes = read_file(&dir.join(METADATA).join("module_id"), 64 << 10).ok()?;
    let id = String::from_utf8(bytes).ok()?.trim().to_owned();
    (!id.is_empty()).then_some(id)
}
