//! Many clients over HTTP at once: how much slower the slowest of a hundred calls is than the usual
//! one. An error ends the measurement.

use serde_json::{Value, json};

use super::Workspace;
use super::workspace::{basket_id, statement, vector};
use crate::programs::Programs;
use crate::stats::timed;
use crate::table::{Row, Table};
use crate::web::Web;
use crate::{Plan, Result};

/// The bar is for the middle one.
const CROWDS: [usize; 3] = [8, 64, 256];
const BARRED: usize = 64;
/// The slowest of a hundred may take so many times what the usual one takes.
const SPREAD: f64 = 10.0;

type Make = dyn Fn(usize, usize) -> (&'static str, Value) + Sync;

pub(super) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let workspace = Workspace::with_blocks("yarnnn-http", plan.http_blocks)?;
    let program = workspace.program(&programs.yarnnn).http(&["mcp", "--http", "127.0.0.1:{port}"]);
    let web = Web::start(&program)?.ok_or("no HTTP")?;
    let recalls = |client: usize, call: usize| {
        let word = ["garden", "sensor", "refund", "4711"][(client + call) % 4];
        ("get_substrate", json!({"keywords": [word], "limit": 5}))
    };
    let adds = |client: usize, call: usize| {
        let number = 20_000_000 + client * 10_000 + call;
        let fingerprint = json!({"embedding": vector(client % 10)});
        let arguments = json!({
            "content": statement(number),
            "basket_id": basket_id(client % 50),
            "session_fingerprint": fingerprint,
        });
        ("add_to_substrate", arguments)
    };
    for (what, calls, make) in
        [("recall", plan.http_calls, &recalls as &Make), ("add", plan.http_calls / 10, &adds)]
    {
        for clients in CROWDS {
            let mut times = crowd(&web, &workspace.token, clients, calls, make)?;
            times.sort_by(f64::total_cmp);
            let usual = times[times.len() / 2];
            let slow = times[times.len() * 99 / 100];
            let named = |figure: &str| format!("HTTP {what}: {figure}");
            table.add(Row::new(named("p50"), "µs", usual).at(clients, "clients"));
            let row = Row::new(named("p99 / p50"), "×", slow / usual).at(clients, "clients");
            table.add(if clients == BARRED { row.limit(SPREAD) } else { row });
        }
    }
    Ok(())
}

/// Lets every client make its calls; gives all times in microseconds.
fn crowd(web: &Web, token: &str, clients: usize, calls: usize, make: &Make) -> Result<Vec<f64>> {
    let each = calls.div_ceil(clients).max(2);
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..clients)
            .map(|client| {
                scope.spawn(move || {
                    let alone = || -> Result<Vec<f64>> {
                        let mut connection = web.connect()?.with_token(token);
                        let one = |call| {
                            let (tool, arguments) = make(client, call);
                            Ok(timed(|| connection.call(call, tool, &arguments))?.0)
                        };
                        (0..each).map(one).collect()
                    };
                    alone().map_err(|error| error.to_string())
                })
            })
            .collect();
        let mut all = Vec::new();
        for client in clients {
            all.extend(client.join().map_err(|_| "a client panicked")??);
        }
        Ok(all)
    })
}
