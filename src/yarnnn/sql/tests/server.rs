//! Failures that only a server has: slow statements, crashes, restarts.

use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use super::super::Rule;
use super::testing::Server;
use super::*;

/// Gives up soon where nothing is to be had by trying again.
fn impatient() -> Options {
    let (line, wait) = (Duration::from_secs(20), Duration::from_secs(20));
    Options { connections: 4, line, wait, attempts: 3, ..Options::default() }
}

/// Statements and transactions that sleep are cut off after this time.
fn hasty(seconds: u64) -> Options {
    Options { statement: Duration::from_secs(seconds), ..impatient() }
}

#[test]
fn a_server_that_goes_away_fails_the_write_and_the_next_one_works() {
    let Some(mut server) = Server::start() else { return };
    // Patient: a transaction must not be given up before its server has gone.
    let database = open(server.url());
    batch(&database, "CREATE TABLE n (id BIGINT PRIMARY KEY)");
    // In the middle of a write.
    let mut runs = 0;
    let failed = write(&database, |t| {
        runs += 1;
        t.execute("INSERT INTO n VALUES (1)", &[])?;
        server.send("crash");
        t.execute("INSERT INTO n VALUES (2)", &[])
    });
    let error = failed.unwrap_err();
    assert_eq!((error.kind, error.in_doubt, runs), (Kind::Unavailable, false, 1));
    // While it is away.
    assert_eq!(kind(database.ping()), Kind::Unavailable);
    assert_eq!(kind(execute(&database, "INSERT INTO n VALUES (3)", &[])), Kind::Unavailable);
    server.send("start");
    assert_eq!(database.ping(), Ok(()));
    assert_eq!(count(&database, "n"), 0);
    assert_eq!(execute(&database, "INSERT INTO n VALUES (4)", &[]), Ok(1));
    // Between two writes nobody notices.
    server.send("crash");
    server.send("start");
    assert_eq!(execute(&database, "INSERT INTO n VALUES (5)", &[]), Ok(1));
    // A read that is cut off is repeated; a commit that is cut off is in doubt.
    let mut cut = false;
    let rows = database.read(|t| {
        if !std::mem::replace(&mut cut, true) {
            server.send("crash");
            server.send("start");
        }
        t.query("SELECT id FROM n", &[])
    });
    assert_eq!(rows.unwrap().len(), 2);
    let doubt = write(&database, |t| {
        t.execute("INSERT INTO n VALUES (6)", &[])?;
        server.send("crash");
        Ok(())
    });
    let error = doubt.unwrap_err();
    assert_eq!((error.kind, error.in_doubt), (Kind::Unavailable, true));
}

/// Writes one row until it is there. Only after a commit in doubt it may be there already.
fn insist(database: &Database, id: i64) {
    let mut in_doubt = false;
    loop {
        match execute(database, "INSERT INTO n VALUES ($1)", &[id.into()]) {
            Ok(rows) => return assert_eq!(rows, 1),
            Err(error) if error.kind == Kind::Unavailable => in_doubt |= error.in_doubt,
            Err(error) => {
                assert_eq!(error.constraint(), Some("n_pkey"), "{error:?}");
                return assert!(in_doubt, "{id} was written by a write that had failed");
            }
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn every_acknowledged_write_survives_crashes_and_is_there_once() {
    let Some(mut server) = Server::start() else { return };
    let database = open(server.url());
    batch(&database, "CREATE TABLE n (id BIGINT PRIMARY KEY)");
    let acknowledged = AtomicI64::new(0);
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let (database, acknowledged) = (&database, &acknowledged);
            scope.spawn(move || {
                for id in 0..250 {
                    insist(database, writer * 1000 + id);
                    acknowledged.fetch_add(1, Ordering::SeqCst);
                }
            });
        }
        for crash_after in [100, 400, 700] {
            while acknowledged.load(Ordering::SeqCst) < crash_after {
                std::thread::yield_now();
            }
            server.send("crash");
            let before = acknowledged.load(Ordering::SeqCst);
            server.send("start");
            assert!(count(&database, "n") >= before);
        }
    });
    assert_eq!(count(&database, "n"), 1000);
}

#[test]
fn a_slow_statement_is_stopped_and_the_connection_lives_on() {
    let Some(url) = testing::postgres() else { return };
    // Long enough that a busy machine does not take us for asleep between two statements.
    let database = Database::open(&url, hasty(6)).unwrap();
    let slow = database.read(|t| t.query("SELECT pg_sleep(600)", &[]));
    assert_eq!(kind(slow), Kind::Unavailable);
    let who = "SELECT pg_backend_pid() AS pid";
    let first = scalar(&database, who, &[]);
    assert_eq!(first, scalar(&database, who, &[]));
}

