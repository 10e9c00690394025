//! Calls over HTTP with 1, 64 and 512 clients.
//!
//! The bar is to be three times as fast as the SDK's own example. Beside it stands the SDK without
//! sessions and with plain JSON, which is what we answer with.

use std::time::{Duration, Instant};

use crate::call_text::CallText;
use crate::program::Program;
use crate::programs::Programs;
use crate::table::{Bar, MACROS, MACROS_STATELESS, Row, Table};
use crate::web::{Crowd, Web};
use crate::{Plan, Result};

/// Clients, and whether a bar applies.
const CROWDS: [(usize, bool); 3] = [(1, true), (64, true), (512, false)];
const AHEAD: f64 = 3.0;
/// Over HTTP the transport takes most of the time, so a slow server is not that much slower.
const MOST_PACE: usize = 16;
const LOAD_CLIENTS: usize = 64;
const LOAD_TIME: Duration = Duration::from_secs(8);

pub(crate) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    table.section("tools/call over HTTP");
    for (clients, has_bar) in CROWDS {
        let three = [&programs.ours, &programs.macros, &programs.macros_stateless];
        let mut best = [0.0_f64; 3];
        for _ in 0..plan.rounds.min(3) {
            for (program, best) in three.iter().zip(&mut best) {
                *best = best.max(take(plan, program, clients)?);
            }
        }
        let [ours, example, alike] = best;
        let bar = has_bar.then_some(Bar::AtLeast(AHEAD));
        let row = Row::new("echo", "1/s", ours).peer(MACROS, Some(example), bar);
        let mut row = row.peer(MACROS_STATELESS, Some(alike), None);
        for peer in &programs.peers {
            let figure = match peer.program.as_ref().map(|program| take(plan, program, clients)) {
                Some(Ok(figure)) => Some(figure),
                Some(Err(error)) => {
                    table.missing.push(format!("{}, HTTP, {clients} clients: {error}", peer.name));
                    None
                }
                None => None,
            };
            row = row.peer(peer.name, figure, None);
        }
        table.add(row.at(clients, "clients"));
    }
    Ok(())
}

/// Keeps a server at a port of this machine busy for a while; for profiles.
pub(crate) fn load(port: u16) -> Result<()> {
    let call = CallText::usual();
    let mut crowd = Crowd::open(port, LOAD_CLIENTS, &call)?;
    let end = Instant::now() + LOAD_TIME;
    while Instant::now() < end {
        crowd.run(&call, LOAD_CLIENTS * 10)?;
    }
    Ok(())
}

/// Calls per second.
fn take(plan: &Plan, program: &Program, clients: usize) -> Result<f64> {
    let call = CallText::usual();
    let web = Web::start(program)?.ok_or("no HTTP")?;
    let mut crowd = Crowd::open(web.port, clients, &call)?;
    let count = (plan.http_calls / program.pace.min(MOST_PACE)).max(clients);
    crowd.run(&call, count / 5)?;
    crowd.run(&call, count)
}
