//! Five real tools over pipes, beside their engines called in this process on the same stores: what
//! is left is the server's, and stands beside a round trip of echo in the same run.

mod wa;
mod wink;
mod worldforge;
mod yarnnn;

use serde_json::Value;

use crate::call_text::CallText;
use crate::program::Program;
use crate::programs::Programs;
use crate::server::{Server, Streams};
use crate::stats::{least, median, timed};
use crate::table::{Row, Table};
use crate::{Plan, Result};

/// So many times fewer calls than of echo: these tools do something.
const FEWER: usize = 20;

/// A tool with a store to work on.
trait Subject {
    fn tool(&self) -> &'static str;

    /// The server over the store.
    fn program(&self, programs: &Programs) -> Program;

    fn arguments(&self) -> Value;

    /// A part of the answer that shows that the work was done.
    fn expected(&self) -> &str;

    /// The same work without a server, checked in the same way.
    fn in_engine(&self) -> Result<()>;
}

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("tools above their engines");
    measure_one(&wink::section()?, plan, programs, table)?;
    measure_one(&wink::listing()?, plan, programs, table)?;
    measure_one(&worldforge::Entity::new()?, plan, programs, table)?;
    measure_one(&yarnnn::Recall::new()?, plan, programs, table)?;
    measure_one(&wa::Panes::new(programs)?, plan, programs, table)
}

fn measure_one(
    subject: &dyn Subject,
    plan: &Plan,
    programs: &Programs,
    table: &mut Table,
) -> Result<()> {
    let (usual, count) = (CallText::usual(), plan.sequential / FEWER);
    let call = CallText::tool(subject.tool(), &subject.arguments(), subject.expected());
    let mut echo = Server::open(&programs.ours, Streams::Pipes)?;
    let mut server = Server::open(&subject.program(programs), Streams::Pipes)?;
    let failed = |error| format!("{}: {error}", subject.tool());
    let (mut echoed, mut served, mut engine) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..plan.rounds {
        echo.sequential(&usual, count / 5)?;
        echoed.push(median(echo.sequential(&usual, count)?));
        server.sequential(&call, count / 5).map_err(failed)?;
        served.push(median(server.sequential(&call, count).map_err(failed)?));
        let alone = |_| Ok(timed(|| subject.in_engine())?.0);
        let times = (0..count).map(alone).collect::<Result<Vec<f64>>>();
        engine.push(median(times.map_err(failed)?));
    }
    let row = Row::new(subject.tool(), "µs", least(served));
    table.add(row.above(least(engine), least(echoed)));
    Ok(())
}
