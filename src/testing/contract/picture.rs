//! Pictures of a store, to be compared before and after a call: files, folders and SQLite databases.

use std::collections::BTreeMap;
use std::fs::Metadata;
use std::path::{Path, PathBuf};

/// The content of a store: path → state.
pub type Picture = BTreeMap<PathBuf, String>;

/// What a SQLite database begins with.
const SQLITE: &[u8] = b"SQLite format 3\0";
/// What stands beside a SQLite database while it is open. Reading changes it.
const BESIDE: [&str; 3] = ["-journal", "-shm", "-wal"];

/// Everything at these paths, but for what is ignored. With `times`, a file that was written again
/// differs, even with the same content.
pub(super) fn of<'p>(
    paths: impl Iterator<Item = &'p PathBuf>,
    ignored: &[PathBuf],
    times: bool,
) -> Picture {
    let mut drawing = Drawing { picture: Picture::new(), ignored, times };
    paths.for_each(|path| drawing.draw(path));
    drawing.picture
}

/// What differs between two pictures.
pub(super) fn changes(before: &Picture, after: &Picture) -> Vec<String> {
    let mut changes = Vec::new();
    for path in before.keys().chain(after.keys().filter(|path| !before.contains_key(*path))) {
        let how = match (before.get(path), after.get(path)) {
            (None, _) => "is new",
            (_, None) => "is gone",
            (before, after) if before != after => "changed",
            _ => continue,
        };
        changes.push(format!("`{}` {how}", path.display()));
    }
    changes
}

struct Drawing<'i> {
    picture: Picture,
    ignored: &'i [PathBuf],
    times: bool,
}

impl Drawing<'_> {
    fn draw(&mut self, path: &Path) {
        let Ok(metadata) = std::fs::symlink_metadata(path) else { return };
        if self.ignored.iter().any(|ignored| ignored == path) {
            return;
        }
        if metadata.is_dir() {
            self.folder(path, &metadata);
        } else if metadata.is_symlink() {
            let target = std::fs::read_link(path).unwrap_or_default();
            self.picture.insert(path.to_owned(), format!("link to {}", target.display()));
        } else {
            let bytes = std::fs::read(path).unwrap_or_default();
            if bytes.starts_with(SQLITE) {
                self.database(path);
            } else if !is_beside_a_database(path) {
                let text = format!("{} {}", self.time(&metadata), String::from_utf8_lossy(&bytes));
                self.picture.insert(path.to_owned(), text);
            }
        }
    }

    fn folder(&mut self, path: &Path, metadata: &Metadata) {
        let Ok(entries) = std::fs::read_dir(path) else { return };
        let entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        // What is ignored may come and go, and so do the files beside a database.
        let changes_unseen = entries.iter().any(|entry| is_database(entry))
            || self.ignored.iter().any(|ignored| ignored.parent() == Some(path));
        let time = if changes_unseen { String::new() } else { self.time(metadata) };
        self.picture.insert(path.to_owned(), format!("folder {time}"));
        entries.iter().for_each(|entry| self.draw(entry));
    }

    fn time(&self, metadata: &Metadata) -> String {
        let modified = metadata.modified().expect("a modification time");
        if self.times { format!("{modified:?}") } else { String::new() }
    }

    /// One entry for each table.
    fn database(&mut self, path: &Path) {
        let tables = super::sqlite::tables(path);
        self.picture.extend(tables.into_iter().map(|(name, rows)| (path.join(name), rows)));
    }
}

fn is_database(path: &Path) -> bool {
    use std::io::Read as _;
    let mut start = [0; SQLITE.len()];
    let file = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut start));
    file.is_ok() && start == SQLITE
}

fn is_beside_a_database(path: &Path) -> bool {
    let Some(name) = path.to_str() else { return false };
    let database = BESIDE.iter().find_map(|suffix| name.strip_suffix(suffix));
    database.is_some_and(|database| is_database(Path::new(database)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(folder: &Path, times: bool) -> Picture {
        of(std::iter::once(&folder.to_owned()), &[folder.join("lock")], times)
    }

    #[test]
    fn what_is_new_gone_or_changed_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir(at("sub")).unwrap();
        for name in ["same", "gone", "sub/changed", "lock"] {
            std::fs::write(at(name), "before").unwrap();
        }
        let before = picture(folder.path(), false);
        std::fs::remove_file(at("gone")).unwrap();
        for name in ["sub/changed", "lock", "new"] {
            std::fs::write(at(name), "after").unwrap();
        }
        let named = |name: &str, how: &str| format!("`{}` {how}", at(name).display());
        assert_eq!(
            changes(&before, &picture(folder.path(), false)),
            [named("gone", "is gone"), named("sub/changed", "changed"), named("new", "is new")]
        );
    }

    #[test]
    fn the_same_content_written_again_is_a_change_only_with_times() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "same").unwrap();
        let (with, without) = (picture(folder.path(), true), picture(folder.path(), false));
        let file = std::fs::File::options().write(true).open(file).unwrap();
        file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        assert_eq!(changes(&with, &picture(folder.path(), true)).len(), 1);
        assert_eq!(without, picture(folder.path(), false));
    }

    #[cfg(feature = "sqlite")]
    #[test]
    fn a_database_is_what_its_tables_hold() {
        let folder = tempfile::tempdir().unwrap();
        let open = || rusqlite::Connection::open(folder.path().join("a.db")).unwrap();
        let made =
            "PRAGMA journal_mode = WAL; CREATE TABLE t (a, b); INSERT INTO t VALUES (1, x'00')";
        open().execute_batch(made).unwrap();
        let before = picture(folder.path(), true);
        let connection = open();
        let count = |sql: &str| connection.query_row(sql, [], |row| row.get::<_, i64>(0)).unwrap();
        assert_eq!(count("SELECT count(*) FROM t"), 1);
        assert_eq!(before, picture(folder.path(), true), "reading is no change");
        connection.execute("UPDATE t SET a = 2", []).unwrap();
        let table = folder.path().join("a.db/t");
        let changed = format!("`{}` changed", table.display());
        assert_eq!(changes(&before, &picture(folder.path(), true)), [changed]);
    }
}
