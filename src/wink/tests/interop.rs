//! The other party is the Python library itself, in both file formats: it reads what was written
//! here, and what it wrote is read here, stale entries included.
//!
//! `tests/run` prepares two environments and names their interpreters in `WINK_INTEROP_V1` (the
//! last release with format 1) and `WINK_INTEROP_V2`. Without them the loop is skipped, loudly.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolwright_testing::provided::provided;
use toolwright_testing::{StdioSession, run};

use crate::project::{DESCRIPTORS, OVERRIDES, with_export};

const PROBE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/upstream.py");

/// One release of the library.
struct Library {
    python: String,
    format: u64,
}

impl Library {
    /// Both releases, or none where the environment names no Python for them.
    fn both() -> Vec<Self> {
        if std::env::var_os("WINK_INTEROP_SKIP").is_some() {
            eprintln!("SKIPPED: the interop loop needs Python 3.13");
            return Vec::new();
        }
        let named = |variable, format| Some(Self { python: provided(variable)?, format });
        let both = [named("WINK_INTEROP_V1", 1), named("WINK_INTEROP_V2", 2)];
        both.into_iter().collect::<Option<_>>().unwrap_or_default()
    }

    fn run(&self, command: &str, root: &Path, variant: &str) -> Value {
        let mut probe = Command::new(&self.python);
        probe.args([PROBE, command, "--variant", variant, "--root"]).arg(root);
        run(probe).ok().json()
    }

    fn describe(&self, variant: &str) -> String {
        self.run("describe", Path::new("."), variant).to_string()
    }
}

fn prompt(more: Value) -> Value {
    let mut arguments = json!({"ns": "demo.app", "prompt": "code-review"});
    if let (Some(all), Some(more)) = (arguments.as_object_mut(), more.as_object()) {
        all.extend(more.clone());
    }
    arguments
}

#[test]
fn the_library_applies_what_was_written_here() {
    for library in Library::both() {
        let project = with_export(&library.describe("base"));
        let mut client = project.session();
        let body = "Review for $name — “quotes”, tab\there, 🦀.\n";
        let change = client.ok(
            "wink.write_section_override",
            prompt(json!({"section_path": "system", "body": body, "confirm": true})),
        );
        assert_eq!(change["format"], library.format);
        client.ok(
            "wink.write_tool_override",
            prompt(json!({"tool_name": "search_docs", "description": "Search docs.",
                          "param_descriptions": {"query": "Exact phrase."}, "confirm": true})),
        );
        let seen = library.run("read", &project.path(OVERRIDES), "base");
        assert_eq!(seen["sections_applied"], json!(["system"]));
        assert_eq!(seen["tools_applied"], json!(["search_docs"]));
        assert_eq!(seen["bodies"]["system"], body);
        assert_eq!(seen["tool_descriptions"]["search_docs"], "Search docs.");
        assert!(seen["rendered_text"].as_str().is_some_and(|text| text.contains("Review for Ada")));

        client.ok("wink.delete_section_override", prompt(json!({"section_path": "system"})));
        client.ok("wink.delete_tool_override", prompt(json!({"tool": "search_docs"})));
        let seen = library.run("read", &project.path(OVERRIDES), "base");
        assert_eq!(seen["file_present"], false);
        assert!(
            seen["rendered_text"].as_str().is_some_and(|text| text.contains("You review code"))
        );
    }
}

#[test]
fn what_the_library_wrote_is_read_here_and_rewritten_byte_for_byte() {
    for library in Library::both() {
        let project = with_export(&library.describe("base"));
        library.run("write", &project.path(OVERRIDES), "base");
        let file = project.path(OVERRIDES).join("demo.app/code-review/latest.json");
        let written = std::fs::read(&file).expect("the library's file");

        let mut client = project.session();
        let section =
            client.ok("wink.get_section_override", prompt(json!({"section_path": "system"})));
        assert_eq!(
            (&section["status"], &section["format"]),
            (&json!("current"), &json!(library.format))
        );
        let tool = client.ok("wink.get_tool_override", prompt(json!({"tool_name": "search_docs"})));
        assert_eq!(tool["status"], "current");

        let body = &section["override_body"];
        client.ok(
            "wink.write_section_override",
            prompt(json!({"section_path": "system", "body": body, "confirm": true})),
        );
        assert_eq!(written, std::fs::read(&file).expect("the file"), "format {}", library.format);
        let parameters = &tool["override_param_descriptions"];
        client.ok(
            "wink.write_tool_override",
            prompt(json!({"tool_name": "search_docs", "description": tool["override_description"],
                          "param_descriptions": parameters, "confirm": true})),
        );
        assert_eq!(written, std::fs::read(&file).expect("the file"), "format {}", library.format);
    }
}

