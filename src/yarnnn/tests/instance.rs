//! The test instance: a workspace on its own database, and users who call its tools in this process.
//!
//! [`on_both`] runs a test on SQLite and on PostgreSQL; afterwards the database must be whole.
//! Every answer is validated against the tool's output schema. The clock starts at the real time
//! and moves only when a test moves it.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use jsonschema::Validator;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use toolwright_runtime::ask::Asker;
use toolwright_runtime::clock::{Clock as _, FixedClock, Ids, SystemClock, SystemIds};
use toolwright_runtime::contract::ToolInfo;
use toolwright_runtime::page::budget_bytes;
use toolwright_runtime::{Call, Client, Dispatch, Outcome, Services};
use yarnnn::auth::{JwtRules, Secret};
use yarnnn::engine::{Caller, Engine, Setup};
use yarnnn::governance::{Role, Settings};
use yarnnn::llm::Extractor;
use yarnnn::records::governance;
use yarnnn::records::members::Workspace;
use yarnnn::sql::{self, Database, FromValue, Options, Row};

use super::integrity::is_whole;
use super::postgres;

/// The JWT secret of the account service.
pub(crate) const SECRET: &str = "a secret of the account service, long enough for HS256";
/// A day of the clock.
pub(crate) const DAY: u64 = 86_400_000;
/// Length of the vectors that tests use.
pub(crate) const DIMS: usize = 8;

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

