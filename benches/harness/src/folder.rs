//! A folder that goes away with its owner.

use std::fs;
use std::path::PathBuf;

use crate::Result;

/// Somewhere to put what is measured.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
}

impl Folder {
    pub(crate) fn new(name: &str) -> Result<Self> {
        let path =
            std::env::temp_dir().join(format!("toolwright-bench-{}-{name}", std::process::id()));
        fs::create_dir_all(&path)?;
        Ok(Self { path: path.canonicalize()? })
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}
