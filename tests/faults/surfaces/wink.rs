//! wink: each number is a section of one override file.

use std::any::Any;
use std::path::PathBuf;
use std::process::Command;

use rustix::fs::{FlockOperation, flock};
use serde_json::{Value, json};
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_testing::ServerHome;
use wink::generated::SURFACE;

use super::{Files, Store, Surface};
use crate::machine::{Machine, MachineKind};
use crate::session::{Call, Refusal, Session};
use project::{OVERRIDES, strays, with_sections};

#[allow(dead_code, reason = "the suite of wink uses all of it")]
#[path = "../../../src/wink/tests/project.rs"]
mod project;

/// More than any test writes.
const SECTIONS: usize = 200;

pub(crate) struct Wink {
    home: ServerHome,
    machine: Machine,
}

impl Wink {
    pub(crate) fn open(kind: MachineKind) -> Option<Self> {
        // Short for one who waits, long for a write that is left to end on a busy machine.
        let home = with_sections(SECTIONS).env("WINK_LOCK_TIMEOUT_MS", "8000");
        let overrides = home.path(OVERRIDES);
        std::fs::create_dir_all(&overrides).expect("writable");
        let machine = Machine::new(kind, &overrides, "1m")?;
        Some(Self { home, machine })
    }

    fn overrides(&self) -> PathBuf {
        self.home.path(OVERRIDES)
    }
}

fn text(number: usize) -> String {
    format!("Number {number}. {}", "All work and no play. ".repeat(200))
}

impl Surface for Wink {
    fn contract(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn command(&self) -> Command {
        self.home.server()
    }

    fn write(&mut self, _: &mut Session, number: usize) -> Result<Call, Refusal> {
        let section = format!("s{number}");
        let arguments = json!({"ns": "load", "prompt": "test", "section_path": section,
            "body": text(number), "confirm": true});
        Ok(Call { tool: "wink.write_section_override", arguments })
    }

    fn read(&self) -> Call {
        Call { tool: "wink.list_overrides", arguments: json!({}) }
    }

    fn stored(&self) -> Vec<usize> {
        let folder = self.machine.seen(&self.overrides());
        let Ok(bytes) = std::fs::read(folder.join("load/test/latest.json")) else {
            return Vec::new();
        };
        let file: Value = serde_json::from_slice(&bytes).expect("a whole file");
        let sections = file["sections"].as_object().expect("sections").iter();
        let numbers = sections.map(|(path, section)| {
            let number = path.trim_start_matches('s').parse().expect("a number");
            assert_eq!(section["body"], text(number), "{path}");
            number
        });
        numbers.collect()
    }

    fn strays(&self) -> Vec<PathBuf> {
        strays(&self.machine.seen(&self.overrides()))
    }

    fn store(&mut self) -> Store<'_> {
        Store::Files(Box::new(Overrides(self.overrides())))
    }
}

struct Overrides(PathBuf);

impl Files for Overrides {
    fn folders(&self) -> Vec<PathBuf> {
        vec![self.0.clone()]
    }

    fn lock(&self) -> Box<dyn Any> {
        let folder = std::fs::File::open(&self.0).expect("a folder");
        flock(&folder, FlockOperation::LockExclusive).expect("it is free");
        Box::new(folder)
    }
}
