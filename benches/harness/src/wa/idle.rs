//! Fifty idle panes under a watching server: processor time and memory.

use std::time::Duration;

use serde_json::json;
use toolwright::wa::mux::{Mux, Spawn};

use super::Workspace;
use crate::server::{Program, Server, Streams};
use crate::table::{Row, Table};
use crate::{Plan, Programs, Result};

/// Share of one core, in per cent.
const CPU: f64 = 2.0;
const MEMORY: f64 = 60.0;
/// Until discovery, first capture and back-off are over.
const WARM_UP: Duration = Duration::from_secs(5);

pub(super) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    let workspace = Workspace::new("wa-idle", &programs.wa)?;
    let command: Vec<String> = ["sh", "-c", "echo ready; exec sleep 600"].map(str::to_owned).to_vec();
    for _ in 0..plan.idle_panes {
        workspace.panes.spawn(&Spawn { command: command.clone(), ..Spawn::default() })?;
    }
    let mut server =
        Server::open(&Program::wa(&programs.wa, &workspace.folder.path), Streams::Pipes)?;
    std::thread::sleep(WARM_UP);
    let before = server.processor_time().ok_or("no processor time")?;
    std::thread::sleep(plan.idle_time);
    let after = server.processor_time().ok_or("no processor time")?;
    let panes = plan.idle_panes;
    let share = (after - before).as_secs_f64() / plan.idle_time.as_secs_f64() * 100.0;
    table.add(Row::new(format!("wa watching {panes} idle panes"), "% CPU", share).limit(CPU));
    if let Some(resident) = server.resident() {
        table.add(Row::new(format!("wa memory with {panes} idle panes"), "MiB", resident).limit(MEMORY));
    }
    let seen = server.call("wa.state", json!({}))?;
    if seen["data"].as_array().map_or(0, Vec::len) != panes {
        return Err("the server does not see all panes".into());
    }
    for row in workspace.panes.list()? {
        workspace.panes.close(row.native_id)?;
    }
    Ok(())
}
