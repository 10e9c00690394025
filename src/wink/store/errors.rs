//! Errors of the operating system as the surface's errors.

use std::io;
use std::path::Path;

use rustix::io::Errno;
use toolwright_runtime::{ErrorKind, Failure};

use crate::generated::Error;

/// A failure of `action` ("read", "create", …) on `path`.
pub(crate) fn storage(action: &str, path: &Path, error: impl Into<io::Error>) -> Failure<Error> {
    let error = error.into();
    let errno = error.raw_os_error().map(Errno::from_raw_os_error);
    let (kind, hint) = match errno {
        Some(Errno::ACCESS | Errno::PERM) => {
            (Error::StorageDenied, "Give the server's user permission on this path, and try again.")
        }
        Some(Errno::ROFS) => (
            Error::StorageDenied,
            "The file system is read-only; mount it writable or use another overrides directory.",
        ),
        Some(Errno::NOSPC | Errno::DQUOT) => {
            (Error::StorageFull, "Free some space or raise the quota, and try again.")
        }
        _ => (Error::StorageFailed, "Check the path and the file system, and try again."),
    };
    kind.because(format!("Could not {action} `{}`: {error}.", path.display()))
        .hint(hint)
        .with("path", path)
        .with("action", action)
        .with("errno", error.raw_os_error())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errnos_have_kinds() {
        for (errno, kind) in [
            (Errno::ACCESS, Error::StorageDenied),
            (Errno::PERM, Error::StorageDenied),
            (Errno::ROFS, Error::StorageDenied),
            (Errno::NOSPC, Error::StorageFull),
            (Errno::DQUOT, Error::StorageFull),
            (Errno::IO, Error::StorageFailed),
        ] {
            assert_eq!(storage("write", Path::new("/x"), errno).kind(), kind, "{errno:?}");
        }
    }
}
