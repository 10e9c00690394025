//! `storyGraph.get` of a large story, against serialising the same documents; and a prompt pack.

use serde_json::json;
use worldforge::compose::{Target, compose};
use worldforge::story::Story;

use super::world::{Studied, node_id, story};
use crate::stats::{least, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Result};

/// What a prompt pack may cost, in microseconds.
const COMPOSE: f64 = 1_000.0;

pub(super) fn measure(nodes: usize, plan: &Plan, table: &mut Table) -> Result<()> {
    let studied = Studied::new("worldforge-graph", story(nodes))?;
    let (mut tool, mut plain) = (Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        let (time, answer) = timed(|| studied.call("storyGraph.get", json!({})))?;
        tool.push(time / 1_000.0);
        let world = &studied.world;
        let (time, text) = timed(|| serde_json::to_string(&(&world.nodes, &world.edges)))?;
        plain.push(time / 1_000.0);
        if answer.len() < text.len() {
            return Err(format!("{} bytes of {}", answer.len(), text.len()).into());
        }
    }
    let bar = (nodes == plan.nodes).then_some(Bar::AtMost(2.0));
    let row = Row::new("storyGraph.get", "ms", least(tool)).floor(least(plain), bar);
    table.add(row.at(nodes, "nodes"));

    let world = &studied.world;
    let story = Story::new(&world.nodes, &world.edges, &world.entities);
    let node = node_id(nodes / 2);
    let mut times = Vec::new();
    for _ in 0..plan.rounds.max(3) * 4 {
        let (time, made) = timed(|| {
            let made = compose(&world.project, &story, &node, &[], Target::HIGGSFIELD);
            made.ok_or("no such node")
        })?;
        times.push(time);
        if made.shots.len() < 10 {
            return Err(format!("{} shots", made.shots.len()).into());
        }
    }
    let row = Row::new("prompt.compose, own time", "µs", least(times)).at(nodes, "nodes");
    table.add(if nodes == plan.nodes { row.limit(COMPOSE) } else { row });
    Ok(())
}
