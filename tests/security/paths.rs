//! Path traversal: no name in a call leads out of its folder, and no answer tells what is there.
//!
//! Snapshots, manifests and modules of agentpack have tests of their own.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use wink::generated::SURFACE;

use crate::project::{OVERRIDES, with_sections};

/// What must not be told or touched.
const CANARY: &str = "canary-4711";

/// Ways to say "elsewhere".
const NAMES: &[&str] = &[
    "..",
    ".",
    "../secret",
    "../../secret",
    "../secret/latest.json",
    "load/../../secret",
    "load/..",
    "./load",
    "/",
    "//",
    "~",
    "~/secret",
    "$HOME/secret",
    "..\\secret",
    "C:\\secret",
    "\\\\host\\share",
    "%2e%2e/secret",
    "..%2fsecret",
    "..%c0%afsecret",
    "..;/secret",
    "secret\0",
    "secret\0.json",
    "secret\nx",
    "．．/secret",
    "․․/secret",
    "..∕secret",
    "..\u{200b}/secret",
    ".git",
    ".hidden",
    "-rf",
    "CON",
    "a:b",
];

fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for path in
            std::fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.path())
        {
            if path.is_dir() {
                found.insert(path.clone(), Vec::new());
                waiting.push(path);
            } else {
                found.insert(path.clone(), std::fs::read(&path).expect("readable"));
            }
        }
    }
    found
}

#[test]
fn no_name_leads_out_of_the_overrides() {
    let project = with_sections(1);
    std::fs::create_dir_all(project.path("secret")).expect("writable");
    std::fs::create_dir_all(project.path(OVERRIDES)).expect("writable");
    let canary = json!({"version": 2, "ns": "secret", "prompt_key": "secret", "tag": "latest",
        "sections": {"s0": {"body": CANARY}}, "tools": {}});
    for file in ["secret.json", "secret/latest.json", "latest.json"] {
        project.write(file, canary.to_string());
    }
    let before = files(project.folder());
    let mut client = project.session();
    let absolute = project.path("secret").display().to_string();
    for name in NAMES.iter().copied().chain([absolute.as_str()]) {
        for tool in SURFACE.tools {
            for field in ["ns", "prompt", "tag"] {
                let schema: Value = serde_json::from_str(tool.input).expect("a schema");
                if schema["properties"].get(field).is_none() {
                    continue;
                }
                let arguments = arguments(tool.name, field, name);
                let answer = client.call(tool.canonical, arguments.clone());
                let text = answer.response["result"].to_string();
                assert!(!text.contains(CANARY), "{} {arguments}: {text}", tool.name);
                let empty = tool.name == "list_overrides" && answer.body["total"] == 0;
                assert!(answer.is_error || empty, "{} {arguments}: {text}", tool.name);
            }
        }
    }
    assert_eq!(files(project.folder()), before);
}

/// A call that would do its work if the field were good.
fn arguments(tool: &str, field: &str, name: &str) -> Value {
    let mut arguments = match tool {
        "list_overrides" => json!({}),
        _ => json!({"ns": "load", "prompt": "test"}),
    };
    match tool.split('_').nth(1) {
        Some("section") => arguments["section_path"] = json!("s0"),
        Some("tool") => arguments["tool_name"] = json!("t0"),
        _ => {}
    }
    match tool {
        "write_section_override" => arguments["body"] = json!("new"),
        "write_tool_override" => arguments["description"] = json!("new"),
        _ => {}
    }
    if tool.starts_with("write") {
        arguments["confirm"] = json!(true);
    }
    arguments[field] = json!(name);
    arguments
}
