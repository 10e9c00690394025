//! What was made when an entry was put into a client's file, so that taking it out leaves nothing.
//!
//! One small file each, readable by its owner only. It holds no contents of the client's file: a
//! path, two names, what was made, and a hash of the entry.

use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::surroundings::Surroundings;
use super::text::Made;
use toolwright_platform::durable::{self, FileMode};
use toolwright_runtime::digest::sha256_hex;

/// The receipt of one entry.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Receipt {
    /// The file, links resolved.
    pub path: PathBuf,
    /// Name of the entry.
    pub name: String,
    /// The surface that it starts; receipts of older versions do not tell.
    #[serde(default)]
    pub surface: Option<String>,
    /// Hash of the entry as it was written.
    pub entry: String,
    /// What was made in the text.
    pub made: Made,
    /// The file was not there.
    pub new_file: bool,
    /// The folders that were not there, outermost first.
    pub folders: Vec<PathBuf>,
}

impl Receipt {
    /// This very entry was put in for this surface.
    pub(super) fn is_of(&self, surface: &str, entry: &Value) -> bool {
        let is_surface = self.surface.as_deref().is_none_or(|known| known == surface);
        is_surface && self.entry == fingerprint(entry)
    }
}

/// The hash of an entry, whatever the order of its members.
pub(super) fn fingerprint(entry: &Value) -> String {
    sha256_hex(entry.to_string().as_bytes())
}

/// The folder of receipts.
#[derive(Debug)]
pub(super) struct Receipts {
    folder: Option<PathBuf>,
}

impl Receipts {
    /// Those of this person.
    pub(super) fn of(surroundings: &Surroundings) -> Self {
        Self { folder: surroundings.state_folder().map(|folder| folder.join("installed")) }
    }

    /// The receipt of an entry.
    pub(super) fn find(&self, path: &Path, name: &str) -> Option<Receipt> {
        read(&self.file(path, name)?).filter(|found| found.path == path && found.name == name)
    }

    /// Keeps a receipt.
    pub(super) fn keep(&self, receipt: &Receipt) -> io::Result<()> {
        let none = || io::Error::other("neither HOME nor XDG_STATE_HOME is known");
        let file = self.file(&receipt.path, &receipt.name).ok_or_else(none)?;
        let folder = file.parent().ok_or_else(none)?;
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        let text = serde_json::to_string_pretty(receipt)?;
        durable::replace(&file, text.as_bytes(), FileMode::Exact(0o600))
    }

    /// Forgets an entry. What was made for it and is `still` in use passes to another entry of the
    /// same file, which takes it along when it goes.
    pub(super) fn forget(&self, path: &Path, name: &str, still: Option<Receipt>) -> io::Result<()> {
        let Some(file) = self.file(path, name) else { return Ok(()) };
        if let (Some(still), Some(mut heir)) = (still, self.another(path, name)) {
            heir.made = heir.made.and(still.made);
            heir.new_file |= still.new_file;
            heir.folders = if heir.folders.is_empty() { still.folders } else { heir.folders };
            self.keep(&heir)?;
        }
        match fs::remove_file(&file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        // Folders that hold nothing else go too.
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

/// A receipt that cannot be read is as good as none.
fn read(file: &Path) -> Option<Receipt> {
    serde_json::from_slice(&fs::read(file).ok()?).ok()
}
