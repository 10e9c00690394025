//! A client's file on disk: read once, replaced atomically.
//!
//! Follows symbolic links and replaces the target. The new file has the mode of the old one. A file
//! with several names, or of another owner, is written in place, because a new file would be neither.
//! A read-only file is refused. If another program changes the file between reading and writing,
//! nothing is written.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, Seek as _, Write as _};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use toolwright_platform::durable::{FileMode, StagedFile, open_directory, sync_directory};

/// A file as it was read.
#[derive(Debug)]
pub(super) struct ClientFile {
    /// Links resolved, as far as the path exists.
    pub target: PathBuf,
    /// `None` if there is no file.
    pub bytes: Option<Vec<u8>>,
    metadata: Option<fs::Metadata>,
}

impl ClientFile {
    /// Reads the file, if there is one.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let target = resolved(path);
        let failed = |error: io::Error| format!("`{}` cannot be read: {error}", path.display());
        let bytes = match fs::read(&target) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound && !path.is_symlink() => None,
            Err(error) => return Err(failed(error)),
        };
        let metadata = match &bytes {
            Some(_) => Some(fs::metadata(&target).map_err(failed)?),
            None => None,
        };
        Ok(Self { target, bytes, metadata })
    }

    /// Refuses a read-only file: somebody made it so. Replacing it would need no permission of its own.
    pub(super) fn check_writable(&self) -> Result<(), String> {
        let Some(metadata) = &self.metadata else { return Ok(()) };
        // Whoever may do everything is allowed to write, whatever the mode says.
        let refused = rustix::fs::access(&self.target, rustix::fs::Access::WRITE_OK).is_err();
        if metadata.mode() & 0o222 != 0 && !refused {
            return Ok(());
        }
        let file = self.target.display();
        Err(format!(
            "`{file}` is read-only; nothing was changed. To allow the change, run: chmod u+w '{file}'"
        ))
    }

    /// The text; empty where there is no file.
    pub(super) fn text(&self) -> Result<&str, String> {
        std::str::from_utf8(self.bytes.as_deref().unwrap_or_default()).map_err(|error| {
            format!("`{}` is not UTF-8 (byte {})", self.target.display(), error.valid_up_to())
        })
    }

    /// The folders that have to be created for it, outermost first.
    pub(super) fn missing_folders(&self) -> Vec<PathBuf> {
        let folders = self.target.ancestors().skip(1);
        let mut missing: Vec<PathBuf> =
            folders.take_while(|folder| !folder.exists()).map(Path::to_owned).collect();
        missing.reverse();
        missing
    }

    /// Replaces the file. A new one that is `private` can be read by its owner only.
    pub(super) fn replace(&self, text: &str, private: bool) -> Result<(), String> {
        let failed =
            |error: io::Error| format!("`{}` cannot be written: {error}", self.target.display());
        let folder = self.target.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder).map_err(failed)?;
        let directory = open_directory(folder).map_err(failed)?;
        match &self.metadata {
            Some(metadata) if !is_replaceable(metadata) => {
                let old = self.bytes.as_deref().unwrap_or_default();
                // The old content stays beside it until the new one is complete.
                let kept = self.staged(&directory, FileMode::Exact(0o600), old).map_err(failed)?;
                self.check()?;
                let written = overwrite(&self.target, text.as_bytes(), old).map_err(failed);
                drop(kept);
                written
            }
            metadata => {
                let mode = match metadata {
                    Some(metadata) => FileMode::Exact(metadata.mode() & 0o7777),
                    None if private => FileMode::Exact(0o600),
                    None => FileMode::Umask(0o666),
                };
                let staged = self.staged(&directory, mode, text.as_bytes()).map_err(failed)?;
                self.check()?;
                staged.rename(self.target.file_name().unwrap_or_default()).map_err(failed)?;
                sync_directory(&directory).map_err(failed)
            }
        }
    }

    /// A file beside this one.
    fn staged<D: AsFd>(
        &self,
        directory: D,
        mode: FileMode,
        bytes: &[u8],
    ) -> io::Result<StagedFile<D>> {
        let name = self.target.file_name().unwrap_or_default().to_string_lossy();
        let temporary = format!(".{name}.{}.tmp", std::process::id());
        let mut staged = StagedFile::create(directory, OsStr::new(&temporary), mode)?;
        staged.write(bytes)?;
        Ok(staged)
    }

    /// Deletes the file, and those of `folders` that are then empty.
    pub(super) fn delete(&self, folders: &[PathBuf]) -> Result<(), String> {
        self.check()?;
        fs::remove_file(&self.target)
            .map_err(|error| format!("`{}` cannot be deleted: {error}", self.target.display()))?;
        // Folders with other files remain.
        folders.iter().rev().try_for_each(fs::remove_dir).ok();
        Ok(())
    }

    /// Checks that the file has not changed since it was read.
    fn check(&self) -> Result<(), String> {
        let now = match fs::read(&self.target) {
            Ok(bytes) => Some(bytes),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => {
                return Err(format!("`{}` cannot be read: {error}", self.target.display()));
            }
        };
        if now == self.bytes {
            return Ok(());
        }
        Err(format!(
            "`{}` was changed by another program just now; nothing was written. Try again",
            self.target.display()
        ))
    }
}

/// Whether a new file would be like this one: with one name, and of this user and group.
fn is_replaceable(metadata: &fs::Metadata) -> bool {
    metadata.nlink() == 1
        && metadata.uid() == rustix::process::geteuid().as_raw()
        && metadata.gid() == rustix::process::getegid().as_raw()
}

/// Writes over a file; if that fails, writes the old content back.
fn overwrite(target: &Path, new: &[u8], old: &[u8]) -> io::Result<()> {
    let mut file = fs::OpenOptions::new().write(true).open(target)?;
    let mut write = |bytes: &[u8]| {
        file.rewind()?;
        file.write_all(bytes)?;
        file.set_len(u64::try_from(bytes.len()).unwrap_or(u64::MAX))?;
        file.sync_all()
    };
    write(new).inspect_err(|_| {
        let _ = write(old);
    })
}

/// The path with the links of its existing part resolved.
fn resolved(path: &Path) -> PathBuf {
    match path.canonicalize() {
        Ok(path) => path,
        Err(_) => match (path.parent(), path.file_name()) {
            (Some(parent), Some(name)) => resolved(parent).join(name),
            _ => path.to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_rewritten_file_keeps_its_mode_and_a_private_one_is_for_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("claude.json");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        fs::write(&path, "{}").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        ClientFile::read(&path).unwrap().replace("{\"a\": 1}", true).unwrap();
        assert_eq!(mode(&path), 0o640);
        let fresh = folder.path().join("new.json");
        ClientFile::read(&fresh).unwrap().replace("{}", true).unwrap();
        assert_eq!(mode(&fresh), 0o600);
    }

    #[test]
    fn a_change_between_reading_and_writing_is_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mcp.json");
        fs::write(&path, "{}").unwrap();
        let original = ClientFile::read(&path).unwrap();
        fs::write(&path, "{\"theirs\": 1}").unwrap();
        let refused = original.replace("{\"ours\": 1}", false).unwrap_err();
        assert!(refused.contains("another program"), "{refused}");
        assert!(original.delete(&[]).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), "{\"theirs\": 1}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "no temporary file is left");

        let absent = ClientFile::read(&folder.path().join("new.json")).unwrap();
        fs::write(folder.path().join("new.json"), "theirs").unwrap();
        assert!(absent.replace("ours", false).is_err());
    }
}
