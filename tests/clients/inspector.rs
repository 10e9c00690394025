//! The Inspector's command line: lists, calls, and judges how portable the schemas are.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::homes::{self, Ask, Home};

struct Inspector {
    program: String,
    /// Where it keeps its own files.
    own: tempfile::TempDir,
}

impl Inspector {
    fn provided() -> Option<Self> {
        let program = toolwright_testing::provided::provided("TOOLWRIGHT_TEST_INSPECTOR")?;
        Some(Self { program, own: tempfile::tempdir().expect("a folder") })
    }

    fn run(&self, home: &Home, server: &[&str], arguments: &[&str]) -> Output {
        let mut command = Command::new(&self.program);
        command.env("HOME", self.own.path()).arg("--cli").arg("--cwd").arg(Path::new(&home.folder));
        for (name, value) in &home.environment {
            command.args(["-e", &format!("{name}={value}")]);
        }
        command.arg(home.program).arg("mcp").args(server);
        command.args(arguments).args(["--format", "json"]).output().expect("the Inspector runs")
    }

    /// The result of a method in one era of the protocol.
    fn result(&self, home: &Home, era: &str, arguments: &[&str]) -> Value {
        let output = self.run(home, &[], &[&["--protocol-era", era], arguments].concat());
        let talk = String::from_utf8_lossy(&output.stderr);
        let printed: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{} {arguments:?}: {error}: {talk}", home.name()));
        printed["result"].clone()
    }

    /// What a call gave. The Inspector holds it against the output schema, failures too.
    fn call(&self, home: &Home, era: &str, ask: &Ask) -> Value {
        let arguments = ask.arguments.to_string();
        // It calls nothing that is not listed; without a handshake names have no dots.
        let tool = if era == "modern" { ask.tool.replace('.', "_") } else { ask.tool.to_owned() };
        let call = ["--method", "tools/call", "--tool-name", &tool];
        self.result(home, era, &[&call[..], &["--tool-args-json", &arguments]].concat())
    }
}

#[test]
fn the_inspector_lists_and_calls_tools_of_every_surface_in_both_eras() {
    let Some(inspector) = Inspector::provided() else { return };
    for home in homes::all() {
        for era in ["legacy", "modern"] {
            let name = home.name();
            let listed = inspector.result(&home, era, &["--method", "tools/list"]);
            let count = listed["tools"].as_array().map(Vec::len);
            assert_eq!(count, Some(home.info.tools.len()), "{name}, {era}: {listed}");
            let read = inspector.call(&home, era, &home.read);
            assert_eq!(read["isError"], false, "{name}, {era}: {read}");
            let (ask, code) = &home.refused;
            let refused = inspector.call(&home, era, ask);
            assert_eq!(refused["isError"], true, "{name}, {era}: {refused}");
            let body = refused["structuredContent"].to_string();
            assert!(body.contains(code), "{name}, {era}: {refused}");
        }
    }
}

/// The strictest profile must leave nothing to find in what a model fills in. What is found in
/// output schemas and in the canonical profile is allowed, and said.
#[test]
fn the_inspector_finds_no_schema_that_a_client_would_reject() {
    let Some(inspector) = Inspector::provided() else { return };
    let lint = ["--method", "tools/list", "--strict"];
    for home in homes::all() {
        for profile in ["canonical", "gemini"] {
            let output = inspector.run(&home, &["--client-profile", profile], &lint);
            let talk = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}, {profile}: {talk}", home.name());
            let found = |words: &str| talk.lines().filter(|line| line.contains(words)).count();
            let (inputs, outputs) = (found("Path: inputSchema"), found("Path: outputSchema"));
            eprintln!(
                "{}, {profile}: {inputs} warnings about inputs, {outputs} about outputs",
                home.name()
            );
            assert!(profile == "canonical" || inputs == 0, "{}: {talk}", home.name());
        }
    }
}
