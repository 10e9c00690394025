//! From the start of the process to the first answer, and memory.

use serde_json::Value;

use crate::calls;
use crate::server::{CallText, Program, Server, Streams};
use crate::stats::{median, timed};
use crate::table::{Bar, Row, Table};
use crate::{Plan, Programs, Result};

/// MiB that an idle server may take.
const IDLE: f64 = 25.0;

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let store = std::env::temp_dir().join("toolwright-bench-no-such-store");
    let wink = Program::wink(&programs.wink, &store);
    let all = [&programs.ours, &programs.floor, &programs.macros, &wink];
    let mut times = vec![Vec::new(); all.len()];
    for _ in 0..plan.starts {
        for (program, times) in all.iter().zip(&mut times) {
            let (time, server) = timed(|| Server::open(program, Streams::Pipes))?;
            times.push(time / 1_000.0);
            drop(server);
        }
    }
    let mut times = times.into_iter().map(median);
    let mut next = || times.next().unwrap_or_default();
    let (ours, floor, macros, wink_time) = (next(), next(), next(), next());
    table.add(
        Row::new("start to first answer", "ms", ours)
            .floor(floor, Bar::AtMost(1.6))
            .beside_macros(macros),
    );
    table.add(Row::new("start to first answer, wink", "ms", wink_time).floor(floor, None));
    memory(plan, programs, &wink, table)
}

fn memory(plan: &Plan, programs: &Programs, wink: &Program, table: &mut Table) -> Result<()> {
    let call = CallText::new(&calls::params(), "THE QUICK");
    let mut idle = Vec::new();
    let mut loaded = Vec::new();
    for program in [&programs.ours, &programs.floor, &programs.macros] {
        let mut server = Server::open(program, Streams::Pipes)?;
        // An answer after the handshake shows that the start is over.
        server.sequential(&call, 1)?;
        let Some(resident) = server.resident() else { return Ok(()) };
        idle.push(resident);
        server.pipelined(&call, plan.pipelined / 2, 1_000)?;
        loaded.extend(server.resident());
    }
    for (what, figures) in [("idle", idle), ("after load", loaded)] {
        let [ours, floor, macros] = figures[..] else { continue };
        let row = Row::new(format!("resident memory, {what}"), "MiB", ours);
        let row = if what == "idle" { row.limit(IDLE) } else { row };
        table.add(row.floor(floor, None).beside_macros(macros));
    }
    let mut server = Server::open(wink, Streams::Pipes)?;
    server.call("wink.list_overrides", Value::Object(Default::default()))?;
    if let Some(resident) = server.resident() {
        table.add(Row::new("resident memory, idle, wink", "MiB", resident).limit(IDLE));
    }
    Ok(())
}
