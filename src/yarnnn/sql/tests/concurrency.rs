use std::thread::scope;

use super::*;

#[test]
fn no_increment_is_lost() {
    on_both(|database| {
        batch(database, "CREATE TABLE n (id BIGINT PRIMARY KEY, hits BIGINT NOT NULL)");
        batch(database, "INSERT INTO n VALUES (1, 0)");
        scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    for _ in 0..25 {
                        write(database, |t| {
                            let row = t.first("SELECT hits FROM n WHERE id = 1", &[])?;
                            let hits = row.map_or(Ok(0), |row| row.get::<i64>("hits"))?;
                            t.execute("UPDATE n SET hits = $1 WHERE id = 1", &[(hits + 1).into()])
                        })
                        .unwrap();
                    }
                });
            }
        });
        assert_eq!(scalar(database, "SELECT hits FROM n", &[]), Ok(Value::Int(200)));
    });
}

/// Two doctors may not both go home: each write alone is fine, both together are not.
#[test]
fn writes_are_as_if_one_after_the_other() {
    on_both(|database| {
        batch(database, "CREATE TABLE duty (doctor BIGINT PRIMARY KEY, there BOOLEAN NOT NULL)");
        for _ in 0..10 {
            batch(database, "DELETE FROM duty; INSERT INTO duty VALUES (1, TRUE), (2, TRUE)");
            let barrier = std::sync::Barrier::new(2);
            scope(|scope| {
                for doctor in [1, 2] {
                    let barrier = &barrier;
                    scope.spawn(move || {
                        barrier.wait();
                        write(database, |t| {
                            let there = t.query("SELECT doctor FROM duty WHERE there", &[])?;
                            if there.len() < 2 {
                                return Ok(0);
                            }
                            let sql = "UPDATE duty SET there = $2 WHERE doctor = $1";
                            t.execute(sql, &[doctor.into(), false.into()])
                        })
                        .unwrap();
                    });
                }
            });
            let there = scalar(database, "SELECT count(*) FROM duty WHERE there", &[]);
            assert_eq!(there, Ok(Value::Int(1)));
        }
    });
}

#[test]
fn two_processes_worth_of_handles_share_the_rows() {
    for url in &both().urls {
        let (one, two) = (open(url), open(url));
        batch(&one, "CREATE TABLE n (id BIGINT PRIMARY KEY)");
        scope(|scope| {
            for (database, from) in [(&one, 0), (&two, 1000)] {
                scope.spawn(move || {
                    for id in from..from + 50_i64 {
                        execute(database, "INSERT INTO n VALUES ($1)", &[id.into()]).unwrap();
                    }
                });
            }
        });
        assert_eq!((count(&one, "n"), count(&two, "n")), (100, 100));
    }
}

#[test]
fn more_clients_than_connections_wait_their_turn() {
    for url in &both().urls {
        let options = Options { connections: 2, ..Options::default() };
        let database = Database::open(url, options).unwrap();
        scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| (0..10).for_each(|_| database.ping().unwrap()));
            }
        });
    }
}

#[test]
fn a_nested_write_that_waits_for_itself_times_out() {
    for url in &both().urls {
        let line = Duration::from_millis(50);
        let options = Options { connections: 1, line, ..Options::default() };
        let database = Database::open(url, options).unwrap();
        batch(&database, "CREATE TABLE n (id BIGINT PRIMARY KEY)");
        let inner = write(&database, |_| Ok(execute(&database, "INSERT INTO n VALUES (1)", &[])));
        assert_eq!(kind(inner.unwrap()), Kind::Unavailable);
        assert_eq!(execute(&database, "INSERT INTO n VALUES (1)", &[]), Ok(1));
    }
}

#[test]
fn the_last_handle_may_be_dropped_on_an_async_thread() {
    for url in &both().urls {
        let database = open(url);
        database.ping().unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let database = runtime.block_on(async move {
            tokio::task::spawn_blocking(move || {
                database.ping().unwrap();
                database
            })
            .await
            .unwrap()
        });
        runtime.block_on(async move { drop(database) });
    }
}
