//! From the start of the process to the first answer, and memory.

use crate::call_text::CallText;
use crate::program::Program;
use crate::programs::Programs;
use crate::server::{Server, Streams};
use crate::stats::{median, timed};
use crate::surfaces::Homes;
use crate::table::{Bar, Row, Table};
use crate::interleaved::{Bars, Field, Found, calls, measure_interleaved};
use crate::{Plan, Result};

/// MiB that an idle server may take.
const IDLE: f64 = 25.0;
/// MiB that it may take under load.
const LOADED: f64 = 20.0;
/// Calls that are outstanding at once.
const WINDOWS: [usize; 3] = [1, 16, 1_000];

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("start to first answer");
    let take = |program: &Program| Ok(vec![start(program)?]);
    let found = measure_interleaved(plan.starts, Field::Everybody, programs, table, take)?;
    let bars = Bars { floor: Some(Bar::AtMost(1.6)), ..Bars::default() };
    table.add(found.row("echo", "ms", programs, bars, |f, s| f.middle(s, 0)));

    let homes = Homes::new("starts")?;
    let surfaces = homes.programs(programs);
    let mut times = vec![Vec::new(); surfaces.len()];
    for _ in 0..plan.starts / 2 + 1 {
        for (surface, times) in surfaces.iter().zip(&mut times) {
            times.push(start(surface)?);
        }
    }
    for (surface, times) in surfaces.iter().zip(times) {
        table.add(Row::new(surface.name, "ms", median(times)));
    }
    memory(plan, programs, &surfaces, table)
}

/// In milliseconds.
fn start(program: &Program) -> Result<f64> {
    let (time, server) = timed(|| Server::open(program, Streams::Pipes))?;
    drop(server);
    Ok(time / 1_000.0)
}

fn memory(plan: &Plan, programs: &Programs, surfaces: &[Program], table: &mut Table) -> Result<()> {
    table.section("resident memory");
    let take = |program: &Program| {
        let call = CallText::usual();
        let mut server = Server::open(program, Streams::Pipes)?;
        // An answer after the handshake shows that the start is over.
        server.sequential(&call, 1)?;
        let mut figures = Vec::from_iter(server.resident());
        for window in WINDOWS {
            server.pipelined(&call, calls(plan, plan.pipelined / 2, program, window), window)?;
            figures.extend(server.peak());
        }
        Ok(figures)
    };
    let found = measure_interleaved(1, Field::Everybody, programs, table, take)?;
    let row = |what: &str, index: usize| {
        let pick = move |f: &Found, s: &str| f.best(s, index, "MiB");
        found.row(what, "MiB", programs, Bars::default(), pick)
    };
    table.add(row("idle, echo", 0).limit(IDLE));
    for (index, window) in WINDOWS.into_iter().enumerate() {
        table.add(row("peak, echo", index + 1).at(window, "calls at once").limit(LOADED));
    }
    for surface in surfaces {
        let mut server = Server::open(surface, Streams::Pipes)?;
        server.list()?;
        if let Some(resident) = server.resident() {
            let row = Row::new(format!("idle, {}", surface.name), "MiB", resident);
            table.add(if surface.name == "wink" { row.limit(IDLE) } else { row });
        }
    }
    Ok(())
}
