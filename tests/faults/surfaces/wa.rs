//! wa: each number is a reservation of a pane under its name; the next one renames it. A new server is
//! another session and reserves a pane of its own. Meanwhile the panes talk, and that is recorded.

use std::path::PathBuf;
use std::process::Command;

use serde_json::json;
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_testing::eventually;
use wa::generated::SURFACE;

use super::sqlite::{Copy, File};
use super::{Store, Surface};
use crate::machine::{Machine, MachineKind};
use crate::session::{Call, Refusal, Session};
use terminal::Backend;
use workspace::Workspace;

#[path = "../../../src/wa/tests/schemas.rs"]
mod schemas;
#[allow(dead_code, reason = "the suite of wa uses all of it")]
#[path = "../../../src/wa/tests/session.rs"]
mod session;
#[allow(dead_code, reason = "the suite of wa uses all of it")]
#[path = "../../../src/wa/tests/terminal.rs"]
mod terminal;
#[allow(dead_code, unused_imports, unused_macros, reason = "the suite of wa uses all of it")]
#[path = "../../../src/wa/tests/workspace.rs"]
mod workspace;

pub(crate) struct Wa {
    workspace: Workspace,
    /// Panes and the first number that each was reserved under, the current one last.
    panes: Vec<(u64, usize)>,
    machine: Machine,
}

impl Wa {
    pub(crate) fn open(kind: MachineKind) -> Option<Self> {
        let workspace = Workspace::new(Backend::Embedded)
            .set("WA_RATE_PER_PANE", "10000")
            .set("WA_RATE_GLOBAL", "10000");
        std::fs::create_dir(workspace.path(".wa")).expect("writable");
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        std::fs::set_permissions(workspace.path(".wa"), private).expect("a mode");
        let machine = Machine::new(kind, &workspace.path(".wa"), "2m")?;
        Some(Self { machine, workspace, panes: Vec::new() })
    }

    fn file(&self) -> PathBuf {
        self.workspace.path(".wa/wa.db")
    }
}

impl Surface for Wa {
    fn contract(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn command(&self) -> Command {
        self.workspace.command(&["mcp", "serve"])
    }

    fn started(&mut self, next: usize) {
        let talk = "while :; do echo still here; sleep 0.5; done";
        let spawn = self.workspace.command(&["spawn", "--", "sh", "-c", talk]);
        let output = self.machine.command(&spawn).output().expect("wa runs");
        assert!(output.status.success(), "no pane: {output:?}");
        let pane = String::from_utf8_lossy(&output.stdout).trim().parse().expect("a pane");
        self.panes.push((pane, next));
    }

    fn write(&mut self, _: &mut Session, number: usize) -> Result<Call, Refusal> {
        let (pane, _) = self.panes.last().expect("a pane");
        let arguments = json!({"pane_id": pane, "owner": format!("w{number}"), "ttl_secs": 3000});
        Ok(Call { tool: "wa.reserve", arguments })
    }

    fn read(&self) -> Call {
        Call { tool: "wa.reservations", arguments: json!({}) }
    }

    fn stored(&self) -> Vec<usize> {
        let copy = Copy::of(&self.machine, &self.file());
        let database = copy.open();
        let query =
            "SELECT max(CAST(substr(owner_id, 2) AS INTEGER)) FROM reservations WHERE pane_id = ?1";
        let mut stored = Vec::new();
        for (pane, first) in &self.panes {
            let last: Option<usize> =
                database.query_row(query, [pane], |row| row.get(0)).expect("a table");
            stored.extend(last.map(|last| *first..=last).into_iter().flatten());
        }
        stored
    }

    fn recovered(&self) {
        let recorded = || {
            let copy = Copy::of(&self.machine, &self.file());
            let query = "SELECT coalesce(max(id), 0) FROM segments";
            copy.open().query_row(query, [], |row| row.get::<_, i64>(0)).expect("a table")
        };
        let before = recorded();
        eventually("panes are recorded again", || (recorded() > before).then_some(()));
    }

    /// A log that has begun anew has room for as much as it had before.
    fn room(&self) -> usize {
        400
    }

    fn store(&mut self) -> Store<'_> {
        Store::Files(Box::new(File(self.file())))
    }
}

impl Drop for Wa {
    fn drop(&mut self) {
        // The panes outlive servers; on a disk of their own nobody else finds them.
        for (pane, _) in &self.panes {
            let close = self.workspace.command(&["close", &pane.to_string()]);
            let _ = self.machine.command(&close).output();
        }
    }
}
