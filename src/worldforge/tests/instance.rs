//! An instance of worldforge: an engine on its own store with one tenant and its users, and the program
//! on it.

use std::ops::Deref;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tempfile::TempDir;
use toolwright_runtime::Dispatch;
use toolwright_runtime::clock::{SystemClock, SystemIds};
pub(crate) use toolwright_testing::json::{list, text};
use toolwright_testing::{HttpServer, ServerHome};
use worldforge::engine::{Actor, Engine, Setup};
use worldforge::messages::Language;
use worldforge::model::Role;
use worldforge::store::{Collection, Scope, Store, open};
use worldforge::{Identity, surface};

use super::mongo;
use super::session::Session;
use super::user::TestUser;

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

/// A store with one tenant, and a studio on it. As a home it runs the program for the tenant's users.
pub(crate) struct Instance {
    pub(crate) url: String,
    pub(crate) name: String,
    pub(crate) engine: Arc<Engine>,
    pub(crate) fixture: TestTenant,
    /// The program for no user.
    pub(crate) bare: ServerHome,
    home: ServerHome,
    surface: Arc<dyn Dispatch>,
}

impl Deref for Instance {
    type Target = ServerHome;

    fn deref(&self) -> &ServerHome {
        &self.home
    }
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
        let bare = ServerHome::owning(toolwright_testing::program("worldforge"), folder)
            .path_env("HOME", ".")
            .env("WORLDFORGE_DATABASE_URL", &url)
            .env("WORLDFORGE_DATABASE_NAME", &name);
        let home = bare
            .clone()
            .env("WORLDFORGE_TENANT", &fixture.tenant)
            .env("WORLDFORGE_USERS", fixture.users().join(","));
        Self { url, name, engine, fixture, bare, home, surface }
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
        let surface = surface(engine, identity(&self.fixture), options.read_only);
        TestUser::at(surface, &self.fixture, user)
    }

    /// A session with a server of its own.
    pub(crate) fn session(&self) -> Session {
        self.session_of(self.server())
    }

    /// A session with a prepared server.
    pub(crate) fn session_of(&self, command: Command) -> Session {
        Session::start(command, &self.fixture)
    }

    /// A server over HTTP with these tokens, each of a user.
    pub(crate) fn serve(&self, tokens: &[(&str, &str)]) -> HttpServer {
        let tokens: Vec<String> =
            tokens.iter().map(|(token, user)| format!("{token}={user}")).collect();
        let mut command = self.bare.server();
        command.env("WORLDFORGE_TOKENS", tokens.join(","));
        HttpServer::spawn(command)
    }

    pub(crate) fn store(&self) -> &dyn Store {
        self.engine.store()
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
