//! Manifests and snapshots are upstream's, byte for byte but for times and what we add at the end;
//! a tree that upstream deployed is ours to read and to roll back.
//!
//! `tests/golden/agentpack/upstream-0.9.1` is what the released program wrote for the standard
//! sandbox; `{{STORE}}` stands for the folder.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use toolwright_runtime::digest::sha256_hex;

use crate::sandbox::{AGENTS, PROMPT, REPO, Sandbox};

const GOLDEN: &str =
    concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/agentpack/upstream-0.9.1");
const SNAPSHOTS: &str = "home/.agentpack/state/snapshots";

/// Files below a folder, relative and sorted.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).expect("a folder").flatten() {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => found.push(path.strip_prefix(folder).expect("below").to_owned()),
            }
        }
    }
    found.sort();
    found
}

fn golden(name: &str) -> String {
    std::fs::read_to_string(Path::new(GOLDEN).join(name)).expect("a golden file")
}

fn is_manifest(path: &str) -> bool {
    path.contains(".agentpack.manifest.")
}

/// The text with everything that differs from run to run replaced by words.
fn timeless(text: &str, store: &str) -> String {
    let json: Value = serde_json::from_str(text).expect("JSON");
    let mut text = text.replace(store, "{{STORE}}");
    for (name, word) in
        [("id", "ID"), ("snapshot_id", "ID"), ("created_at", "TIME"), ("generated_at", "TIME")]
    {
        if let Some(value) = json[name].as_str() {
            text = text.replace(value, word);
        }
    }
    // Manifests hold times, so their hashes differ.
    for change in json["changes"].as_array().into_iter().flatten() {
        if is_manifest(change["path"].as_str().expect("a path")) {
            text = text.replace(change["after_sha256"].as_str().expect("a hash"), "HASH");
        }
    }
    text
}

/// What upstream left on this machine, in a sandbox of its own.
fn deployed_by_upstream() -> (Sandbox, String) {
    let sandbox = Sandbox::new();
    let deployed = Path::new(GOLDEN).join("deployed");
    for file in below(&deployed) {
        let name = file.to_str().expect("text");
        sandbox.write(name, &golden(&format!("deployed/{name}")));
    }
    let store = sandbox.store().display().to_string();
    let text = golden("snapshot.json").replace("{{STORE}}", &store);
    let snapshot: Value = serde_json::from_str(&text).expect("JSON");
    let id = snapshot["id"].as_str().expect("an id").to_owned();
    sandbox.write(&format!("{SNAPSHOTS}/{id}.json"), &text);
    for change in snapshot["changes"].as_array().expect("changes") {
        let (target, path) = (change["target"].as_str().unwrap(), change["path"].as_str().unwrap());
        let key = &sha256_hex(path.as_bytes())[..16];
        let bytes = std::fs::read_to_string(path).expect("a deployed file");
        sandbox.write(&format!("{SNAPSHOTS}/{id}/state/{target}/{key}"), &bytes);
    }
    (sandbox, id)
}

#[test]
fn deployed_files_and_manifests_are_the_bytes_that_upstream_writes() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({}));
    let deployed = Path::new(GOLDEN).join("deployed");
    let store = sandbox.store().display().to_string();
    let expected = below(&deployed);
    for file in &expected {
        let name = file.to_str().expect("text");
        let (ours, theirs) = (sandbox.read(name), golden(&format!("deployed/{name}")));
        if is_manifest(name) {
            assert_eq!(timeless(&ours, &store), timeless(&theirs, &store), "{name}");
        } else {
            assert_eq!(ours, theirs, "{name}");
        }
    }
    for root in ["home/.codex", "project/.claude", "project/.cursor", "project/.github"] {
        for file in below(&sandbox.path(root)) {
            assert!(expected.contains(&Path::new(root).join(&file)), "{root}/{}", file.display());
        }
    }
}

#[test]
fn a_snapshot_is_the_bytes_that_upstream_writes_and_two_fields_more() {
    let sandbox = Sandbox::new();
    let id = sandbox.deploy(json!({}));
    let store = sandbox.store().display().to_string();
    let ours = timeless(&sandbox.read(&format!("{SNAPSHOTS}/{id}.json")), &store);
    let theirs = timeless(&golden("snapshot.json"), &store);
    let shared = theirs.strip_suffix("\n}\n").expect("pretty JSON and a newline");
    let more = ours.strip_prefix(shared).expect(&ours);
    assert!(
        more.starts_with(",\n  \"project_root\": \"{{STORE}}/project\",\n  \"roots\": ["),
        "{more}"
    );
    assert!(more.ends_with("]\n}\n"), "{more}");

    // Times are nanoseconds, ids are the same moment in decimal.
    let snapshot: Value =
        serde_json::from_str(&sandbox.read(&format!("{SNAPSHOTS}/{id}.json"))).expect("JSON");
    let created: jiff::Timestamp =
        snapshot["created_at"].as_str().unwrap().parse().expect("a time");
    assert_eq!(created.as_nanosecond().to_string(), id);
    assert_eq!(
        snapshot["created_at"].as_str().map(str::len),
        Some("2026-01-01T00:00:00.000000000Z".len())
    );

    // Beside it, a copy of everything that is managed, under the hash of its path.
    for change in snapshot["changes"].as_array().expect("changes") {
        let (target, path) = (change["target"].as_str().unwrap(), change["path"].as_str().unwrap());
        let copy =
            format!("{SNAPSHOTS}/{id}/state/{target}/{}", &sha256_hex(path.as_bytes())[..16]);
        assert_eq!(sandbox.read(&copy).into_bytes(), std::fs::read(path).expect("deployed"));
    }
}

