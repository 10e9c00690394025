//! yarnnn: each number is a text that is added to one basket.

use std::process::Command;

use serde_json::json;
use toolwright_runtime::contract::SurfaceInfo;
use yarnnn::generated::SURFACE;
use yarnnn::sql::{self, Database, Options};

use super::sqlite::{Copy, File};
use super::{Store, Surface};
use crate::machine::{Machine, MachineKind, skipped};
use crate::session::{Call, Refusal, Session};
use instance::{Instance, addition, axis};
use integrity::is_whole;
use postgres::Server;

#[allow(dead_code, unused_imports, reason = "the suite of yarnnn uses all of it")]
#[path = "../../../src/yarnnn/tests/instance.rs"]
mod instance;
#[path = "../../../src/yarnnn/tests/integrity.rs"]
mod integrity;
#[path = "../../../src/yarnnn/tests/postgres.rs"]
mod postgres;
#[allow(dead_code, reason = "the suite of yarnnn uses all of it")]
#[path = "../../../src/yarnnn/tests/user.rs"]
mod user;

/// Dropped in this order: no server without its ground, no ground without its folder.
pub(crate) struct Yarnnn {
    server: Option<Server>,
    machine: Machine,
    stage: Instance,
}

impl Yarnnn {
    pub(crate) fn on_sqlite(kind: MachineKind) -> Option<Self> {
        let stage = Instance::on_sqlite();
        stage.basket("Parcels", 0);
        stage.execute_outside("PRAGMA wal_checkpoint(TRUNCATE)");
        let machine = Machine::new(kind, stage.folder(), "4m")?;
        Some(Self { machine, stage, server: None })
    }

    pub(crate) fn on_postgres(kind: MachineKind) -> Option<Self> {
        let folder = tempfile::tempdir().expect("a temporary folder");
        // Rights are the database's own.
        let kind = if kind == MachineKind::FewRights { MachineKind::Ordinary } else { kind };
        let machine = Machine::new(kind, folder.path(), "100m")?;
        let mut prefix = machine.prefix().to_vec();
        match kind {
            MachineKind::SmallDisk if !crate::machine::is_root() => {
                return skipped("PostgreSQL does not run as root of a namespace");
            }
            MachineKind::SmallDisk => {
                let seen = machine.seen(folder.path());
                let owned = Command::new("chown").arg("postgres").arg(&seen).status();
                assert!(owned.is_ok_and(|status| status.success()));
                prefix.extend(["env".to_owned(), format!("DATA={}/data", folder.path().display())]);
            }
            MachineKind::Unsteady => prefix = machine.faults().prefix_of_database(),
            MachineKind::Ordinary | MachineKind::FewRights => {}
        }
        let server = Server::start_under(&prefix)?;
        administer(&server, "CREATE ROLE clerk LOGIN; GRANT CREATE ON SCHEMA public TO clerk");
        let stage = Instance::new(&server.url().replace("tester@", "clerk@"), folder);
        stage.basket("Parcels", 0);
        Some(Self { machine, stage, server: Some(server) })
    }

    fn server(&mut self) -> &mut Server {
        self.server.as_mut().expect("a server")
    }
}

/// As the one who may do everything.
fn administer(server: &Server, statements: &str) {
    let database = Database::open(server.url(), Options::default()).expect("a database");
    database.write::<_, sql::Error>(|tx| tx.batch(statements)).expect("it may do so");
}

fn text(number: usize) -> String {
    format!("We decided that parcel {number} goes to shelf {}. {}", number * 7, "x".repeat(3000))
}

impl Surface for Yarnnn {
    fn contract(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn command(&self) -> Command {
        self.stage.server()
    }

    fn write(&mut self, _: &mut Session, number: usize) -> Result<Call, Refusal> {
        Ok(Call { tool: "add_to_substrate", arguments: addition(&text(number), &axis(0)) })
    }

    fn read(&self) -> Call {
        Call { tool: "get_substrate", arguments: json!({"keywords": ["parcel"], "limit": 1}) }
    }

    fn stored(&self) -> Vec<usize> {
        let copy = match &self.server {
            None => {
                let file = self.stage.path("yarnnn.db");
                Some(Copy::of(&self.machine, &file))
            }
            Some(_) => {
                is_whole(&self.stage);
                None
            }
        };
        let url = copy.as_ref().map(|copy| format!("sqlite:{}", copy.file.display()));
        let url = url.as_deref().unwrap_or(&self.stage.url);
        let database = Database::open(url, Options::default()).expect("a database");
        let rows = database.read::<_, sql::Error>(|tx| {
            tx.query(
                "SELECT body_md AS x FROM raw_dumps WHERE body_md LIKE 'We decided that parcel%'",
                &[],
            )
        });
        let bodies = rows.expect("a table");
        let bodies = bodies.iter().map(|row| row.get::<String>("x").expect("a text"));
        let numbers = bodies.map(|body| {
            let number = body.split(' ').nth(4).and_then(|word| word.parse().ok());
            let number = number.unwrap_or_else(|| panic!("{body:?}"));
            assert_eq!(body, text(number));
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
            None => Store::Files(Box::new(File(self.stage.path("yarnnn.db")))),
        }
    }
}

impl super::Database for Yarnnn {
    fn crash(&mut self) {
        self.server().send("crash");
    }

    fn start(&mut self) {
        self.server().send("start");
    }

    fn forbid(&mut self) {
        let revoke = "REVOKE INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public FROM clerk";
        administer(self.server(), revoke);
    }

    fn allow(&mut self) {
        let grant = "GRANT INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO clerk";
        administer(self.server(), grant);
    }
}
