//! An engine on its own store with one tenant and its users, and in-process tool calls.

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::runtime::Runtime;
use toolwright_runtime::clock::{SystemClock, SystemIds};
use toolwright_runtime::dispatch::Rejected;
use toolwright_runtime::{Call, Dispatch, Outcome, Services};
use worldforge::engine::{Actor, Engine, Setup};
use worldforge::messages::Language;
use worldforge::model::Role;
use worldforge::store::{Collection, Scope, Store, open};
use worldforge::{Identity, surface};

use super::mongo;

/// How long a store may take. On a slow disk, who waits for others' writes to a file may wait for
/// all of them.
pub(crate) const WAIT: Duration = Duration::from_secs(120);

/// Generates tests from functions that take a instance: on SQLite and on MongoDB with transactions.
macro_rules! on_both {
    ($($test:ident)+) => {
        mod sqlite {
            $(#[test] fn $test() { super::$test(&$crate::instance::Instance::sqlite()); })+
        }

        mod mongo {
            $(#[test] fn $test() {
                $crate::instance::Instance::mongo(true).iter().for_each(super::$test);
            })+
        }
    };
}
pub(crate) use on_both;

/// The same on MongoDB without transactions.
macro_rules! without_transactions {
    ($($test:ident)+) => {
        mod mongo_without_transactions {
            $(#[test] fn $test() {
                $crate::instance::Instance::mongo(false).iter().for_each(super::$test);
            })+
        }
    };
}
pub(crate) use without_transactions;

/// A tenant, its users and an empty project.
#[derive(Debug, Clone)]
pub(crate) struct TestTenant {
    pub(crate) tenant: String,
    pub(crate) name: String,
    pub(crate) admin: String,
    pub(crate) writer: String,
    pub(crate) editor: String,
    /// Has no role.
    pub(crate) nobody: String,
    /// WRITER and EDITOR.
    pub(crate) both: String,
    pub(crate) project: String,
}

impl TestTenant {
    pub(crate) fn users(&self) -> Vec<String> {
        [&self.admin, &self.writer, &self.editor, &self.nobody, &self.both].map(Clone::clone).into()
    }

    pub(crate) fn scope(&self) -> Scope {
        Scope::new(&self.tenant, &self.project)
    }
}

/// How a studio is set up for a test.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct EngineOptions {
    pub(crate) language: Language,
    pub(crate) publishes_contradictions: bool,
    pub(crate) read_only: bool,
}

/// A store with one tenant, and a studio on it.
pub(crate) struct Instance {
    pub(crate) url: String,
    pub(crate) name: String,
    pub(crate) folder: TempDir,
    pub(crate) engine: Arc<Engine>,
    pub(crate) fixture: TestTenant,
    surface: Arc<dyn Dispatch>,
}

