//! The memory: everything that tools and people do with it, over the records and the engines.
//!
//! A write is one transaction: dump, proposal, blocks, relations, signature, timeline and activity
//! are there together or not at all. What takes long, such as reading a transcript, happens before
//! it. Nothing here knows of the protocol; who is asking comes in as a [`Caller`].

mod access;
mod activity_writer;
mod capture;
mod choose;
mod commit_capture;
mod compare;
mod create;
mod error;
mod keys;
mod queue;
mod recall;
mod reflect;
mod review;
mod settings;
mod vectors;
mod withdraw;
mod workspaces;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_runtime::clock::{Clock, Ids};

pub use access::{Admitted, host_of};
pub use capture::{Addition, Answer, Held, Payload, Placing, Queued, Stored};
pub use compare::Compared;
pub use create::{Creation, Made};
pub use error::Fault;
pub use queue::Confirmation;
pub use recall::{Found, Piece, Question};
pub use withdraw::Withdrawn;
pub use workspaces::NewToken;

use super::auth::JwtRules;
use super::governance::Role;
use super::llm::Extractor;
use super::model::Millis;
use super::records::members::Workspace;
use super::records::{MIGRATIONS, Source, Tx, reindex, signatures};
use super::sql::{Database, Dialect, Kind};
use activity_writer::Diary;
use vectors::Vectors;

/// What every function of this room returns.
pub type Result<T, E = Fault> = std::result::Result<T, E>;

/// How the memory is set up.
pub struct Setup {
    /// Where it is kept.
    pub database: Database,
    /// Who reads statements out of texts.
    pub extractor: Extractor,
    /// How tokens of the account service are checked; without it only integration tokens are taken.
    pub jwt: Option<JwtRules>,
    /// Use pgvector where the database has it.
    pub use_pgvector: bool,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub ids: Arc<dyn Ids>,
}

/// The memory of all workspaces of a database.
pub struct Engine {
    store: Arc<Store>,
    extractor: Extractor,
    jwt: Option<JwtRules>,
    vectors: Vectors,
    diary: Diary,
}

/// Somebody who was let in, and the call that they make.
#[derive(Debug, Clone)]
pub struct Caller {
    /// Their workspace.
    pub workspace: Workspace,
    /// What they are in it.
    pub role: Role,
    /// Who they are and how they come.
    pub source: Source,
    /// What they call.
    pub tool: String,
    /// When they called, in ticks of the clock.
    pub started: u64,
    /// The call is in the activity log already.
    noted: Arc<AtomicBool>,
}

/// The database, its tables made when first needed.
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
    /// Makes the memory; connects later, so that a database that is down now may come later.
    pub fn new(setup: Setup) -> Self {
        let store = Arc::new(Store {
            database: setup.database,
            use_pgvector: setup.use_pgvector,
            opened: Mutex::default(),
            clock: setup.clock,
            ids: setup.ids,
        });
        Self {
            diary: Diary::new(Arc::clone(&store)),
            store,
            extractor: setup.extractor,
            jwt: setup.jwt,
            vectors: Vectors::default(),
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
        let asked = self.use_pgvector && self.database.dialect() == Dialect::Postgres;
        let vectors = asked && self.database.read(|tx| signatures::has_vectors(tx))?;
        let vectors = vectors && self.enabled_vectors()?;
        Ok(*opened.insert(Opened { vectors }))
    }

    /// Makes pgvector's column; without the right to do so, vectors are compared in this process.
    fn enabled_vectors(&self) -> Result<bool> {
        match self.database.write(|tx| signatures::enable_vectors(tx)) {
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

    /// Whether the call put itself into the activity log, in the transaction of its write.
    pub fn is_noted(&self) -> bool {
        self.noted.load(Ordering::Relaxed)
    }

    /// What the index knows the workspace by.
    fn place(&self) -> (&str, i64) {
        (&self.workspace.id, self.workspace.number)
    }
}
