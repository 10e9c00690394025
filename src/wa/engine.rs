//! The engine: its modules, created from settings and joined to each other.
//!
//! Nothing fails at start: a database that cannot be opened, a missing terminal or a broken rule file
//! is an error of the call that needs it, and is tried again at the next one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use toolwright_commands::terminal;
use toolwright_runtime::clock::{Clock, Ids};

use super::accounts::{self, Accounts};
use super::backend::Filter;
use super::backend::set::{Found, MuxSet};
use super::backend::{Candidates, TmuxOptions, WeztermOptions, detect};
use super::embedded::Embedded;
use super::error::{Error, Result};
use super::history::{self, History, KnownPane, Retention};
use super::model::{Actor, ActorKind, BackendKind, Millis, PaneRow, PaneState};
use super::mux::Lines;
use super::patterns::{PackOptions, Patterns};
use super::policy::{self, Policy};
use super::store::Store;
use super::workflow::{self, Workflows};
use super::{agents, cleaning, redact};

/// Where the primary backend is remembered: its panes keep their own numbers.
const PRIMARY: &str = "primary_backend";

/// Configuration of the engine.
pub struct Setup {
    /// The workspace's `.wa` folder.
    pub folder: PathBuf,
    /// Terminal backends.
    pub backends: Backends,
    /// Panes to record.
    pub include: Vec<String>,
    /// Panes not to record.
    pub exclude: Vec<String>,
    /// Rule packs.
    pub packs: PackOptions,
    /// Policy.
    pub policy: policy::Options,
    /// Workflows.
    pub workflows: workflow::Options,
    /// Accounts.
    pub accounts: accounts::Options,
    /// Replace secrets in pane text and search results.
    pub redact_text: bool,
    /// Longest wait.
    pub wait_max: Duration,
    /// How long a run waits for its end.
    pub run_wait: Duration,
    /// How much captured output is kept.
    pub retention: Retention,
    /// Name in reservations and audits.
    pub owner: Option<String>,
    /// What kind of actor calls come from.
    pub actor: ActorKind,
    /// One connection, or one user of the command line.
    pub session: String,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn Ids>,
}

/// Which terminal backends, and how to reach them.
pub struct Backends {
    /// `auto`, `wezterm`, `tmux` or `embedded`.
    pub wanted: String,
    /// tmux.
    pub tmux: TmuxOptions,
    /// WezTerm.
    pub wezterm: WeztermOptions,
    /// The workspace's `.wa` folder: embedded panes are found there.
    pub folder: PathBuf,
    /// Starts the host of embedded panes.
    pub host_command: Vec<String>,
    /// The environment of this process.
    pub env: BTreeMap<String, String>,
}

impl Backends {
    fn candidates(&self, remembered: Option<BackendKind>) -> Candidates<'_> {
        Candidates {
            tmux: self.tmux.clone(),
            wezterm: self.wezterm.clone(),
            embedded: Arc::new(self.embedded()),
            env: &self.env,
            remembered,
        }
    }

    /// Embedded pseudo-terminals.
    pub fn embedded(&self) -> Embedded {
        Embedded::new(&self.folder, self.host_command.clone())
    }
}

/// The engine.
pub struct Engine {
    /// Its configuration.
    pub setup: Setup,
    patterns: OnceLock<(Arc<Patterns>, Vec<Error>)>,
    records: Mutex<Option<Arc<Records>>>,
    set: Mutex<Option<Arc<MuxSet>>>,
    workflows: Mutex<Option<Arc<Workflows>>>,
}

/// The modules that live in the database.
pub struct Records {
    /// The database.
    pub store: Arc<Store>,
    /// Captured output and events.
    pub history: Arc<History>,
    /// Policy, approvals, reservations.
    pub policy: Arc<Policy>,
    /// Accounts.
    pub accounts: Arc<Accounts>,
}

/// A pane, what is known about it, and its life in the history.
pub struct PaneSnapshot {
    /// The pane and its backend.
    pub found: Found,
    /// Its state now.
    pub state: PaneState,
}

