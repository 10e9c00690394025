//! A file of lines that several processes append to, and that is rotated by size: `NAME` is the current
//! file, `NAME.1` the one before, and so on.
//!
//! Every line is written under a lock on the file itself, after checking that it still is the current
//! one: no process writes to a file that another one has rotated away. Knows nothing of what lines mean.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::fs::OFlags;

use crate::lock::{FileLock, LockError};

/// How long a line waits for other processes to write theirs.
const WAIT: Duration = Duration::from_secs(5);

/// What the files may take together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Size of one file. A longer line has a file of its own.
    pub max_bytes: u64,
    /// Number of files, the current one included.
    pub files: u32,
}

/// The current file of lines.
#[derive(Debug)]
pub struct LineFile {
    path: PathBuf,
    limits: Limits,
    file: File,
}

impl LineFile {
    /// Opens the file, or creates it so that only its owner can read it; also the folders above.
    ///
    /// # Errors
    /// When it cannot be opened for writing, or is no regular file.
    pub fn open(path: &Path, limits: Limits) -> io::Result<Self> {
        if let Some(folder) = path.parent() {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        Ok(Self { path: path.to_owned(), limits, file: open(path)? })
    }

    /// The current file's path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Appends a line, which must end with a line break. The whole line is written, or nothing.
    ///
    /// # Errors
    /// When the file cannot be opened, locked, rotated or written.
    pub fn append(&mut self, line: &str) -> io::Result<()> {
        loop {
            let lock = FileLock::acquire(&self.file, WAIT).map_err(|error| match error {
                LockError::TimedOut(_) => io::Error::from(io::ErrorKind::TimedOut),
                LockError::Io(error) => error,
            })?;
            let is_current = is_same(&self.file, &self.path)?;
            if is_current {
                let size = lock.metadata()?.len();
                let fits = size == 0 || size + line.len() as u64 <= self.limits.max_bytes;
                if fits {
                    return write_whole(*lock, size, line);
                }
                self.rotate()?;
            }
            // Rotated, by this process or another one, or moved away by somebody.
            drop(lock);
            self.file = open(&self.path)?;
        }
    }

    /// Moves every file one further; the last one goes.
    fn rotate(&self) -> io::Result<()> {
        let last = self.limits.files.max(1) - 1;
        // Also those of a time when more were kept.
        let mut number = last.max(1);
        while remove(&self.numbered(number))? {
            number += 1;
        }
        for number in (1..last).rev() {
            rename(&self.numbered(number), &self.numbered(number + 1))?;
        }
        if last == 0 {
            remove(&self.path)?;
        } else {
            rename(&self.path, &self.numbered(1))?;
        }
        Ok(())
    }

    fn numbered(&self, number: u32) -> PathBuf {
        let mut name = self.path.clone().into_os_string();
        name.push(format!(".{number}"));
        name.into()
    }
}

fn open(path: &Path) -> io::Result<File> {
    // Without NONBLOCK a FIFO would be waited for.
    let flags = i32::try_from(OFlags::NONBLOCK.bits()).unwrap_or_default();
    let mut options = OpenOptions::new();
    let file =
        options.append(true).read(true).create(true).mode(0o600).custom_flags(flags).open(path)?;
    if !file.metadata()?.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    Ok(file)
}

fn is_same(file: &File, path: &Path) -> io::Result<bool> {
    let open = file.metadata()?;
    match fs::metadata(path) {
        Ok(found) => Ok((found.dev(), found.ino()) == (open.dev(), open.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// On a full disk part of a line may have been written: it is cut off again.
fn write_whole(mut file: &File, size: u64, line: &str) -> io::Result<()> {
    file.write_all(line.as_bytes()).inspect_err(|_| {
        let _ = file.set_len(size);
    })
}

/// Whether there was something to remove.
fn remove(path: &Path) -> io::Result<bool> {
    match fs::remove_file(path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn rename(from: &Path, to: &Path) -> io::Result<()> {
    match fs::rename(from, to) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(path: &Path, max_bytes: u64, files: u32) -> LineFile {
        LineFile::open(path, Limits { max_bytes, files }).unwrap()
    }

    fn text(path: &Path) -> String {
        fs::read_to_string(path).unwrap_or_default()
    }

    #[test]
    fn files_are_rotated_and_the_oldest_goes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/lines");
        let mut lines = file(&path, 8, 3);
        for number in 0..9 {
            lines.append(&format!("{number}--\n")).unwrap();
        }
        assert_eq!(text(&path), "8--\n");
        assert_eq!(text(&lines.numbered(1)), "6--\n7--\n");
        assert_eq!(text(&lines.numbered(2)), "4--\n5--\n");
        assert!(!lines.numbered(3).exists());
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o777, 0o600);
        let mut fewer = file(&path, 8, 1);
        fewer.append("a longer line than a file may have\n").unwrap();
        fewer.append("next\n").unwrap();
        assert_eq!(text(&path), "next\n");
        assert!(!lines.numbered(1).exists() && !lines.numbered(2).exists());
    }

    #[test]
    fn writers_that_rotate_at_once_lose_no_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("lines");
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let mut lines = file(&path, 200, 1000);
                scope.spawn(move || {
                    for number in 0..100 {
                        lines.append(&format!("{writer} {number}\n")).unwrap();
                    }
                });
            }
        });
        let all = folder.path().read_dir().unwrap().map(|file| text(&file.unwrap().path()));
        let mut found: Vec<String> =
            all.flat_map(|text| text.lines().map(str::to_owned).collect::<Vec<_>>()).collect();
        found.sort_unstable();
        found.dedup();
        assert_eq!(found.len(), 800);
    }

    #[test]
    fn a_file_that_somebody_moved_away_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let (path, moved) = (folder.path().join("lines"), folder.path().join("moved"));
        let mut lines = file(&path, 1000, 3);
        lines.append("one\n").unwrap();
        fs::rename(&path, &moved).unwrap();
        lines.append("two\n").unwrap();
        assert_eq!((text(&moved).as_str(), text(&path).as_str()), ("one\n", "two\n"));
    }

    #[test]
    fn only_regular_files_are_written() {
        let folder = tempfile::tempdir().unwrap();
        let limits = Limits { max_bytes: 100, files: 2 };
        assert!(LineFile::open(folder.path(), limits).is_err());
        assert!(LineFile::open(Path::new("/dev/null"), limits).is_err());
    }
}
