//! `get_substrate` over a million blocks, against the bare FTS5 query on the same database.

use serde_json::json;

use super::Workspace;
use crate::server::{Server, Streams};
use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Programs, Result};

const QUERIES: [&[&str]; 3] = [&["garden"], &["harbour", "sensor"], &["4711"]];
/// The page and the number of all matches: what the tool answers.
const BARE: &str = "SELECT rowid, rank FROM substrate_words WHERE words MATCH $1
                    ORDER BY rank LIMIT 50";
const BARE_COUNT: &str = "SELECT count(*) AS entries FROM substrate_words WHERE words MATCH $1";

pub(super) fn measure(
    blocks: usize,
    plan: &Plan,
    programs: &Programs,
    workspace: &Workspace,
    table: &mut Table,
) -> Result<()> {
    let mut server = Server::open(&workspace.program(&programs.yarnnn), Streams::Pipes)?;
    let database = workspace.database()?;
    let (mut ours, mut bare) = (0.0, 0.0);
    for words in QUERIES {
        let tokens: Vec<String> =
            words.iter().map(|word| format!("\"{}x{word}\"", workspace.number)).collect();
        let query = tokens.join(" OR ");
        let (mut tool, mut raw) = (Vec::new(), Vec::new());
        for _ in 0..plan.rounds {
            let (time, answer) =
                timed(|| server.call("get_substrate", json!({"keywords": words})))?;
            tool.push(time / 1_000.0);
            let (time, count) = timed(|| {
                database.read(|tx| {
                    tx.query(BARE, &[query.as_str().into()])?;
                    let row = tx.first(BARE_COUNT, &[query.as_str().into()])?;
                    row.map_or(Ok(0), |row| row.get::<i64>("entries"))
                })
            })?;
            raw.push(time / 1_000.0);
            if answer["total_count"] != count || (count == 0 && blocks == plan.blocks) {
                return Err(format!("{words:?}: {count} matches, but {answer}").into());
            }
        }
        ours += least(tool);
        bare += least(raw);
    }
    let bar = (blocks == plan.blocks).then_some(Bar::AtMost(2.0));
    let row = Row::new("get_substrate, three queries", "ms", ours).floor(bare, bar);
    table.add(row.at(blocks, "blocks"));
    Ok(())
}
