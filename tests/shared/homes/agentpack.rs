//! agentpack with a config repo of every kind of module, deployed once.

use agentpack::generated::SURFACE;
use serde_json::json;

use super::{Ask, Home};
use sandbox::Sandbox;

#[path = "../../../src/agentpack/tests/sandbox.rs"]
mod sandbox;

pub(super) fn home() -> Home {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({"target": "codex"}));
    let to = "00000000-000";
    Home {
        info: &SURFACE,
        program: toolwright_testing::program("agentpack"),
        folder: sandbox.path("project"),
        environment: sandbox.variables(),
        read: Ask::new("status", json!({"target": "codex"})),
        invalid: Ask::new("plan", json!({"target": 7})),
        refused: (Ask::new("rollback", json!({"to": to})), "E_CONFIRM_REQUIRED"),
        write: Box::new(|_| Ask::new("evolve_restore", json!({"target": "codex", "yes": true}))),
        slow: None,
        token: None,
        held: Box::new(sandbox),
    }
}
