//! SQLite files: connections, write-ahead log, error classes, doctor rows. Shared by all surfaces.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::health::{self, Row};
use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags};

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(10);

/// Opens a file for one thread at a time. `wait` is for the locks of other processes; so many
/// `statements` are kept prepared.
pub fn connect(
    file: &Path,
    flags: OpenFlags,
    wait: Duration,
    statements: usize,
) -> rusqlite::Result<Connection> {
    let connection = Connection::open_with_flags(file, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    connection.busy_timeout(wait)?;
    connection.set_prepared_statement_cache_capacity(statements);
    // Plans do not depend on the values that are bound; otherwise SQLite would prepare cached
    // statements again whenever other values are bound.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(connection)
}

/// Turns the write-ahead log on. When several processes create a file at once, SQLite returns "busy" to
/// all but one of them without waiting; they wait here.
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
    /// The disk is full.
    Full,
    /// The file cannot be written.
    Denied,
    /// The same may work later.
    Unavailable,
    /// A value is too large.
    TooLarge,
    /// The file is damaged or the statement is wrong.
    Broken,
}

/// Why it failed, and a message for the user. Violated constraints are left to the caller.
pub fn classify(error: &rusqlite::Error) -> (FailureKind, &'static str) {
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => (
            FailureKind::Full,
            "The disk is full; nothing was written. Free some space and try again.",
        ),
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
            "The database file is damaged or no database. Restore it from a backup.",
        ),
        Some(ErrorCode::TooBig) => {
            (FailureKind::TooLarge, "A value is too large for the database; nothing was written.")
        }
        _ => (FailureKind::Broken, "The database cannot run the statement; nothing was written."),
    }
}

/// The content of larger files is not checked.
const QUICKLY_COPIED: u64 = 64 << 20;

/// Doctor rows about a file and its folder. Creates nothing beside the file and takes no lock: it reads
/// a copy.
pub fn doctor_rows(file: &Path) -> Vec<Row> {
    const CHECK: &str = "store.file";
    let folder = file.parent().unwrap_or(Path::new("/"));
    let shown = file.display();
    let mut rows = vec![health::folder("store.folder", folder)];
    if !file.exists() {
        rows.push(Row::good(CHECK, format!("`{shown}` is created when needed")));
        return rows;
    }
    let broken = |cause: String| {
        Row::bad(CHECK, format!("`{shown}` cannot be used"))
            .expected("a sound SQLite file")
            .cause(cause)
            .remedy("Replace it with a backup, or move it away to start with an empty one.")
    };
    rows.push(match read_copy(file) {
        Ok(Some(found)) if found == "ok" => Row::good(CHECK, format!("`{shown}` is sound")),
        Ok(Some(found)) => broken(found),
        Ok(None) => {
            Row::good(CHECK, format!("`{shown}` exists; too busy or too large to be checked"))
        }
        Err(cause) => broken(cause),
    });
    if rustix::fs::access(file, rustix::fs::Access::WRITE_OK).is_err() {
        let row = Row::bad("store.writable", format!("`{shown}` cannot be written to"));
        rows.push(row.remedy("Change its permissions, or set another file."));
    }
    rows
}

/// The result of SQLite's check on a copy of the file and its log; none if the file changed meanwhile.
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

/// Creates the file and its folder, accessible to the user only. Existing ones are left unchanged.
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
