//! The Inspector's command line: lists tools, calls them, and checks how portable the schemas are.

use std::process::{Command, Output};

use serde_json::Value;

use crate::fixtures::{self, SurfaceFixture, ToolCall};

struct Inspector {
    program: String,
    /// Where it stores its own files.
    own: tempfile::TempDir,
}

impl Inspector {
    fn provided() -> Option<Self> {
        let program = toolwright_testing::provided::provided("TOOLWRIGHT_TEST_INSPECTOR")?;
        Some(Self { program, own: tempfile::tempdir().expect("a folder") })
    }

    fn run(&self, fixture: &SurfaceFixture, server: &[&str], arguments: &[&str]) -> Output {
        let mut command = Command::new(&self.program);
        command.env("HOME", self.own.path()).arg("--cli").arg("--cwd").arg(fixture.folder());
        for (name, value) in fixture.environment() {
            command.args(["-e", &format!("{name}={value}")]);
        }
        command.arg(fixture.program()).arg("mcp").args(server);
        command.args(arguments).args(["--format", "json"]).output().expect("the Inspector runs")
    }

    /// The result of a method in one era of the protocol.
    fn result(&self, fixture: &SurfaceFixture, era: &str, arguments: &[&str]) -> Value {
        let output = self.run(fixture, &[], &[&["--protocol-era", era], arguments].concat());
        let talk = String::from_utf8_lossy(&output.stderr);
        let printed: Value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{} {arguments:?}: {error}: {talk}", fixture.name()));
        printed["result"].clone()
    }

    /// The result of a call. The Inspector validates it against the output schema, failures too.
    fn call(&self, fixture: &SurfaceFixture, era: &str, call: &ToolCall) -> Value {
        let arguments = call.arguments.to_string();
        let method = ["--method", "tools/call", "--tool-name", call.tool];
        self.result(fixture, era, &[&method[..], &["--tool-args-json", &arguments]].concat())
    }
}

#[test]
fn the_inspector_lists_and_calls_tools_of_every_surface_in_both_eras() {
    let Some(inspector) = Inspector::provided() else { return };
    for fixture in fixtures::all() {
        for era in ["legacy", "modern"] {
            let name = fixture.name();
            let listed = inspector.result(&fixture, era, &["--method", "tools/list"]);
            let count = listed["tools"].as_array().map(Vec::len);
            assert_eq!(count, Some(fixture.info.listed_tools().count()), "{name}, {era}: {listed}");
            let read = inspector.call(&fixture, era, &fixture.read);
            assert_eq!(read["isError"], false, "{name}, {era}: {read}");
            let (call, code) = &fixture.refused;
            let refused = inspector.call(&fixture, era, call);
            assert_eq!(refused["isError"], true, "{name}, {era}: {refused}");
            let body = refused["structuredContent"].to_string();
            assert!(body.contains(code), "{name}, {era}: {refused}");
        }
    }
}

/// With the strictest profile the Inspector must find nothing in input schemas. Findings in output
/// schemas and in the canonical profile are allowed, and printed.
#[test]
fn the_inspector_finds_no_schema_that_a_client_would_reject() {
    let Some(inspector) = Inspector::provided() else { return };
    let lint = ["--method", "tools/list", "--strict"];
    for fixture in fixtures::all() {
        for profile in ["canonical", "gemini"] {
            let output = inspector.run(&fixture, &["--client-profile", profile], &lint);
            let talk = String::from_utf8_lossy(&output.stderr);
            assert!(output.status.success(), "{}, {profile}: {talk}", fixture.name());
            let found = |words: &str| talk.lines().filter(|line| line.contains(words)).count();
            let (inputs, outputs) = (found("Path: inputSchema"), found("Path: outputSchema"));
            eprintln!(
                "{}, {profile}: {inputs} warnings about inputs, {outputs} about outputs",
                fixture.name()
            );
            assert!(profile == "canonical" || inputs == 0, "{}: {talk}", fixture.name());
        }
    }
}
