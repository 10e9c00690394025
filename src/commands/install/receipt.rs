//! Receipts: record what was created when an entry was added to a client's file, so that `uninstall`
//! can restore the file.
//!
//! One small file per entry, readable by its owner only. It contains a path, two names, the command, the
//! created parts and a hash of the entry. Of the contents of the client's file it contains only an entry
//! that `--force` replaced.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::environment::Environment;
use super::text::CreatedParts;
use toolwright_platform::durable::{self, FileMode};
use toolwright_runtime::digest::sha256_hex;

/// The receipt of one entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Receipt {
    /// The file, links resolved.
    pub(super) path: PathBuf,
    /// Name of the entry.
    pub(super) name: String,
    /// The surface that it starts; absent in receipts of older versions.
    #[serde(default)]
    pub(super) surface: Option<String>,
    /// Hash of the entry as it was written.
    pub(super) entry: String,
    /// Its command; absent in receipts of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) command: Option<String>,
    /// The entry that was there before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) replaced: Option<Replaced>,
    /// The parts of the text that were created.
    #[serde(rename = "made")]
    pub(super) created: CreatedParts,
    /// The file was created.
    pub(super) new_file: bool,
    /// The folders that were created, outermost first.
    pub(super) folders: Vec<PathBuf>,
}

/// An entry that another one replaced, byte for byte and as a value.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Replaced {
    /// Its text; several where its parts are not together.
    pub(super) source: Vec<String>,
    /// The entry.
    pub(super) entry: Value,
}

impl Receipt {
    /// Whether it is of this surface.
    pub(crate) fn is_for(&self, surface: &str) -> bool {
        self.surface.as_deref().is_none_or(|known| known == surface)
    }

    /// Whether this entry was installed for this surface. It may have been edited since, as long as it
    /// runs the same command.
    pub(crate) fn is_of(&self, surface: &str, entry: &Value) -> bool {
        let command = self.command.as_deref();
        let runs_it = command.is_some() && entry["command"].as_str() == command;
        self.is_for(surface) && (runs_it || self.entry == fingerprint(entry))
    }
}

/// The hash of an entry, independent of the order of its members.
pub(crate) fn fingerprint(entry: &Value) -> String {
    sha256_hex(entry.to_string().as_bytes())
}

/// The folder of receipts.
#[derive(Debug)]
pub(crate) struct Receipts {
    folder: Option<PathBuf>,
}

impl Receipts {
    /// The receipts of this user.
    pub(crate) fn of(environment: &Environment) -> Self {
        Self { folder: environment.state_folder().map(|folder| folder.join("installed")) }
    }

    /// The receipt of an entry.
    pub(crate) fn find(&self, path: &Path, name: &str) -> Option<Receipt> {
        read(&self.file(path, name)?).filter(|found| found.path == path && found.name == name)
    }

    /// Saves a receipt.
    pub(super) fn save(&self, receipt: &Receipt) -> io::Result<()> {
        let none = || io::Error::other("neither HOME nor XDG_STATE_HOME is known");
        let file = self.file(&receipt.path, &receipt.name).ok_or_else(none)?;
        let folder = file.parent().ok_or_else(none)?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let text = serde_json::to_string_pretty(receipt)?;
        durable::replace(&file, text.as_bytes(), FileMode::Exact(0o600))
    }

    /// Deletes a receipt. Created parts that are `still` in use are transferred to the receipt of another
    /// entry of the same file.
    pub(super) fn forget(&self, path: &Path, name: &str, still: Option<Receipt>) -> io::Result<()> {
        let Some(file) = self.file(path, name) else { return Ok(()) };
        if let (Some(still), Some(mut other)) = (still, self.another(path, name)) {
            other.created = other.created.and(still.created);
            other.new_file |= still.new_file;
            other.folders = if other.folders.is_empty() { still.folders } else { other.folders };
            self.save(&other)?;
        }
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Remove folders that are then empty.
        file.ancestors().skip(1).take(2).try_for_each(fs::remove_dir).ok();
        Ok(())
    }

    fn another(&self, path: &Path, name: &str) -> Option<Receipt> {
        let files = fs::read_dir(self.folder.as_ref()?).ok()?.flatten();
        let mut others: Vec<Receipt> = files
            .filter_map(|file| read(&file.path()))
            .filter(|found| found.path == path && found.name != name)
            .collect();
        others.sort_by(|a, b| a.name.cmp(&b.name));
        others.into_iter().next()
    }

    fn file(&self, path: &Path, name: &str) -> Option<PathBuf> {
        let key = sha256_hex(format!("{}\n{name}", path.display()).as_bytes());
        Some(self.folder.as_ref()?.join(format!("{key}.json")))
    }
}

/// An unreadable receipt counts as missing.
fn read(file: &Path) -> Option<Receipt> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}
