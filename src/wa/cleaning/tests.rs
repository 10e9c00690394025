//! Cleaning a real file of the earlier layout: whole, in parts, and where it must refuse.

use std::path::Path;

use rusqlite::Connection;

use super::*;
use crate::history::{History, SCHEMA, SearchQuery};

const SECRET: &str = "vb7nrty2wz5kmhj9cpga4euio1tzqxwvdf8s";

/// A file as an earlier release left it: secrets in segments, one of them cut in two and one in a line
/// that repeats, in the index, in deleted rows, in marks and titles.
fn earlier(folder: &Path, segments: usize) -> std::path::PathBuf {
    let file = folder.join(store::FILE);
    let old = Connection::open(&file).unwrap();
    old.execute_batch("PRAGMA journal_mode = WAL").unwrap();
    old.execute_batch(SCHEMA).unwrap();
    old.execute_batch("PRAGMA user_version = 1; BEGIN").unwrap();
    let title = format!("mysql --password {SECRET}");
    old.execute("INSERT INTO panes (identity, uuid, pane_id, backend, domain, title, first_seen) VALUES ('a', 'u', 1, 'tmux', 'tmux', ?1, 0)", [&title]).unwrap();
    let tail = format!("$ echo token ghp_{SECRET}\n$");
    old.execute("INSERT INTO capture_marks VALUES (1, 0, ?1)", [&tail]).unwrap();
    let mut seq = 0;
    let mut put = |text: &str, runs: Option<Vec<u8>>| {
        seq += 1;
        old.execute("INSERT INTO segments (pane, pane_id, seq, captured_at, bytes, stored, runs, text) VALUES (1, 1, ?1, 5, ?2, ?2, ?3, ?4)", rusqlite::params![seq, text.len(), runs, text]).unwrap();
        let id = old.last_insert_rowid();
        old.execute(
            "INSERT INTO segments_fts (rowid, captured_text) VALUES (?1, ?2)",
            rusqlite::params![id, text],
        )
        .unwrap();
    };
    for number in 0..segments {
        put(&format!("line {number}\nplain words and token ghp_{SECRET} here\n"), None);
        put(&format!("then token ghp_{}", &SECRET[..20]), None);
        put(&format!("{} ends\n", &SECRET[20..]), None);
        let line = format!("again token=ghp_{SECRET}\n");
        let runs = [6, line.len(), 3].map(|n| u32::try_from(n).unwrap().to_le_bytes()).concat();
        put(&format!("first\n{line}last\n"), Some(runs));
    }
    old.execute_batch("DELETE FROM segments WHERE id % 5 = 3 AND text LIKE 'line %'; COMMIT")
        .unwrap();
    file
}

fn holds(folder: &Path, part: &str) -> bool {
    let files = std::fs::read_dir(folder).unwrap().flatten();
    let mut bytes = files.map(|file| std::fs::read(file.path()).unwrap().to_ascii_lowercase());
    bytes.any(|bytes| memchr::memmem::find(&bytes, part.as_bytes()).is_some())
}

fn check(folder: &Path) {
    for part in SECRET.as_bytes().windows(8) {
        let part = std::str::from_utf8(part).unwrap();
        assert!(!holds(folder, part), "{part} is left");
    }
    let store = std::sync::Arc::new(Store::open(folder, &[SCHEMA]).unwrap());
    let count = |sql: &str| -> i64 {
        store.read(|reader| Ok(reader.query_row(sql, [], |row| row.get(0))?)).unwrap()
    };
    assert_eq!(count("PRAGMA user_version"), LAYOUT);
    assert_eq!(count("SELECT count(*) FROM meta WHERE key = 'cleaning'"), 0);
    assert_eq!(
        count("SELECT count(*) FROM segments WHERE stored <> length(CAST(text AS BLOB))"),
        0
    );
    let history = History::new(std::sync::Arc::clone(&store));
    let find = |query: &str| {
        let query = SearchQuery { query, limit: 5, pane_id: None, since: None, highlight: false };
        history.search(&query).unwrap().total.cast_signed()
    };
    assert_eq!(find("plain"), count("SELECT count(*) FROM segments WHERE text LIKE '%plain%'"));
    assert!(find("plain") > 0 && find("vb7nrty2wz5kmhj9*") == 0 && find("vb*") == 0);
    let repeated = count("SELECT id FROM segments WHERE runs IS NOT NULL LIMIT 1");
    let text = history.segment_text(repeated).unwrap().unwrap();
    assert_eq!(text, format!("first\n{}last\n", "again token=[REDACTED]\n".repeat(3)));
    let bytes = count("SELECT bytes FROM segments WHERE runs IS NOT NULL LIMIT 1");
    assert_eq!(bytes.unsigned_abs() as usize, text.len());
    let tail =
        "SELECT count(*) FROM capture_marks WHERE snapshot_tail = '$ echo token [REDACTED]\n$'";
    let tail = tail.replace("\\n", "\n");
    assert_eq!(count(&tail), 1);
}

#[test]
fn nothing_of_a_secret_is_left() {
    let folder = tempfile::tempdir().unwrap();
    earlier(folder.path(), 40);
    assert!(holds(folder.path(), SECRET));
    let told = std::cell::RefCell::new(Vec::new());
    open(folder.path(), &[SCHEMA], &|line| told.borrow_mut().push(line.to_owned())).unwrap();
    let told = told.into_inner();
    assert!(told[0].contains(": 0 of ") && told.len() >= 2, "{told:?}");
    check(folder.path());
    // Once.
    open(folder.path(), &[SCHEMA], &|line| panic!("again: {line}")).unwrap();
}

#[test]
fn a_cleaning_that_was_cut_off_anywhere_goes_on() {
    for steps in 0..4 {
        let folder = tempfile::tempdir().unwrap();
        let file = earlier(folder.path(), 1500);
        let mut cleaner = Cleaner::new(&file).unwrap().unwrap();
        for _ in 0..steps {
            assert!(cleaner.step().unwrap(), "too small a file");
        }
        drop(cleaner);
        // An older release refuses it from the first step on.
        let layout =
            Connection::open(&file)
                .unwrap()
                .pragma_query_value(None, "user_version", |row| row.get::<_, i64>(0));
        assert_eq!(layout.unwrap(), LAYOUT);
        open(folder.path(), &[SCHEMA], &|_| {}).unwrap();
        check(folder.path());
    }
}

#[test]
fn a_new_file_and_a_later_one_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let nothing = |line: &str| panic!("{line}");
    drop(open(folder.path(), &[SCHEMA], &nothing).unwrap());
    drop(open(folder.path(), &[SCHEMA], &nothing).unwrap());
    let file = folder.path().join(store::FILE);
    let later = Connection::open(&file).unwrap();
    later.pragma_update(None, "user_version", LAYOUT + 1).unwrap();
    drop(later);
    let refused = open(folder.path(), &[SCHEMA], &nothing).err().unwrap();
    assert!(refused.message.contains("later release"), "{refused}");
}

#[test]
fn the_earlier_layout_is_refused_without_cleaning() {
    let folder = tempfile::tempdir().unwrap();
    earlier(folder.path(), 1);
    let refused = Store::open(folder.path(), &[SCHEMA]).err().unwrap();
    assert!(refused.message.contains("layout 1"), "{refused}");
}
