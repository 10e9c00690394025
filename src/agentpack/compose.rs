//! A module as it is deployed: its source with the overlays on top.
//!
//! Nothing is copied: the result names the deciding file for each path. Only patched files are held in
//! memory.

use std::collections::BTreeMap;
use std::path::Path;

use super::config::Module;
use super::content::read;
use super::failure::{self, Result};
use super::git::Git;
use super::model::{Content, Layer};
use super::overlay::{Edits, Owner, apply_patch, baseline};
use super::source::Sources;

/// One file of a module.
#[derive(Debug, Clone)]
pub(crate) struct ComposedFile {
    /// What it holds.
    pub content: Content,
    /// The layer that decides its content.
    pub layer: Layer,
    /// Known for patched files, which have no mode of their own.
    pub executable: Option<bool>,
}

/// A module, ready to be rendered.
#[derive(Debug, Clone, Default)]
pub(crate) struct Composed {
    /// By path in the module, with `/`.
    pub files: BTreeMap<String, ComposedFile>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// What modules are composed with.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Composer<'a> {
    /// Where sources are found.
    pub sources: Sources<'a>,
    /// Selects the overlays.
    pub owner: Owner<'a>,
    /// How patches are applied.
    pub git: &'a Git,
    /// Where.
    pub temp: &'a Path,
}

impl Composer<'_> {
    /// Source, then global, machine and project overlay.
    pub(crate) fn compose(&self, module: &Module) -> Result<Composed> {
        let upstream = self.sources.find(module)?;
        let mut files: BTreeMap<String, ComposedFile> = upstream
            .files
            .iter()
            .map(|(name, path)| (name.clone(), piece(path, Layer::Upstream)))
            .collect();
        let mut warnings = upstream.warnings;
        for overlay in self.owner.find(&module.id)? {
            warnings.extend(baseline::warnings(&overlay, &upstream.files));
            match &overlay.edits {
                Edits::Replace(replaced) => {
                    for (name, path) in replaced {
                        files.insert(name.clone(), piece(path, overlay.layer));
                    }
                }
                Edits::Patch(patches) => {
                    for (name, patch) in patches {
                        let old = files.get(name);
                        let before = old.map(|old| bytes(old, patch)).transpose()?;
                        let after = apply_patch(
                            &overlay,
                            name,
                            patch,
                            before.as_deref(),
                            self.git,
                            self.temp,
                        )?;
                        let executable = old.and_then(executable);
                        let content = Content::Bytes(after.into());
                        let new = ComposedFile { content, layer: overlay.layer, executable };
                        files.insert(name.clone(), new);
                    }
                }
            }
        }
        Ok(Composed { files, warnings })
    }
}

fn piece(path: &Path, layer: Layer) -> ComposedFile {
    ComposedFile { content: Content::File(path.to_owned()), layer, executable: None }
}

/// The bytes of a file; errors name `patch` where it has no path of its own.
fn bytes(piece: &ComposedFile, patch: &Path) -> Result<Vec<u8>> {
    let path = match &piece.content {
        Content::File(path) => path,
        Content::Bytes(_) => patch,
    };
    read(&piece.content).map_err(|error| failure::io("read", path, &error))
}

fn executable(piece: &ComposedFile) -> Option<bool> {
    use std::os::unix::fs::PermissionsExt as _;
    match &piece.content {
        Content::File(path) => {
            path.metadata().ok().map(|metadata| metadata.permissions().mode() & 0o111 != 0)
        }
        Content::Bytes(_) => piece.executable,
    }
}
