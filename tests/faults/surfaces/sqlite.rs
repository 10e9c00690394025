//! SQLite files of any surface, looked at and held as another process would.

use std::any::Any;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use rusqlite::Connection;
use tempfile::TempDir;

use super::Files;
use crate::machine::Machine;

/// A sound copy of the file and its log, for reading; the server may go on.
pub(crate) struct Copy {
    pub(crate) file: PathBuf,
    _folder: TempDir,
}

impl Copy {
    pub(crate) fn of(machine: &Machine, file: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let copy = folder.path().join("copy.db");
        let log = |file: &Path| PathBuf::from(format!("{}-wal", file.display()));
        // A log that begins anew between the two copies does not belong to the first. Its head,
        // which is another one then, is 32 bytes long.
        let head = || {
            let mut head = Vec::new();
            let log = std::fs::File::open(machine.seen(&log(file)));
            log.and_then(|log| log.take(32).read_to_end(&mut head)).map(|_| head).ok()
        };
        loop {
            let before = head();
            let _ = std::fs::remove_file(log(&copy));
            std::fs::copy(machine.seen(file), &copy).expect("the file is there");
            let _ = std::fs::copy(machine.seen(&log(file)), log(&copy));
            if head() == before {
                break;
            }
        }
        let this = Self { file: copy, _folder: folder };
        let check = "PRAGMA integrity_check";
        let found: String = this.open().query_row(check, [], |row| row.get(0)).expect("a file");
        assert_eq!(found, "ok");
        this
    }

    pub(crate) fn open(&self) -> Connection {
        Connection::open(&self.file).expect("a database")
    }
}

/// A file that several processes share.
pub(crate) struct File(pub(crate) PathBuf);

impl Files for File {
    fn folders(&self) -> Vec<PathBuf> {
        self.0.parent().map(Path::to_owned).into_iter().collect()
    }

    fn lock(&self) -> Box<dyn Any> {
        let other = Connection::open(&self.0).expect("a database");
        other.execute_batch("BEGIN IMMEDIATE").expect("it is free");
        Box::new(other)
    }
}
