//! Symbolic links: what leads out of a root is neither read nor written nor removed.

use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::json;
use toolwright_testing::ServerHome;

use crate::project::{OVERRIDES, with_sections};
use crate::sandbox::{AGENTS, PROMPT, Sandbox, confirmed};

const CANARY: &str = "canary-4711";

/// Puts a link where the overrides of the prompt should be, at this depth of their path.
fn link(project: &ServerHome, depth: usize, goal: &Path) {
    let parts = ["load", "test", "latest.json"];
    let place = parts[..=depth].iter().fold(project.path(OVERRIDES), |path, part| path.join(part));
    std::fs::create_dir_all(place.parent().expect("a parent")).expect("writable");
    symlink(goal, place).expect("writable");
}

#[test]
fn overrides_behind_a_link_are_refused_by_every_tool() {
    for depth in 0..3 {
        let project = with_sections(1);
        let outside = project.path("outside");
        let file = outside.join("test/latest.json");
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("writable");
        let hash = "0".repeat(64);
        let text = json!({"version": 2, "ns": "load", "prompt_key": "test", "tag": "latest",
            "sections": {"s0": {"expected_hash": hash, "path": ["s0"], "body": CANARY}},
            "tools": {}});
        std::fs::write(&file, text.to_string()).expect("writable");
        let goals = [outside.clone(), outside.join("test"), file.clone()];
        link(&project, depth, &goals[depth]);
        let mut client = project.session();
        let section = json!({"ns": "load", "prompt": "test", "section_path": "s0"});
        let mut write = section.clone();
        write["body"] = json!("new");
        write["confirm"] = json!(true);
        for (tool, arguments) in [
            ("wink.get_section_override", section.clone()),
            ("wink.write_section_override", write),
            ("wink.delete_section_override", section),
        ] {
            let answer = client.call(tool, arguments);
            assert_eq!(answer.body["code"], "path_outside_root", "{depth} {tool}: {answer:?}");
        }
        let listed = client.call("wink.list_overrides", json!({}));
        assert!(!listed.response["result"].to_string().contains(CANARY), "{listed:?}");
        assert_eq!(std::fs::read_to_string(&file).expect("it is there"), text.to_string());
    }
}

#[test]
fn a_link_that_leads_nowhere_makes_no_file_there() {
    let project = with_sections(1);
    let nowhere = project.path("nowhere");
    link(&project, 2, &nowhere);
    let mut client = project.session();
    let write = json!({"ns": "load", "prompt": "test", "section_path": "s0", "body": "new",
        "confirm": true});
    let answer = client.call("wink.write_section_override", write);
    assert!(answer.is_error, "{answer:?}");
    assert!(!nowhere.exists());
}

#[test]
fn a_deploy_never_writes_through_a_link() {
    for place in [AGENTS, PROMPT] {
        let sandbox = Sandbox::new();
        let victim = sandbox.write("home/victim", CANARY);
        let place = sandbox.path(place);
        std::fs::create_dir_all(place.parent().expect("a parent")).expect("writable");
        symlink(&victim, &place).expect("writable");
        let mut session = sandbox.session();
        let codex = json!({"target": "codex", "adopt": true});
        let token = session.token(json!({"target": "codex"}));
        // Refused, or the link itself is replaced: both are fine.
        session.call("deploy_apply", confirmed(codex, &token));
        assert_eq!(std::fs::read_to_string(&victim).expect("it is there"), CANARY);
    }
}

#[test]
fn a_project_cannot_send_files_elsewhere() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.path("home/elsewhere");
    std::fs::create_dir_all(&elsewhere).expect("writable");
    symlink(&elsewhere, sandbox.path("project/.cursor")).expect("writable");
    let mut session = sandbox.session();
    let cursor = json!({"target": "cursor"});
    let reviewed = session.call("deploy", cursor.clone());
    let token = reviewed.body["data"]["confirm_token"].as_str().unwrap_or_default();
    let applied = session.call("deploy_apply", confirmed(cursor, token));
    assert!(applied.is_error, "{applied:?}");
    let found = std::fs::read_dir(&elsewhere).expect("a folder").count();
    assert_eq!(found, 0, "nothing was written behind the link");
}
