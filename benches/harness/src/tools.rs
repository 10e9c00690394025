//! `tools/list`: of the echo contract by all servers, and of every surface.

use serde_json::Value;

use crate::call_text::CallText;
use crate::program::Program;
use crate::programs::Programs;
use crate::server::{Server, Streams};
use crate::stats::median;
use crate::surfaces::{ECHO_TOOLS, Homes};
use crate::table::{Row, Table};
use crate::interleaved::{Bars, Field, Found, calls, measure_interleaved};
use crate::{Plan, Result};

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("tools/list");
    let take = |program: &Program| {
        let mut server = Server::open(program, Streams::Pipes)?;
        let count = calls(plan, plan.sequential / 4, program, 0);
        server.sequential(&CallText::list(), count / 5)?;
        Ok(vec![median(server.sequential(&CallText::list(), count)?)])
    };
    let found = measure_interleaved(plan.rounds.min(3), Field::Everybody, programs, table, take)?;
    let pick = |f: &Found, s: &str| f.best(s, 0, "µs");
    let row = found.row("echo", "µs", programs, Bars::default(), pick);
    table.add(row.at(ECHO_TOOLS, "tools"));

    let homes = Homes::new("lists")?;
    for surface in homes.programs(programs) {
        let mut server = Server::open(&surface, Streams::Pipes)?;
        let list: Value = serde_json::from_slice(server.list()?)?;
        let tools = list["result"]["tools"].as_array().map_or(0, Vec::len);
        let mut times = Vec::new();
        for _ in 0..plan.sequential / 20 {
            times.push(crate::stats::timed(|| server.list().map(<[u8]>::len))?.0);
        }
        table.add(Row::new(surface.name, "µs", median(times)).at(tools, "tools"));
    }
    Ok(())
}