/// An engine with one workspace, `Main`, whose owner is `olga`.
pub(crate) struct Instance {
    pub(crate) clock: Arc<FixedClock>,
    pub(crate) engine: Arc<Engine>,
    pub(crate) tenant: Tenant,
    pub(crate) url: String,
    database: Database,
    pub(crate) folder: TempDir,
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
        Self { clock, engine, tenant, url: url.to_owned(), database, folder }
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
    pub(crate) fn owner(&self) -> TestUser<'_> {
        self.user(Some(&self.tenant.token))
    }

    /// A user with this token.
    pub(crate) fn user(&self, token: Option<&str>) -> TestUser<'_> {
        let mut meta = Map::new();
        meta.insert("sessionId".to_owned(), json!("session-1"));
        let engine = Arc::clone(&self.engine);
        let surface = yarnnn::surface(engine, token.map(str::to_owned));
        let client = Client { name: Some("claude-ai".to_owned()), ..Client::default() };
        TestUser { instance: self, surface, client, meta, asker: None }
    }

    /// An operator at the command line.
    pub(crate) fn operator(&self) -> Caller {
        self.engine.operator(self.tenant.workspace.clone(), "petra")
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

fn engine_with(url: &str, clock: Arc<FixedClock>, ids: Arc<dyn Ids>) -> Arc<Engine> {
    Arc::new(Engine::new(Setup {
        database: open(url),
        extractor: Extractor::Rules,
        jwt: Some(JwtRules::new(Secret::new(SECRET).expect("a secret"))),
        use_pgvector: true,
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

/// A user who calls tools.
#[derive(Clone)]
pub(crate) struct TestUser<'a> {
    instance: &'a Instance,
    surface: Arc<dyn Dispatch>,
    client: Client,
    meta: Map<String, Value>,
    asker: Option<Arc<dyn Asker>>,
}

impl TestUser<'_> {
    /// Through a client with this name.
    pub(crate) fn through(mut self, client: &str) -> Self {
        self.client.name = Some(client.to_owned());
        self
    }

    /// With something in the request's `_meta`.
    pub(crate) fn with_meta(mut self, key: &str, value: Value) -> Self {
        self.meta.insert(key.to_owned(), value);
        self
    }

    /// In another session of the host.
    pub(crate) fn in_session(self, id: &str) -> Self {
        self.with_meta("sessionId", json!(id))
    }

    /// Through a client that can ask its user.
    pub(crate) fn with_asker(mut self, asker: Arc<dyn Asker>) -> Self {
        self.asker = Some(asker);
        self
    }

    /// Calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> ToolReply {
        self.call_raw(tool, &arguments.to_string())
    }

    /// Calls a tool with any JSON text.
    pub(crate) fn call_raw(&self, tool: &str, arguments: &str) -> ToolReply {
        let surface = &self.surface;
        let tools = surface.info().tools;
        let index = tools.iter().position(|info| info.name == tool).expect("a tool");
        let services = Services {
            clock: self.instance.clock.clone(),
            ids: Arc::new(SystemIds),
            version: "0.0.0",
        };
        let mut call = Call::new(tools[index], "test", services)
            .from_client(Arc::new(self.client.clone()))
            .with_request_meta(self.meta.clone());
        if let Some(asker) = &self.asker {
            call = call.with_asker(Arc::clone(asker));
        }
        let arguments = RawValue::from_string(arguments.to_owned()).expect("JSON");
        let reply = ToolReply::of(runtime().block_on(surface.dispatch(index, &call, &arguments)));
        if reply.protocol.is_none() {
            assert_conforms(tools[index], &reply.body);
        }
        reply
    }

    /// The answer of a call that must succeed.
    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> Value {
        self.call_ok(tool, arguments).body
    }

    /// The same with the result's metadata.
    pub(crate) fn call_ok(&self, tool: &str, arguments: Value) -> ToolReply {
        let reply = self.call(tool, &arguments);
        assert!(!reply.is_error, "{tool}: {}", reply.body);
        reply
    }

    /// The answer of a call that must fail with this code.
    pub(crate) fn fails(&self, tool: &str, arguments: Value, code: &str) -> Value {
        let reply = self.call(tool, &arguments);
        assert!(reply.is_error, "{tool} did not fail: {}", reply.body);
        assert_eq!(reply.body["code"], code, "{tool}: {}", reply.body);
        reply.body
    }

    /// Adds a text for a session.
    pub(crate) fn add(&self, content: &str, embedding: &[f64]) -> ToolReply {
        self.call("add_to_substrate", &addition(content, embedding))
    }

    /// Adds a text that must be stored; returns the answer.
    pub(crate) fn add_stored(&self, content: &str, embedding: &[f64]) -> Value {
        let added = self.ok("add_to_substrate", addition(content, embedding));
        assert_eq!(added["status"], "success", "{added}");
        added
    }
}

/// The reply of a tool call.
#[derive(Debug, Clone)]
pub(crate) struct ToolReply {
    /// The envelope.
    pub(crate) body: Value,
    pub(crate) is_error: bool,
    /// Code and message where it is a JSON-RPC error.
    pub(crate) protocol: Option<(i32, String)>,
    /// The result's `_meta`.
    pub(crate) meta: Map<String, Value>,
}

impl ToolReply {
    fn of(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Answer(answer) => Self {
                body: serde_json::from_str(&answer.body).expect("an answer is JSON"),
                is_error: answer.is_error,
                protocol: None,
                meta: answer.meta,
            },
            Outcome::Protocol(error) => Self {
                body: error.data.unwrap_or_default(),
                is_error: true,
                protocol: Some((error.code, error.message)),
                meta: Map::new(),
            },
            Outcome::NeedsInput(input) => panic!("unexpected elicitation: {input:?}"),
        }
    }

    /// How the basket was selected.
    pub(crate) fn selection(&self) -> &Value {
        self.meta.get("_basket_selection").unwrap_or_else(|| panic!("no selection: {}", self.body))
    }

    /// Everything that the client sees, as text.
    pub(crate) fn visible_text(&self) -> String {
        format!("{} {} {:?}", self.body, Value::from(self.meta.clone()), self.protocol)
    }
}

/// A unit vector along an axis.
pub(crate) fn axis(at: usize) -> Vec<f64> {
    let mut vector = vec![0.0; DIMS];
    vector[at] = 1.0;
    vector
}

/// A vector with these first numbers.
pub(crate) fn vector(first: &[f64]) -> Vec<f64> {
    let mut vector = first.to_vec();
    vector.resize(DIMS, 0.0);
    vector
}

/// Arguments of `add_to_substrate`.
pub(crate) fn addition(content: &str, embedding: &[f64]) -> Value {
    json!({"content": content, "session_fingerprint": {"embedding": embedding}})
}

/// A string of an answer.
pub(crate) fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// The list of an answer.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// Asserts that an answer fits the tool's schema and budget.
fn assert_conforms(tool: &'static ToolInfo, body: &Value) {
    static SCHEMAS: LazyLock<Mutex<BTreeMap<&'static str, Arc<Validator>>>> =
        LazyLock::new(Mutex::default);
    let schema = {
        let mut schemas = SCHEMAS.lock().unwrap_or_else(PoisonError::into_inner);
        Arc::clone(schemas.entry(tool.name).or_insert_with(|| {
            let schema: Value = serde_json::from_str(tool.output).expect("a schema is JSON");
            Arc::new(jsonschema::draft202012::new(&schema).expect("a schema"))
        }))
    };
    if let Err(error) = schema.validate(body) {
        panic!("{} breaks its output schema: {error}: {body}", tool.name);
    }
    let (size, room) = (body.to_string().len(), budget_bytes(tool.budget.result_tokens));
    assert!(size <= room, "{} answers {size} bytes where {room} are allowed: {body}", tool.name);
}

/// Calls block on it, from any thread.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
    })
}
