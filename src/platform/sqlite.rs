//! What the SQLite files of all surfaces share.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::health::{self, Row};
use rusqlite::{Connection, ErrorCode};

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(10);

/// Turns the write-ahead log on. Of several processes that make a file at once one does it, and the
/// others are told that the file is busy without SQLite's own waiting; they wait here.
pub fn write_ahead(connection: &Connection, wait: Duration) -> rusqlite::Result<()> {
    let mut left = wait;
    loop {
        match connection.execute_batch("PRAGMA journal_mode = WAL") {
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && !left.is_zero() =>
            {
                std::thread::sleep(PAUSE);
                left = left.saturating_sub(PAUSE);
            }
            turned => return turned,
        }
    }
}

/// Why a statement failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FailureKind {
    /// The disk has no room.
    Full,
    /// The file cannot be written.
    Denied,
    /// The same may work later.
    Unavailable,
    /// A value is too large.
    TooLarge,
    /// The file or the statement is not sound.
    Broken,
}

/// Why it failed, and what to tell the user. Constraints are not known here.
pub fn classify(error: &rusqlite::Error) -> (FailureKind, &'static str) {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => {
            (FailureKind::Full, "The disk is full; nothing was written. Make room and try again.")
        }
        Some(
            ErrorCode::ReadOnly
            | ErrorCode::PermissionDenied
            | ErrorCode::AuthorizationForStatementDenied,
        ) => (FailureKind::Denied, "The database cannot be written here; nothing was written."),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => (
            FailureKind::Unavailable,
            "The database is busy with another write; nothing was written. Try again later.",
        ),
        Some(
            ErrorCode::CannotOpen
            | ErrorCode::SystemIoFailure
            | ErrorCode::OutOfMemory
            | ErrorCode::FileLockingProtocolFailed,
        ) => (FailureKind::Unavailable, "The database does not answer. Try again later."),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => (
            FailureKind::Broken,
            "The database file is damaged or no database. Bring back a copy of it.",
        ),
        Some(ErrorCode::TooBig) => {
            (FailureKind::TooLarge, "A value is too large for the database; nothing was written.")
        }
        _ => (FailureKind::Broken, "The database cannot run the statement; nothing was written."),
    }
}

/// Larger files are only looked at from outside.
const QUICKLY_COPIED: u64 = 64 << 20;

/// Rows of a doctor about a file and its folder. Nothing is made beside the file and no lock is
/// taken: a copy of it is what is read.
pub fn doctor_rows(file: &Path) -> Vec<Row> {
    const CHECK: &str = "store.file";
    let folder = file.parent().unwrap_or(Path::new("/"));
    let shown = file.display();
    let mut rows = vec![health::folder("store.folder", folder)];
    if !file.exists() {
        rows.push(Row::good(CHECK, format!("`{shown}` is made when it is needed")));
        return rows;
    }
    let broken = |cause: String| {
        Row::bad(CHECK, format!("`{shown}` cannot be used"))
            .expected("a sound SQLite file")
            .cause(cause)
            .remedy("Put a backup in its place, or move it away to start anew.")
    };
    rows.push(match read_copy(file) {
        Ok(Some(found)) if found == "ok" => Row::good(CHECK, format!("`{shown}` is sound")),
        Ok(Some(found)) => broken(found),
        Ok(None) => Row::good(CHECK, format!("`{shown}` is there; too busy or large to be read")),
        Err(cause) => broken(cause),
    });
    if rustix::fs::access(file, rustix::fs::Access::WRITE_OK).is_err() {
        let row = Row::bad("store.writable", format!("`{shown}` cannot be written to"));
        rows.push(row.remedy("Change its permissions, or set another file."));
    }
    rows
}

/// What SQLite says of a copy of the file and its log; nothing where somebody wrote meanwhile.
fn read_copy(file: &Path) -> Result<Option<String>, String> {
    let log = |file: &Path| {
        let mut name = file.as_os_str().to_owned();
        name.push("-wal");
        PathBuf::from(name)
    };
    let look = || {
        [file, &log(file)].map(|file| {
            let metadata = file.metadata().ok()?;
            Some((metadata.len(), metadata.modified().ok()))
        })
    };
    let before = look();
    let bytes: u64 = before.iter().flatten().map(|(bytes, _)| bytes).sum();
    if bytes > QUICKLY_COPIED {
        return Ok(None);
    }
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let copy = folder.path().join("copy.db");
    std::fs::copy(file, &copy).map_err(|error| error.to_string())?;
    if before[1].is_some() {
        std::fs::copy(log(file), log(&copy)).map_err(|error| error.to_string())?;
    }
    if look() != before {
        return Ok(None);
    }
    Connection::open(&copy)
        .and_then(|copy| copy.query_row("PRAGMA quick_check(1)", [], |row| row.get(0)))
        .map(Some)
        .map_err(|error| error.to_string())
}

/// Makes the file and its folder for the user alone. What exists is left as it is.
pub fn private(file: &Path) -> std::io::Result<()> {
    use std::fs;
    use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};

    if let Some(folder) = file.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    match fs::OpenOptions::new().create_new(true).write(true).mode(0o600).open(file) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(error),
        _ => Ok(()),
    }
}
