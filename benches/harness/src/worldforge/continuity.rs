//! `continuity.check` after an edit in a large story and in a small one, and of every node against
//! one plain fold of all changes.

use std::collections::BTreeMap;
use std::hint::black_box;

use serde_json::{Value, json};
use worldforge::continuity::check_all;
use worldforge::messages::Language;
use worldforge::model::{DeltaOp, StoryNode};
use worldforge::story::Story;

use super::world::{Studied, node_id, story};
use crate::stats::{least, median, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Result};

const SMALL: usize = 100;

pub(super) fn measure(nodes: usize, plan: &Plan, table: &mut Table) -> Result<()> {
    let large = Studied::new("worldforge-large", story(nodes))?;
    let small = Studied::new("worldforge-small", story(SMALL))?;
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..plan.rounds.max(3) * 4 {
        for ((studied, nodes), times) in [(&large, nodes), (&small, SMALL)].iter().zip(&mut times) {
            let node = node_id((nodes / 2 + round) % nodes);
            let patch = json!({"synopsis": format!("Edit {round}.")});
            studied.call("storyNode.update", json!({"nodeId": node, "patch": patch}))?;
            let check = json!({"nodeId": node, "states": "none"});
            times.push(timed(|| studied.call("continuity.check", check))?.0);
        }
    }
    let [ours, floor] = times.map(median);
    let bar = |limit: f64| (nodes == plan.nodes).then_some(Bar::AtMost(limit));
    let row = Row::new("continuity.check of one node", "µs", ours).floor(floor, bar(20.0));
    table.add(row.at(nodes, "nodes"));

    let world = &large.world;
    let fresh = || Story::new(&world.nodes, &world.edges, &world.entities);
    let (mut all, mut fold, mut plain) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        let story = fresh();
        all.push(
            timed(|| Ok::<_, String>(check_all(&story, Language::English).len()))?.0 / 1_000.0,
        );
        let story = fresh();
        fold.push(timed(|| Ok::<_, String>(story.fold()))?.0 / 1_000.0);
        plain.push(timed(|| Ok::<_, String>(black_box(folded(&world.nodes))))?.0 / 1_000.0);
    }
    // The fold along every path is what a check rests on; one that knows no paths stands beside it.
    let row = Row::new("continuity of all nodes", "ms", least(all)).floor(least(fold), bar(3.0));
    table.add(row.at(nodes, "nodes"));
    table.add(Row::new("its changes without paths", "ms", least(plain)).at(nodes, "nodes"));
    Ok(())
}

/// The world after the last node, as a plain program would work it out.
fn folded(nodes: &[StoryNode]) -> usize {
    let mut state: BTreeMap<String, Value> = BTreeMap::new();
    for delta in nodes.iter().flat_map(|node| &node.world_state_delta) {
        let value = state.entry(delta.key.clone()).or_default();
        match delta.op {
            DeltaOp::Inc => *value = json!(value.as_i64().unwrap_or(0) + 1),
            _ => *value = delta.value.clone(),
        }
    }
    state.len()
}
