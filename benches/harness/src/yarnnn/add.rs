//! `add_to_substrate` in a workspace of a million blocks, against the same in an empty one.

use serde_json::json;

use super::Workspace;
use super::workspace::{basket_id, statement, vector};
use crate::server::{Server, Streams};
use crate::stats::{median, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Programs, Result};

pub(super) fn measure(
    blocks: usize,
    plan: &Plan,
    programs: &Programs,
    large: &Workspace,
    table: &mut Table,
) -> Result<()> {
    // One basket and no block: an empty workspace would queue the addition instead.
    let small = Workspace::with_blocks("yarnnn-small", 0)?;
    let mut servers = [
        Server::open(&large.program(&programs.yarnnn), Streams::Pipes)?,
        Server::open(&small.program(&programs.yarnnn), Streams::Pipes)?,
    ];
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..plan.writes * 4 {
        for (server, times) in servers.iter_mut().zip(&mut times) {
            let arguments = json!({
                "content": statement(10_000_000 + round),
                "basket_id": basket_id(round % 10),
                "session_fingerprint": {"embedding": vector(round % 10)},
            });
            let (time, answer) = timed(|| server.call("add_to_substrate", arguments))?;
            if answer["status"] != "success" {
                return Err(format!("an addition failed: {answer}").into());
            }
            times.push(time / 1_000.0);
        }
    }
    let [ours, floor] = times.map(median);
    let bar = (blocks == plan.blocks).then_some(Bar::AtMost(2.0));
    let row = Row::new("add_to_substrate", "ms", ours).floor(floor, bar);
    table.add(row.at(blocks, "blocks there"));
    Ok(())
}
