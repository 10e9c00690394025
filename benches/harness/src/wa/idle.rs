//! Fifty idle panes under a watching server: processor time and memory.

use std::time::Duration;

use serde_json::json;
use wa::mux::{Mux, Spawn};

use super::Workspace;
use crate::plan::sizes;
use crate::program::Program;
use crate::server::{Server, Streams};
use crate::table::{Row, Table};
use crate::{Plan, Programs, Result};

/// Share of one core, in per cent.
const CPU: f64 = 2.0;
const MEMORY: f64 = 60.0;
/// Until discovery, first capture and back-off are over.
const WARM_UP: Duration = Duration::from_secs(5);

pub(super) fn measure(plan: &Plan, programs: &Programs, table: &mut Table) -> Result<()> {
    // All sizes at the same time: they do nothing.
    let open = |panes| Idle::open(panes, programs);
    let mut all = sizes(plan.idle_panes).into_iter().map(open).collect::<Result<Vec<Idle>>>()?;
    std::thread::sleep(WARM_UP);
    for idle in &mut all {
        idle.before = idle.server.processor_time().ok_or("no processor time")?;
    }
    std::thread::sleep(plan.idle_time);
    for idle in all {
        idle.add(plan, table)?;
    }
    Ok(())
}

/// A server that watches panes in which nothing happens.
struct Idle {
    workspace: Workspace,
    server: Server,
    panes: usize,
    before: Duration,
}

impl Idle {
    fn open(panes: usize, programs: &Programs) -> Result<Self> {
        let workspace = Workspace::new(&format!("wa-idle-{panes}"), &programs.wa)?;
        let command = ["sh", "-c", "echo ready; exec sleep 600"].map(str::to_owned).to_vec();
        for _ in 0..panes {
            workspace.panes.spawn(&Spawn { command: command.clone(), ..Spawn::default() })?;
        }
        let program = Program::wa(&programs.wa, &workspace.folder.path);
        let server = Server::open(&program, Streams::Pipes)?;
        Ok(Self { workspace, server, panes, before: Duration::ZERO })
    }

    fn add(mut self, plan: &Plan, table: &mut Table) -> Result<()> {
        let after = self.server.processor_time().ok_or("no processor time")?;
        let share = (after - self.before).as_secs_f64() / plan.idle_time.as_secs_f64() * 100.0;
        let limited = |row: Row, limit: f64| {
            let row = row.at(self.panes, "idle panes");
            if self.panes == plan.idle_panes { row.limit(limit) } else { row }
        };
        table.add(limited(Row::new("watching", "% CPU", share), CPU));
        if let Some(resident) = self.server.resident() {
            table.add(limited(Row::new("memory", "MiB", resident), MEMORY));
        }
        let seen = self.server.call("wa.state", json!({}))?;
        if seen["data"].as_array().map_or(0, Vec::len) != self.panes {
            return Err("the server does not see all panes".into());
        }
        for row in self.workspace.panes.list()? {
            self.workspace.panes.close(row.native_id)?;
        }
        Ok(())
    }
}
