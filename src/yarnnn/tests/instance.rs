//! An instance of yarnnn: an engine on its own database with one workspace, and the program on it.
//!
//! [`on_both`] runs a test on SQLite and on PostgreSQL; afterwards the database must be whole. The
//! clock starts at the real time and moves only when a test moves it.

use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright_runtime::clock::{Clock as _, FixedClock, Ids, SystemClock, SystemIds};
pub(crate) use toolwright_testing::json::{list, text as text_of};
use toolwright_testing::{HttpServer, ServerHome, StdioSession};
use yarnnn::auth::{JwtRules, Secret};
use yarnnn::embed::Embedder;
use yarnnn::engine::{Caller, Engine, Retention, Setup};
use yarnnn::governance::{Role, Settings};
use yarnnn::llm::Extractor;
use yarnnn::records::governance;
use yarnnn::records::members::Workspace;
use yarnnn::sql::{self, Database, FromValue, Options, Row};

use super::integrity::is_whole;
use super::postgres;
use super::user::TestUser;

/// The JWT secret of the account service.
pub(crate) const SECRET: &str = "a secret of the account service, long enough for HS256";
/// A day of the clock.
pub(crate) const DAY: u64 = 86_400_000;
/// Length of the vectors that tests use.
pub(crate) const DIMS: usize = 64;

/// Runs a test on each database.
pub(crate) fn on_both(test: impl Fn(&Instance)) {
    let run = |instance: &Instance| {
        test(instance);
        is_whole(instance);
    };
    eprintln!("on SQLite");
    run(&Instance::on_sqlite());
    if let Some(url) = postgres::postgres() {
        eprintln!("on PostgreSQL");
        run(&Instance::new(&url, tempfile::tempdir().expect("a folder")));
    }
}

/// An engine with one workspace, `Main`, whose owner is `olga`. As a home it runs the program as her.
pub(crate) struct Instance {
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) tenant: Tenant,
    pub(crate) url: String,
    database: Database,
    home: ServerHome,
}

impl Deref for Instance {
    type Target = ServerHome;

    fn deref(&self) -> &ServerHome {
        &self.home
    }
}

/// A workspace and the token of its owner.
#[derive(Debug, Clone)]
pub(crate) struct Tenant {
    pub(crate) workspace: Workspace,
    pub(crate) owner: String,
    pub(crate) token: String,
}

