//! Users edit files between installing and uninstalling; receipts get lost.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::harness::{Machine, servers, wink};

const CURSOR: &str = "home/.cursor/mcp.json";
const CODEX: &str = "home/.codex/config.toml";

#[test]
fn edits_elsewhere_in_the_file_are_kept() {
    let machine = Machine::new();
    machine.write(CURSOR, "{\n  // mine\n  \"mcpServers\": {}\n}\n");
    machine.install("cursor", "user", &[]).ok();
    let edited = machine.read(CURSOR).replacen('{', "{\n  \"theme\": \"dark\", // new", 1);
    let edited = edited.replace("]\n    }\n", "]\n    }, \"late\": {\"command\": \"x\"} // late\n");
    assert!(edited.contains("late"));
    machine.write(CURSOR, &edited);
    let done = machine.uninstall("cursor", "user", &[]).ok();
    assert!(!done.stderr.contains("was changed"), "{}", done.stderr);
    assert_eq!(
        machine.read(CURSOR),
        "{\n  \"theme\": \"dark\", // new\n  // mine\n  \"mcpServers\": { \"late\": \
         {\"command\": \"x\"} // late\n  }\n}\n"
    );

    machine.write(CODEX, "model = 'x'\n");
    machine.install("codex", "user", &[]).ok();
    machine.write(CODEX, format!("# top\n{}\n[late]\na = 1\n", machine.read(CODEX)));
    machine.uninstall("codex", "user", &[]).ok();
    assert_eq!(machine.read(CODEX), "# top\nmodel = 'x'\n\n[late]\na = 1\n");
}

#[test]
fn an_entry_behind_ours_on_its_line_is_not_lost_to_a_comment() {
    let file = "project/.vscode/mcp.json";
    let text = |ours: &str| {
        format!(
            "{{\n  \"servers\": {{ // mine\n    {ours}\"late\": {{\"command\": \"x\"}}\n  }}\n}}\n"
        )
    };
    let machine = Machine::new();
    machine.write(file, text("\"wink\": {\"command\": \"wink\"}, "));
    machine.uninstall("vscode", "project", &["--force"]).ok();
    assert_eq!(machine.read(file), text(""));

    machine.write(file, text("\"wink\": {\"command\": \"wink\"}, "));
    machine.install("vscode", "project", &["--force"]).ok();
    let found = servers("vscode", &machine.read(file));
    assert_eq!(found["late"]["command"], "x");
    assert_eq!(found["wink"]["args"][0], "mcp");

    let toml =
        "mcp_servers = { # mine\n  wink = { command = 'wink' }, late = { command = 'x' } }\n";
    machine.write(CODEX, toml);
    machine.uninstall("codex", "user", &["--force"]).ok();
    assert_eq!(machine.read(CODEX), toml.replace("wink = { command = 'wink' }, ", ""));
}

#[test]
fn another_server_in_the_place_of_ours_goes_only_by_force() {
    let machine = Machine::new();
    machine.install("cursor", "user", &[]).ok();
    machine.write(CURSOR, "{\"mcpServers\": {\"wink\": {\"command\": \"/bin/theirs\"}}}");
    let before = machine.tree();
    machine.uninstall("cursor", "user", &[]).fails(1, &["another server", "--force"]);
    assert_eq!(machine.tree(), before);
    machine.uninstall("cursor", "user", &["--force"]).ok();
    assert!(!machine.path(CURSOR).exists(), "its receipt still tells that the file was ours");
}

