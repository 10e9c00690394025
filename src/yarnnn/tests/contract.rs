//! The states that yarnnn's examples are `given`: a workspace in a SQLite file, set up by the tools
//! themselves and by operator commands.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tempfile::TempDir;
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::contract::SurfaceInfo;
use yarnnn::embed::Embedder;
use yarnnn::engine::{Addition, Answer, Caller, Engine, Payload, Retention, Setup};
use yarnnn::generated::SURFACE;
use yarnnn::governance::{Change, Role};
use yarnnn::llm::{Extractor, LlmClient, LlmOptions};
use yarnnn::model::Fingerprint;
use yarnnn::records::baskets::Status;
use yarnnn::records::captures::Purpose;
use yarnnn::sql::{Database, Options};

use toolwright_testing::contract::{self as kit, Picture, State};

/// When everything happens, in epoch milliseconds.
const NOW: u64 = 1_700_000_000_000;
/// What Billing knows.
const CHAT: &str = "User: We decided to run billing on Stripe.\n\
                    User: Invoices must be sent within 14 days.";
/// What waits in `held`.
const REFUNDS: &str = "Refunds take five days.";
/// Nobody listens there.
const CLOSED: &str = "127.0.0.1:1";

/// What a user would call the memory. Calls are logged and answers remembered by design, and what
/// waits for a basket is not yet part of anything.
const TABLES: &[&str] = &[
    "workspaces",
    "workspace_memberships",
    "workspace_governance_settings",
    "baskets",
    "basket_anchors",
    "basket_signatures",
    "basket_vectors",
    "raw_dumps",
    "dump_vectors",
    "substrate_tombstones",
    "proposals",
    "proposal_executions",
    "blocks",
    "context_items",
    "substrate_relationships",
    "reflections_artifact",
    "substrate",
];

/// yarnnn's states.
pub(crate) struct States;

impl kit::States for States {
    fn surface(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn make(&self, given: Option<&str>) -> State {
        let place = Place::new();
        match given.expect("every example of yarnnn is given a state") {
            "empty" => place.open(place.token("ann")),
            "signed_out" => place.open(None),
            "database_down" => place.open_down(),
            "billing" => place.billing(),
            "smart" => {
                let state = place.billing();
                let wanted = Change { auto_approve: Some(true), manual_review: None };
                place.engine.flags(&place.ann, wanted).expect("an owner may");
                state
            }
            "member" => {
                let workspace = place.ann.workspace.clone();
                place.engine.add_member(&workspace, "ben", Role::Member).expect("a free user");
                place.open(place.token("ben"))
            }
            "pending" => {
                let mut state = place.open(place.token("ann"));
                create(&mut state, "User: We decided to run billing on Stripe.");
                state
            }
            "archived" => {
                let state = place.billing();
                let status = Some(Status::Archived);
                let basket = &state.values["basket"];
                place.engine.change_basket(&place.ann, basket, None, status).expect("it is there");
                state
            }
            "held" => place.held(),
            "dismissed" => {
                let state = place.held();
                place.engine.dismiss(&place.ann, &state.values["capture"]).expect("it waits");
                state
            }
            "key_used" => {
                let mut state = place.billing();
                let arguments = json!({"idempotency_key": "k1"});
                let added = with(arguments.clone(), "content", REFUNDS);
                let added = with(added, "basket_id", state.values["basket"].clone());
                call(&mut state, "add_to_substrate", &added);
                let made = with(arguments, "conversation_history", "User: The first chat.");
                let made = with(made, "new_basket", true);
                call(&mut state, "create_memory_from_chat", &made);
                state
            }
            "model_down" => {
                let state = place.billing();
                let llm = LlmClient::new(LlmOptions {
                    base_url: format!("http://{CLOSED}/v1"),
                    pause: Duration::from_millis(1),
                    ..LlmOptions::default()
                });
                let llm = llm.expect("the options are good");
                let extractor = Extractor::Model { llm, fallback: false };
                let engine = engine(&place.url(), extractor, builtin());
                place
                    .open_with(engine, place.token("ann"))
                    .with("basket", state.values["basket"].clone())
            }
            "embedder_down" => {
                place.billing();
                let embedder = Embedder::api(&LlmOptions {
                    base_url: format!("http://{CLOSED}/v1"),
                    pause: Duration::from_millis(1),
                    ..LlmOptions::default()
                });
                let embedder = embedder.expect("the options are good");
                let engine = engine(&place.url(), Extractor::Rules, embedder);
                place.open_with(engine, place.token("ann"))
            }
            // A server that makes no embeddings, and a host that sends its own.
            "host_only" => {
                place.billing();
                let engine = engine(&place.url(), Extractor::Rules, Embedder::host());
                let mut state = place.open_with(engine, place.token("ann"));
                let session = json!({"embedding": [1, 0, 0, 0, 0, 0, 0, 0],
                                     "embedding_model": "ours"});
                let arguments = json!({"conversation_history": "User: The first chat.",
                                       "session_fingerprint": session});
                call(&mut state, "create_memory_from_chat", &arguments);
                state
            }
            other => panic!("no state is called `{other}`; make it here"),
        }
    }
}

/// A workspace of Ann's, and one of somebody else.
#[derive(Clone)]
struct Place {
    folder: Arc<TempDir>,
    engine: Arc<Engine>,
    ann: Caller,
}

impl Place {
    fn new() -> Self {
        let folder = Arc::new(tempfile::tempdir().expect("a temporary folder"));
        let engine = engine(&url(&folder), Extractor::Rules, builtin());
        let workspace = engine.create_workspace("studio", "ann").expect("a new workspace");
        let ann = engine.operator(workspace, "ann").expect("a member");
        Self { folder, engine, ann }
    }