#[test]
fn library_and_server_agree_on_stale_entries() {
    for library in Library::both() {
        let project = with_export(&library.describe("edited"));
        library.run("write", &project.path(OVERRIDES), "base");
        let mut client = project.session();
        let list = client.ok("wink.list_overrides", json!({}));
        let status = |kind: &str, key: &str, name: &str| {
            let handles = list["overrides"][0][kind].as_array().expect("handles").clone();
            handles.into_iter().find(|handle| handle[key] == name).expect("a handle")["status"]
                .clone()
        };
        assert_eq!(status("sections", "section_path", "system"), "stale");
        assert_eq!(status("sections", "section_path", "system/style"), "current");
        assert_eq!(status("tools", "tool_name", "search_docs"), "stale");
        let seen = library.run("read", &project.path(OVERRIDES), "edited");
        assert_eq!(seen["sections_applied"], json!(["system/style"]));
        assert_eq!(seen["sections_ignored"], json!(["system"]));
        assert_eq!(seen["tools_ignored"], json!(["search_docs"]));

        // A write next to the stale entries keeps them; re-basing one makes the library apply it.
        client.ok(
            "wink.write_section_override",
            prompt(json!({"section_path": "system/style", "body": "Plain.", "confirm": true})),
        );
        let seen = library.run("read", &project.path(OVERRIDES), "edited");
        assert_eq!(seen["sections_ignored"], json!(["system"]));
        assert_eq!(seen["tools_ignored"], json!(["search_docs"]));
        client.ok(
            "wink.write_section_override",
            prompt(json!({"section_path": "system", "body": "Now for $name.", "confirm": true})),
        );
        let seen = library.run("read", &project.path(OVERRIDES), "edited");
        assert_eq!(seen["sections_applied"], json!(["system", "system/style"]));
    }
}

#[test]
fn a_seeded_file_is_understood_without_an_export() {
    for library in Library::both() {
        let project = with_export(&library.describe("base"));
        library.run("seed", &project.path(OVERRIDES), "base");
        std::fs::remove_file(project.path(DESCRIPTORS)).expect("the export");
        let mut command = project.server();
        command.env_remove("WINK_DESCRIPTORS");
        let mut client = StdioSession::start(command, "live-test");
        let section =
            client.ok("wink.get_section_override", prompt(json!({"section_path": "system"})));
        assert_eq!(section["descriptor"]["source"], "seeded_file");
        assert_eq!(section["matches_default"], true);
        client.ok(
            "wink.write_section_override",
            prompt(json!({"section_path": "system", "body": "Hello $name.", "confirm": true})),
        );
        let seen = library.run("read", &project.path(OVERRIDES), "base");
        assert_eq!(seen["bodies"]["system"], "Hello $name.");
    }
}

#[test]
fn the_shipped_exporter_describes_what_the_library_describes() {
    for library in Library::both() {
        let project = with_export("{}");
        let helper = project.run(&["export-helper"]).ok();
        let mut exporter = Command::new(&library.python);
        exporter
            .arg(project.write("export_prompts.py", helper.stdout))
            .arg("upstream")
            .env("PYTHONPATH", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/"));
        let export = run(exporter).json();
        let described: Value = serde_json::from_str(&library.describe("base")).expect("JSON");
        for key in ["sections", "tools"] {
            let hashes = |document: &Value| -> Vec<Value> {
                let items = document["prompts"][0][key].as_array().expect("entries");
                items
                    .iter()
                    .map(|item| {
                        item.get("content_hash")
                            .or(item.get("contract_hash"))
                            .cloned()
                            .unwrap_or_default()
                    })
                    .collect()
            };
            assert_eq!(hashes(&export), hashes(&described), "format {}", library.format);
        }
        project.write(DESCRIPTORS, export.to_string());
        let section = project
            .session()
            .ok("wink.get_section_override", prompt(json!({"section_path": "system/style"})));
        assert_eq!(section["descriptor"]["source"], "export_file");
    }
}
