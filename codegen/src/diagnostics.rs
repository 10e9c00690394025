//! Findings: where, what, why, what to do. One table of codes, one renderer.

use std::path::PathBuf;

/// A place in a spec file.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// Path as given to the compiler, with `/`.
    pub file: PathBuf,
    /// First byte.
    pub start: usize,
    /// End of it.
    pub end: usize,
}
