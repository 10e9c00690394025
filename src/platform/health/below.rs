//! Whether others can open files below a folder.

use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use super::exposure::{Exposure, Holds, exposure};
use super::row::Row;

/// More files are not looked at.
const MANY: usize = 2_000;
/// Any right of the group or of everybody.
const SHARED: u32 = 0o077;

/// One row about all files below a folder that others can open; none where only their owner can. Links
/// are not followed.
pub fn exposed_below(check: &str, folder: &Path) -> Option<Row> {
    let mode = fs::metadata(folder).ok().filter(fs::Metadata::is_dir)?.mode();
    if mode & SHARED == 0 {
        return None;
    }
    let found = exposures(folder);
    let first = found.first()?;
    let others = match found.len() {
        1 => String::new(),
        more => format!("; so can {} more files below `{}`", more - 1, folder.display()),
    };
    let shown = folder.display().to_string().replace('\'', "'\\''");
    let row = Row::doubtful(check, first.message() + &others)
        .expected("files that only their owner can read and change")
        .remedy(format!("Run: chmod -R go-rwx '{shown}'"));
    Some(row)
}

fn exposures(folder: &Path) -> Vec<Exposure> {
    let (mut found, mut seen) = (Vec::new(), 0);
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let mut inside: Vec<PathBuf> = fs::read_dir(&folder)
            .into_iter()
            .flatten()
            .filter_map(|entry| Some(entry.ok()?.path()))
            .take(MANY)
            .collect();
        inside.sort_unstable();
        for path in inside {
            seen += 1;
            if seen > MANY {
                return found;
            }
            let Ok(metadata) = fs::symlink_metadata(&path) else { continue };
            if metadata.is_dir() {
                folders.push(path);
            } else if metadata.is_file() {
                found.extend(exposure(&path, Holds::Secrets));
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn set(path: &Path, mode: u32) {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
    }

    #[test]
    fn files_are_counted_unless_their_folder_is_private() {
        let home = tempfile::tempdir().unwrap();
        set(home.path(), 0o755);
        let folder = home.path().join("data");
        fs::create_dir_all(folder.join("inner")).unwrap();
        for (name, mode) in [("a", 0o600), ("b", 0o644), ("inner/c", 0o666), ("d", 0o600)] {
            fs::write(folder.join(name), "x").unwrap();
            set(&folder.join(name), mode);
        }
        std::os::unix::fs::symlink("/etc/passwd", folder.join("link")).unwrap();
        set(&folder.join("inner"), 0o755);
        set(&folder, 0o755);
        let row = exposed_below("store.private", &folder).unwrap();
        assert!(row.measured.contains("/b` can be opened by others (mode 644)"), "{row:?}");
        assert!(row.measured.contains("1 more files below"), "{row:?}");
        assert!(row.remedy.unwrap().starts_with("Run: chmod -R go-rwx '"));
        set(&folder.join("inner"), 0o700);
        let row = exposed_below("store.private", &folder).unwrap();
        assert!(!row.measured.contains("more"), "{row:?}");
        set(&folder, 0o700);
        assert_eq!(exposed_below("store.private", &folder), None);
        assert_eq!(exposed_below("store.private", &home.path().join("none")), None);
    }
}
