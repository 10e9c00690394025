//! worldforge: each number is an entity of one project.

use std::process::Command;

use mongodb::bson::{Document, doc};
use mongodb::sync::Client;
use serde_json::{Value, json};
use toolwright_runtime::contract::SurfaceInfo;
use worldforge::generated::SURFACE;
use worldforge::store::{Collection, open};

use super::sqlite::{Copy, File};
use super::{Store, Surface};
use crate::machine::{Machine, MachineKind};
use crate::session::{Call, Refusal, Session};
use instance::{Instance, WAIT};
use mongo::Server;

#[allow(
    dead_code,
    unused_imports,
    unused_macros,
    reason = "the suite of worldforge uses all of it"
)]
#[path = "../../../src/worldforge/tests/instance.rs"]
mod instance;
#[allow(dead_code, reason = "the tests of the store use all of it")]
#[path = "../../../src/worldforge/store/tests/server.rs"]
mod mongo;
#[allow(dead_code, reason = "the suite of worldforge uses all of it")]
#[path = "../../../src/worldforge/tests/session.rs"]
mod session;
#[allow(dead_code, reason = "the suite of worldforge uses all of it")]
#[path = "../../../src/worldforge/tests/user.rs"]
mod user;

/// Of the MongoDB database.
const NAME: &str = "faults";

/// It is frugal with the disk, and does not log connections, which is no part of the store.
const OPTIONS: [&str; 5] = [
    "--quiet",
    "--oplogSize",
    "8",
    "--wiredTigerEngineConfigString",
    "log=(file_max=1MB,prealloc=false)",
];

/// Dropped in this order: the instance cleans up in the server, which needs its ground.
pub(crate) struct Worldforge {
    instance: Instance,
    server: Option<Server>,
    machine: Machine,
}

impl Worldforge {
    pub(crate) fn on_sqlite(kind: MachineKind) -> Option<Self> {
        let instance = Instance::sqlite();
        let file = rusqlite::Connection::open(instance.path("worldforge.db")).expect("a file");
        file.execute_batch("PRAGMA wal_checkpoint(TRUNCATE)").expect("nobody reads");
        let machine = Machine::new(kind, instance.folder(), "4m")?;
        Some(Self { machine, instance, server: None })
    }

    pub(crate) fn on_mongodb(kind: MachineKind) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        if kind == MachineKind::FewRights {
            // Rights are the database's own.
            let machine = Machine::new(MachineKind::Ordinary, folder.path(), "")?;
            let server = Server::start_with(false, &["--auth"])?;
            let anybody = Client::with_uri_str(server.url()).expect("a client");
            // The first user is made by whoever comes from the same machine.
            user(&anybody, "root", doc! {"role": "root", "db": "admin"});
            user(&administrator(&server), "clerk", doc! {"role": "readWrite", "db": NAME});
            let instance = Instance::new(as_user(&server, "clerk"), NAME.to_owned(), folder);
            return Some(Self { machine, instance, server: Some(server) });
        }
        let machine = Machine::new(kind, folder.path(), "60m")?;
        let mut prefix = machine.prefix().to_vec();
        match kind {
            MachineKind::SmallDisk => {
                prefix.extend(["env".to_owned(), format!("TMPDIR={}", folder.path().display())]);
            }
            MachineKind::Unsteady => prefix = machine.faults().prefix_of_database(),
            MachineKind::Ordinary | MachineKind::FewRights => {}
        }
        let server = Server::start_under(&prefix, true, &OPTIONS)?;
        let instance = Instance::new(server.url(), NAME.to_owned(), folder);
        Some(Self { machine, instance, server: Some(server) })
    }

    fn server(&mut self) -> &mut Server {
        self.server.as_mut().expect("a server")
    }

    fn roles(&mut self, command: &str, role: &str) {
        let roles = doc! {command: "clerk", "roles": [{"role": role, "db": NAME}]};
        let admin = administrator(self.server()).database("admin");
        admin.run_command(roles).run().expect("it may do so");
    }
}

