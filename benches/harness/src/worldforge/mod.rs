//! worldforge's own figures: the graph, continuity, search, prompts.

mod continuity;
mod graph;
mod search;
pub(crate) mod world;

use crate::plan::sizes;
use crate::table::Table;
use crate::{Plan, Result};

pub(crate) fn measure(plan: &Plan, table: &mut Table) -> Result<()> {
    table.section("worldforge");
    for nodes in sizes(plan.nodes) {
        continuity::measure(nodes, plan, table)?;
    }
    for nodes in sizes(plan.nodes) {
        graph::measure(nodes, plan, table)?;
    }
    for entities in sizes(plan.entities) {
        search::measure(entities, plan, table)?;
    }
    Ok(())
}
