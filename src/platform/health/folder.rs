//! Folders that a store needs: asked about, never tried out.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use super::row::Row;

/// Less than this is soon full.
const LITTLE: u64 = 100 << 20;

/// Whether files can be made in a folder, which may not be there yet.
pub fn folder(check: &str, folder: &Path) -> Row {
    let folder = &absolute(folder);
    let shown = folder.display();
    let Some(existing) = folder.ancestors().find(|folder| folder.exists()) else {
        return Row::bad(check, format!("`{shown}` is below nothing that exists"));
    };
    if !existing.is_dir() {
        return Row::bad(check, format!("`{}` is not a folder", existing.display()))
            .expected("a folder that can be written to")
            .remedy("Move it out of the way, or set another folder.");
    }
    let there = if existing == folder { "there" } else { "made when it is needed" };
    let refused = access(existing, Access::WRITE_OK | Access::EXEC_OK).err();
    let Ok(system) = statvfs(existing) else {
        return Row::doubtful(check, format!("`{shown}`: its file system tells nothing"));
    };
    let read_only = system.f_flag.contains(StatVfsMountFlags::RDONLY);
    if refused.is_some() || read_only {
        let cause = match refused {
            Some(error) if !read_only => error.to_string(),
            _ => "its file system is mounted read-only".to_owned(),
        };
        return Row::bad(check, format!("`{}` cannot be written to", existing.display()))
            .expected("a folder that can be written to")
            .cause(cause)
            .remedy("Change its permissions, or set another folder.");
    }
    let free = system.f_bavail.saturating_mul(system.f_frsize);
    let measured = format!("`{shown}`, {there}");
    if free < LITTLE {
        return Row::doubtful(check, format!("{measured}, {} MiB free", free >> 20))
            .expected(format!("at least {} MiB free", LITTLE >> 20))
            .remedy("Make room on the disk.");
    }
    Row::good(check, format!("{measured}, enough room"))
}

/// The folder from the root on. That of a bare file name is the empty path, which means this one.
fn absolute(folder: &Path) -> PathBuf {
    let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::path::absolute(named).unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn a_folder_that_is_not_there_yet_is_good_where_it_can_be_made() {
        let dir = tempfile::tempdir().unwrap();
        let row = folder("store", &dir.path().join("a/b"));
        assert_eq!(row.verdict, Verdict::Good, "{row:?}");
        assert!(row.measured.contains("made when it is needed"), "{row:?}");
        assert!(!dir.path().join("a").exists(), "nothing is made");
    }

    #[test]
    fn a_relative_folder_is_one_of_this_folder() {
        for relative in ["", ".", "no-such-folder/b"] {
            let row = folder("store", Path::new(relative));
            assert_eq!(row.verdict, Verdict::Good, "{row:?}");
            let here = std::env::current_dir().unwrap();
            assert!(row.measured.contains(here.to_str().unwrap()), "{row:?}");
        }
    }

    #[test]
    fn a_file_in_the_way_and_a_system_without_writing_are_bad() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("a"), "").unwrap();
        let row = folder("store", &dir.path().join("a/b"));
        assert_eq!((row.verdict, row.remedy.is_some()), (Verdict::Bad, true), "{row:?}");
        if Path::new("/proc/self").exists() {
            let row = folder("store", Path::new("/proc/self/x"));
            assert_eq!(row.verdict, Verdict::Bad, "{row:?}");
        }
    }
}