impl Engine {
    /// Creates the engine; opens nothing yet.
    pub fn new(setup: Setup) -> Self {
        Self {
            setup,
            patterns: OnceLock::new(),
            records: Mutex::default(),
            set: Mutex::default(),
            workflows: Mutex::default(),
        }
    }

    /// All rules that can be used. Compiling them takes longer than the rest of a start, so it waits
    /// until they are needed.
    pub fn patterns(&self) -> &Arc<Patterns> {
        &self.rules().0
    }

    /// Errors of the rule files.
    pub fn pattern_errors(&self) -> &[Error] {
        &self.rules().1
    }

    fn rules(&self) -> &(Arc<Patterns>, Vec<Error>) {
        self.patterns.get_or_init(|| {
            let (patterns, errors) = Patterns::load_usable(&self.setup.packs);
            for error in &errors {
                tracing::warn!(event = "wa.rules_broken", "{error}");
            }
            (Arc::new(patterns), errors)
        })
    }

    /// The database modules; opened when first needed.
    ///
    /// The first call after an update may clean it, which takes a while; progress is reported.
    pub fn records(&self) -> Result<Arc<Records>> {
        let opened = || self.records.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(records) = &*opened() {
            return Ok(Arc::clone(records));
        }
        let schemas = [history::SCHEMA, policy::SCHEMA, workflow::SCHEMA, accounts::SCHEMA];
        let tell = |progress: &str| self.report_progress(progress);
        let store = Arc::new(cleaning::open(&self.setup.folder, &schemas, &tell)?);
        let made = Arc::new(Records {
            history: Arc::new(History::new(Arc::clone(&store))),
            policy: Arc::new(Policy::new(Arc::clone(&store), self.setup.policy.clone())?),
            accounts: Arc::new(Accounts::new(Arc::clone(&store), self.setup.accounts.clone())),
            store,
        });
        // Another thread may have been faster.
        Ok(Arc::clone(
            self.records.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(made),
        ))
    }

    /// Reports a long-running operation: a server in its log, a command on standard error.
    fn report_progress(&self, progress: &str) {
        match self.setup.actor {
            ActorKind::Mcp => tracing::info!(event = "wa.cleaning", "{progress}"),
            _ => terminal::message(progress),
        }
    }

    /// The terminal backends.
    pub fn mux_set(&self) -> Result<Arc<MuxSet>> {
        let mut set = self.set.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(set) = &*set {
            return Ok(Arc::clone(set));
        }
        let (made, settled) = self.build_mux_set()?;
        let made = Arc::new(made);
        if settled {
            *set = Some(Arc::clone(&made));
        }
        Ok(made)
    }

    /// The backends as they are now, without the database that remembers the primary one: for
    /// read-only commands.
    pub fn backends(&self) -> Result<MuxSet> {
        detect(&self.setup.backends.wanted, self.setup.backends.candidates(None))
    }

