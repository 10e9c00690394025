//! yarnnn's own figures: inference, recall, adding to a large workspace, many clients over HTTP.

mod add;
mod http;
mod inference;
mod recall;
mod workspace;

use crate::table::Table;
use crate::{Plan, Programs, Result};
use workspace::Workspace;

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    inference::measure(plan, table)?;
    let large = Workspace::with_blocks("yarnnn-large", plan.blocks)?;
    recall::measure(plan, programs, &large, table)?;
    add::measure(plan, programs, &large, table)?;
    drop(large);
    http::measure(plan, programs, table)
}
