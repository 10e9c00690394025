//! `entity.search` over a large world, against the bare FTS5 query on the same database.

use serde_json::{Value, json};
use yarnnn::sql::{Database, Options};

use super::world::{Studied, crowd};
use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Result};

const QUERIES: [&str; 3] = ["lant", "captain violet", "1711"];
/// The page and the number of all matches: what the tool answers.
const BARE: &str = "SELECT rowid, rank FROM entity_words WHERE entity_words MATCH $1
                    ORDER BY rank LIMIT 50";
const BARE_COUNT: &str = "SELECT count(*) AS found FROM entity_words WHERE entity_words MATCH $1";

pub(super) fn measure(entities: usize, plan: &Plan, table: &mut Table) -> Result<()> {
    let studied = Studied::new("worldforge-search", crowd(entities))?;
    let file = studied.folder.path.join("worldforge.db").display().to_string();
    let database = Database::open(&file, Options::default())?;
    let (mut ours, mut bare) = (0.0, 0.0);
    for query in QUERIES {
        let words: Vec<String> = query.split(' ').map(|word| format!("\"{word}\"*")).collect();
        let matched = words.join(" AND ");
        let (mut tool, mut raw) = (Vec::new(), Vec::new());
        for _ in 0..plan.rounds {
            let (time, answer) = timed(|| studied.call("entity.search", json!({"query": query})))?;
            tool.push(time / 1_000.0);
            let (time, count) = timed(|| {
                database.read(|tx| {
                    tx.query(BARE, &[matched.as_str().into()])?;
                    let row = tx.first(BARE_COUNT, &[matched.as_str().into()])?;
                    row.map_or(Ok(0), |row| row.get::<i64>("found"))
                })
            })?;
            raw.push(time / 1_000.0);
            let answer: Value = serde_json::from_str(&answer)?;
            if answer["total"] != count || (count == 0 && entities == plan.entities) {
                return Err(format!("`{query}`: {count} matches, but {}", answer["total"]).into());
            }
        }
        ours += least(tool);
        bare += least(raw);
    }
    let bar = (entities == plan.entities).then_some(Bar::AtMost(2.0));
    let row = Row::new("entity.search, three queries", "ms", ours).floor(bare, bar);
    table.add(row.at(entities, "entities"));
    Ok(())
}