    /// Whether pane ids are final: not before the first pane was seen.
    pub fn is_settled(&self) -> bool {
        self.mux_set().is_ok() && self.set.lock().unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// All backends, and whether it is settled which of them is the primary one. Several processes
    /// must agree on pane ids, so the first backend that ever answered stays the primary one.
    fn build_mux_set(&self) -> Result<(MuxSet, bool)> {
        let setup = &self.setup;
        let automatic = setup.backends.wanted == "auto";
        let history = automatic.then(|| self.records().ok()).flatten();
        let history = history.map(|records| Arc::clone(&records.history));
        let word = history.as_ref().and_then(|history| history.meta(PRIMARY).ok().flatten());
        let remembered = word.as_deref().and_then(BackendKind::parse);
        let set = detect(&setup.backends.wanted, setup.backends.candidates(remembered))?;
        if !automatic || remembered.is_some() {
            return Ok((set, true));
        }
        // Until a pane is seen nobody has used an id, and the primary backend may still change.
        let seen = set.list().is_ok_and(|listing| !listing.panes.is_empty());
        let (true, Some(primary), Some(history)) = (seen, set.primary(), history) else {
            return Ok((set, seen));
        };
        let kept = history.meta_once(PRIMARY, primary.as_str())?;
        match BackendKind::parse(&kept) {
            Some(first) if first != primary => {
                let candidates = setup.backends.candidates(Some(first));
                Ok((detect(&setup.backends.wanted, candidates)?, true))
            }
            _ => Ok((set, true)),
        }
    }

    /// The workflow engine.
    pub fn workflows(&self) -> Result<Arc<Workflows>> {
        let mut workflows = self.workflows.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(engine) = &*workflows {
            return Ok(Arc::clone(engine));
        }
        let engine = Arc::new(Workflows::new(Arc::new(self.workflow_context()?))?);
        // Until the primary backend is settled, pane ids may still change.
        if self.set.lock().unwrap_or_else(PoisonError::into_inner).is_some() {
            *workflows = Some(Arc::clone(&engine));
        }
        Ok(engine)
    }

    fn workflow_context(&self) -> Result<workflow::Context> {
        let records = self.records()?;
        Ok(workflow::Context {
            store: Arc::clone(&records.store),
            history: Arc::clone(&records.history),
            set: self.mux_set()?,
            patterns: Arc::clone(self.patterns()),
            policy: Arc::clone(&records.policy),
            accounts: Arc::clone(&records.accounts),
            clock: Arc::clone(&self.setup.clock),
            ids: Arc::clone(&self.setup.ids),
            folder: self.setup.folder.clone(),
            options: self.setup.workflows.clone(),
        })
    }

    /// Which panes are recorded.
    pub fn filter(&self) -> Result<Filter> {
        Filter::new(&self.setup.include, &self.setup.exclude)
    }

    /// A live pane.
    pub fn find(&self, pane_id: u64) -> Result<Found> {
        self.mux_set()?.find(pane_id)?.live()
    }

    /// A live pane and everything that is known about it now.
    pub fn inspect(&self, pane_id: u64) -> Result<PaneSnapshot> {
        let found = self.find(pane_id)?;
        let known = self.known(&found.row);
        let state = self.state(&found, known.as_ref())?;
        Ok(PaneSnapshot { found, state })
    }

    /// The state of a pane: the backend's word, the agent on its screen, gaps in its history.
    pub fn state(&self, found: &Found, known: Option<&KnownPane>) -> Result<PaneState> {
        let mut state = found.mux.state(&found.row)?;
        // A shell in front is no agent; anything else may be one.
        if state.prompt_active != Some(true) {
            let screen = found.mux.text(found.row.native_id, Lines::Screen, false)?;
            state.agent = agents::recognise(&found.row, &state, &screen.text);
        }
        state.recent_gap = known.is_some_and(|known| known.recent_gap);
        Ok(state)
    }

    /// What the history knows about exactly this pane; nothing when it cannot be read.
    pub fn known(&self, row: &PaneRow) -> Option<KnownPane> {
        let records = self.records().ok()?;
        let known = records.history.known(row.pane_id).ok()??;
        (known.identity == row.identity).then_some(known)
    }

    /// Removes secrets from a text, where that is wanted.
    pub fn redact_shown(&self, text: &str) -> String {
        match self.setup.redact_text {
            true => redact::redact_captured(text).into_owned(),
            false => text.to_owned(),
        }
    }

    /// Now.
    pub fn now(&self) -> Millis {
        self.setup.clock.now().as_millisecond()
    }

    /// The actor that calls come from; `client` is its name where the transport knows one.
    pub fn actor(&self, client: Option<&str>) -> Actor {
        let kind = self.setup.actor;
        let id = self.setup.owner.as_deref().or(client).unwrap_or(kind.as_str()).to_owned();
        Actor { kind, id, session: self.setup.session.clone() }
    }

    /// The workspace's `.wa` folder.
    pub fn folder(&self) -> &Path {
        &self.setup.folder
    }
}
