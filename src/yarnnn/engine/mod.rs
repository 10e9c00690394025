//! The engine: everything that tools and the command line do with memory.
//!
//! A write is one transaction: dump, proposal, blocks, relations, signature, timeline and activity
//! are committed together or not at all. Slow work, such as extraction by a model, happens before
//! it. Knows nothing of the protocol; the user comes in as a [`Caller`].

mod access;
mod activity_pruner;
mod activity_writer;
mod capture;
mod choose;
mod commit_capture;
mod compare;
mod create;
mod decisions;
mod erase;
mod error;
mod fingerprint;
mod keys;
mod meaning;
mod profiles;
mod queue;
mod recall;
mod reembed;
mod reflect;
mod review;
mod settings;
mod sign_in;
mod trace;
mod vectors;
mod withdraw;
mod workspaces;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_runtime::clock::{Clock, Ids};

pub use access::{AuthenticatedUser, host_of};
pub use capture::{Addition, Answer, Held, Payload, Placement, Queued, Stored};
pub use compare::Comparison;
pub use create::{CreateOutcome, CreateRequest};
pub use decisions::{Decision, Edit, Reviewed, Standing};
pub use error::Error;
pub use queue::Confirmation;
pub use recall::{DumpPart, Match, RecallQuery, Recalled, RecalledEntry};
pub use reembed::Progress;
pub use sign_in::{SignedIn, Ticket};
pub use trace::{Trace, Traced};
pub use withdraw::Withdrawn;
pub use workspaces::NewToken;

use super::auth::JwtRules;
use super::embed::Embedder;
use super::governance::Role;
use super::llm::Extractor;
use super::model::Millis;
use super::records::members::Workspace;
use super::records::{MIGRATIONS, Source, Tx, basket_vectors, reindex};
use super::sql::{Database, Dialect, Kind};
pub use activity_pruner::Retention;
use activity_writer::ActivityWriter;
use meaning::Meaning;
use profiles::Profiles;
use vectors::Vectors;

/// The result type of this module.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// What an engine is built from.
pub struct Setup {
    /// Where memory is stored.
    pub database: Database,
    /// What extracts statements from texts.
    pub extractor: Extractor,
    /// What makes vectors where the host sends none.
    pub embedder: Embedder,
    /// How JWTs of the account service are checked; without it only integration tokens are
    /// accepted.
    pub jwt: Option<JwtRules>,
    /// Use pgvector where the database has it.
    pub use_pgvector: bool,
    /// How long the activity log is kept.
    pub activity: Retention,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn Ids>,
}

/// The memory of all workspaces of a database.
pub struct Engine {
    store: Arc<Store>,
    extractor: Extractor,
    embedder: Arc<Embedder>,
    jwt: Option<JwtRules>,
    vectors: Vectors,
    profiles: Profiles,
    meaning: Meaning,
    activity_writer: ActivityWriter,
}

/// An authenticated user and the call they are making.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Their workspace.
    pub workspace: Workspace,
    /// Their role in it.
    pub role: Role,
    /// The user, host and session.
    pub source: Source,
    /// The tool.
    pub tool: String,
    /// When the call started, in ticks of the clock.
    pub started: u64,
    /// The call is already in the activity log.
    logged: Arc<AtomicBool>,
}

/// The database; its tables are created on first use.
struct Store {
    database: Database,
    use_pgvector: bool,
    opened: Mutex<Option<Opened>>,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
}

/// What is known of an open database.
#[derive(Debug, Clone, Copy)]
struct Opened {
    vectors: bool,
}

impl Engine {
    /// Creates the engine; connects on first use, so the database may come up later.
    pub fn new(setup: Setup) -> Self {
        let store = Arc::new(Store {
            database: setup.database,
            use_pgvector: setup.use_pgvector,
            opened: Mutex::default(),
            clock: setup.clock,
            ids: setup.ids,
        });
        let embedder = Arc::new(setup.embedder);
        Self {
            activity_writer: ActivityWriter::new(Arc::clone(&store), setup.activity),
            store,
            extractor: setup.extractor,
            meaning: Meaning::new(Arc::clone(&embedder)),
            embedder,
            jwt: setup.jwt,
            vectors: Vectors::default(),
            profiles: Profiles::default(),
        }
    }

    /// Whether the database answers now.
    pub fn ready(&self) -> Result<()> {
        self.store.opened()?;
        Ok(self.store.database.ping()?)
    }

    /// Ticks of the clock, for [`Caller::started`].
    pub fn ticks(&self) -> u64 {
        self.store.clock.ticks()
    }

    /// Now.
    pub fn now(&self) -> Millis {
        self.store.now()
    }
}

impl Store {
    fn opened(&self) -> Result<Opened> {
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(opened) = *opened {
            return Ok(opened);
        }
        self.database.migrate_and(MIGRATIONS, |tx| reindex::run(tx))?;
        let wanted = self.use_pgvector && self.database.dialect() == Dialect::Postgres;
        let vectors = wanted && self.database.read(|tx| basket_vectors::has_pgvector(tx))?;
        let vectors = vectors && self.enabled_vectors()?;
        Ok(*opened.insert(Opened { vectors }))
    }

    /// Creates pgvector's column; without the privilege, vectors are compared in this process.
    fn enabled_vectors(&self) -> Result<bool> {
        match self.database.write(|tx| basket_vectors::enable_pgvector(tx)) {
            Ok(()) => Ok(true),
            Err(error) if error.kind == Kind::Denied => {
                let why = error.internal.as_deref().unwrap_or(&error.message);
                tracing::warn!(event = "yarnnn.pgvector", why, "pgvector cannot be used");
                Ok(false)
            }
            Err(error) => Err(error.into()),
        }
    }

    fn read<T>(&self, work: impl FnMut(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        self.opened()?;
        self.database.read(work)
    }

    fn write<T>(&self, work: impl FnMut(&mut Tx<'_>) -> Result<T>) -> Result<T> {
        self.opened()?;
        self.database.write(work)
    }

    fn now(&self) -> Millis {
        self.clock.now().as_millisecond()
    }

    /// A new id.
    fn id(&self) -> String {
        let mut bytes = [0; 16];
        self.ids.fill(&mut bytes);
        keys::uuid(bytes)
    }
}

impl Caller {
    /// The workspace's id.
    pub fn workspace_id(&self) -> &str {
        &self.workspace.id
    }

    /// Whether the call recorded itself in the activity log, in the transaction of its write.
    pub fn is_logged(&self) -> bool {
        self.logged.load(Ordering::Relaxed)
    }

    /// Fails unless the caller may decide what becomes memory.
    pub fn must_review(&self) -> Result<()> {
        match self.role.may_review() {
            true => Ok(()),
            false => Err(Error::NotAReviewer {
                user: self.source.user_id.clone(),
                workspace: self.workspace.name.clone(),
                role: self.role.as_str(),
            }),
        }
    }

    /// Id and number of the workspace, for the index.
    fn index_scope(&self) -> (&str, i64) {
        (&self.workspace.id, self.workspace.number)
    }
}
