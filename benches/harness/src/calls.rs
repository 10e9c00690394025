//! Round trips and throughput of a tool that does next to nothing, validation included.

use serde_json::{Value, json};

use crate::server::{CallText, Program, Server, Streams};
use crate::stats::{least, median, most};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Programs, Result};

/// Calls that are outstanding at once.
const WINDOW: usize = 1_000;

/// A way to speak to the server.
struct Way {
    name: &'static str,
    streams: Streams,
    /// Every call carries the `_meta` of revision 2026-07-28, and there is no handshake.
    stateless: bool,
}

const WAYS: [Way; 3] = [
    Way { name: "pipes", streams: Streams::Pipes, stateless: false },
    Way { name: "unix sockets", streams: Streams::Sockets, stateless: false },
    Way { name: "pipes, 2026-07-28", streams: Streams::Pipes, stateless: true },
];

/// Figures of one server.
struct Figures {
    /// Median of a round trip in microseconds.
    round_trip: f64,
    /// Calls per second.
    throughput: f64,
}

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    for way in &WAYS {
        let mut ours = Vec::new();
        let mut floor = Vec::new();
        let mut macros = Vec::new();
        for _ in 0..plan.rounds {
            floor.push(take(way, &programs.floor, plan.sequential, plan.pipelined)?);
            ours.push(take(way, &programs.ours, plan.sequential, plan.pipelined)?);
            // Slow, and steady enough for fewer calls.
            macros.push(take(way, &programs.macros, plan.sequential / 4, plan.pipelined / 10)?);
        }
        let (ours, floor, macros) = (best(ours), best(floor), best(macros));
        let name = way.name;
        table.add(
            Row::new(format!("round trip, {name}"), "µs", ours.round_trip)
                .floor(floor.round_trip, Bar::AtMost(1.4))
                .slower_macros(macros.round_trip, 2.0, 4.0),
        );
        table.add(
            Row::new(format!("{WINDOW} outstanding, {name}"), "1/s", ours.throughput)
                .floor(floor.throughput, Bar::AtLeast(0.75))
                .lesser_macros(macros.throughput, 2.0, 20.0),
        );
    }
    with_log_lines(plan, programs, table)
}

/// Logs are off above, because the others write none. What they cost, for information.
fn with_log_lines(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let logging = programs.ours.with("ECHO_LOG", "info");
    let mut ours = Vec::new();
    let mut floor = Vec::new();
    for _ in 0..plan.rounds.min(3) {
        floor.push(take(&WAYS[0], &programs.floor, plan.sequential, plan.pipelined)?);
        ours.push(take(&WAYS[0], &logging, plan.sequential, plan.pipelined)?);
    }
    let (ours, floor) = (best(ours), best(floor));
    let name = "pipes, a log line per call";
    table.add(
        Row::new(format!("round trip, {name}"), "µs", ours.round_trip)
            .floor(floor.round_trip, None),
    );
    table.add(
        Row::new(format!("{WINDOW} outstanding, {name}"), "1/s", ours.throughput)
            .floor(floor.throughput, None),
    );
    Ok(())
}

fn take(way: &Way, program: &Program, sequential: usize, pipelined: usize) -> Result<Figures> {
    let call = call_text(way);
    let mut server = Server::start(program, way.streams)?;
    // The floor takes any message for granted, the others only what they know.
    if !way.stateless {
        server.shake_hands()?;
    }
    let fail = |error| format!("{}: {error}", program.name);
    server.sequential(&call, sequential / 10).map_err(fail)?;
    let round_trip = median(server.sequential(&call, sequential).map_err(fail)?);
    server.pipelined(&call, pipelined / 10, WINDOW).map_err(fail)?;
    let throughput = server.pipelined(&call, pipelined, WINDOW).map_err(fail)?;
    Ok(Figures { round_trip, throughput })
}

fn best(figures: Vec<Figures>) -> Figures {
    Figures {
        round_trip: least(figures.iter().map(|figures| figures.round_trip)),
        throughput: most(figures.iter().map(|figures| figures.throughput)),
    }
}

/// Six arguments, about 200 bytes.
fn call_text(way: &Way) -> CallText {
    let mut params = params();
    if way.stateless {
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": {"name": "harness", "version": "1"},
        });
    }
    CallText::new(&params, EXPECTED)
}

/// The call that every figure is taken with.
pub(crate) fn params() -> Value {
    json!({
        "name": "echo",
        "arguments": {
            "text": "The quick brown fox jumps over the lazy dog. ",
            "style": "upper",
            "times": 2,
            "tags": ["animals", "pangram", "short"],
            "reverse": false,
            "note": "as seen in a typing lesson, \u{201c}quoted\u{201d}",
        },
    })
}

/// A part of the structured content that shows that the work was done.
const EXPECTED: &str = r#""text":"THE QUICK BROWN FOX JUMPS OVER THE LAZY DOG. THE QUICK"#;
