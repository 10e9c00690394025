//! worldforge's own figures: the graph, continuity, search, prompts.

mod continuity;
mod graph;
mod search;
mod world;

use crate::table::Table;
use crate::{Plan, Result};

pub(crate) fn measure(plan: &Plan, table: &mut Table) -> Result<()> {
    continuity::measure(plan, table)?;
    graph::measure(plan, table)?;
    search::measure(plan, table)
}
