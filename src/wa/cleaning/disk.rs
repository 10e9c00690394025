//! Checks for the disk space to rebuild the file: SQLite writes a copy to its folder for temporary
//! files, and the old pages to a journal beside the file.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;

use crate::error::{Error, Kind, Result};
use crate::store::unusable;

/// For everything that is small.
const SPARE: u64 = 1 << 20;

/// Refuses where there is no room.
pub(super) fn check(file: &Path, connection: &Connection) -> Result<()> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let pages = |name: &str| -> Result<u64> {
        Ok(connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0))?.cast_unsigned())
    };
    let live = (pages("page_count")? - pages("freelist_count")?) * pages("page_size")?;
    let journal = pages("page_count")? * pages("page_size")? + SPARE;
    let temporary = temporary_folder();
    let device = |path: &Path| path.metadata().map(|found| found.dev()).ok();
    if device(folder) == device(&temporary) {
        return room(file, folder, journal + live);
    }
    room(file, folder, journal)?;
    room(file, &temporary, live + SPARE)
}

/// Why a file cannot even be read, where the disk is full: SQLite needs a little room for that.
pub(super) fn full(file: &Path) -> Option<Error> {
    let folder = file.parent().unwrap_or(Path::new("."));
    let free = free(folder).ok().filter(|free| *free < SPARE)?;
    let message = format!(
        "`{}` cannot be opened: the disk of `{}` is full, {free} bytes are free.",
        file.display(),
        folder.display()
    );
    Some(Kind::Storage.because(message).hint("Free some space, then try again."))
}

fn free(folder: &Path) -> Result<u64> {
    let disk = rustix::fs::statvfs(folder).map_err(|error| unusable(folder, &error))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

fn room(file: &Path, folder: &Path, needed: u64) -> Result<()> {
    let free = free(folder)?;
    if free >= needed {
        return Ok(());
    }
    let shown = file.display();
    Err(Kind::Storage
        .because(format!(
            "`{shown}` was written by an older release and may contain secrets; cleaning needs {needed} \
             free bytes on the disk of `{}`, which has {free}.",
            folder.display()
        ))
        .hint(format!(
            "Free some space, or move `{shown}` away to start without it; then try again."
        )))
}

/// Where SQLite puts temporary files.
fn temporary_folder() -> PathBuf {
    let named = ["SQLITE_TMPDIR", "TMPDIR"].into_iter().filter_map(std::env::var_os);
    let known = ["/var/tmp", "/usr/tmp", "/tmp"].map(std::ffi::OsString::from);
    let access = rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK;
    let usable = |path: &PathBuf| path.is_dir() && rustix::fs::access(path, access).is_ok();
    named.chain(known).map(PathBuf::from).find(usable).unwrap_or_else(|| PathBuf::from("."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disk_without_room_is_a_refusal_that_says_what_to_do() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("wa.db");
        room(&file, folder.path(), 1).unwrap();
        let refused = room(&file, folder.path(), u64::MAX).unwrap_err();
        assert_eq!(refused.kind, Kind::Storage);
        let shown = file.display().to_string();
        assert!(refused.message.contains(&shown), "{refused}");
        assert!(refused.message.contains(&u64::MAX.to_string()), "{refused}");
        assert!(refused.hint.unwrap().contains("Free some space"));
        assert!(temporary_folder().is_dir());
    }
}
