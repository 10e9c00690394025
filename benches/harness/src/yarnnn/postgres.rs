//! Additions by 50 writers through two servers on one PostgreSQL, against pgbench inserting the same
//! rows into copies of the same tables. Both commit durably.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use serde_json::json;
use yarnnn::sql::{Database, Options, Transaction, Value};

use super::cluster::Cluster;
use super::workspace::{Workspace, basket_id, statement, vector};
use crate::programs::Programs;
use crate::stats::timed;
use crate::table::{Bar, Row, Table};
use crate::web::Web;
use crate::{Plan, Result};

const WRITERS: usize = 50;
const BASKETS: usize = 50;
/// At least so many times what pgbench does.
const SHARE: f64 = 0.5;

pub(super) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let Some(cluster) = Cluster::start()? else {
        eprintln!("no PostgreSQL with pgbench: the row of two replicas is left out");
        return Ok(());
    };
    let workspace = Workspace::on(&cluster.url, "yarnnn-postgres", BASKETS)?;
    let serve = || -> Result<Web> {
        let program = workspace
            .program(&programs.yarnnn)
            .with("YARNNN_DATABASE_URL", &cluster.url)
            .with("YARNNN_DATABASE_CONNECTIONS", "25")
            .http(&["mcp", "--http", "127.0.0.1:{port}"]);
        Web::start(&program)?.ok_or_else(|| "no HTTP".into())
    };
    let replicas = [serve()?, serve()?];
    let database = Database::open(&cluster.url, Options::default())?;
    // What one addition adds, while nobody else writes.
    let mut one = replicas[0].connect()?.with_token(&workspace.token);
    let mut add = |number| one.call(number, "add_to_substrate", &addition(number));
    add(0)?;
    let before = counts(&database)?;
    add(1)?;
    let added = grown(&before, &counts(&database)?);
    let script = copies(&database, &added)?;
    let ours = written(&replicas, &workspace.token, plan.http_calls / 10)?;
    let floor = cluster.pgbench(&script, WRITERS)?;
    let row = Row::new("add on PostgreSQL, two replicas", "/s", ours)
        .floor(floor, Some(Bar::AtLeast(SHARE)));
    table.add(row.at(WRITERS, "writers"));
    Ok(())
}

fn addition(number: usize) -> serde_json::Value {
    json!({
        "content": statement(30_000_000 + number),
        "basket_id": basket_id(number % BASKETS),
        "session_fingerprint": {"embedding": vector(number % BASKETS)},
    })
}

/// Additions in a second, half of the writers at each server.
fn written(replicas: &[Web; 2], token: &str, calls: usize) -> Result<f64> {
    let each = calls.div_ceil(WRITERS).max(2);
    let (time, ()) = timed(|| {
        std::thread::scope(|scope| {
            let writers: Vec<_> = (0..WRITERS)
                .map(|writer| {
                    scope.spawn(move || -> std::result::Result<(), String> {
                        let alone = || -> Result<()> {
                            let replica = &replicas[writer % replicas.len()];
                            let mut connection = replica.connect()?.with_token(token);
                            for call in 0..each {
                                let number = 2 + writer * each + call;
                                connection.call(call, "add_to_substrate", &addition(number))?;
                            }
                            Ok(())
                        };
                        alone().map_err(|error| error.to_string())
                    })
                })
                .collect();
            for writer in writers {
                writer.join().map_err(|_| "a writer panicked")??;
            }
            Ok::<(), Box<dyn std::error::Error>>(())
        })
    })?;
    Ok((each * WRITERS) as f64 / (time / 1e6))
}

/// Rows of each table.
fn counts(database: &Database) -> Result<BTreeMap<String, i64>> {
    let mut counts = BTreeMap::new();
    database.read::<_, yarnnn::sql::Error>(|tx| {
        counts.clear();
        for name in names(tx)? {
            let sql = format!("SELECT CAST(count(*) AS BIGINT) AS rows FROM {name}");
            let rows = tx.first(&sql, &[])?.map_or(Ok(0), |row| row.get("rows"))?;
            counts.insert(name, rows);
        }
        Ok(())
    })?;
    Ok(counts)
}

fn names(tx: &mut dyn Transaction) -> yarnnn::sql::Result<Vec<String>> {
    let sql = "SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY tablename";
    tx.query(sql, &[])?.iter().map(|row| row.get("tablename")).collect()
}

fn grown(before: &BTreeMap<String, i64>, after: &BTreeMap<String, i64>) -> Vec<(String, i64)> {
    let rows = |(name, rows): (&String, &i64)| {
        let added = rows - before.get(name).copied().unwrap_or(0);
        (added > 0).then(|| (name.clone(), added))
    };
    after.iter().filter_map(rows).collect()
}

/// Makes copies of the grown tables, with indexes, and gives the statements of one addition: as many
/// rows as it added, and the update of its basket's vector.
fn copies(database: &Database, added: &[(String, i64)]) -> Result<String> {
    let mut script = String::from("BEGIN;\n");
    for (name, rows) in added {
        database.write::<_, yarnnn::sql::Error>(|tx| {
            let first = first_column(tx, name)?;
            tx.batch(&format!(
                "CREATE TABLE copy_{name} (LIKE {name} INCLUDING DEFAULTS);
                 CREATE TABLE model_{name} AS SELECT * FROM {name} LIMIT {rows};
                 CREATE INDEX ON copy_{name} ({first})"
            ))
        })?;
        writeln!(script, "INSERT INTO copy_{name} SELECT * FROM model_{name};")?;
    }
    script.push_str("\\set basket random(1, 50)\n");
    script.push_str("UPDATE basket_vectors SET revision = revision + 1 WHERE basket_id = '00000000-0000-4000-8000-' || lpad((:basket - 1)::text, 12, '0');\n");
    script.push_str("COMMIT;\n");
    Ok(script)
}

fn first_column(tx: &mut dyn Transaction, table: &str) -> yarnnn::sql::Result<String> {
    let found = tx.first(
        "SELECT column_name FROM information_schema.columns
         WHERE table_name = $1 ORDER BY ordinal_position LIMIT 1",
        &[Value::from(table)],
    )?;
    found.map_or(Ok(String::new()), |row| row.get("column_name"))
}
