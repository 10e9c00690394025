//! A project with prompts, and client sessions with `wink` in it.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;
use toolwright_runtime::client::Client;
use wink::hash;

/// A temporary project: overrides directory and descriptor export.
pub(crate) struct Project {
    folder: TempDir,
}

impl Project {
    /// A project whose export is the given text.
    pub(crate) fn new(export: &str) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        std::fs::write(folder.path().join("descriptors.json"), export).expect("writable");
        Self { folder }
    }

    /// A project with one prompt `load/test` of that many sections, `s0`, `s1`, …
    pub(crate) fn with_sections(count: usize) -> Self {
        let sections: Vec<Value> = (0..count)
            .map(|number| {
                let body = format!("Section {number}.");
                json!({"path": [format!("s{number}")], "number": number.to_string(), "title": "S",
                       "content_hash": hash::of_text(&body), "accepts_overrides": true,
                       "body": body, "placeholders": []})
            })
            .collect();
        Self::new(
            &json!({"kind": "wink.descriptors", "version": 1, "library": "weakincentives 0.27.0",
                "override_format": 2,
                "prompts": [{"ns": "load", "key": "test", "name": "t", "sections": sections, "tools": []}]})
            .to_string(),
        )
    }

    pub(crate) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(crate) fn overrides(&self) -> PathBuf {
        self.path().join("overrides")
    }

    /// Replaces the export.
    pub(crate) fn export(&self, export: &str) {
        std::fs::write(self.path().join("descriptors.json"), export).expect("writable");
    }

    /// `wink` with this project's settings.
    pub(crate) fn wink(&self) -> Command {
        let mut command = Command::new(toolwright_testing::program("wink"));
        command
            .current_dir(self.path())
            .env_clear()
            .env("WINK_OVERRIDES_DIR", self.overrides())
            .env("WINK_DESCRIPTORS", self.path().join("descriptors.json"))
            // On a slow disk a writer may wait for many writes of the other.
            .env("WINK_LOCK_TIMEOUT_MS", "120000")
            .stderr(Stdio::null());
        command
    }

    /// A session with a server of its own.
    pub(crate) fn session(&self) -> Client {
        let mut command = self.wink();
        command.arg("mcp");
        Client::spawn(command, "live-test").expect("the server starts")
    }
}

/// Calls a tool that must succeed.
pub(crate) fn succeed(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let answer = client.call(tool, arguments).expect("an answer");
    assert!(!answer.is_error, "{tool}: {}", answer.body);
    answer.body
}

/// Every file below a folder that is not an override file.
pub(crate) fn strays(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(strays(&path));
        } else if path.extension().is_none_or(|extension| extension != "json") {
            found.push(path);
        }
    }
    found
}
