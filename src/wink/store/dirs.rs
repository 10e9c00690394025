//! Open directories, so that no symlink can lead a path out of the root.
//!
//! The root itself may be reached through links: that is the user's choice. Below it every step
//! is opened from its parent without following links. A link below the root could never work
//! anyway: a file's header must agree with its path.

use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Path, PathBuf};

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use toolwright_platform::durable::sync_directory;
use toolwright_runtime::{ErrorKind, Failure};

use super::errors::storage;
use crate::failure::Result;
use crate::generated::Error;

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// An open directory and the path it was reached by.
#[derive(Debug)]
pub(crate) struct Directory {
    pub(crate) fd: OwnedFd,
    pub(crate) path: PathBuf,
}

/// Opens the overrides directory; none if it does not exist.
pub(crate) fn open_root(path: &Path) -> Result<Option<Directory>> {
    match rustix::fs::open(path, OPEN, Mode::empty()) {
        Ok(fd) => Ok(Some(Directory { fd, path: path.to_owned() })),
        Err(Errno::NOENT) => Ok(None),
        Err(error) => Err(storage("open the overrides directory", path, error)),
    }
}

impl Directory {
    /// Opens a directory in this one; none if there is none.
    pub(crate) fn enter(&self, name: &str) -> Result<Option<Directory>> {
        let path = self.path.join(name);
        match rustix::fs::openat(&self.fd, name, OPEN | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(fd) => Ok(Some(Directory { fd, path })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) if self.is_link(name) => Err(outside(&path)),
            Err(error) => Err(storage("open the directory", &path, error)),
        }
    }

    /// Opens a directory one or more levels below; none if a level is missing.
    pub(crate) fn descend<'a>(
        &self,
        names: impl Iterator<Item = &'a str>,
    ) -> Result<Option<Directory>> {
        let mut here = None;
        for name in names {
            match here.as_ref().unwrap_or(self).enter(name)? {
                Some(next) => here = Some(next),
                None => return Ok(None),
            }
        }
        Ok(here)
    }

    /// Opens a directory in this one, creating it if need be.
    pub(crate) fn enter_or_create(&self, name: &str) -> Result<Directory> {
        for _ in 0..3 {
            if let Some(found) = self.enter(name)? {
                return Ok(found);
            }
            match rustix::fs::mkdirat(&self.fd, name, Mode::from_raw_mode(0o777)) {
                Ok(()) => self.sync()?,
                Err(Errno::EXIST) => {}
                Err(error) => {
                    return Err(storage("create the directory", &self.path.join(name), error));
                }
            }
        }
        Err(storage("create the directory", &self.path.join(name), Errno::NOENT))
    }

    /// Whether a name in this directory is a symlink.
    pub(crate) fn is_link(&self, name: &str) -> bool {
        rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    }

    /// Makes changes of names durable.
    pub(crate) fn sync(&self) -> Result<()> {
        sync_directory(&self.fd).map_err(|error| storage("sync the directory", &self.path, error))
    }
}

impl AsFd for Directory {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.fd.as_fd()
    }
}

/// A symlink below the root.
pub(crate) fn outside(path: &Path) -> Failure<Error> {
    Error::PathOutsideRoot
        .because(format!(
            "`{}` is a symbolic link; links below the overrides directory are not followed.",
            path.display()
        ))
        .hint("Replace the link by what it points to, or point the overrides directory there.")
        .with("path", path)
}
