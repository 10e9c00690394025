//! The engine's result type and the failures that several modules raise.
//!
//! Knows the surface's error registry and nothing of where a failure will be shown.

use std::io;
use std::path::Path;

use toolwright_runtime::{ErrorKind, Failure};

use super::paths::posix;
use crate::generated::Error;

/// What every fallible engine function returns.
pub(crate) type Result<T> = std::result::Result<T, Failure<Error>>;

/// A file operation that failed. `doing` completes "could not …": "read", "write", "list".
pub(crate) fn io(doing: &str, path: &Path, error: &io::Error) -> Failure<Error> {
    let (kind, hint) = classify(error);
    kind.because(format!("Could not {doing} `{}`: {error}.", path.display()))
        .hint(hint)
        .with("path", path)
        .with("path_posix", posix(path))
        .with("io_kind", format!("{:?}", error.kind()))
        .with("raw_os_error", error.raw_os_error())
        .with("hint", hint)
}

/// Which registry entry an error of the operating system is.
fn classify(error: &io::Error) -> (Error, &'static str) {
    use io::ErrorKind as Kind;
    match error.kind() {
        Kind::PermissionDenied | Kind::ReadOnlyFilesystem => {
            (Error::IoPermissionDenied, "Check owner and mode of the path and of its folder.")
        }
        Kind::StorageFull | Kind::QuotaExceeded => {
            (Error::IoNoSpace, "Free some space on that file system.")
        }
        Kind::InvalidFilename if error.raw_os_error() == Some(NAME_TOO_LONG) => {
            (Error::IoPathTooLong, "Use a shorter path or a shorter name.")
        }
        Kind::InvalidFilename | Kind::InvalidInput | Kind::NotADirectory | Kind::IsADirectory => {
            (Error::IoInvalidPath, "Check what is at that path.")
        }
        _ => (Error::IoFailed, "Check the path and the disk."),
    }
}

/// `ENAMETOOLONG`.
const NAME_TOO_LONG: i32 = rustix::io::Errno::NAMETOOLONG.raw_os_error();

/// The config repo has something that cannot be used. `what` names it and where it is.
pub(crate) fn config(path: &Path, what: impl std::fmt::Display) -> Failure<Error> {
    Error::ConfigInvalid
        .because(format!("`{}`: {what}", path.display()))
        .with("path", path)
        .with("path_posix", posix(path))
        .with("error", what.to_string())
}

/// A module cannot be used as it is. The message names the module, the file and the cause.
pub(crate) fn module(id: &str, path: &Path, what: impl std::fmt::Display) -> Failure<Error> {
    Error::ConfigInvalid
        .because(format!("Module `{id}`: `{}`: {what}", path.display()))
        .with("module_id", id)
        .with("path", path)
        .with("path_posix", posix(path))
        .with("error", what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_system_get_their_stable_kind() {
        use rustix::io::Errno;
        let cases = [
            (Errno::ACCESS, Error::IoPermissionDenied),
            (Errno::PERM, Error::IoPermissionDenied),
            (Errno::ROFS, Error::IoPermissionDenied),
            (Errno::NOSPC, Error::IoNoSpace),
            (Errno::DQUOT, Error::IoNoSpace),
            (Errno::NAMETOOLONG, Error::IoPathTooLong),
            (Errno::NOTDIR, Error::IoInvalidPath),
            (Errno::ISDIR, Error::IoInvalidPath),
            (Errno::IO, Error::IoFailed),
        ];
        for (errno, kind) in cases {
            let failure = super::io("read", Path::new("/a/b"), &errno.into());
            assert_eq!(failure.kind(), kind, "{errno:?}");
            assert!(failure.message().contains("/a/b"), "{}", failure.message());
        }
        let raw = super::io("read", Path::new("/a"), &Errno::ACCESS.into()).erase();
        assert_eq!(raw.details["raw_os_error"], 13);
        assert_eq!(raw.details["path_posix"], "/a");
    }
}
