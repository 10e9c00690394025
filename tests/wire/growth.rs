//! A contract grows: a copy of the example server gets a tool, and the build says what is next.
//!
//! Runs the real cargo on a copy outside of the workspace, as an author would.

use std::path::Path;
use std::process::{Command, Output};

use tempfile::TempDir;
use toolwright::client::Client;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

const SPEC: &str = "\
tool: shout
title: Shout
description: Says it louder.
effects: read
idempotent: true
open_world: false
immediate: true
input:
  type: object
  additionalProperties: false
  required: [text]
  properties:
    text: {type: string, description: What to say.}
output:
  type: object
  additionalProperties: false
  required: [text]
  properties:
    text: {type: string, description: The same louder.}
examples:
  - {name: hello, input: {text: hello}, output: {text: HELLO}}
";

const HANDLER: &str = "\
//! `shout`

use toolwright_runtime::{Call, Handle};

use crate::Server;
use crate::generated::{Result, Shout, ShoutRequest, ShoutResponse};

impl Handle<Shout> for Server {
    async fn handle(&self, _: &Call, request: ShoutRequest) -> Result<ShoutResponse> {
        Ok(ShoutResponse { text: request.text.to_uppercase() })
    }
}
";

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("writable");
    for entry in std::fs::read_dir(from).expect("a folder").flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("writable");
        }
    }
}

/// A copy of the example as a package of its own. Cargo tells packages of other workspaces apart
/// by their names only, so each has another.
fn package(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy(&Path::new(ROOT).join("examples/echo"), folder.path());
    let manifest = folder.path().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let text = text.replace("../..", ROOT).replace("\"echo-server\"", &format!("\"{name}\""))
        + "\n[workspace]\n\n[profile.dev]\ndebug = \"line-tables-only\"\n";
    std::fs::write(manifest, text).expect("writable");
    std::fs::copy(Path::new(ROOT).join("Cargo.lock"), folder.path().join("Cargo.lock"))
        .expect("writable");
    folder
}

fn cargo(folder: &Path) -> Output {
    Command::new(env!("CARGO"))
        .args(["build", "--offline"])
        .current_dir(folder)
        // The dependencies are built already.
        .env("CARGO_TARGET_DIR", Path::new(ROOT).join("target"))
        .env_remove("RUSTFLAGS")
        .output()
        .expect("cargo runs")
}

#[test]
fn a_tool_without_a_handler_does_not_build_and_with_one_it_is_served() {
    let name = format!("growth-{}", std::process::id());
    let package = package(&name);
    let folder = package.path();
    std::fs::write(folder.join("specs/echo/tools/shout.yaml"), SPEC).expect("writable");
    let output = cargo(folder);
    let log = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success(), "{log}");
    assert!(log.contains("tool `Shout` has no handler"), "{log}");
    assert!(log.contains("impl Handle<Shout> for Server"), "{log}");

    std::fs::write(folder.join("src/tools/shout.rs"), HANDLER).expect("writable");
    let modules = folder.join("src/tools/mod.rs");
    let text = std::fs::read_to_string(&modules).expect("a module list");
    std::fs::write(modules, text + "mod shout;\n").expect("writable");
    let output = cargo(folder);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let program = Path::new(ROOT).join("target/debug").join(&name);
    let mut server = Command::new(&program);
    server.stderr(std::process::Stdio::null());
    let mut client = Client::spawn(server, "growth-test").expect("the server starts");
    let tools = client.tools().expect("a list");
    assert!(tools.iter().any(|tool| tool["name"] == "shout"), "{tools:?}");
    let answer = client.call("shout", serde_json::json!({"text": "hello"})).expect("an answer");
    assert_eq!(answer.body["text"], "HELLO");
    drop(client);
    std::fs::remove_file(program).expect("the program");
}

#[test]
fn a_finding_fails_the_build_with_the_text_of_check() {
    let package = package(&format!("finding-{}", std::process::id()));
    let spec = package.path().join("specs/echo/tools/add.yaml");
    let text = std::fs::read_to_string(&spec).expect("a spec");
    std::fs::write(&spec, text.replace("effects: read", "efects: read")).expect("writable");
    let output = cargo(package.path());
    assert!(!output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let build = String::from_utf8_lossy(&output.stderr);
    let check = Command::new(env!("CARGO_BIN_EXE_toolwright"))
        .args(["check", "specs"])
        .current_dir(package.path())
        .output()
        .expect("toolwright runs");
    let findings = String::from_utf8_lossy(&check.stdout);
    assert!(findings.contains("efects") && findings.contains("help:"), "{findings}");
    for line in findings.lines().filter(|line| !line.is_empty()) {
        assert!(build.contains(line), "the build does not say {line:?}:\n{build}");
    }
}
