use super::super::Migration;
use super::*;

const FIRST: Migration =
    both_alike(1, "CREATE TABLE a (id BIGINT PRIMARY KEY); INSERT INTO a VALUES (1);");
const SECOND: Migration =
    both_alike(2, "ALTER TABLE a ADD COLUMN name TEXT; CREATE TABLE b (id TEXT);");

const fn both_alike(number: i64, script: &'static str) -> Migration {
    Migration { number, sqlite: script, postgres: script }
}

#[test]
fn each_runs_once_and_later_ones_follow() {
    on_both(|database| {
        database.migrate(&[FIRST]).unwrap();
        database.migrate(&[FIRST]).unwrap();
        assert_eq!(count(database, "a"), 1);
        // A statement that was prepared before the table changed still works after it.
        let all = || database.read(|t| t.query("SELECT * FROM a", &[])).unwrap();
        assert_eq!(all()[0].names(), ["id"]);
        database.migrate(&[FIRST, SECOND]).unwrap();
        assert_eq!(all()[0].names(), ["id", "name"]);
        assert_eq!(count(database, "schema_migrations"), 2);
    });
}

#[test]
fn one_that_fails_leaves_nothing_of_any() {
    on_both(|database| {
        let bad = both_alike(2, "CREATE TABLE b (id TEXT); INSERT INTO nowhere VALUES (1);");
        assert_eq!(kind(database.migrate(&[FIRST, bad])), Kind::Broken);
        assert!(scalar(database, "SELECT count(*) FROM a", &[]).is_err());
        database.migrate(&[FIRST, SECOND]).unwrap();
        assert_eq!((count(database, "a"), count(database, "b")), (1, 0));
    });
}

#[test]
fn what_does_not_fit_the_release_is_refused() {
    on_both(|database| {
        database.migrate(&[FIRST, SECOND]).unwrap();
        let changed = both_alike(2, "CREATE TABLE c (id TEXT)");
        for (migrations, words) in [
            (vec![FIRST], "later release"),
            (vec![FIRST, changed], "Migration 2 of the database is not the one"),
            (vec![SECOND], "Migration 2 found where 1 is expected"),
            (vec![FIRST, both_alike(3, "")], "Migration 3 found where 2 is expected"),
        ] {
            let error = database.migrate(&migrations).unwrap_err();
            assert_eq!(error.kind, Kind::Broken);
            assert!(error.message.contains(words), "{error}");
        }
    });
}

#[test]
fn several_processes_may_start_at_once() {
    for url in &both().urls {
        std::thread::scope(|scope| {
            for _ in 0..6 {
                scope.spawn(|| open(url).migrate(&[FIRST, SECOND]).unwrap());
            }
        });
        let database = open(url);
        assert_eq!((count(&database, "a"), count(&database, "schema_migrations")), (1, 2));
    }
}
