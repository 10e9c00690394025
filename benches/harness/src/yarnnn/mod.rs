//! yarnnn's own figures: inference, recall, adding to a large workspace, many clients over HTTP.

mod add;
mod cluster;
mod embedding;
mod http;
mod inference;
mod meaning;
mod postgres;
mod recall;
pub(crate) mod workspace;

use crate::plan::sizes;
use crate::table::Table;
use crate::{Plan, Programs, Result};
use workspace::Workspace;

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("yarnnn");
    embedding::measure(plan, table)?;
    for baskets in sizes(plan.baskets) {
        inference::measure(baskets, plan, table)?;
    }
    for blocks in sizes(plan.blocks) {
        let workspace = Workspace::with_blocks("yarnnn-large", blocks)?;
        recall::measure(blocks, plan, programs, &workspace, table)?;
        add::measure(blocks, plan, programs, &workspace, table)?;
    }
    meaning::measure(plan, programs, table)?;
    http::measure(plan, programs, table)?;
    postgres::measure(plan, programs, table)
}
