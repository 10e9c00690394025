//! Exclusive access to the database file during cleaning: an older release would keep writing secrets
//! into it.

use std::path::Path;
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode};

use crate::error::{Kind, Result};

/// A short command of an older release may take so long.
const WAIT: Duration = Duration::from_secs(5);
const PAUSE: Duration = Duration::from_millis(50);
/// Processes that are named.
const NAMED: usize = 5;

/// Takes the file for this connection alone, until that is closed. In write-ahead mode every open
/// connection holds a lock on the file, and only one that has it alone can leave that mode.
pub(super) fn take(file: &Path, connection: &Connection) -> Result<()> {
    let started = Instant::now();
    loop {
        let taken = connection.execute_batch(
            "PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = DELETE;
             BEGIN EXCLUSIVE; COMMIT;",
        );
        match taken {
            Ok(()) => return Ok(()),
            Err(error) if error.sqlite_error_code() != Some(ErrorCode::DatabaseBusy) => {
                return Err(error.into());
            }
            Err(_) if started.elapsed() < WAIT => std::thread::sleep(PAUSE),
            Err(error) => {
                let who = match holders(file) {
                    named if named.is_empty() => "another process has it open".to_owned(),
                    named => format!("{} has it open", named.join(", ")),
                };
                return Err(Kind::Storage
                    .because(format!(
                        "`{}` was written by an older release and may contain secrets; it must be \
                         cleaned once, but {who}.",
                        file.display()
                    ))
                    .hint(
                        "End every older `wa` of this workspace (servers and `wa watch`), then try \
                         again.",
                    )
                    .internal(error));
            }
        }
    }
}

/// Processes of this user that have the file open, where the system reports them.
fn holders(file: &Path) -> Vec<String> {
    let Ok(file) = file.canonicalize() else { return Vec::new() };
    let Ok(processes) = std::fs::read_dir("/proc") else { return Vec::new() };
    let own = std::process::id().to_string();
    let mut named = Vec::new();
    for process in processes.flatten() {
        let name = process.file_name();
        let Some(pid) = name.to_str().filter(|pid| pid.bytes().all(|byte| byte.is_ascii_digit()))
        else {
            continue;
        };
        let Ok(open) = std::fs::read_dir(process.path().join("fd")) else { continue };
        let mut open = open.flatten().filter_map(|link| std::fs::read_link(link.path()).ok());
        if pid != own && open.any(|target| target == file) {
            let program = std::fs::read_to_string(process.path().join("comm")).unwrap_or_default();
            named.push(format!("process {pid} ({})", program.trim()));
        }
        if named.len() == NAMED {
            break;
        }
    }
    named
}
