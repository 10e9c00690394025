//! agentpack: each number is a profile that deploys two prompts more than the one before. A write is a
//! reviewed plan and its apply, all or nothing; every fourth rolls back to a deploy of earlier instead.

use std::any::Any;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;

use agentpack::generated::SURFACE;
use rustix::fs::{FlockOperation, flock};
use serde_json::json;
use toolwright_runtime::contract::SurfaceInfo;

use super::{Files, Store, Surface};
use crate::machine::{Machine, MachineKind};
use crate::session::{Call, Refusal, Session};
use sandbox::{Sandbox, confirmed};

#[allow(dead_code, reason = "the suite of agentpack uses all of it")]
#[path = "../../../src/agentpack/tests/sandbox.rs"]
mod sandbox;

/// More than any test writes.
const PROFILES: usize = 40;
/// Of so many writes one is a rollback.
const ROLLBACKS: usize = 4;
const PROMPTS: &str = "home/.codex/prompts";

pub(crate) struct Agentpack {
    sandbox: Sandbox,
    /// Snapshots of deploys that were made and undone before, by number.
    snapshots: BTreeMap<usize, String>,
    machine: Machine,
}

impl Agentpack {
    pub(crate) fn open(kind: MachineKind) -> Option<Self> {
        let sandbox = Sandbox::in_memory();
        let mut profiles = "  default: {include_tags: [nothing]}\n".to_owned();
        let mut modules = String::new();
        for number in 0..PROFILES {
            let tags: Vec<String> = (0..=number).map(|tag| format!("t{tag}")).collect();
            profiles += &format!("  p{number}: {{include_tags: [{}]}}\n", tags.join(", "));
            for half in ["a", "b"] {
                let path = format!("modules/{number}{half}.md");
                sandbox.repo(&path, &text(number, half));
                modules += &format!(
                    "  - {{id: 'prompt:{number}{half}', type: prompt, tags: [t{number}], \
                     source: {{local_path: {{path: {path}}}}}}}\n"
                );
            }
        }
        let targets = "targets:\n  codex: {mode: files, scope: user}\n";
        let config = format!("version: 1\nprofiles:\n{profiles}{targets}modules:\n{modules}");
        sandbox.repo("agentpack.yaml", &config);
        let mut session = sandbox.session();
        let mut deploy = |profile: String| session.deploy(json!({"profile": profile}));
        let numbers = (0..PROFILES).filter(|number| number % ROLLBACKS == ROLLBACKS - 1);
        let snapshots = numbers.map(|number| {
            let deployed = deploy(format!("p{number}"));
            (number, deployed["snapshot_id"].as_str().expect("a snapshot").to_owned())
        });
        let snapshots = snapshots.collect();
        deploy("default".to_owned());
        drop(session);
        let machine = Machine::new(kind, &sandbox.store(), "8m")?;
        Some(Self { sandbox, snapshots, machine })
    }
}

fn text(number: usize, half: &str) -> String {
    format!("Prompt {number}{half}\n{}", "All work and no play.\n".repeat(100))
}

impl Surface for Agentpack {
    fn contract(&self) -> &'static SurfaceInfo {
        &SURFACE
    }

    fn machine(&self) -> &Machine {
        &self.machine
    }

    fn command(&self) -> Command {
        self.sandbox.agentpack(&["mcp"])
    }

    fn write(&mut self, session: &mut Session, number: usize) -> Result<Call, Refusal> {
        if let Some(snapshot) = self.snapshots.get(&number) {
            return Ok(Call { tool: "rollback", arguments: json!({"to": snapshot, "yes": true}) });
        }
        let arguments = json!({"profile": format!("p{number}")});
        let review = Call { tool: "deploy", arguments: arguments.clone() };
        let reviewed = session.call(&review)?;
        let token = reviewed["data"]["confirm_token"].as_str().expect("a token");
        Ok(Call { tool: "deploy_apply", arguments: confirmed(arguments, token) })
    }

    fn read(&self) -> Call {
        Call { tool: "status", arguments: json!({"profile": "p0"}) }
    }

    fn stored(&self) -> Vec<usize> {
        let folder = self.machine.seen(&self.sandbox.path(PROMPTS));
        let read = |number: usize, half: &str| {
            let found = std::fs::read_to_string(folder.join(format!("{number}{half}.md"))).ok()?;
            assert_eq!(found, text(number, half), "prompt {number}{half} is torn");
            Some(())
        };
        let whole = (0..PROFILES).filter(|number| {
            let halves = [read(*number, "a"), read(*number, "b")];
            assert_eq!(halves[0], halves[1], "half of write {number} is there");
            halves[0].is_some()
        });
        whole.collect()
    }

    fn strays(&self) -> Vec<PathBuf> {
        let place = |name: &str| self.machine.seen(&self.sandbox.path(name));
        let names = |folder: &str| std::fs::read_dir(place(folder)).into_iter().flatten().flatten();
        let prompts = names(PROMPTS).filter(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            !name.ends_with(".md") && !name.starts_with(".agentpack.manifest")
        });
        let journals = names("home/.agentpack/state/journal");
        prompts.chain(journals).map(|entry| entry.path()).collect()
    }

    fn store(&mut self) -> Store<'_> {
        Store::Files(Box::new(Places(&self.sandbox)))
    }
}

struct Places<'a>(&'a Sandbox);

impl Files for Places<'_> {
    fn folders(&self) -> Vec<PathBuf> {
        [PROMPTS, "home/.agentpack/state"].map(|name| self.0.path(name)).into()
    }

    fn lock(&self) -> Box<dyn Any> {
        let lock = self.0.path("home/.agentpack/state/lock");
        let lock = std::fs::File::options().write(true).create(true).truncate(false).open(lock);
        let lock = lock.expect("a lock file");
        flock(&lock, FlockOperation::LockExclusive).expect("it is free");
        Box::new(lock)
    }
}
