//! `get_substrate` with three common words over 200,000 blocks, by words and with meaning too, against
//! the bare FTS5 query on the same database.

use serde_json::json;

use super::Workspace;
use crate::server::{Server, Streams};
use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Programs, Result};

const BLOCKS: usize = 200_000;
const WORDS: [&str; 3] = ["garden", "sensor", "harbour"];
const BARE: &str = "SELECT rowid, rank FROM substrate_words WHERE words MATCH $1
                    ORDER BY rank LIMIT 50";

pub(super) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let blocks = plan.blocks.min(BLOCKS);
    let workspace = Workspace::with_vectors("yarnnn-meaning", blocks)?;
    let mut server = Server::open(&workspace.embedding(&programs.yarnnn), Streams::Pipes)?;
    let database = workspace.database()?;
    let tokens = WORDS.map(|word| format!("\"{}x{word}\"", workspace.number));
    let query = tokens.join(" OR ");
    let (mut bare, mut times) = (Vec::new(), [Vec::new(), Vec::new(), Vec::new()]);
    for _ in 0..plan.rounds {
        let (time, _) = timed(|| database.read(|tx| tx.query(BARE, &[query.as_str().into()])))?;
        bare.push(time / 1_000.0);
        for (how, times) in ["words", "meaning", "both"].into_iter().zip(&mut times) {
            let arguments = json!({"keywords": WORDS, "match": how});
            let (time, answer) = timed(|| server.call("get_substrate", arguments))?;
            if answer["matched"] != how {
                return Err(format!("{how}: {answer}").into());
            }
            times.push(time / 1_000.0);
        }
    }
    let bare = least(bare);
    let bar = (blocks == BLOCKS).then_some(Bar::AtMost(2.0));
    let [words, meaning, both] = times.map(least);
    for (what, time, bar) in [
        ("get_substrate, three common words", words, None),
        ("the same by meaning alone", meaning, None),
        ("the same by words and meaning", both, bar),
    ] {
        table.add(Row::new(what, "ms", time).floor(bare, bar).at(blocks, "blocks"));
    }
    Ok(())
}
