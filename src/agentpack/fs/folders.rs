//! Open folders, from which the files in them are reached.

use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use rustix::io::Errno;
use toolwright_platform::durable::sync_directory;
use toolwright_runtime::{ErrorKind, Failure};

use crate::failure::{self, Result};
use crate::generated::Error;
use crate::paths::posix;

const OPEN: OFlags = OFlags::RDONLY.union(OFlags::DIRECTORY).union(OFlags::CLOEXEC);

/// An open folder and the path it was reached by.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) fd: OwnedFd,
    pub(crate) path: PathBuf,
}

impl Folder {
    /// Opens a folder, through links if need be; none if there is none.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>> {
        match rustix::fs::open(path, OPEN, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd, path: path.to_owned() })),
            Err(Errno::NOENT) => Ok(None),
            Err(error) => Err(failure::io("open the folder", path, &error.into())),
        }
    }

    /// Opens a folder in this one; none if there is none. A link may lead to a folder below
    /// `root`, and nowhere else.
    fn enter(&self, root: &Path, name: &OsStr) -> Result<Option<Self>> {
        let path = self.path.join(name);
        match rustix::fs::openat(&self.fd, name, OPEN | OFlags::NOFOLLOW, Mode::empty()) {
            Ok(fd) => Ok(Some(Self { fd, path })),
            Err(Errno::NOENT) => Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) if self.is_link(name) => {
                match (path.canonicalize(), root.canonicalize()) {
                    (Ok(goal), Ok(root)) if goal.starts_with(&root) => {
                        Ok(Self::open(&goal)?.map(|folder| Self { path, ..folder }))
                    }
                    _ => Err(link(&path)),
                }
            }
            Err(error) => Err(failure::io("open the folder", &path, &error.into())),
        }
    }

    fn enter_or_create(&self, root: &Path, name: &OsStr) -> Result<Self> {
        // Again when another thread creates it, or a user removes it, in between.
        for _ in 0..3 {
            if let Some(found) = self.enter(root, name)? {
                return Ok(found);
            }
            match rustix::fs::mkdirat(&self.fd, name, Mode::from_raw_mode(0o777)) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => {
                    let path = self.path.join(name);
                    return Err(failure::io("create the folder", &path, &error.into()));
                }
            }
        }
        Err(failure::io("create the folder", &self.path.join(name), &Errno::NOENT.into()))
    }

    fn is_link(&self, name: &OsStr) -> bool {
        rustix::fs::statat(&self.fd, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
    }

    /// Makes changes of names in it durable.
    pub(crate) fn sync(&self) -> Result<()> {
        sync_directory(&self.fd).map_err(|error| failure::io("sync the folder", &self.path, &error))
    }
}

fn link(path: &Path) -> Failure<Error> {
    let hint = "Replace it with a folder, or point the target's root at the link's destination.";
    Error::IoInvalidPath
        .because(format!(
            "`{}` is a symbolic link that leads out of its target's root.",
            path.display()
        ))
        .hint(hint)
        .with("path", path)
        .with("path_posix", posix(path))
        .with("hint", hint)
}

fn outside(root: &Path, path: &Path) -> Failure<Error> {
    Error::IoInvalidPath
        .because(format!("`{}` is not below its root `{}`.", path.display(), root.display()))
        .with("path", path)
        .with("path_posix", posix(path))
        .with("root", root)
}

/// Opens the folders of files below roots. Remembers the last one: work lists are sorted.
#[derive(Debug, Default)]
pub(crate) struct Walker {
    last: Option<(PathBuf, PathBuf, Rc<Folder>)>,
}

impl Walker {
    /// The folder that `path` is in, opened from `root`; none if a level is missing.
    pub(crate) fn find(&mut self, root: &Path, path: &Path) -> Result<Option<Rc<Folder>>> {
        self.walk(root, path, false)
    }

    /// The folder that `path` is in, created if need be.
    pub(crate) fn create(&mut self, root: &Path, path: &Path) -> Result<Rc<Folder>> {
        match self.walk(root, path, true)? {
            Some(folder) => Ok(folder),
            None => Err(failure::io("create the folder", root, &Errno::NOENT.into())),
        }
    }

    fn walk(&mut self, root: &Path, path: &Path, create: bool) -> Result<Option<Rc<Folder>>> {
        let (Ok(below), Some(parent)) = (path.strip_prefix(root), path.parent()) else {
            return Err(outside(root, path));
        };
        let plain =
            |part: std::path::Component<'_>| matches!(part, std::path::Component::Normal(_));
        if below.as_os_str().is_empty() || !below.components().all(plain) {
            return Err(outside(root, path));
        }
        if let Some((known_root, known, folder)) = &self.last
            && known_root == root
            && known == parent
        {
            return Ok(Some(Rc::clone(folder)));
        }
        if create {
            std::fs::create_dir_all(root)
                .map_err(|error| failure::io("create the folder", root, &error))?;
        }
        let Some(mut here) = Folder::open(root)? else { return Ok(None) };
        for part in below.parent().into_iter().flat_map(Path::iter) {
            here = if create {
                here.enter_or_create(root, part)?
            } else {
                match here.enter(root, part)? {
                    Some(next) => next,
                    None => return Ok(None),
                }
            };
        }
        let folder = Rc::new(here);
        self.last = Some((root.to_owned(), parent.to_owned(), Rc::clone(&folder)));
        Ok(Some(folder))
    }
}

/// Folders above `path` that do not exist, outermost first.
pub(crate) fn missing_ancestors(path: &Path) -> Vec<PathBuf> {
    let mut missing: Vec<PathBuf> = path
        .ancestors()
        .skip(1)
        .take_while(|folder| folder.symlink_metadata().is_err())
        .map(Path::to_owned)
        .collect();
    missing.reverse();
    missing
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_created_below_the_root_only() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path().join("r");
        let mut walker = Walker::default();
        assert!(walker.find(&root, &root.join("a/b/f")).unwrap().is_none());
        assert!(!root.exists(), "looking creates nothing");
        assert_eq!(missing_ancestors(&root.join("a/f")), [root.clone(), root.join("a")]);
        walker.create(&root, &root.join("a/b/f")).unwrap();
        assert!(root.join("a/b").is_dir());
        for path in [dir.path().join("x"), root.join("../x"), root.clone()] {
            let failure = walker.create(&root, &path).unwrap_err();
            assert_eq!(failure.kind(), Error::IoInvalidPath, "{}", path.display());
        }
    }

    #[test]
    fn links_out_of_the_root_are_refused_and_others_are_followed() {
        let dir = tempfile::tempdir().unwrap();
        let (real, root) = (dir.path().join("real"), dir.path().join("root"));
        std::fs::create_dir_all(real.join("sub")).unwrap();
        std::os::unix::fs::symlink(&real, &root).unwrap();
        std::os::unix::fs::symlink(dir.path(), real.join("out")).unwrap();
        std::os::unix::fs::symlink("sub", real.join("inside")).unwrap();
        let mut walker = Walker::default();
        assert!(walker.find(&root, &root.join("sub/f")).unwrap().is_some());
        walker.create(&root, &root.join("inside/new/f")).unwrap();
        assert!(real.join("sub/new").is_dir());
        let failure = walker.create(&root, &root.join("out/f")).unwrap_err();
        assert_eq!(failure.kind(), Error::IoInvalidPath);
        assert!(failure.message().contains("out"), "{failure}");
    }
}
