//! A tool is added to a copy of the example server; the build reports what is missing.
//!
//! Runs the real cargo on a copy outside of the workspace, as an author would.

use std::path::Path;

use tempfile::TempDir;
use toolwright_testing::ServerHome;

use crate::package::{ROOT, cargo, program, settle};
use toolwright_testing::files::copy;

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

/// A copy of the example as a package of its own, under another name.
fn package(name: &str) -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    copy(&Path::new(ROOT).join("examples/echo"), folder.path());
    let manifest = folder.path().join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let text = text.replace("../..", ROOT).replace("\"echo-server\"", &format!("\"{name}\""));
    std::fs::write(manifest, text + "\n[workspace]\n").expect("writable");
    settle(folder.path());
    folder
}

#[test]
fn a_tool_without_a_handler_does_not_build_and_with_one_it_is_served() {
    let name = format!("new-tool-{}", std::process::id());
    let package = package(&name);
    let folder = package.path();
    std::fs::write(folder.join("specs/echo/tools/shout.yaml"), SPEC).expect("writable");
    let output = cargo(folder, "build");
    assert!(!output.succeeded(), "{output:?}");
    let log = output.stderr;
    assert!(log.contains("tool `Shout` has no handler"), "{log}");
    assert!(log.contains("impl Handle<Shout> for Server"), "{log}");

    std::fs::write(folder.join("src/tools/shout.rs"), HANDLER).expect("writable");
    let modules = folder.join("src/tools/mod.rs");
    let text = std::fs::read_to_string(&modules).expect("a module list");
    std::fs::write(modules, text + "mod shout;\n").expect("writable");
    cargo(folder, "build").ok();

    let program = program(&name);
    let mut client = ServerHome::for_program(&program).session();
    let tools = client.tools();
    assert!(tools.iter().any(|tool| tool["name"] == "shout"), "{tools:?}");
    let answer = client.call("shout", serde_json::json!({"text": "hello"}));
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
    let output = cargo(package.path(), "build");
    assert!(!output.succeeded(), "{output:?}");
    let build = output.stderr;
    let home = ServerHome::at(env!("CARGO_BIN_EXE_toolwright"), package.path());
    let findings = home.run(&["check", "specs"]).stdout;
    assert!(findings.contains("efects") && findings.contains("help:"), "{findings}");
    for line in findings.lines().filter(|line| !line.is_empty()) {
        assert!(build.contains(line), "the build does not say {line:?}:\n{build}");
    }
}
