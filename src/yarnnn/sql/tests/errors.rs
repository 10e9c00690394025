use super::super::{Constraint, Dialect, Rule};
use super::*;

const TABLES: &str = "
    CREATE TABLE parent (id TEXT PRIMARY KEY, CONSTRAINT id_short CHECK (length(id) < 9));
    CREATE TABLE child (id BIGINT PRIMARY KEY, parent TEXT NOT NULL REFERENCES parent (id),
        a TEXT, b TEXT, c TEXT, UNIQUE (a, b));
    CREATE UNIQUE INDEX child_one_c ON child (c) WHERE c <> '';
    CREATE UNIQUE INDEX child_lower_a ON child (lower(a));
    INSERT INTO parent VALUES ('p'); INSERT INTO child VALUES (1, 'p', 'a', 'b', 'c');";

#[test]
fn constraints_have_the_same_names() {
    on_both(|database| {
        batch(database, TABLES);
        let foreign = match database.dialect() {
            Dialect::Sqlite => None,
            Dialect::Postgres => Some("child_parent_fkey"),
        };
        for (sql, rule, name) in [
            ("INSERT INTO parent VALUES ('p')", Rule::Unique, Some("parent_pkey")),
            ("INSERT INTO parent VALUES ('far too long')", Rule::Check, Some("id_short")),
            ("INSERT INTO child VALUES (1, 'p', 'x', 'y', '')", Rule::Unique, Some("child_pkey")),
            ("INSERT INTO child VALUES (2, 'q', 'x', 'y', '')", Rule::Foreign, foreign),
            ("INSERT INTO child VALUES (2, 'p', 'x', 'y', 'c')", Rule::Unique, Some("child_one_c")),
            (
                "INSERT INTO child VALUES (2, 'p', 'A', 'y', '')",
                Rule::Unique,
                Some("child_lower_a"),
            ),
            (
                "INSERT INTO child VALUES (2, NULL, 'x', 'y', '')",
                Rule::NotNull,
                Some("child_parent_not_null"),
            ),
            ("DELETE FROM parent", Rule::Foreign, foreign),
        ] {
            let name = name.map(str::to_owned);
            let expected = Kind::Conflict(Constraint { rule, name });
            assert_eq!(kind(execute(database, sql, &[])), expected, "{sql}");
        }
        batch(database, "DROP INDEX child_lower_a");
        let sql = "INSERT INTO child VALUES (2, 'p', 'a', 'b', '')";
        assert_eq!(execute(database, sql, &[]).unwrap_err().constraint(), Some("child_a_b_key"));
        assert_eq!(count(database, "child"), 1);
    });
}

#[test]
fn a_conflict_that_shows_at_commit_undoes_the_write() {
    on_both(|database| {
        batch(database, "CREATE TABLE p (id BIGINT PRIMARY KEY)");
        batch(
            database,
            "CREATE TABLE c (id BIGINT REFERENCES p (id) DEFERRABLE INITIALLY DEFERRED)",
        );
        let refused = execute(database, "INSERT INTO c VALUES (7)", &[]);
        let Kind::Conflict(constraint) = kind(refused) else { panic!("a conflict") };
        assert_eq!(constraint.rule, Rule::Foreign);
        assert_eq!(count(database, "c"), 0);
        let both = write(database, |t| {
            t.execute("INSERT INTO c VALUES (7)", &[])?;
            t.execute("INSERT INTO p VALUES (7)", &[])
        });
        assert_eq!(both, Ok(1));
    });
}

#[test]
fn what_one_database_would_change_or_refuse_both_refuse() {
    on_both(|database| {
        batch(database, "CREATE TABLE v (t TEXT, r DOUBLE PRECISION)");
        let insert = "INSERT INTO v (t, r) VALUES ($1, $2)";
        for (sql, values, words) in [
            (insert, vec!["a\0b".into(), 1.0.into()], "Value $1 is text with a NUL"),
            (insert, vec!["a".into(), f64::NAN.into()], "Value $2 is not a number"),
            (insert, vec!["a".into()], "takes 2 values, got 1"),
            (insert, vec!["a".into(), 1.0.into(), 2.into()], "takes 2 values, got 3"),
            ("SELECT t FROM v", vec![], "use `query`"),
            ("INSERT INTO v (t) VALUES ('a') RETURNING t", vec![], "use `query`"),
            ("INSERT INTO", vec![], "cannot run the statement"),
            ("DELETE FROM v; DELETE FROM v", vec![], "cannot run the statement"),
            ("DELETE FROM nowhere", vec![], "cannot run the statement"),
        ] {
            let error = execute(database, sql, &values).unwrap_err();
            assert_eq!(error.kind, Kind::Broken, "{sql}");
            assert!(error.message.contains(words), "{error}");
        }
        assert_eq!(count(database, "v"), 0);
    });
}

#[test]
fn urls_that_cannot_be_used_are_refused_without_their_password() {
    for (url, expected) in [
        ("mysql://root:hush@localhost/x", Kind::Broken),
        ("postgres://u:hush@h:notaport/x", Kind::Broken),
        ("postgres://u:hush@localhost/x?sslmode=sometimes", Kind::Broken),
        ("sqlite::memory:", Kind::Broken),
        ("", Kind::Broken),
        ("/dev/null/y.db", Kind::Denied),
    ] {
        let error = Database::open(url, Options::default()).err().unwrap();
        assert_eq!(error.kind, expected, "{url}");
        assert!(!format!("{error:?}").contains("hush"), "{error:?}");
    }
}

#[test]
fn a_full_disk_is_said_to_be_full() {
    let folder = tempfile::tempdir().unwrap();
    let database = open(&format!("sqlite:{}", folder.path().join("y.db").display()));
    batch(&database, "CREATE TABLE b (b BLOB)");
    // The page limit of SQLite stands for the disk's.
    let result: Result<()> = write(&database, |t| {
        t.query("PRAGMA max_page_count = 20", &[])?;
        for _ in 0..100 {
            t.execute("INSERT INTO b VALUES ($1)", &[vec![7_u8; 4096].into()])?;
        }
        Ok(())
    });
    assert_eq!(kind(result), Kind::Full);
    assert_eq!(count(&database, "b"), 0);
    assert_eq!(execute(&database, "INSERT INTO b VALUES ($1)", &[vec![1_u8].into()]), Ok(1));
}

#[test]
fn a_sqlite_file_is_private_and_one_that_is_none_is_broken() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("deep/er/y.db");
    batch(&open(file.to_str().unwrap()), "CREATE TABLE t (a TEXT)");
    let mode =
        |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode(&file), mode(file.parent().unwrap())), (0o600, 0o700));
    let other = folder.path().join("letter.txt");
    std::fs::write(&other, "Dear Sir or Madam, ".repeat(500)).unwrap();
    let error = Database::open(other.to_str().unwrap(), Options::default()).err().unwrap();
    assert_eq!(error.kind, Kind::Broken);
    assert!(error.message.contains("damaged or no database"), "{error}");
}

#[test]
fn a_sqlite_file_that_is_closed_stands_alone() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("y.db");
    let database = open(file.to_str().unwrap());
    batch(&database, "CREATE TABLE t (a TEXT)");
    execute(&database, "INSERT INTO t VALUES ('x')", &[]).unwrap();
    scalar(&database, "SELECT a FROM t", &[]).unwrap();
    drop(database);
    let left: Vec<_> = std::fs::read_dir(folder.path()).unwrap().flatten().collect();
    assert_eq!(left.len(), 1, "it can be copied as it is: {left:?}");
}
