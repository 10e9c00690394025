//! `wa.state` of a few panes of our own.

use serde_json::{Value, json};
use toolwright_runtime::settings::{Sources, load_typed};
use wa::backend::set::Found;
use wa::engine::Engine;
use wa::generated::Settings;
use wa::model::ActorKind;
use wa::mux::{Mux, Spawn};
use wa::setup::from_settings;

use super::Subject;
use crate::Result;
use crate::program::Program;
use crate::programs::Programs;
use crate::wa::Workspace;

const PANES: usize = 3;

/// Panes, and the engine over them.
pub(super) struct Panes {
    workspace: Workspace,
    engine: Engine,
}

impl Panes {
    pub(super) fn new(programs: &Programs) -> Result<Self> {
        let workspace = Workspace::new("overhead-state", &programs.wa)?;
        let command = ["sh", "-c", "echo ready; exec sleep 600"].map(str::to_owned).to_vec();
        for _ in 0..PANES {
            workspace.panes.spawn(&Spawn { command: command.clone(), ..Spawn::default() })?;
        }
        // What the server is told, and nothing that this process was.
        let folder = workspace.folder.path.display().to_string();
        let told = |name: &str| match name {
            "WA_WORKSPACE" => Some(folder.clone()),
            "WA_BACKEND" => Some("embedded".to_owned()),
            _ => None,
        };
        let (flags, cwd) = (Default::default(), workspace.folder.path.clone());
        let sources = Sources { flags, config: None, env: &told, home: None, cwd };
        let (settings, _) = load_typed::<Settings>(&sources).map_err(|error| error.to_string())?;
        let engine = Engine::new(from_settings(&settings, ActorKind::Mcp));
        Ok(Self { workspace, engine })
    }
}

impl Drop for Panes {
    fn drop(&mut self) {
        for row in self.workspace.panes.list().into_iter().flatten() {
            let _ = self.workspace.panes.close(row.native_id);
        }
    }
}

impl Subject for Panes {
    fn tool(&self) -> &'static str {
        "wa.state"
    }

    fn program(&self, programs: &Programs) -> Program {
        Program::wa(&programs.wa, &self.workspace.folder.path).with("WA_WATCH", "false")
    }

    fn arguments(&self) -> Value {
        json!({})
    }

    fn expected(&self) -> &str {
        r#""pane_state":{"#
    }

    /// What the handler asks the engine for.
    fn in_engine(&self) -> Result<()> {
        let set = self.engine.mux_set()?;
        let rows = set.list()?.panes;
        let records = self.engine.records()?;
        let known = records.history.known_all()?;
        std::hint::black_box(records.policy.reservations(None, self.engine.now())?);
        let filter = self.engine.filter()?;
        let mut seen = 0;
        for row in rows {
            let (member, _) = set.owner(row.pane_id).ok_or("a pane of nobody")?;
            std::hint::black_box(filter.observed(&row));
            let found = Found { mux: member.mux.clone(), row };
            self.engine.state(&found, known.get(&found.row.pane_id))?;
            seen += 1;
        }
        if seen == PANES { Ok(()) } else { Err(format!("{seen} panes").into()) }
    }
}
