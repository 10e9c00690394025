//! Installing and then uninstalling restores the file byte for byte.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::Value;

use crate::config_fixtures::{JSON, TOML, for_client, random_json, random_toml};
use crate::harness::{FILES, Machine, json_value, servers, toml_value};
use toolwright_testing::random::Random;

/// Installs over `original`, looks, uninstalls, and expects the same bytes.
#[track_caller]
fn there_and_back(machine: &Machine, client: &str, scope: &str, file: &str, original: &str) {
    machine.write(file, original);
    let installed = machine.install(client, scope, &[]);
    assert_eq!(installed.code, 0, "{original:?}\n{}", installed.stderr);
    let text = machine.read(file);
    let shown = format!("{original:?}\nbecame\n{text}");
    let entry = &servers(client, &text)["wink"];
    assert_eq!(entry["args"][0], "mcp", "{shown}");
    assert_eq!(rest(client, &text), rest(client, original), "{shown}");
    let comments = |text: &str| ["//", "/*", "#"].map(|mark| text.matches(mark).count());
    assert_eq!(comments(&text), comments(original), "{shown}");
    let removed = machine.uninstall(client, scope, &[]);
    assert_eq!(removed.code, 0, "{shown}\n{}", removed.stderr);
    assert_eq!(machine.read(file), original, "{shown}");
}

/// Everything but our entry, and but for the difference between an empty list and none.
fn rest(client: &str, text: &str) -> Value {
    let text = text.trim_start_matches('\u{feff}');
    let blank = client != "codex" && crate::config_fixtures::strict(text).trim().is_empty();
    let mut document = match client {
        "codex" => toml_value(text),
        _ if blank => Value::Object(serde_json::Map::new()),
        _ => json_value(text),
    };
    for list in ["mcpServers", "servers", "mcp_servers"] {
        if let Some(servers) = document.get_mut(list).and_then(Value::as_object_mut) {
            servers.remove("wink");
            if servers.is_empty() {
                document.as_object_mut().unwrap().remove(list);
            }
        }
    }
    document
}

#[test]
fn nasty_files_come_back_byte_for_byte_in_every_client_and_scope() {
    for (index, (client, scope, file)) in FILES.iter().enumerate() {
        let machine = Machine::new();
        // All of them once per form; a few in each other file.
        let step = if [0, 3, 8].contains(&index) { 1 } else { 9 };
        let originals = if *client == "codex" { TOML } else { JSON };
        for original in originals.iter().skip(index % step).step_by(step) {
            there_and_back(&machine, client, scope, file, &for_client(client, original));
        }
    }
}

#[test]
fn a_file_that_was_not_there_is_gone_again_with_its_folders() {
    for (client, scope, file) in FILES {
        let machine = Machine::new();
        // Receipts are kept below; the folder itself is not ours to remove.
        fs::create_dir_all(machine.path("home/.local/state")).unwrap();
        let names = |machine: &Machine| machine.tree().into_keys().collect::<Vec<_>>();
        let before = names(&machine);
        machine.install(client, scope, &[]).ok();
        assert!(machine.read(file).contains("wink"), "{file}");
        let again = machine.read(file);
        machine.uninstall(client, scope, &[]).ok();
        assert_eq!(names(&machine), before, "{file}");
        machine.install(client, scope, &[]).ok();
        assert_eq!(machine.read(file), again);
    }
}

#[test]
fn a_folder_that_somebody_else_uses_stays() {
    let machine = Machine::new();
    machine.install("cursor", "project", &[]).ok();
    machine.write("project/.cursor/rules.md", "theirs");
    machine.uninstall("cursor", "project", &[]).ok();
    assert!(!machine.path("project/.cursor/mcp.json").exists());
    assert_eq!(machine.read("project/.cursor/rules.md"), "theirs");
}

#[test]
fn random_json_comes_back_byte_for_byte() {
    let mut random = Random::seeded();
    let machine = Machine::new();
    for _ in 0..60 {
        let (client, scope, file) = *random.pick(&[FILES[0], FILES[6], FILES[8]]);
        let list = if client == "vscode" { "servers" } else { "mcpServers" };
        let original = random_json(&mut random, list);
        there_and_back(&machine, client, scope, file, &original);
    }
}

#[test]
fn random_toml_comes_back_byte_for_byte() {
    let mut random = Random::seeded();
    let machine = Machine::new();
    for _ in 0..40 {
        there_and_back(&machine, "codex", "user", FILES[3].2, &random_toml(&mut random));
    }
}

#[test]
fn mode_and_link_stay_as_they_were() {
    let machine = Machine::new();
    machine.write("dotfiles/cursor.json", "{}\n");
    fs::set_permissions(machine.path("dotfiles/cursor.json"), fs::Permissions::from_mode(0o640))
        .unwrap();
    fs::create_dir(machine.path("home/.cursor")).unwrap();
    let link = machine.path("home/.cursor/mcp.json");
    std::os::unix::fs::symlink("../../dotfiles/cursor.json", &link).unwrap();
    machine.install("cursor", "user", &[]).ok();
    assert!(link.is_symlink());
    assert!(machine.read("dotfiles/cursor.json").contains("wink"));
    let mode = |path: &str| machine.path(path).metadata().unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("dotfiles/cursor.json"), 0o640);
    machine.uninstall("cursor", "user", &[]).ok();
    assert!(link.is_symlink());
    assert_eq!(machine.read("dotfiles/cursor.json"), "{}\n");
    machine.install("claude-code", "user", &[]).ok();
    assert_eq!(mode("home/.claude.json"), 0o600, "a new file may get secrets");
}
