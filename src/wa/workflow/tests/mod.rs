//! Workflows on a real tmux, with a real database, policy and history.

mod builtin;
mod crash;
mod files;
mod running;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use toolwright_runtime::clock::{SystemClock, SystemIds};

use super::*;
use crate::accounts;
use crate::backend::testing::{LIMIT, Server, eventually, until_prompt};
use crate::backend::{Tmux, TmuxOptions};
use crate::history::{self, NewEvent, Recorded};
use crate::model::{ActorKind, Agent, BackendKind, Severity};
use crate::mux::Mux as _;
use crate::policy;

/// One process of a workspace: its own database connections, engine and policy.
pub(super) struct Process {
    pub(super) engine: Workflows,
    pub(super) context: Arc<Context>,
}

/// How a process is made.
#[derive(Default)]
pub(super) struct Setup {
    pub(super) options: Options,
    /// In place of tmux.
    pub(super) program: Option<PathBuf>,
    /// The user's policy.
    pub(super) rules: Option<&'static str>,
    /// A file with accounts.
    pub(super) accounts: Option<&'static str>,
}

impl Process {
    /// A process of the workspace in `folder`, driving the tmux on `socket`.
    pub(super) fn new(folder: &Path, socket: String, setup: Setup) -> Self {
        let folder = folder.join(".wa");
        let schemas = [history::SCHEMA, policy::SCHEMA, SCHEMA, accounts::SCHEMA];
        let store = Arc::new(Store::open(&folder, &schemas).unwrap());
        let write = |name: &str, text: Option<&str>| {
            let file = folder.join(name);
            text.map(|text| std::fs::write(&file, text).map(|()| file).unwrap())
        };
        let policy = policy::Options {
            rules_file: write("policy.yaml", setup.rules),
            workspace: "test".to_owned(),
            ..policy::Options::default()
        };
        let accounts = accounts::Options {
            source: accounts::Source::File,
            file: write("accounts.json", setup.accounts),
            ..accounts::Options::default()
        };
        let program = setup.program.map_or("tmux".to_owned(), |file| file.display().to_string());
        let tmux = Tmux::new(TmuxOptions { program, socket: Some(socket), timeout: LIMIT });
        let context = Arc::new(Context {
            history: Arc::new(History::new(Arc::clone(&store))),
            set: Arc::new(MuxSet::new(vec![Arc::new(tmux)], BackendKind::Tmux)),
            patterns: Arc::new(Patterns::builtin().unwrap()),
            policy: Arc::new(Policy::new(Arc::clone(&store), policy).unwrap()),
            accounts: Arc::new(Accounts::new(Arc::clone(&store), accounts)),
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(SystemIds),
            folder,
            options: setup.options,
            store,
        });
        Self { engine: Workflows::new(Arc::clone(&context)).unwrap(), context }
    }

    pub(super) fn now(&self) -> Millis {
        now_of(&self.context)
    }

    /// Records an event in a pane, as the watcher does.
    pub(super) fn event(
        &self,
        pane_id: u64,
        rule_id: &str,
        agent: Agent,
        extracted: &[(&str, &str)],
    ) -> i64 {
        let rows = self.context.set.list().unwrap().panes;
        let history = &self.context.history;
        let keys = history.observe(&rows, &[BackendKind::Tmux], &SystemIds, self.now()).unwrap();
        let rule = self.context.patterns.rule(rule_id).unwrap();
        let event = NewEvent {
            pane: keys[&pane_id],
            rule_id: rule.id.clone(),
            pack_id: rule.pack.clone(),
            agent,
            event_type: rule.event_type.clone(),
            severity: Severity::Warning,
            confidence: 0.95,
            extracted: extracted
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
            matched_text: None,
            segment: None,
            dedupe: rule.id.clone(),
            detected_at: self.now(),
        };
        match history.record(&event, self.now()).unwrap() {
            Recorded::New(id) | Recorded::Duplicate(id) => id,
        }
    }

    /// Starts a workflow and waits until it has ended or is paused.
    pub(super) fn run_to_end(&self, name: &str, pane: u64) -> Execution {
        let id = self.engine.run(name, pane, false, &client(), None).unwrap();
        self.ended(&id)
    }

    /// Waits until an execution has ended or is paused. A step that comes before the shell is back
    /// at its prompt is held for a moment; that is no pause.
    pub(super) fn ended(&self, id: &str) -> Execution {
        eventually("its end", || {
            let execution = self.engine.wait(id, LIMIT, &|| false).unwrap();
            let rule = execution.policy.as_ref().and_then(|policy| policy.rule.as_deref());
            let paused =
                execution.status == Status::Paused && rule != Some("policy.prompt_unknown");
            (paused || !execution.status.is_active()).then_some(execution)
        })
    }

    /// Waits until an execution stands like this.
    pub(super) fn until(&self, id: &str, status: Status) -> Execution {
        eventually(status.as_str(), || {
            let execution = self.engine.status(id, true).unwrap();
            (execution.status == status).then_some(execution)
        })
    }
}

pub(super) fn client() -> Actor {
    Actor { kind: ActorKind::Mcp, id: "tester".to_owned(), session: "session-1".to_owned() }
}

pub(super) fn user() -> Actor {
    Actor { kind: ActorKind::Human, id: "somebody".to_owned(), session: "terminal".to_owned() }
}

/// A tmux server whose pane 0 waits at a prompt, and one process.
pub(super) fn fixture(setup: Setup) -> (Server, Process) {
    let server = Server::start();
    until_prompt(&server.tmux(), 0);
    let process = Process::new(server.folder(), server.socket(), setup);
    (server, process)
}

/// Declares a workflow in the workspace.
pub(super) fn declare(folder: &Path, name: &str, text: &str) {
    let workflows = folder.join(".wa/workflows");
    std::fs::create_dir_all(&workflows).unwrap();
    std::fs::write(workflows.join(format!("{name}.yaml")), text).unwrap();
}

pub(super) fn fast_options() -> Options {
    Options {
        timing: Timing {
            quiet: Duration::from_millis(300),
            quiet_limit: Duration::from_secs(10),
            // Longer than an agent takes to see the first Ctrl-C, else two count as one.
            first_exit: Duration::from_secs(3),
            second_exit: Duration::from_secs(20),
        },
        ..Options::default()
    }
}

/// All text of a pane.
pub(super) fn text(server: &Server, pane: u64) -> String {
    server.tmux().text(pane, crate::mux::Lines::All, false).unwrap().text
}
