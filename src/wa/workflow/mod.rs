//! Workflows: durable, cancellable, resumable executions of a few steps on one pane.
//!
//! Invariants: one active execution per pane, across all processes of the workspace; the process that
//! runs an execution holds its lock, and the kernel releases that when the process dies; a completed
//! step is never repeated; everything typed passes the policy each time; an execution that has ended
//! never restarts. Knows panes, policy, patterns and history through their modules; no surface and no
//! envelope.

mod builtin;
mod catalogue;
mod declared;
mod engine;
mod events;
mod journal;
mod lock;
mod model;
mod observe;
mod plan;
mod recover;
mod run;
mod runner;
mod schema;
mod send;
mod signals;
mod table;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use toolwright_runtime::clock::{Clock, Ids};

use super::accounts::Accounts;
use super::backend::set::MuxSet;
use super::error::{Kind, Result};
use super::history::{EventRow, History};
use super::model::{Actor, Millis};
use super::patterns::Patterns;
use super::policy::Policy;
use super::store::Store;
use catalogue::{Catalogue, Entry};
pub use engine::new_id;
pub use model::{
    Aborted, ActionPlan, BrokenFile, Execution, ExecutionId, Guard, Plan, PolicySummary, Recovered,
    Status, StepInfo, StepKind, StepLog, StepResult, WaitCondition, WorkflowInfo, WouldHandle,
};
pub use schema::SCHEMA;
use signals::Signals;

/// Characters of a prompt.
pub const MAX_PROMPT: usize = 2000;

/// How long a stop waits for threads; most backends give up sooner.
const STOP: Duration = Duration::from_secs(10);

/// Every finer code that this module gives to executions and errors.
pub const REASONS: &[&str] = &[
    "deny.alt_screen",
    "deny.command_running",
    "deny.recent_gap",
    "workflow.aborted",
    "workflow.already_handled",
    "workflow.approval_timeout",
    "workflow.backend",
    "workflow.guard_failed",
    "workflow.interrupted",
    "workflow.not_found",
    "workflow.pane_gone",
    "workflow.pane_locked",
    "workflow.step_failed",
    "workflow.stopping",
    "workflow.storage",
    "workflow.timeout",
    "workflow.unknown_step",
    "workflow.verify_failed",
    "workflow.wait_timeout",
];

/// What workflows work with.
pub struct Context {
    /// The workspace's database.
    pub store: Arc<Store>,
    /// Events and gaps.
    pub history: Arc<History>,
    /// All panes.
    pub set: Arc<MuxSet>,
    /// Rules, to wait for and to find a workflow by.
    pub patterns: Arc<Patterns>,
    /// Every text and key passes it.
    pub policy: Arc<Policy>,
    /// For `handle_usage_limits`.
    pub accounts: Arc<Accounts>,
    /// The time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn Ids>,
    /// `.wa`: `workflows/*.yaml` are read there, `runners/*.lock` are made there.
    pub folder: PathBuf,
    /// Settings.
    pub options: Options,
}

/// Settings of workflows.
#[derive(Debug, Clone)]
pub struct Options {
    /// Built-in workflows that are offered for events. A run by name works for all.
    pub enabled: BTreeSet<String>,
    /// Workflows that an event may start.
    pub auto_run: BTreeSet<String>,
    /// Events start workflows at all.
    pub auto_handle: bool,
    /// Executions that work at the same time in this process; paused ones do not count.
    pub concurrent: usize,
    /// Most that a step takes which says nothing else.
    pub step_timeout: Duration,
    /// Attempts after the first one, for steps that failed for a passing reason.
    pub retries: u32,
    /// How long a held step waits for the user.
    pub hold_timeout: Duration,
    /// How long an abort waits for the runner to clean up before it ends the execution itself.
    pub abort_patience: Duration,
    /// Prompts of `handle_compaction`: for a pane (`pane:3`), a project (`project:/path`), an agent
    /// (`agent:codex`) or all (`default`). `{agent}`, `{pane}`, `{cwd}` are filled in.
    pub prompts: BTreeMap<String, String>,
    /// Waits of the built-in workflows.
    pub timing: Timing,
}

/// Waits of the built-in workflows.
#[derive(Debug, Clone)]
pub struct Timing {
    /// A screen that did not change for this long is quiet.
    pub quiet: Duration,
    /// How long quiet is waited for.
    pub quiet_limit: Duration,
    /// After the first Ctrl-C.
    pub first_exit: Duration,
    /// After the second one.
    pub second_exit: Duration,
}

impl Default for Timing {
    fn default() -> Self {
        Self {
            quiet: Duration::from_secs(2),
            quiet_limit: Duration::from_secs(10),
            first_exit: Duration::from_secs(2),
            second_exit: Duration::from_secs(20),
        }
    }
}

impl Default for Options {
    fn default() -> Self {
        let names = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        Self {
            enabled: names(&["handle_compaction", "handle_usage_limits"]),
            auto_run: names(&["handle_compaction"]),
            auto_handle: false,
            concurrent: 3,
            step_timeout: Duration::from_secs(30),
            retries: 3,
            hold_timeout: Duration::from_secs(24 * 60 * 60),
            abort_patience: Duration::from_secs(10),
            prompts: BTreeMap::new(),
            timing: Timing::default(),
        }
    }
}