impl Instance {
    /// On a file in a new folder.
    pub(crate) fn on_sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}", folder.path().join("yarnnn.db").display());
        Self::new(&url, folder)
    }

    /// On an empty database.
    pub(crate) fn new(url: &str, folder: TempDir) -> Self {
        let now = SystemClock::default().now().as_millisecond();
        let clock = Arc::new(FixedClock::at(u64::try_from(now).expect("after 1970")));
        Self::at(url, folder, clock, Arc::new(SystemIds))
    }

    /// The same with time and randomness of its own.
    pub(crate) fn at(
        url: &str,
        folder: TempDir,
        clock: Arc<FixedClock>,
        ids: Arc<dyn Ids>,
    ) -> Self {
        let engine = engine_with(url, Arc::clone(&clock), ids);
        let tenant = create_workspace(&engine, "Main", "olga");
        let database = open(url);
        let (name, place) = match url.strip_prefix("sqlite:") {
            Some(file) => ("YARNNN_DATABASE_FILE", file),
            None => ("YARNNN_DATABASE_URL", url),
        };
        let home = ServerHome::owning(toolwright_testing::program("yarnnn"), folder)
            .path_env("HOME", ".")
            .env("USER", "petra")
            .env("YARNNN_TOKEN", &tenant.token)
            .env("YARNNN_JWT_SECRET", SECRET)
            .env(name, place);
        Self { clock, engine, tenant, url: url.to_owned(), database, home }
    }

    /// Another workspace of the same database.
    pub(crate) fn create_workspace(&self, name: &str, owner: &str) -> Tenant {
        create_workspace(&self.engine, name, owner)
    }

    /// A token of another member of the workspace.
    pub(crate) fn member(&self, user: &str, role: Role) -> String {
        self.engine.add_member(&self.tenant.workspace, user, role).expect("a member");
        let token = self.engine.mint_token(&self.tenant.workspace, user, "test").expect("a token");
        token.token
    }

    /// The owner, as a host calls.
    pub(crate) fn owner(&self) -> TestUser {
        self.user(Some(&self.tenant.token))
    }

    /// A user with this token.
    pub(crate) fn user(&self, token: Option<&str>) -> TestUser {
        self.user_by(&self.engine, token)
    }

    /// The owner, who calls by another engine over the same database.
    pub(crate) fn user_of(&self, engine: &Arc<Engine>) -> TestUser {
        self.user_by(engine, Some(&self.tenant.token))
    }

    fn user_by(&self, engine: &Arc<Engine>, token: Option<&str>) -> TestUser {
        let surface = yarnnn::surface(Arc::clone(engine), token.map(str::to_owned));
        TestUser::new(surface, Arc::clone(&self.clock))
    }

    /// A session with a server of its own.
    pub(crate) fn session(&self) -> StdioSession {
        StdioSession::start(self.server(), "claude-ai")
    }

    /// The server over HTTP, with these flags.
    pub(crate) fn serve(&self, flags: &[&str]) -> HttpServer {
        HttpServer::spawn(self.command(&[&["mcp"], flags].concat()))
    }

    /// The owner at the command line.
    pub(crate) fn operator(&self) -> Caller {
        self.operator_as("olga")
    }

    /// A member at the command line.
    pub(crate) fn operator_as(&self, user: &str) -> Caller {
        self.engine.operator(self.tenant.workspace.clone(), user).expect("a member")
    }

    /// Stores governance settings that no tool can set.
    pub(crate) fn set_governance(&self, settings: &Settings) {
        let (workspace, at) = (&self.tenant.workspace.id, self.engine.now());
        self.database
            .write(|tx| governance::save(tx, workspace, settings, "test", at))
            .expect("settings");
    }

    /// Creates a basket whose sessions point along an axis; returns its id.
    pub(crate) fn basket(&self, name: &str, at: usize) -> String {
        let text = format!("User: We decided that {name} is a topic of its own.");
        let made = self.owner().ok(
            "create_memory_from_chat",
            json!({"conversation_history": text, "basket_name_suggestion": name,
                   "new_basket": true, "session_fingerprint": {"embedding": axis(at)}}),
        );
        assert_eq!(made["created"], true, "{made}");
        text_of(&made["basket_id"])
    }

    /// Adds a text and approves its proposal if needed; returns the dump's id.
    pub(crate) fn remember(&self, text: &str, embedding: &[f64]) -> String {
        self.approved(&self.owner().add_stored(text, embedding))
    }

    /// The same in a named basket.
    pub(crate) fn remember_in(&self, basket: &str, text: &str) -> String {
        let arguments = json!({"content": text, "basket_id": basket,
                               "session_fingerprint": {"embedding": axis(0)}});
        self.approved(&self.owner().ok("add_to_substrate", arguments))
    }

    fn approved(&self, added: &Value) -> String {
        if added["governance_mode"] == "manual" {
            let proposal = text_of(&added["proposal_id"]);
            self.engine.approve(&self.operator(), &proposal, None).expect("approved");
        }
        text_of(&added["raw_dump_id"])
    }

    /// Rows of the database.
    pub(crate) fn rows(&self, query: &str) -> Vec<Row> {
        self.database
            .read::<_, sql::Error>(|tx| tx.query(query, &[]))
            .unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// The column `x` of the first row.
    pub(crate) fn value<T: for<'row> FromValue<'row>>(&self, query: &str) -> T {
        let rows = self.rows(query);
        let row = rows.first().unwrap_or_else(|| panic!("{query}: no row"));
        row.get("x").unwrap_or_else(|error| panic!("{query}: {error}"))
    }

    /// The number of rows of `FROM …`.
    pub(crate) fn count(&self, from: &str) -> i64 {
        self.value(&format!("SELECT CAST(count(*) AS BIGINT) AS x FROM {from}"))
    }

    /// Changes the database behind the engine's back.
    pub(crate) fn execute(&self, statement: &str) -> sql::Result<u64> {
        self.database.write(|tx| tx.execute(statement, &[]))
    }

    /// Runs a statement on the SQLite file outside of any transaction.
    pub(crate) fn execute_outside(&self, statement: &str) {
        let file = self.url.strip_prefix("sqlite:").expect("a file");
        let file = rusqlite::Connection::open(file).expect("a database");
        file.execute_batch(statement).expect("it runs");
    }

    /// Raw dumps with this text.
    pub(crate) fn dumps(&self, text: &str) -> i64 {
        let text = text.replace('\'', "''");
        self.count(&format!("raw_dumps WHERE body_md = '{text}'"))
    }
}