impl Instance {
    /// On a file in a new folder.
    pub(crate) fn sqlite() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let url = format!("sqlite:{}", folder.path().join("worldforge.db").display());
        Self::new(url, String::from("unused"), folder)
    }

    /// In a database of the shared server. None where MongoDB is not to be had.
    pub(crate) fn mongo(transactions: bool) -> Option<Self> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        let url = mongo::shared(transactions)?;
        let name = format!("stage{}", NEXT.fetch_add(1, Ordering::Relaxed));
        Some(Self::new(url, name, tempfile::tempdir().expect("a folder")))
    }

    /// On an empty store.
    pub(crate) fn new(url: String, name: String, folder: TempDir) -> Self {
        let engine = engine(&url, &name, EngineOptions::default());
        let fixture = create_tenant(&engine, "Harbour Studio");
        let surface = surface(Arc::clone(&engine), identity(&fixture), false);
        Self { url, name, folder, engine, fixture, surface }
    }

    /// Another tenant of the same store.
    pub(crate) fn create_tenant(&self, name: &str) -> TestTenant {
        create_tenant(&self.engine, name)
    }

    pub(crate) fn admin(&self) -> TestUser {
        self.user(&self.fixture.admin)
    }

    pub(crate) fn writer(&self) -> TestUser {
        self.user(&self.fixture.writer)
    }

    pub(crate) fn editor(&self) -> TestUser {
        self.user(&self.fixture.editor)
    }

    /// A user of the tenant, at the instance's own engine.
    pub(crate) fn user(&self, user: &str) -> TestUser {
        TestUser::at(Arc::clone(&self.surface), &self.fixture, user)
    }

    /// A user of another tenant at this engine, for a server that acts for that tenant's users.
    pub(crate) fn user_of(&self, fixture: &TestTenant, user: &str) -> TestUser {
        TestUser::at(surface(Arc::clone(&self.engine), identity(fixture), false), fixture, user)
    }

    /// A user at this studio, for a server with this identity.
    pub(crate) fn user_with_identity(&self, identity: Identity, user: &str) -> TestUser {
        TestUser::at(surface(Arc::clone(&self.engine), identity, false), &self.fixture, user)
    }

    /// A user at another studio on the same store, as another server would be.
    pub(crate) fn user_on_other_server(&self, user: &str, options: EngineOptions) -> TestUser {
        let engine = engine(&self.url, &self.name, options);
        TestUser::at(
            surface(engine, identity(&self.fixture), options.read_only),
            &self.fixture,
            user,
        )
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.engine.store()
    }

    /// A file in this instance's folder.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Everything in the store, to be compared.
    pub(crate) fn store_contents(&self) -> String {
        let store = self.store();
        let mut picture = String::new();
        for tenant in store.tenants().expect("tenants") {
            picture += &format!("{tenant:?} {:?}\n", store.users(&tenant.id).expect("users"));
            for project in store.projects(&tenant.id).expect("projects") {
                let scope = Scope::new(&tenant.id, &project.id);
                let all = [
                    Collection::Entities,
                    Collection::Nodes,
                    Collection::Edges,
                    Collection::Packs,
                    Collection::Versions,
                ];
                let reading = store.read(&scope, &all).expect("a reading");
                let events = store.events(&scope, None, u32::MAX).expect("events");
                picture += &format!("{project:?} {}\n{events:?}\n", reading.revision);
                for documents in reading.collections {
                    picture += &format!("{}\n", documents.into_array());
                }
            }
        }
        picture
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        if self.url.starts_with("mongodb:")
            && let Ok(client) = mongodb::sync::Client::with_uri_str(&self.url)
        {
            let _ = client.database(&self.name).drop().run();
        }
    }
}

fn engine(url: &str, name: &str, options: EngineOptions) -> Arc<Engine> {
    Arc::new(Engine::new(Setup {
        store: open(url, name, WAIT).expect("the store opens"),
        language: options.language,
        publishes_contradictions: options.publishes_contradictions,
        clock: Arc::new(SystemClock::default()),
        ids: Arc::new(SystemIds),
    }))
}

/// A server for the users of a tenant.
pub(crate) fn identity(fixture: &TestTenant) -> Identity {
    Identity { tenant: Some(fixture.tenant.clone()), users: fixture.users(), ..Identity::default() }
}

fn create_tenant(engine: &Engine, name: &str) -> TestTenant {
    let tenant = engine.create_tenant(name).expect("a tenant").id;
    let add = |who: &str, roles: &[Role]| {
        engine.add_user(&tenant, &format!("{who}@example.org"), roles).expect("a user").id
    };
    let admin = add("ana", &[Role::Admin]);
    let actor =
        Actor { tenant: tenant.clone(), user: admin.clone(), action: "project.create".into() };
    let project = engine.create_project(&actor, "Salt Road", "", serde_json::Map::new());
    let project = project.expect("a project").id;
    TestTenant {
        name: name.to_owned(),
        writer: add("will", &[Role::Writer]),
        editor: add("edna", &[Role::Editor]),
        nobody: add("nora", &[]),
        both: add("bea", &[Role::Writer, Role::Editor]),
        tenant,
        admin,
        project,
    }
}

/// Somebody who calls tools. Tenant, user and project are put into every call that does not name
/// them itself.
#[derive(Clone)]
pub(crate) struct TestUser {
    surface: Arc<dyn Dispatch>,
    pub(crate) tenant: String,
    pub(crate) user: String,
    pub(crate) project: String,
}

impl TestUser {
    fn at(surface: Arc<dyn Dispatch>, fixture: &TestTenant, user: &str) -> Self {
        let (tenant, project) = (fixture.tenant.clone(), fixture.project.clone());
        Self { surface, tenant, user: user.to_owned(), project }
    }

    /// With a token, as over HTTP.
    pub(crate) fn with_token(self, token: &str) -> Self {
        self.try_token(token).expect("a known token")
    }

    /// The same where the token may not be known.
    pub(crate) fn try_token(self, token: &str) -> Result<Self, Rejected> {
        let authenticator = self.surface.authenticator().expect("tokens are verified");
        let surface = runtime().block_on(authenticator.authenticate(Some(token)))?;
        Ok(Self { surface, ..self.clone() })
    }

