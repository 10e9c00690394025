//! Arguments and results of 1 KB, 100 KB and 5 MB, one after the other.

use crate::call_text::CallText;
use crate::program::Program;
use crate::programs::Programs;
use crate::server::{Server, Streams};
use crate::stats::median;
use crate::table::Table;
use crate::interleaved::{Bars, Field, Found, measure_interleaved};
use crate::{Plan, Result};

const SIZES: [(usize, &str); 3] = [(1, "KB"), (100, "KB"), (5_000, "KB")];
/// Large texts cost every server about the same work, so a slow one is not that much slower.
const MOST_PACE: usize = 8;

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("tools/call with a text, there and back");
    let take = |program: &Program| take(plan, program);
    let rounds = plan.rounds.min(3);
    let found = measure_interleaved(rounds, Field::Everybody, programs, table, take)?;
    for (index, (size, unit)) in SIZES.into_iter().enumerate() {
        let pick = |f: &Found, s: &str| f.best(s, index, "µs");
        let row = found.row("round trip", "µs", programs, Bars::default(), pick);
        table.add(row.at(size, unit));
    }
    Ok(())
}

/// Median round trips in microseconds.
fn take(plan: &Plan, program: &Program) -> Result<Vec<f64>> {
    let mut server = Server::open(program, Streams::Pipes)?;
    let mut figures = Vec::new();
    for (size, _) in SIZES {
        let bytes = size * 1_000;
        let call = CallText::sized(bytes);
        let most = (plan.payload_bytes / bytes).clamp(3, plan.sequential);
        let count = (most / program.pace.min(MOST_PACE)).max(3);
        server.sequential(&call, (count / 5).max(1))?;
        figures.push(median(server.sequential(&call, count)?));
    }
    Ok(figures)
}
