//! Round trips and throughput of a tool that does next to nothing, validation included.

use crate::call_text::CallText;
use crate::program::Program;
use crate::programs::Programs;
use crate::server::{Server, Streams};
use crate::stats::median;
use crate::table::{Bar, Row, Table};
use crate::interleaved::{Bars, Field, Found, calls, measure_interleaved};
use crate::{Plan, Result};

/// Calls that are outstanding at once.
const WINDOWS: [usize; 3] = [1, 16, 1_000];

/// A way to speak to the server.
struct Way {
    name: &'static str,
    streams: Streams,
    /// Every call carries the `_meta` of revision 2026-07-28, and there is no handshake.
    stateless: bool,
    field: Field,
}

const WAYS: [Way; 3] = [
    Way { name: "pipes", streams: Streams::Pipes, stateless: false, field: Field::Everybody },
    Way { name: "unix sockets", streams: Streams::Sockets, stateless: false, field: Field::Rust },
    Way { name: "pipes, 2026-07-28", streams: Streams::Pipes, stateless: true, field: Field::Rust },
];

const ROUND_TRIP: Bars = Bars {
    floor: Some(Bar::AtMost(1.4)),
    macros: Some(Bar::AtLeast(4.0)),
    typescript: None,
    python: None,
};
const PIPELINED: Bars = Bars {
    floor: Some(Bar::AtLeast(0.75)),
    macros: Some(Bar::AtLeast(20.0)),
    typescript: Some(Bar::AtLeast(25.0)),
    python: Some(Bar::AtLeast(150.0)),
};

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("tools/call");
    for way in &WAYS {
        let take = |program: &Program| take(plan, way, program);
        let found = measure_interleaved(plan.rounds, way.field, programs, table, take)?;
        let what = format!("round trip, {}", way.name);
        table.add(found.row(what, "µs", programs, ROUND_TRIP, |f, s| f.best(s, 0, "µs")));
        for (index, window) in WINDOWS.into_iter().enumerate() {
            // The bars are for the largest; the others show what batching brings.
            let bars = if window == 1_000 { PIPELINED } else { Bars::default() };
            let what = format!("calls over {}", way.name);
            let pick = |f: &Found, s: &str| f.best(s, index + 1, "1/s");
            table.add(found.row(what, "1/s", programs, bars, pick).at(window, "at once"));
        }
    }
    with_log_lines(plan, programs, table)
}

/// Logs are off above, because the others write none. What they cost, for information.
fn with_log_lines(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let logging = programs.ours.with("ECHO_LOG", "info");
    let (mut round_trip, mut throughput) = (f64::INFINITY, 0.0_f64);
    for _ in 0..plan.rounds.min(3) {
        let figures = take(plan, &WAYS[0], &logging)?;
        round_trip = round_trip.min(figures[0]);
        throughput = throughput.max(figures[WINDOWS.len()]);
    }
    table.add(Row::new("round trip, pipes, a log line per call", "µs", round_trip));
    table.add(Row::new("calls over pipes, a log line per call, 1,000 at once", "1/s", throughput));
    Ok(())
}

/// The median of a round trip in microseconds, then calls per second for each window.
fn take(plan: &Plan, way: &Way, program: &Program) -> Result<Vec<f64>> {
    let call = if way.stateless { CallText::stateless() } else { CallText::usual() };
    let mut server = Server::start(program, way.streams)?;
    // The floor takes any message for granted, the others only what they know.
    if !way.stateless {
        server.shake_hands()?;
    }
    let count = calls(plan, plan.sequential, program, 0);
    server.sequential(&call, count / 5)?;
    let mut figures = vec![median(server.sequential(&call, count)?)];
    for window in WINDOWS {
        let most = if window == 1_000 { plan.pipelined } else { plan.pipelined / 4 };
        let count = calls(plan, most, program, window);
        server.pipelined(&call, count / 5, window)?;
        figures.push(server.pipelined(&call, count, window)?);
    }
    Ok(figures)
}