    /// In another project.
    pub(crate) fn in_project(mut self, project: &str) -> Self {
        project.clone_into(&mut self.project);
        self
    }

    /// The arguments with who and where.
    pub(crate) fn with_scope(&self, tool: &str, arguments: &Value) -> Value {
        let mut whole = json!({"tenantId": self.tenant, "userId": self.user});
        if tool != "project.create" {
            whole["projectId"] = json!(self.project);
        }
        for (name, value) in arguments.as_object().expect("arguments are an object") {
            whole[name] = value.clone();
        }
        whole
    }

    /// Calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> ToolReply {
        self.call_raw(tool, &self.with_scope(tool, arguments).to_string())
    }

    /// Calls a tool with any JSON text.
    pub(crate) fn call_raw(&self, tool: &str, arguments: &str) -> ToolReply {
        let tools = self.surface.info().tools;
        let index = tools.iter().position(|info| info.name == tool).expect("a tool");
        let services = Services {
            clock: Arc::new(SystemClock::default()),
            ids: Arc::new(SystemIds),
            version: "0.0.0",
        };
        let call = Call::new(tools[index], "trace-1", services);
        let arguments = RawValue::from_string(arguments.to_owned()).expect("JSON");
        match runtime().block_on(self.surface.dispatch(index, &call, &arguments)) {
            Outcome::Answer(answer) => ToolReply { is_error: answer.is_error, text: answer.body },
            other => panic!("{tool}: {other:?}"),
        }
    }

    /// The answer of a call that must go well.
    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> Value {
        let reply = self.call(tool, &arguments);
        assert!(!reply.is_error, "{tool} {arguments}: {}", reply.text);
        reply.body()
    }

    /// The answer of a call that must fail with this code.
    pub(crate) fn fails(&self, tool: &str, arguments: Value, code: &str) -> Value {
        let reply = self.call(tool, &arguments);
        assert!(reply.is_error, "{tool} did not fail: {}", reply.text);
        let body = reply.body();
        assert_eq!(body["code"], code, "{tool}: {body}");
        assert!(body["message"].as_str().is_some_and(|message| !message.is_empty()), "{body}");
        body
    }

    /// Adds an entity; its id.
    pub(crate) fn entity(&self, kind: &str, name: &str) -> String {
        self.entity_with(json!({"type": kind, "name": name}))
    }

    pub(crate) fn entity_with(&self, fields: Value) -> String {
        text(&self.ok("entity.upsert", json!({"entity": fields}))["entity"]["_id"])
    }

    /// Adds a node; its id.
    pub(crate) fn node(&self, fields: Value) -> String {
        text(&self.ok("storyNode.create", json!({"node": fields}))["node"]["_id"])
    }

    /// Adds a scene with a place in the telling; its id.
    pub(crate) fn scene(&self, title: &str, order: u64) -> String {
        self.node(json!({"nodeType": "SCENE", "title": title, "time": {"order": order}}))
    }

    /// Connects two nodes; the edge's id.
    pub(crate) fn edge(&self, from: &str, to: &str, kind: &str) -> String {
        let edge = json!({"fromNodeId": from, "toNodeId": to, "edgeType": kind});
        text(&self.ok("storyEdge.create", json!({"edge": edge}))["edge"]["_id"])
    }

    pub(crate) fn publish(&self, kind: &str, id: &str) -> Value {
        let published = json!({"objectType": kind, "objectId": id});
        self.ok("version.publish", published)["object"].clone()
    }

    pub(crate) fn get_entity(&self, id: &str) -> Value {
        self.ok("entity.get", json!({"entityId": id}))["entity"].clone()
    }

    pub(crate) fn get_node(&self, id: &str) -> Value {
        self.ok("storyNode.get", json!({"nodeId": id}))["node"].clone()
    }
}

/// What came back.
#[derive(Debug, Clone)]
pub(crate) struct ToolReply {
    /// The envelope as it is.
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl ToolReply {
    pub(crate) fn body(&self) -> Value {
        serde_json::from_str(&self.text).expect("an answer is JSON")
    }
}

/// A string of an answer.
pub(crate) fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).to_owned()
}

/// The list of an answer.
pub(crate) fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// The pointers that a refusal names, each once.
pub(crate) fn pointers(failure: &Value) -> Vec<String> {
    let problems = list(&failure["details"]["problems"]).iter();
    let mut pointers: Vec<String> = problems.map(|problem| text(&problem["pointer"])).collect();
    pointers.dedup();
    pointers
}

/// Calls block on it, from any thread.
fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
    })
}