/// An engine over this database, as a second server would have one.
pub(crate) fn engine(url: &str, clock: Arc<FixedClock>) -> Arc<Engine> {
    engine_with(url, clock, Arc::new(SystemIds))
}

/// The same with an activity log that is pruned.
pub(crate) fn pruning_engine(url: &str, clock: Arc<FixedClock>, kept: Retention) -> Arc<Engine> {
    engine_keeping(url, clock, Arc::new(SystemIds), kept)
}

fn engine_with(url: &str, clock: Arc<FixedClock>, ids: Arc<dyn Ids>) -> Arc<Engine> {
    engine_keeping(url, clock, ids, Retention { max_age: None, max_rows: None })
}

fn engine_keeping(
    url: &str,
    clock: Arc<FixedClock>,
    ids: Arc<dyn Ids>,
    retention: Retention,
) -> Arc<Engine> {
    Arc::new(Engine::new(Setup {
        database: open(url),
        extractor: Extractor::Rules,
        embedder: Embedder::builtin().expect("it is compiled in"),
        jwt: Some(JwtRules::new(Secret::new(SECRET).expect("a secret"))),
        use_pgvector: true,
        activity: retention,
        clock,
        ids,
    }))
}

/// On a slow disk a writer may have to wait for all others.
fn open(url: &str) -> Database {
    let wait = Duration::from_secs(60);
    Database::open(url, Options { wait, ..Options::default() }).expect("a database")
}

fn create_workspace(engine: &Engine, name: &str, owner: &str) -> Tenant {
    let workspace = engine.create_workspace(name, owner).expect("a workspace");
    let token = engine.mint_token(&workspace, owner, "test").expect("a token").token;
    Tenant { workspace, owner: owner.to_owned(), token }
}

/// The unit vector of one of eight sessions of a host that have nothing in common.
pub(crate) fn axis(at: usize) -> Vec<f64> {
    // Rows of a Hadamard matrix: their numbers are exact, and look like those of a model.
    let row = at / 3 * 4 + at % 3 + 1;
    (0..DIMS)
        .map(|column| if (row & column).count_ones().is_multiple_of(2) { 0.125 } else { -0.125 })
        .collect()
}

/// The session that has this much of each of the first ones.
pub(crate) fn vector(first: &[f64]) -> Vec<f64> {
    let mut vector = vec![0.0; DIMS];
    for (at, share) in first.iter().enumerate() {
        vector.iter_mut().zip(axis(at)).for_each(|(sum, number)| *sum += share * number);
    }
    vector
}

/// Arguments of `add_to_substrate`.
pub(crate) fn addition(content: &str, embedding: &[f64]) -> Value {
    json!({"content": content, "session_fingerprint": {"embedding": embedding}})
}
