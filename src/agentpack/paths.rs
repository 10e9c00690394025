//! Paths as text: what is safe to join, what a manifest may name.
//!
//! Touches no file.

use std::path::{Path, PathBuf};

pub use toolwright_platform::paths::normal;

/// The path with `/` between its parts, for the `*_posix` fields and for keys. On Unix that is the
/// path itself; a backslash is an ordinary character there.
pub fn posix(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Expands a leading `~` or `~/`; without a home the path stays as it is.
pub fn expand_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(path),
    }
}

/// Whether `text`, joined to a folder, stays below it: relative, only names, at least one.
pub fn is_inside(text: &str) -> bool {
    !text.is_empty()
        && !text.contains('\0')
        && text.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Whether `text` is the name of one entry of a folder.
pub fn is_name(text: &str) -> bool {
    is_inside(text) && !text.contains(['/', '\\'])
}

/// `path` below `base` with `/` between its parts; none when it is not below or not UTF-8.
pub fn relative(path: &Path, base: &Path) -> Option<String> {
    let rest = path.strip_prefix(base).ok()?;
    let parts: Option<Vec<&str>> = rest.iter().map(std::ffi::OsStr::to_str).collect();
    parts.map(|parts| parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_plain_relative_paths_are_inside() {
        for good in ["a", "a/b.md", ".hidden/x", "a..b", "..."] {
            assert!(is_inside(good), "{good}");
        }
        for bad in ["", ".", "..", "/a", "a/../b", "../a", "a//b", "a/", "./a", "a\0b"] {
            assert!(!is_inside(bad), "{bad}");
        }
        assert!(is_name("a.md") && !is_name("a/b") && !is_name("a\\b") && !is_name(".."));
    }

    #[test]
    fn home_is_expanded_only_in_front() {
        let home = Some(Path::new("/h"));
        assert_eq!(expand_home("~/x", home), Path::new("/h/x"));
        assert_eq!(expand_home("~", home), Path::new("/h"));
        assert_eq!(expand_home("~other/x", home), Path::new("~other/x"));
        assert_eq!(expand_home("/a/~/x", home), Path::new("/a/~/x"));
        assert_eq!(expand_home("~/x", None), Path::new("~/x"));
    }

    #[test]
    fn relative_is_by_parts() {
        assert_eq!(relative(Path::new("/a/b/c"), Path::new("/a")).as_deref(), Some("b/c"));
        assert_eq!(relative(Path::new("/ab/c"), Path::new("/a")), None);
        assert_eq!(normal(Path::new("/a/./b/../c")), Path::new("/a/c"));
    }
}