#[test]
fn backups_lie_where_upstream_looks_for_them() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({"target": "codex"}));
    let before = sandbox.read(PROMPT);
    sandbox.repo("modules/prompts/draft.md", "Draft two replies.\n");
    let id = sandbox.deploy(json!({"target": "codex"}));
    let snapshot: Value =
        serde_json::from_str(&sandbox.read(&format!("{SNAPSHOTS}/{id}.json"))).expect("JSON");
    let path = sandbox.path(PROMPT).display().to_string();
    let key = &sha256_hex(path.as_bytes())[..16];
    let backup = sandbox.path(&format!("{SNAPSHOTS}/{id}/backup/codex/{key}"));
    let change = &snapshot["changes"][0];
    assert_eq!(change["op"], "update");
    assert_eq!(change["path"], path);
    assert_eq!(change["backup_path"], json!(backup));
    assert_eq!(change["before_sha256"], sha256_hex(before.as_bytes()));
    assert_eq!(std::fs::read_to_string(backup).expect("a backup"), before);
}

#[test]
fn a_tree_that_we_deployed_is_clean() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    session.deploy(json!({}));
    let status = session.envelope("status", json!({}));
    assert_eq!(status["data"]["drift"], json!([]));
    assert_eq!(status["warnings"], json!([]));
    // Every manifest names exactly the files that are there, with their hashes.
    for file in below(&sandbox.store()).iter().filter_map(|file| file.to_str()) {
        if !is_manifest(file) {
            continue;
        }
        let manifest: Value = serde_json::from_str(&sandbox.read(file)).expect("JSON");
        let root = Path::new(file).parent().unwrap();
        for entry in manifest["managed_files"].as_array().expect("files") {
            let path = root.join(entry["path"].as_str().unwrap());
            let bytes = sandbox.read(path.to_str().unwrap());
            assert_eq!(entry["sha256"], sha256_hex(bytes.as_bytes()), "{}", path.display());
        }
    }
}

#[test]
fn a_tree_that_upstream_deployed_is_clean_and_can_be_edited_and_rolled_back() {
    let (sandbox, id) = deployed_by_upstream();
    let mut session = sandbox.session();
    let status = session.envelope("status", json!({}));
    assert_eq!(status["data"]["drift"], json!([]));
    assert_eq!(status["warnings"], json!([]));
    assert_eq!(session.data("plan", json!({}))["changes"], json!([]));

    sandbox.repo("modules/base/AGENTS.md", "# Base\n\nBe very brief.\n");
    let plan = session.data("plan", json!({"target": "codex"}));
    assert_eq!(plan["changes"][0]["update_kind"], "managed_update");
    assert!(plan["changes"][0].get("local_edits").is_none());
    let theirs = sandbox.read(AGENTS);
    session.deploy(json!({}));
    assert_ne!(sandbox.read(AGENTS), theirs);
    session.data("rollback", json!({"to": id, "yes": true}));
    assert_eq!(sandbox.read(AGENTS), theirs);
    sandbox.git(REPO, &["checkout", "-q", "."]);
    assert_eq!(session.data("status", json!({}))["drift"], json!([]));
}

#[test]
fn the_old_manifest_name_is_read_for_its_own_target_and_replaced_by_the_next_deploy() {
    let (sandbox, _) = deployed_by_upstream();
    let new = "project/.github/.agentpack.manifest.vscode.json";
    let old = "project/.github/.agentpack.manifest.json";
    std::fs::rename(sandbox.path(new), sandbox.path(old)).expect("renamed");
    let mut session = sandbox.session();
    let vscode = json!({"target": "vscode"});
    let status = session.envelope("status", vscode.clone());
    assert_eq!(status["data"]["drift"], json!([]));
    assert!(status["warnings"].to_string().contains(".agentpack.manifest.json"), "{status}");
    // What the old manifest names is managed: an update, no adoption.
    sandbox.repo("modules/base/AGENTS.md", "# Base\n\nBe very brief.\n");
    assert_eq!(session.deploy(vscode.clone())["applied"], true);
    assert!(sandbox.exists(new));
    assert_eq!(session.envelope("status", vscode)["warnings"], json!([]));

    // A manifest of another target is ignored.
    let (sandbox, _) = deployed_by_upstream();
    let text = sandbox.read(new).replace("\"vscode\"", "\"cursor\"");
    sandbox.remove(new);
    sandbox.write(old, &text);
    sandbox.repo("modules/base/AGENTS.md", "# Base\n\nBe very brief.\n");
    let plan = sandbox.session().data("plan", json!({"target": "vscode"}));
    assert_eq!(plan["changes"][0]["update_kind"], "adopt_update");
}

#[test]
fn unusable_manifests_are_reported_and_count_as_missing() {
    for (text, cause) in [
        ("{", "EOF"),
        (
            r#"{"schema_version": 9, "generated_at": "", "tool": "vscode", "managed_files": []}"#,
            "schema_version",
        ),
        (
            r#"{"schema_version": 1, "generated_at": "", "tool": "codex", "managed_files": []}"#,
            "codex",
        ),
    ] {
        let (sandbox, _) = deployed_by_upstream();
        let manifest = "project/.github/.agentpack.manifest.vscode.json";
        sandbox.write(manifest, text);
        let mut session = sandbox.session();
        let plan = session.envelope("plan", json!({"target": "vscode"}));
        let warnings = plan["warnings"].to_string();
        assert!(warnings.contains(manifest) && warnings.contains(cause), "{text}: {warnings}");
        assert_eq!(plan["data"]["changes"], json!([]), "nothing is deleted");
    }
}
