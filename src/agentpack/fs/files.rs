//! Single files: inspecting, reading and creating them.

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::ffi::OsStringExt;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::{FileType, OFlags, openat, readlinkat, statat};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};
use toolwright_platform::durable::{self, FileMode};
use toolwright_runtime::digest::hex;

use super::Folder;
use crate::content;
use crate::failure::{self, Result};

/// Permission bits that are carried over.
const PERMISSIONS: u32 = 0o777;

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Found {
    /// Nothing.
    Nothing,
    /// A file.
    File {
        /// SHA-256 of its bytes.
        sha256: String,
        /// Permission bits.
        mode: u32,
    },
    /// A symbolic link. It is replaced or removed, never written through.
    Link {
        /// Where it points, as written.
        to: PathBuf,
        /// Hash of that text, as plans have it.
        sha256: String,
    },
    /// A folder, a device, a socket.
    Other,
}

impl Found {
    /// Whether this is what a plan with that hash has seen.
    pub(crate) fn is(&self, sha256: Option<&str>) -> bool {
        match self {
            Self::Nothing => sha256.is_none(),
            Self::File { sha256: found, .. } | Self::Link { sha256: found, .. } => {
                Some(found.as_str()) == sha256
            }
            Self::Other => false,
        }
    }

    /// Text for messages.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Nothing => "there is no file now".to_owned(),
            Self::File { sha256, .. } => format!("it now has sha256 {sha256}"),
            Self::Link { to, .. } => format!("it now is a link to `{}`", to.display()),
            Self::Other => "it is not a file".to_owned(),
        }
    }
}

/// The mode of a file that replaces one of mode `before`: kept, made executable if needed.
pub(crate) fn mode_replacing(before: Option<u32>, executable: bool) -> FileMode {
    match before {
        Some(before) if executable => FileMode::Exact(before | ((before & 0o444) >> 2)),
        Some(before) => FileMode::Exact(before),
        None => FileMode::Umask(if executable { 0o777 } else { 0o666 }),
    }
}

/// What is at `name` in `folder`, hashed.
pub(crate) fn look(folder: &Folder, name: &OsStr) -> Result<Found> {
    let path = || folder.path.join(name);
    let stat = match statat(&folder.fd, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(Found::Nothing),
        Err(error) => return Err(failure::io("inspect", &path(), &error.into())),
    };
    match FileType::from_raw_mode(stat.st_mode) {
        FileType::RegularFile => {
            let mut file = open(folder, name)?;
            let sha256 = digest(&mut file).map_err(|error| failure::io("read", &path(), &error))?;
            Ok(Found::File { sha256, mode: stat.st_mode & PERMISSIONS })
        }
        FileType::Symlink => {
            let to = readlinkat(&folder.fd, name, Vec::new())
                .map_err(|error| failure::io("read the link", &path(), &error.into()))?;
            let sha256 = content::sha256(to.as_bytes());
            Ok(Found::Link { to: PathBuf::from(OsString::from_vec(to.into_bytes())), sha256 })
        }
        _ => Ok(Found::Other),
    }
}

/// Mode of the file and goal of the link at `name`, as far as it is one. Reads no content.
pub(crate) fn peek(folder: &Folder, name: &OsStr) -> Result<(Option<u32>, Option<PathBuf>)> {
    match statat(&folder.fd, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => match FileType::from_raw_mode(stat.st_mode) {
            FileType::RegularFile => Ok((Some(stat.st_mode & PERMISSIONS), None)),
            FileType::Symlink => match look(folder, name)? {
                Found::Link { to, .. } => Ok((None, Some(to))),
                _ => Ok((None, None)),
            },
            _ => Ok((None, None)),
        },
        Err(Errno::NOENT) => Ok((None, None)),
        Err(error) => Err(failure::io("inspect", &folder.path.join(name), &error.into())),
    }
}

