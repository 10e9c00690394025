//! What the SQLite files of all surfaces share.

use std::time::Duration;

use rusqlite::{Connection, ErrorCode};

/// Between two tries.
const PAUSE: Duration = Duration::from_millis(10);

/// Turns the write-ahead log on. Of several processes that make a file at once one does it, and the
/// others are told that the file is busy without SQLite's own waiting; they wait here.
pub(crate) fn write_ahead(connection: &Connection, wait: Duration) -> rusqlite::Result<()> {
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

/// Makes the file and its folder for the user alone. What exists is left as it is.
#[cfg(any(feature = "worldforge", feature = "yarnnn"))]
pub(crate) fn private(file: &std::path::Path) -> std::io::Result<()> {
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