fn as_user(server: &Server, user: &str) -> String {
    server.url().replace("//", &format!("//{user}:secret@")) + "?authSource=admin"
}

fn administrator(server: &Server) -> Client {
    Client::with_uri_str(as_user(server, "root")).expect("a client")
}

fn user(client: &Client, name: &str, role: Document) {
    let command = doc! {"createUser": name, "pwd": "secret", "roles": [role]};
    client.database("admin").run_command(command).run().expect("a user");
}

fn name(number: usize) -> String {
    format!("Tome {number}")
}

/// Not to be made smaller by a store that compresses.
fn text(number: usize) -> String {
    let mut state = number as u64;
    let mut text = format!("{number} ");
    for _ in 0..400 {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        text += &format!("{:08x}", state >> 32);
    }
    text
}

impl Surface for Worldforge {
    fn contract(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn command(&self) -> Command {
        let mut command = self.instance.server();
        // A driver looks only twice a second for a server that was away, and must find it in time,
        // also on a busy machine.
        command.env("WORLDFORGE_DATABASE_TIMEOUT_MS", "8000");
        command
    }

    fn write(&mut self, _: &mut Session, number: usize) -> Result<Call, Refusal> {
        let entity =
            json!({"type": "LORE", "name": name(number), "attributes": {"text": text(number)}});
        Ok(self.call("entity.upsert", json!({"entity": entity})))
    }

    fn read(&self) -> Call {
        self.call("entity.search", json!({"query": "tome", "limit": 1}))
    }

    fn stored(&self) -> Vec<usize> {
        let copy = self
            .server
            .is_none()
            .then(|| Copy::of(&self.machine, &self.instance.path("worldforge.db")));
        let url = copy.as_ref().map(|copy| format!("sqlite:{}", copy.file.display()));
        let url = url.as_deref().unwrap_or(&self.instance.url);
        let store = open(url, &self.instance.name, WAIT).expect("a store");
        let mut reading =
            store.read(&self.instance.fixture.scope(), &[Collection::Entities]).expect("a reading");
        let documents = reading.collections.remove(0).into_array();
        let documents: Vec<Value> = serde_json::from_str(&documents).expect("documents");
        let numbers = documents.iter().map(|entity| {
            let found = entity["name"].as_str().and_then(|name| name.strip_prefix("Tome "));
            let number = found.and_then(|word| word.parse().ok()).expect("a number");
            assert_eq!(entity["attributes"]["text"], text(number));
            let id = entity["_id"].as_str().expect("an id");
            let events = store.events(&self.instance.fixture.scope(), Some(id), 9).expect("events");
            assert_eq!(events.len(), 1, "{events:?}");
            number
        });
        numbers.collect()
    }

    fn room(&self) -> usize {
        400
    }

    fn store(&mut self) -> Store<'_> {
        match &mut self.server {
            Some(_) => Store::Database(self),
            None => Store::Files(Box::new(File(self.instance.path("worldforge.db")))),
        }
    }
}

impl Worldforge {
    fn call(&self, tool: &'static str, arguments: Value) -> Call {
        let tenant = &self.instance.fixture;
        let mut whole =
            json!({"tenantId": tenant.tenant, "userId": tenant.admin, "projectId": tenant.project});
        for (name, value) in arguments.as_object().expect("arguments are an object") {
            whole[name] = value.clone();
        }
        Call { tool, arguments: whole }
    }
}

impl super::Database for Worldforge {
    fn crash(&mut self) {
        self.server().order("crash");
    }

    fn start(&mut self) {
        self.server().restart();
    }

    fn revive(&mut self) {
        self.crash();
        self.start();
    }

    fn forbid(&mut self) {
        self.roles("grantRolesToUser", "read");
        self.roles("revokeRolesFromUser", "readWrite");
    }

    fn allow(&mut self) {
        self.roles("grantRolesToUser", "readWrite");
    }
}