/// Reads `name` in `folder`, which must be a file and no link.
pub(crate) fn read(folder: &Folder, name: &OsStr) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(folder, name)?
        .read_to_end(&mut bytes)
        .map_err(|error| failure::io("read", &folder.path.join(name), &error))?;
    Ok(bytes)
}

fn open(folder: &Folder, name: &OsStr) -> Result<File> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(&folder.fd, name, flags, rustix::fs::Mode::empty())
        .map(File::from)
        .map_err(|error| failure::io("read", &folder.path.join(name), &error.into()))
}

fn digest(file: &mut File) -> io::Result<String> {
    let size = file.metadata()?.size();
    let mut piece = vec![0; usize::try_from(size.clamp(1 << 10, 1 << 18)).unwrap_or(1 << 18)];
    let mut hasher = Sha256::new();
    loop {
        match file.read(&mut piece) {
            Ok(0) => return Ok(hex(&hasher.finalize())),
            Ok(count) => hasher.update(&piece[..count]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// Writes a file that must not exist yet.
pub(crate) fn write_new(
    folder: &Folder,
    name: &OsStr,
    bytes: &[u8],
    mode: FileMode,
    sync: bool,
) -> Result<()> {
    let write = || {
        let mut file = durable::create_new(&folder.fd, name, mode)?;
        file.write_all(bytes)?;
        if sync { file.sync_data() } else { Ok(()) }
    };
    write().map_err(|error| failure::io("write", &folder.path.join(name), &error))
}

/// Writes a file of our own state, readable by its owner only. Its folder must be there.
pub(crate) fn copy_private(path: &Path, bytes: &[u8], executable: bool, sync: bool) -> Result<()> {
    let mode = if executable { 0o700 } else { 0o600 };
    let write = || {
        let mut file =
            File::options().write(true).create(true).truncate(true).mode(mode).open(path)?;
        file.write_all(bytes)?;
        if sync { file.sync_data() } else { Ok(()) }
    };
    write().map_err(|error| failure::io("write", path, &error))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;
    use toolwright_runtime::digest::sha256_hex;

    #[test]
    fn looks_without_following() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("f"), "x").unwrap();
        symlink("f", dir.path().join("good")).unwrap();
        symlink("nowhere", dir.path().join("bad")).unwrap();
        let folder = Folder::open(dir.path()).unwrap().unwrap();
        let look = |name: &str| super::look(&folder, OsStr::new(name)).unwrap();
        let hash = sha256_hex(b"x");
        assert!(matches!(look("f"), Found::File { sha256, .. } if sha256 == hash));
        assert_eq!(look("good"), Found::Link { to: "f".into(), sha256: sha256_hex(b"f") });
        assert_eq!(look("none"), Found::Nothing);
        assert!(look("f").is(Some(&hash)) && !look("f").is(None) && look("none").is(None));
        assert!(look("bad").is(Some(&sha256_hex(b"nowhere"))) && !look("bad").is(None));
        assert!(read(&folder, OsStr::new("good")).is_err(), "a link is not read through");
    }

    #[test]
    fn modes_are_kept_and_gain_the_executable_bit() {
        assert_eq!(mode_replacing(Some(0o640), true), FileMode::Exact(0o750));
        assert_eq!(mode_replacing(Some(0o755), false), FileMode::Exact(0o755));
        assert_eq!(mode_replacing(None, true), FileMode::Umask(0o777));
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::open(dir.path()).unwrap().unwrap();
        for (name, mode, wanted) in
            [("a", FileMode::Exact(0o750), 0o750), ("b", FileMode::Umask(0o777), 0o100)]
        {
            write_new(&folder, OsStr::new(name), b"x", mode, true).unwrap();
            let bits = std::fs::metadata(dir.path().join(name)).unwrap().permissions().mode();
            assert_eq!(bits & wanted, wanted, "{name}");
        }
        let mode = FileMode::Umask(0o666);
        assert!(write_new(&folder, OsStr::new("a"), b"y", mode, false).is_err());
    }
}