#[test]
fn a_transaction_that_sleeps_too_long_is_cut_off() {
    let Some(url) = testing::postgres() else { return };
    // Only the write that is to be cut off has so little time.
    let (patient, database) = (open(&url), Database::open(&url, hasty(1)).unwrap());
    batch(&patient, "CREATE TABLE n (id BIGINT PRIMARY KEY)");
    let late = write(&database, |t| {
        t.execute("INSERT INTO n VALUES (1)", &[])?;
        std::thread::sleep(Duration::from_secs(3));
        t.execute("INSERT INTO n VALUES (2)", &[])
    });
    assert_eq!(kind(late), Kind::Unavailable);
    assert_eq!(count(&patient, "n"), 0);
}

#[test]
fn the_servers_codes_become_our_words() {
    let Some(url) = testing::postgres() else { return };
    let database = Database::open(&url, impatient()).unwrap();
    for (code, expected, tried) in [
        ("40001", Kind::Unavailable, 3),
        ("40P01", Kind::Unavailable, 3),
        ("53100", Kind::Full, 1),
        ("53300", Kind::Unavailable, 1),
        ("57014", Kind::Unavailable, 1),
        ("42501", Kind::Denied, 1),
        ("28P01", Kind::Denied, 1),
        ("XX001", Kind::Broken, 1),
        ("22P02", Kind::Broken, 1),
    ] {
        let mut runs = 0;
        let raised = database.write(|t| {
            runs += 1;
            t.batch(&format!("DO $$ BEGIN RAISE EXCEPTION 'hm' USING ERRCODE = '{code}'; END $$"))
        });
        assert_eq!((kind(raised), runs), (expected, tried), "{code}");
    }
    let guard = "DO $$ BEGIN RAISE check_violation USING CONSTRAINT = 'dumps_never_change'; END $$";
    let error = database.write(|t| t.batch(guard)).unwrap_err();
    assert_eq!(error.constraint(), Some("dumps_never_change"));
    assert!(matches!(error.kind, Kind::Conflict(constraint) if constraint.rule == Rule::Check));
}

#[test]
fn text_stands_for_the_types_of_the_server() {
    let Some(url) = testing::postgres() else { return };
    let database = open(&url);
    batch(&database, "CREATE TABLE x (j JSONB, u UUID, n NUMERIC, s SMALLINT, f REAL)");
    let id = "00000000-0000-0000-0000-00000000002a";
    let values: [Value; 5] = [r#"{"a": [1]}"#.into(), id.into(), 12.5.into(), 7.into(), 0.5.into()];
    assert_eq!(execute(&database, "INSERT INTO x VALUES ($1, $2, $3, $4, $5)", &values), Ok(1));
    let row = database.read(|t| t.query("SELECT j, u::text AS u, n, s, f, -n AS m FROM x", &[]));
    let row = &row.unwrap()[0];
    assert_eq!(row.get::<&str>("j"), Ok(r#"{"a": [1]}"#));
    assert_eq!(row.get::<&str>("u"), Ok(id));
    assert_eq!((row.get("n"), row.get("m"), row.get("f")), (Ok(12.5), Ok(-12.5), Ok(0.5)));
    assert_eq!(row.get::<i64>("s"), Ok(7));
    let misfit = execute(&database, "INSERT INTO x (s) VALUES ($1)", &[70_000.into()]);
    let words = "Value $1 is a whole number, which does not fit its parameter (int2).";
    assert_eq!(misfit.unwrap_err().message, words);
    let unread = scalar(&database, "SELECT u FROM x", &[]).unwrap_err();
    assert_eq!(unread.kind, Kind::Broken);
    assert!(unread.internal.unwrap().contains("cast it to text"));
}

#[test]
fn a_server_that_is_not_there_is_unavailable_and_a_wrong_user_is_denied() {
    let nobody = Database::open("postgres://u@127.0.0.1:1/x", impatient()).unwrap();
    assert_eq!(kind(nobody.ping()), Kind::Unavailable);
    assert_eq!(kind(nobody.migrate(&[])), Kind::Unavailable);
    let Some(server) = Server::start() else { return };
    let wrong = |from: &str, to: &str| {
        let url = server.url().replace(from, to);
        kind(Database::open(&url, impatient()).unwrap().ping())
    };
    assert_eq!(wrong("tester", "stranger"), Kind::Denied);
    assert_eq!(wrong("/postgres", "/nothing"), Kind::Broken);
}
