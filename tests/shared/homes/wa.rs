//! wa in a workspace with one pane of its own, in which a program waits for input.

use std::path::PathBuf;

use serde_json::json;
use tempfile::TempDir;
use wa::generated::SURFACE;

use super::{Ask, Environment, Home, environment, prepared, printed};

/// The pane; it would outlive the test.
struct Pane {
    id: String,
    work: PathBuf,
    environment: Environment,
    _folder: TempDir,
}

impl Drop for Pane {
    fn drop(&mut self) {
        let _ = prepared(
            toolwright_testing::program("wa"),
            &["close", &self.id],
            &self.work,
            &self.environment,
        )
        .output();
    }
}

pub(super) fn home() -> Home {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let at = |name: &str| folder.path().join(name);
    for name in ["work", "home", "run"] {
        std::fs::create_dir(at(name)).expect("writable");
    }
    let environment = environment([
        ("HOME", at("home").display().to_string()),
        ("XDG_RUNTIME_DIR", at("run").display().to_string()),
        ("PATH", std::env::var("PATH").unwrap_or_default()),
        ("TERM", "xterm-256color".to_owned()),
        ("WA_BACKEND", "embedded".to_owned()),
        // How often a pane may be acted on is not what is tried here.
        ("WA_RATE_PER_PANE", "100000".to_owned()),
        ("WA_RATE_GLOBAL", "100000".to_owned()),
    ]);
    let work = at("work");
    let id = printed(prepared(
        toolwright_testing::program("wa"),
        &["spawn", "--", "cat"],
        &work,
        &environment,
    ));
    let id = id.trim().to_owned();
    let pane: u64 = id.parse().expect("the id of a pane");
    let pattern = "never printed";
    let slow = json!({"pane_id": pane, "pattern": pattern, "timeout_secs": 3600});
    Home {
        info: &SURFACE,
        program: toolwright_testing::program("wa"),
        folder: work.clone(),
        environment: environment.clone(),
        read: Ask::new("wa.state", json!({})),
        invalid: Ask::new("wa.get_text", json!({"pane_id": "x"})),
        refused: (Ask::new("wa.get_text", json!({"pane_id": 4_000_000})), "WA-MCP-0007"),
        write: Box::new(move |_| Ask::new("wa.reserve", json!({"pane_id": pane}))),
        slow: Some(Ask::new("wa.wait_for", slow)),
        token: None,
        held: Box::new(Pane { id, work, environment, _folder: folder }),
    }
}