/// All workflows by name, and the files that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Listed {
    /// By name.
    pub workflows: Vec<WorkflowInfo>,
    /// By file.
    pub broken: Vec<BrokenFile>,
}

/// All workflows of a folder, without an engine to run them.
pub fn listed(folder: &Path, patterns: &Patterns, options: &Options) -> Listed {
    let mut catalogue = Catalogue::default();
    catalogue.refresh(folder, patterns, options);
    Listed {
        workflows: catalogue.entries().iter().map(|entry| entry.info.clone()).collect(),
        broken: catalogue.broken().to_vec(),
    }
}

/// Runs workflows. Cheap to clone.
#[derive(Clone)]
pub struct Workflows {
    inner: Arc<Inner>,
}

/// What the engine and its threads share.
struct Inner {
    context: Arc<Context>,
    signals: Signals,
    catalogue: Mutex<Catalogue>,
}

impl Inner {
    fn entries(&self) -> Vec<Entry> {
        self.with_catalogue(|catalogue| catalogue.entries().to_vec())
    }

    fn find(&self, name: &str) -> Result<Entry> {
        self.with_catalogue(|catalogue| catalogue.find(name))
    }

    fn with_catalogue<T>(&self, work: impl FnOnce(&Catalogue) -> T) -> T {
        let mut catalogue = self.catalogue.lock().unwrap_or_else(PoisonError::into_inner);
        let context = &self.context;
        catalogue.refresh(&context.folder, &context.patterns, &context.options);
        work(&catalogue)
    }
}

fn now_of(context: &Context) -> Millis {
    context.clock.now().as_millisecond()
}

impl Workflows {
    /// Prepares. Starts nothing; see [`Workflows::recover`].
    pub fn new(context: Arc<Context>) -> Result<Self> {
        for (name, prompt) in &context.options.prompts {
            let letters = prompt.chars().count();
            let key = name.split_once(':').map_or(name.as_str(), |(key, _)| key);
            if !matches!(key, "pane" | "project" | "agent" | "default") {
                return Err(Kind::Config.because(format!("`{name}` is not a prompt name.")).hint(
                    "Prompts are named pane:<id>, project:<path>, agent:<name> or default.",
                ));
            }
            if letters == 0 || letters > MAX_PROMPT {
                return Err(Kind::Config.because(format!(
                    "The prompt `{name}` has {letters} characters; 1 to {MAX_PROMPT} are allowed."
                )));
            }
        }
        let inner = Inner { context, signals: Signals::default(), catalogue: Mutex::default() };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// All workflows, and the files that cannot be used. Files that changed are read again.
    pub fn list(&self) -> Listed {
        self.inner.with_catalogue(|catalogue| Listed {
            workflows: catalogue.entries().iter().map(|entry| entry.info.clone()).collect(),
            broken: catalogue.broken().to_vec(),
        })
    }

    /// What a run would do now. Changes nothing.
    pub fn plan(&self, name: &str, pane_id: u64, force: bool) -> Result<Plan> {
        self.inner.plan(name, pane_id, force)
    }

    /// Starts an execution. `trigger` is the event that it handles; without one the newest unhandled
    /// event of the pane that fits is taken. `force` handles again what is already handled.
    pub fn run(
        &self,
        name: &str,
        pane_id: u64,
        force: bool,
        actor: &Actor,
        trigger: Option<i64>,
    ) -> Result<ExecutionId> {
        self.inner.run(name, pane_id, force, actor, trigger)
    }

    /// Waits until the execution has ended or is paused, at most `timeout`; returns its status.
    pub fn wait(
        &self,
        id: &str,
        timeout: Duration,
        cancelled: &dyn Fn() -> bool,
    ) -> Result<Execution> {
        self.inner.wait(id, timeout, cancelled)
    }

    /// One execution, with logs and plan when `verbose`.
    pub fn status(&self, id: &str, verbose: bool) -> Result<Execution> {
        self.inner.status(id, verbose)
    }

    /// The newest executions, at most 50: of one pane id or all, maybe only active ones.
    pub fn statuses(&self, pane_id: Option<u64>, active: bool) -> Result<Vec<Execution>> {
        let which = table::Which::Newest { pane_id, active };
        self.inner.context.store.read(|reader| table::read(reader, &which))
    }

    /// Ends an execution, whichever process runs it. With `force` at once and without cleanup.
    pub fn abort(&self, id: &str, reason: Option<&str>, force: bool) -> Result<Aborted> {
        self.inner.abort(id, reason, force)
    }

    /// Takes up executions whose process is gone. For the start of a process, and now and then.
    pub fn recover(&self) -> Result<Recovered> {
        self.inner.recover()
    }

    /// Which workflow is for an event, and whether it would start by itself.
    pub fn would_handle(&self, event: &EventRow) -> Option<WouldHandle> {
        self.inner.would_handle(event)
    }

    /// Starts the workflow for a new event where settings allow it. Takes as long as looking at the
    /// pane does.
    pub fn on_event(&self, event: &EventRow) -> Result<Option<ExecutionId>> {
        self.inner.on_event(event)
    }

    /// Ends the threads of this process between two operations and leaves their executions to the
    /// next recovery. False when one did not end in time; its execution is taken up all the same
    /// once this process is gone.
    pub fn stop(&self) -> bool {
        self.inner.signals.close(STOP)
    }
}