/// The one receipt that is kept.
fn receipt(machine: &Machine) -> std::path::PathBuf {
    let folder = machine.path("home/.local/state/toolwright/installed");
    fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn an_entry_under_another_name_is_known_by_its_receipt_also_by_an_old_one() {
    let machine = Machine::new();
    machine.program("bin/renamed", wink());
    let renamed = machine.path("bin/renamed");
    for old in [false, true] {
        machine.run(renamed.to_str().unwrap(), &["install", "--client", "cursor"]).ok();
        let file = receipt(&machine);
        let text = fs::read_to_string(&file).unwrap();
        let mut kept: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(kept["surface"], "wink");
        if old {
            kept.as_object_mut().unwrap().remove("surface");
            fs::write(&file, kept.to_string()).unwrap();
        }
        machine.uninstall("cursor", "user", &[]).ok();
        assert!(!machine.path(CURSOR).exists());
    }
}
#[test]
fn a_surface_does_not_take_the_entry_of_another() {
    use crate::harness::TOOLWRIGHT;
    let machine = Machine::new();
    machine.program("bin/toolwright", TOOLWRIGHT);
    let alone = machine.path("bin/toolwright");
    // With the servers' own binaries beside it, and as the only one.
    for toolwright in [TOOLWRIGHT, alone.to_str().unwrap()] {
        machine.run(toolwright, &["install", "wink", "--client", "cursor"]).ok();
        let before = machine.tree();
        let yarnnn = ["uninstall", "yarnnn", "--client", "cursor", "--name", "wink"];
        machine.run(toolwright, &yarnnn).fails(1, &["another server", "--force"]);
        assert_eq!(machine.tree(), before);
        machine.run(toolwright, &["uninstall", "wink", "--client", "cursor"]).ok();
    }
}

#[test]
fn a_file_that_we_made_stays_when_others_use_it() {
    let machine = Machine::new();
    machine.install("cursor", "user", &[]).ok();
    machine.write(CURSOR, machine.read(CURSOR).replacen('{', "{\n  \"theme\": \"dark\",", 1));
    machine.uninstall("cursor", "user", &[]).ok();
    assert_eq!(machine.read(CURSOR), "{\n  \"theme\": \"dark\"\n}\n");
}

#[test]
fn an_edited_entry_goes_all_the_same_and_it_is_told() {
    let machine = Machine::new();
    machine.write(CURSOR, "{\"a\": 1}");
    machine.install("cursor", "user", &[]).ok();
    machine
        .write(CURSOR, machine.read(CURSOR).replace("\"args\":", "\"disabled\": true, \"args\":"));
    let done = machine.uninstall("cursor", "user", &[]).ok();
    assert!(done.stderr.contains("was changed since it was installed"), "{}", done.stderr);
    assert_eq!(machine.read(CURSOR), "{\"a\": 1}");

    machine.install("codex", "user", &[]).ok();
    let more = "startup_timeout_sec = 5\n\n[mcp_servers.wink.env]\nA = 'b'\n\n\
                [[mcp_servers.wink.x]]\na = 1\n\n[tui]\na = 1\n";
    machine.write(CODEX, machine.read(CODEX) + more);
    let done = machine.uninstall("codex", "user", &[]).ok();
    assert!(done.stderr.contains("was changed"), "{}", done.stderr);
    assert_eq!(machine.read(CODEX), "[tui]\na = 1\n");
}

#[test]
fn without_its_receipt_just_the_entry_goes() {
    let machine = Machine::new();
    machine.install("cursor", "user", &[]).ok();
    fs::remove_dir_all(machine.path("home/.local")).unwrap();
    machine.uninstall("cursor", "user", &[]).ok();
    assert_eq!(machine.read(CURSOR), "{\n  \"mcpServers\": {\n  }\n}\n");
}

#[test]
fn a_receipt_is_private_and_holds_no_secret() {
    let machine = Machine::new();
    machine.write(CURSOR, "{\"token\": \"their-secret\"}");
    machine.install("cursor", "user", &["--env", "KEY=our-secret"]).ok();
    let folder = machine.path("home/.local/state/toolwright/installed");
    let receipts: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(receipts.len(), 1);
    assert_eq!(receipts[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!fs::read_to_string(&receipts[0]).unwrap().contains("secret"));
}

#[test]
fn a_receipt_that_cannot_be_read_is_as_good_as_none() {
    let machine = Machine::new();
    machine.write(CURSOR, "{}\n");
    machine.install("cursor", "user", &[]).ok();
    let folder = machine.path("home/.local/state/toolwright/installed");
    for file in fs::read_dir(folder).unwrap() {
        fs::write(file.unwrap().path(), "not a receipt").unwrap();
    }
    machine.uninstall("cursor", "user", &[]).ok();
    assert!(!machine.read(CURSOR).contains("wink"));
}

#[test]
fn replacing_our_own_entry_keeps_what_was_made_for_it() {
    let machine = Machine::new();
    machine.write(CURSOR, "{\n  \"mcpServers\": {}\n}\n");
    machine.install("cursor", "user", &[]).ok();
    machine.install("cursor", "user", &["--force", "--env", "A=b"]).ok();
    machine.uninstall("cursor", "user", &[]).ok();
    assert_eq!(machine.read(CURSOR), "{\n  \"mcpServers\": {}\n}\n");
    machine.install("codex", "user", &[]).ok();
    machine.install("codex", "user", &["--force", "--env", "A=b"]).ok();
    machine.uninstall("codex", "user", &[]).ok();
    assert!(!machine.path("home/.codex").exists());
}
