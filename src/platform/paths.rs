//! Lexical operations on paths. Knows no surface and touches no file.

use std::path::{Component, Path, PathBuf};

/// Removes `.` and `..` lexically; links are not resolved.
pub fn normal(path: &Path) -> PathBuf {
    let mut out = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                out.pop();
            }
            other => out.push(other),
        }
    }
    out
}
