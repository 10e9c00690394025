//! Checks the folder of a store by querying the file system, never by writing.

use std::path::{Path, PathBuf};

use rustix::fs::{Access, StatVfsMountFlags, access, statvfs};

use super::row::Row;

/// Less free space than this is doubtful.
const LITTLE: u64 = 100 << 20;

/// Whether files can be created in a folder, which may not exist yet.
pub fn folder(check: &str, folder: &Path) -> Row {
    let folder = &absolute(folder);
    let shown = folder.display();
    let Some(existing) = folder.ancestors().find(|folder| folder.exists()) else {
        return Row::bad(check, format!("`{shown}`: no folder above it exists"));
    };
    if !existing.is_dir() {
        return Row::bad(check, format!("`{}` is not a folder", existing.display()))
            .expected("a writable folder")
            .remedy("Move it out of the way, or set another folder.");
    }
    let there = if existing == folder { "exists" } else { "created when needed" };
    let refused = access(existing, Access::WRITE_OK | Access::EXEC_OK).err();
    let Ok(system) = statvfs(existing) else {
        return Row::doubtful(check, format!("`{shown}`: its file system reports no free space"));
    };
    let read_only = system.f_flag.contains(StatVfsMountFlags::RDONLY);
    if refused.is_some() || read_only {
        let cause = match refused {
            Some(error) if !read_only => error.to_string(),
            _ => "its file system is mounted read-only".to_owned(),
        };
        return Row::bad(check, format!("`{}` is not writable", existing.display()))
            .expected("a writable folder")
            .cause(cause)
            .remedy("Change its permissions, or set another folder.");
    }
    let free = system.f_bavail.saturating_mul(system.f_frsize);
    let measured = format!("`{shown}`, {there}");
    if free < LITTLE {
        return Row::doubtful(check, format!("{measured}, {} MiB free", free >> 20))
            .expected(format!("at least {} MiB free", LITTLE >> 20))
            .remedy("Free some disk space.");
    }
    Row::good(check, format!("{measured}, enough space"))
}

/// The absolute path. The folder of a bare file name is the empty path: the current directory.
fn absolute(folder: &Path) -> PathBuf {
    let named = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    std::path::absolute(named).unwrap_or_else(|_| folder.to_owned())
}

#[cfg(test)]
mod tests {
    use super::super::Verdict;
    use super::*;

    #[test]
    fn a_missing_folder_is_good_where_it_can_be_created() {
        let dir = tempfile::tempdir().unwrap();
        let row = folder("store", &dir.path().join("a/b"));
        assert_eq!(row.verdict, Verdict::Good, "{row:?}");
        assert!(row.measured.contains("created when needed"), "{row:?}");
        assert!(!dir.path().join("a").exists(), "nothing is created");
    }

    #[test]
    fn a_relative_folder_is_in_the_current_directory() {
        for relative in ["", ".", "no-such-folder/b"] {
            let row = folder("store", Path::new(relative));
            assert_eq!(row.verdict, Verdict::Good, "{row:?}");
            let here = std::env::current_dir().unwrap();
            assert!(row.measured.contains(here.to_str().unwrap()), "{row:?}");
        }
    }

    #[test]
    fn a_file_in_the_way_and_a_read_only_system_are_bad() {
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
