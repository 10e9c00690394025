//! One JSON file. Knows books and files, nothing of tools.
//!
//! A write holds a lock across processes and replaces the file atomically: readers, and the next start
//! after a crash, find either the old books or the new ones.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::PathBuf;

use toolwright_runtime::ErrorKind as _;

use crate::generated::{Book, Error, Result};

/// The shelf's file.
pub struct Store {
    file: PathBuf,
}

impl Store {
    pub fn new(file: PathBuf) -> Self {
        Self { file }
    }

    /// The books; none where there is no file yet.
    pub fn books(&self) -> Result<Vec<Book>> {
        self.usable(self.read())
    }

    /// Lets `edit` change the books and keeps them, unless it fails.
    pub fn change<T>(&self, edit: impl FnOnce(&mut Vec<Book>) -> Result<T>) -> Result<T> {
        // Released when it is dropped, or when the process dies.
        let _lock = self.usable(self.lock())?;
        let mut books = self.books()?;
        let answer = edit(&mut books)?;
        self.usable(self.write(&books))?;
        Ok(answer)
    }

    fn read(&self) -> io::Result<Vec<Book>> {
        match fs::read(&self.file) {
            Ok(bytes) => Ok(serde_json::from_slice(&bytes)?),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    fn lock(&self) -> io::Result<File> {
        let lock = File::create(self.file.with_added_extension("lock"))?;
        lock.lock()?;
        Ok(lock)
    }

    fn write(&self, books: &[Book]) -> io::Result<()> {
        let new = self.file.with_added_extension("new");
        let mut file = File::create(&new)?;
        file.write_all(&serde_json::to_vec_pretty(books)?)?;
        file.sync_all()?;
        fs::rename(&new, &self.file)?;
        // The new name is on the disk when its folder is.
        let folder = self.file.parent().filter(|folder| !folder.as_os_str().is_empty());
        File::open(folder.unwrap_or(".".as_ref()))?.sync_all()
    }

    /// Turns an error of the file store into one of the contract.
    fn usable<T>(&self, result: io::Result<T>) -> Result<T> {
        result.map_err(|error| {
            Error::ShelfUnusable.because(format!("`{}`: {error}", self.file.display()))
        })
    }
}
