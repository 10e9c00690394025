//! Durable writes: after a crash at any moment a file has its old content or its new one, never part of it.
//!
//! The new content goes to a temporary file in the same directory, which is synced, renamed over the old
//! file and made durable by syncing the directory. Names are opened relative to an open directory and
//! symbolic links are not followed. Knows neither locks nor what is in the files.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::{AsFd, OwnedFd};
use std::path::Path;

use rustix::fs::{AtFlags, Mode, OFlags, fchmod, openat, renameat, unlinkat};
use rustix::io::Errno;

/// Permission bits of a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileMode {
    /// These bits, less those that the umask takes away.
    Umask(u32),
    /// Exactly these bits. Nobody but the owner can open the file before they are set.
    Exact(u32),
}

/// Replaces the file at `path`, or creates it. Its directory must exist. Concurrent writers of one
/// file need a lock.
///
/// # Errors
/// When a step fails. The file then has its old content, unless only the last sync failed.
pub fn replace(path: &Path, bytes: &[u8], mode: FileMode) -> io::Result<()> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let directory = open_directory(path.parent().unwrap_or(Path::new("")))?;
    let mut temporary = OsString::from(".");
    temporary.push(name);
    temporary.push(".tmp");
    // Left behind by a crash.
    match unlinkat(&directory, &*temporary, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => {}
        Err(error) => return Err(error.into()),
    }
    let mut staged = StagedFile::create(&directory, &temporary, mode)?;
    staged.write(bytes)?;
    staged.rename(name)?;
    sync_directory(&directory)
}

/// The next version of a file: written and synced under a temporary name, not yet in place. Removed
/// when dropped before [`StagedFile::rename`].
#[derive(Debug)]
pub struct StagedFile<D: AsFd> {
    directory: D,
    temporary: OsString,
    file: File,
    renamed: bool,
}

impl<D: AsFd> StagedFile<D> {
    /// Creates the temporary file, whose name must be free.
    ///
    /// # Errors
    /// When the file exists or cannot be created.
    pub fn create(directory: D, temporary: &OsStr, mode: FileMode) -> io::Result<Self> {
        let file = create_new(&directory, temporary, mode)?;
        Ok(Self { directory, temporary: temporary.to_owned(), file, renamed: false })
    }

    /// Writes and syncs the content.
    ///
    /// # Errors
    /// When a write or the sync fails.
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.file.sync_all()
    }

    /// Puts the file in place of `name`. Durable once the directory is synced.
    ///
    /// # Errors
    /// When the rename fails; the old file is untouched.
    pub fn rename(mut self, name: &OsStr) -> io::Result<()> {
        renameat(&self.directory, &*self.temporary, &self.directory, name)?;
        self.renamed = true;
        Ok(())
    }
}

impl<D: AsFd> Drop for StagedFile<D> {
    fn drop(&mut self) {
        if !self.renamed {
            let _ = unlinkat(&self.directory, &*self.temporary, AtFlags::empty());
        }
    }
}

/// Creates a file in an open directory; fails if the name is taken, even by a dangling link.
///
/// # Errors
/// When the file exists or cannot be created.
pub fn create_new(directory: impl AsFd, name: &OsStr, mode: FileMode) -> io::Result<File> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let bits = match mode {
        FileMode::Umask(bits) => bits,
        FileMode::Exact(_) => 0o600,
    };
    let fd = openat(&directory, name, flags, Mode::from_raw_mode(bits))?;
    if let FileMode::Exact(bits) = mode
        && let Err(error) = fchmod(&fd, Mode::from_raw_mode(bits))
    {
        let _ = unlinkat(&directory, name, AtFlags::empty());
        return Err(error.into());
    }
    Ok(File::from(fd))
}

