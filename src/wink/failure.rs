//! The engine's result type and the few failures that several modules raise.
//!
//! Knows the surface's error registry and nothing of where a failure will be shown.

use std::path::Path;

use toolwright_runtime::{ErrorKind, Failure};

use crate::generated::Error;

/// What every fallible engine function returns.
pub(crate) type Result<T> = std::result::Result<T, Failure<Error>>;

/// An override file that cannot be read as one. `what` completes "… because {what}".
pub(crate) fn malformed(path: &Path, what: impl std::fmt::Display) -> Failure<Error> {
    Error::OverrideFileMalformed
        .because(format!("Override file `{}` cannot be used: {what}", path.display()))
        .hint(
            "Fix the file manually or restore it from version control; \
             the application fails on it as well.",
        )
        .with("path", path)
}