    fn url(&self) -> String {
        url(&self.folder)
    }

    fn token(&self, user: &str) -> Option<String> {
        let made = self.engine.mint_token(&self.ann.workspace, user, "").expect("a member");
        Some(made.token)
    }

    fn open(&self, token: Option<String>) -> State {
        self.open_with(Arc::clone(&self.engine), token)
    }

    fn open_with(&self, engine: Arc<Engine>, token: Option<String>) -> State {
        let surface = yarnnn::surface(engine, token);
        let folder = self.folder.path().to_owned();
        let mut state = State::in_process(surface, folder, vec![Box::new(self.clone())]);
        let database = Database::open(&self.url(), Options::default()).expect("it is there");
        state.view = Some(Box::new(move || picture(&database)));
        state
    }

    /// A surface whose database is not there.
    fn open_down(&self) -> State {
        let url = format!("postgres://ann@{CLOSED}/yarnnn");
        let engine = engine(&url, Extractor::Rules, builtin());
        self.open_with(engine, self.token("ann"))
    }

    /// A basket with a decision and a constraint, both approved; and one of another workspace.
    fn billing(&self) -> State {
        let other = self.engine.create_workspace("elsewhere", "cem").expect("a new workspace");
        let token = self.engine.mint_token(&other, "cem", "").expect("a member").token;
        let foreign = create(&mut self.open(Some(token)), "User: The garden needs water.");

        let mut state = self.open(self.token("ann"));
        let made = create(&mut state, CHAT);
        let proposal = made["proposal_id"].as_str().expect("a proposal");
        self.engine.approve(&self.ann, proposal, None).expect("it waits");
        state.with("basket", text(&made["basket_id"])).with("foreign", text(&foreign["basket_id"]))
    }

    /// The same, and an addition whose basket nobody has confirmed yet.
    fn held(&self) -> State {
        let state = self.billing();
        let payload = Payload {
            content: REFUNDS.to_owned(),
            metadata: Map::new(),
            confidence: None,
            require_approval: false,
        };
        let mut addition = Addition {
            payload,
            basket_id: None,
            fingerprint: Fingerprint::default(),
            idempotency_key: None,
        };
        let placement = self.engine.place(&self.ann, &mut addition).expect("a placement");
        let held = self.engine.hold(&self.ann, &addition, &placement, Purpose::Confirm);
        match held.expect("it waits") {
            Answer::Held(held) => state.with("capture", held.capture_id),
            other => panic!("{other:?}"),
        }
    }
}

fn builtin() -> Embedder {
    Embedder::builtin().expect("it is compiled in")
}

fn engine(url: &str, extractor: Extractor, embedder: Embedder) -> Arc<Engine> {
    Arc::new(Engine::new(Setup {
        database: Database::open(url, Options::default()).expect("a good URL"),
        extractor,
        embedder,
        jwt: None,
        use_pgvector: false,
        activity: Retention { max_age: None, max_rows: None },
        clock: Arc::new(FixedClock::at(NOW)),
        ids: Arc::new(CountingIds::default()),
    }))
}

fn url(folder: &TempDir) -> String {
    format!("sqlite:{}", folder.path().join("yarnnn.db").display())
}

fn create(state: &mut State, chat: &str) -> Value {
    let arguments = json!({"conversation_history": chat, "basket_name_suggestion": "Billing"});
    call(state, "create_memory_from_chat", &arguments)
}

fn call(state: &mut State, tool: &str, arguments: &Value) -> Value {
    let index = SURFACE.tools.iter().position(|info| info.name == tool).expect("a tool");
    state.call(index, arguments).body
}

fn with(mut arguments: Value, name: &str, value: impl Into<Value>) -> Value {
    arguments[name] = value.into();
    arguments
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}

fn picture(database: &Database) -> Picture {
    let rows = |table: &str| -> String {
        let query = format!("SELECT * FROM {table}");
        let rows = database.read(|tx| tx.query(&query, &[])).expect("the database is readable");
        rows.into_iter().map(|row| format!("{:?}\n", row.into_values())).collect()
    };
    TABLES.iter().map(|table| (PathBuf::from(table), rows(table))).collect()
}
