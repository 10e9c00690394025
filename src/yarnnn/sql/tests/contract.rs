use super::super::Dialect;
use super::*;

#[test]
fn values_come_back_as_they_went_in() {
    on_both(|database| {
        let (bytes, double, long) = match database.dialect() {
            Dialect::Sqlite => ("BLOB", "REAL", "INTEGER"),
            Dialect::Postgres => ("BYTEA", "DOUBLE PRECISION", "BIGINT"),
        };
        batch(
            database,
            &format!("CREATE TABLE v (i {long}, r {double}, t TEXT, b {bytes}, y BOOLEAN, n TEXT)"),
        );
        let blob = vec![0_u8, 255, 7];
        for (int, real, text) in
            [(i64::MIN, -0.1, ""), (i64::MAX, f64::MAX, "Grüße 🌍 'quoted' $1"), (0, 5.0, "\u{1}")]
        {
            let written = [
                int.into(),
                real.into(),
                text.into(),
                blob.clone().into(),
                true.into(),
                None::<&str>.into(),
            ];
            let sql = "INSERT INTO v (i, r, t, b, y, n) VALUES ($1, $2, $3, $4, $5, $6)
                 RETURNING i, r AS \"Real\", t, b, y, n";
            let rows = database.write(|t| t.query(sql, &written)).unwrap();
            let row = &rows[0];
            assert_eq!(row.get::<i64>("i"), Ok(int));
            assert_eq!(row.get::<f64>("real"), Ok(real));
            assert_eq!(row.get::<&str>("t"), Ok(text));
            assert_eq!(row.get::<&[u8]>("b"), Ok(&blob[..]));
            assert_eq!(row.get::<bool>("y"), Ok(true));
            assert_eq!(row.get::<Option<String>>("n"), Ok(None));
            assert_eq!(row.names(), ["i", "Real", "t", "b", "y", "n"]);
        }
        let wrong = database.read(|t| Ok::<_, Error>(t.first("SELECT t FROM v", &[])?.unwrap()));
        let wrong = wrong.unwrap();
        assert_eq!(
            wrong.get::<i64>("t").unwrap_err().message,
            "Column `t` holds text, not a whole number."
        );
        assert_eq!(wrong.get::<i64>("x").unwrap_err().message, "The result has no column `x`.");
    });
}

#[test]
fn places_go_by_their_number_and_may_repeat() {
    on_both(|database| {
        batch(database, "CREATE TABLE p (a TEXT, b TEXT, c TEXT)");
        let sql = "INSERT INTO p (a, b, c) VALUES ($3, $1, $3)";
        let unused = execute(database, sql, &["1".into(), "2".into(), "3".into()]);
        assert_eq!(kind(unused), Kind::Broken);
        let sql = "INSERT INTO p (a, b, c) VALUES ($2, $1, $2)";
        assert_eq!(execute(database, sql, &["1".into(), "2".into()]), Ok(1));
        let row = scalar(database, "SELECT a || b || c FROM p WHERE a = $1", &["2".into()]);
        assert_eq!(row, Ok("212".into()));
    });
}

#[test]
fn counts_and_sums_are_whole_numbers() {
    on_both(|database| {
        batch(database, "CREATE TABLE s (n BIGINT, label TEXT)");
        batch(database, "INSERT INTO s VALUES (9007199254740993, 'a'), (-3, 'b'), (20000, 'c')");
        assert_eq!(
            scalar(database, "SELECT sum(n) FROM s", &[]),
            Ok(Value::Int(9_007_199_254_760_990))
        );
        assert_eq!(scalar(database, "SELECT sum(n) FROM s WHERE n < 0", &[]), Ok(Value::Int(-3)));
        assert_eq!(
            scalar(database, "SELECT sum(n) FROM s WHERE n > 99 AND n < $1", &[50_000.into()]),
            Ok(Value::Int(20_000))
        );
        assert_eq!(
            scalar(database, "SELECT avg(n) FROM s WHERE n < 0", &[])
                .map(|value| matches!(value, Value::Real(mean) if mean == -3.0)),
            Ok(true)
        );
        assert_eq!(
            execute(database, "UPDATE s SET label = 'x' WHERE n < $1", &[100.into()]),
            Ok(1)
        );
        assert_eq!(execute(database, "CREATE INDEX s_n ON s (n)", &[]), Ok(0));
        assert_eq!(execute(database, "DELETE FROM s", &[]), Ok(3));
        assert_eq!(execute(database, "DELETE FROM s", &[]), Ok(0));
    });
}

#[test]
fn a_closure_that_fails_leaves_nothing() {
    on_both(|database| {
        batch(database, "CREATE TABLE n (id BIGINT PRIMARY KEY)");
        let failed: Result<()> = write(database, |t| {
            t.execute("INSERT INTO n VALUES (1)", &[])?;
            Err(Kind::Denied.because("changed my mind"))
        });
        assert_eq!(failed.unwrap_err().message, "changed my mind");
        assert_eq!(count(database, "n"), 0);
        let panicked = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            write(database, |t| {
                t.execute("INSERT INTO n VALUES (1)", &[])?;
                if t.query("SELECT 1 AS one", &[])?.len() == 1 {
                    panic!("on purpose");
                }
                Ok(())
            })
        }));
        assert!(panicked.is_err());
        assert_eq!(count(database, "n"), 0);
        assert_eq!(execute(database, "INSERT INTO n VALUES (1)", &[]), Ok(1));
    });
}

#[test]
fn a_swallowed_failure_still_undoes_everything() {
    on_both(|database| {
        batch(database, "CREATE TABLE n (id BIGINT PRIMARY KEY)");
        batch(database, "INSERT INTO n VALUES (1)");
        let mut second = None;
        let result = write(database, |t| {
            t.execute("INSERT INTO n VALUES (2)", &[])?;
            let _ = t.execute("INSERT INTO n VALUES (1)", &[]);
            second = t.query("SELECT id FROM n", &[]).err();
            Ok(())
        });
        assert_eq!(result.unwrap_err().constraint(), Some("n_pkey"));
        assert_eq!(second.unwrap().kind, Kind::Broken);
        assert_eq!(count(database, "n"), 1);
    });
}

#[test]
fn a_read_sees_one_state_and_cannot_write() {
    on_both(|database| {
        batch(database, "CREATE TABLE n (id BIGINT PRIMARY KEY)");
        let seen = database.read(|t| {
            let before = t.query("SELECT id FROM n", &[])?.len();
            execute(database, "INSERT INTO n SELECT count(*) FROM n", &[])?;
            Ok::<_, Error>((before, t.query("SELECT id FROM n", &[])?.len()))
        });
        assert_eq!(seen, Ok((0, 0)));
        assert_eq!(count(database, "n"), 1);
        let refused = database.read(|t| t.execute("DELETE FROM n", &[]));
        assert_eq!(kind(refused), Kind::Denied);
        assert_eq!(count(database, "n"), 1);
    });
}

#[test]
fn a_callers_own_error_passes_through() {
    #[derive(Debug, PartialEq)]
    enum Mine {
        Refused,
        Storage(Kind),
    }
    impl From<Error> for Mine {
        fn from(error: Error) -> Self {
            Self::Storage(error.kind)
        }
    }
    on_both(|database| {
        let refused = database.write(|_| Err::<(), _>(Mine::Refused));
        assert_eq!(refused, Err(Mine::Refused));
        let broken = database.read(|t| Ok(t.query("SELECT nothing FROM nowhere", &[])?.len()));
        assert_eq!(broken, Err(Mine::Storage(Kind::Broken)));
    });
}