/// Makes created, renamed and removed names of a directory durable.
///
/// # Errors
/// When the sync fails. File systems that cannot sync directories are no error.
pub fn sync_directory(directory: impl AsFd) -> io::Result<()> {
    match rustix::fs::fsync(directory) {
        Ok(()) | Err(Errno::INVAL | Errno::NOTSUP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// Opens a directory for the functions of this module; the empty path is the current directory.
///
/// # Errors
/// When it cannot be opened.
pub fn open_directory(path: &Path) -> io::Result<OwnedFd> {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(rustix::fs::open(path, flags, Mode::empty())?)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::*;

    fn mode(path: &Path) -> u32 {
        fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
    }

    #[test]
    fn replaces_content_and_mode_and_leaves_no_temporary_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("f");
        replace(&path, b"one", FileMode::Exact(0o640)).unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"one".to_vec(), 0o640));
        replace(&path, b"two", FileMode::Exact(0o664)).unwrap();
        assert_eq!((fs::read(&path).unwrap(), mode(&path)), (b"two".to_vec(), 0o664));
        assert_eq!(names(folder.path()), ["f"]);
    }

    #[test]
    fn a_stale_temporary_file_is_replaced_and_a_link_in_its_place_is_not_followed() {
        let folder = tempfile::tempdir().unwrap();
        let victim = folder.path().join("victim");
        fs::write(&victim, "untouched").unwrap();
        symlink(&victim, folder.path().join(".f.tmp")).unwrap();
        replace(&folder.path().join("f"), b"new", FileMode::Umask(0o666)).unwrap();
        assert_eq!(fs::read_to_string(&victim).unwrap(), "untouched");
        assert_eq!(fs::read_to_string(folder.path().join("f")).unwrap(), "new");
    }

    #[test]
    fn a_replaced_link_leaves_its_target_alone() {
        let folder = tempfile::tempdir().unwrap();
        let (target, link) = (folder.path().join("target"), folder.path().join("link"));
        fs::write(&target, "old").unwrap();
        symlink(&target, &link).unwrap();
        replace(&link, b"new", FileMode::Umask(0o666)).unwrap();
        assert_eq!(fs::read_to_string(&target).unwrap(), "old");
        assert_eq!(fs::read_to_string(&link).unwrap(), "new");
        assert!(!link.is_symlink());
    }

    #[test]
    fn a_staged_file_that_is_dropped_changes_nothing() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("f"), "old").unwrap();
        let directory = open_directory(folder.path()).unwrap();
        let temporary = OsStr::new("f.tmp");
        let mut staged = StagedFile::create(&directory, temporary, FileMode::Umask(0o666)).unwrap();
        staged.write(b"new").unwrap();
        let taken = StagedFile::create(&directory, temporary, FileMode::Umask(0o666));
        assert_eq!(taken.unwrap_err().kind(), io::ErrorKind::AlreadyExists);
        assert!(folder.path().join("f.tmp").exists(), "a failed attempt removes no other's file");
        drop(staged);
        assert_eq!(names(folder.path()), ["f"]);
        assert_eq!(fs::read_to_string(folder.path().join("f")).unwrap(), "old");
    }

    #[test]
    fn a_failed_rename_keeps_the_old_file() {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("d/full")).unwrap();
        assert!(replace(&folder.path().join("d"), b"x", FileMode::Umask(0o666)).is_err());
        assert_eq!(names(folder.path()), ["d"]);
        assert!(replace(&folder.path().join("none/f"), b"x", FileMode::Umask(0o666)).is_err());
    }

    #[test]
    fn a_new_file_takes_no_name_that_exists() {
        let folder = tempfile::tempdir().unwrap();
        let directory = open_directory(folder.path()).unwrap();
        symlink("nowhere", folder.path().join("dangling")).unwrap();
        for name in ["dangling", "d"] {
            let _ = fs::create_dir(folder.path().join("d"));
            let created = create_new(&directory, OsStr::new(name), FileMode::Umask(0o666));
            assert_eq!(created.unwrap_err().kind(), io::ErrorKind::AlreadyExists, "{name}");
        }
        assert!(!folder.path().join("nowhere").exists());
    }
}
