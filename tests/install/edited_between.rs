//! People change files between installing and uninstalling; receipts get lost.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use crate::harness::{Stage, servers, wink};

const CURSOR: &str = "home/.cursor/mcp.json";
const CODEX: &str = "home/.codex/config.toml";

#[test]
fn edits_elsewhere_in_the_file_are_kept() {
    let stage = Stage::new();
    stage.write(CURSOR, "{\n  // mine\n  \"mcpServers\": {}\n}\n");
    stage.install("cursor", "user", &[]).ok();
    let edited = stage.read(CURSOR).replacen('{', "{\n  \"theme\": \"dark\", // new", 1);
    let edited = edited.replace("]\n    }\n", "]\n    }, \"late\": {\"command\": \"x\"} // late\n");
    assert!(edited.contains("late"));
    stage.write(CURSOR, &edited);
    let done = stage.uninstall("cursor", "user", &[]).ok();
    assert!(!done.err.contains("was changed"), "{}", done.err);
    assert_eq!(
        stage.read(CURSOR),
        "{\n  \"theme\": \"dark\", // new\n  // mine\n  \"mcpServers\": { \"late\": \
         {\"command\": \"x\"} // late\n  }\n}\n"
    );

    stage.write(CODEX, "model = 'x'\n");
    stage.install("codex", "user", &[]).ok();
    stage.write(CODEX, format!("# top\n{}\n[late]\na = 1\n", stage.read(CODEX)));
    stage.uninstall("codex", "user", &[]).ok();
    assert_eq!(stage.read(CODEX), "# top\nmodel = 'x'\n\n[late]\na = 1\n");
}

#[test]
fn an_entry_behind_ours_on_its_line_is_not_lost_to_a_comment() {
    let file = "project/.vscode/mcp.json";
    let text = |ours: &str| {
        format!(
            "{{\n  \"servers\": {{ // mine\n    {ours}\"late\": {{\"command\": \"x\"}}\n  }}\n}}\n"
        )
    };
    let stage = Stage::new();
    stage.write(file, text("\"wink\": {\"command\": \"wink\"}, "));
    stage.uninstall("vscode", "project", &[]).ok();
    assert_eq!(stage.read(file), text(""));

    stage.write(file, text("\"wink\": {\"command\": \"wink\"}, "));
    stage.install("vscode", "project", &["--force"]).ok();
    let found = servers("vscode", &stage.read(file));
    assert_eq!(found["late"]["command"], "x");
    assert_eq!(found["wink"]["args"][0], "mcp");

    let toml =
        "mcp_servers = { # mine\n  wink = { command = 'wink' }, late = { command = 'x' } }\n";
    stage.write(CODEX, toml);
    stage.uninstall("codex", "user", &[]).ok();
    assert_eq!(stage.read(CODEX), toml.replace("wink = { command = 'wink' }, ", ""));
}

#[test]
fn another_server_in_the_place_of_ours_goes_only_by_force() {
    let stage = Stage::new();
    stage.install("cursor", "user", &[]).ok();
    stage.write(CURSOR, "{\"mcpServers\": {\"wink\": {\"command\": \"/bin/theirs\"}}}");
    let before = stage.tree();
    stage.uninstall("cursor", "user", &[]).refused(1, &["another server", "--force"]);
    assert_eq!(stage.tree(), before);
    stage.uninstall("cursor", "user", &["--force"]).ok();
    assert!(!stage.path(CURSOR).exists(), "its receipt still tells that the file was ours");
}

/// The one receipt that is kept.
fn receipt(stage: &Stage) -> std::path::PathBuf {
    let folder = stage.path("home/.local/state/toolwright/installed");
    fs::read_dir(folder).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn an_entry_under_another_name_is_known_by_its_receipt_also_by_an_old_one() {
    let stage = Stage::new();
    stage.program("bin/renamed", wink());
    let renamed = stage.path("bin/renamed");
    for old in [false, true] {
        stage.run(renamed.to_str().unwrap(), &["install", "--client", "cursor"]).ok();
        let file = receipt(&stage);
        let text = fs::read_to_string(&file).unwrap();
        let mut kept: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(kept["surface"], "wink");
        if old {
            kept.as_object_mut().unwrap().remove("surface");
            fs::write(&file, kept.to_string()).unwrap();
        }
        stage.uninstall("cursor", "user", &[]).ok();
        assert!(!stage.path(CURSOR).exists());
    }
}
#[test]
fn a_surface_does_not_take_the_entry_of_another() {
    use crate::harness::TOOLWRIGHT;
    let stage = Stage::new();
    stage.program("bin/toolwright", TOOLWRIGHT);
    let alone = stage.path("bin/toolwright");
    // With the servers' own binaries beside it, and as the only one.
    for toolwright in [TOOLWRIGHT, alone.to_str().unwrap()] {
        stage.run(toolwright, &["install", "wink", "--client", "cursor"]).ok();
        let before = stage.tree();
        let yarnnn = ["uninstall", "yarnnn", "--client", "cursor", "--name", "wink"];
        stage.run(toolwright, &yarnnn).refused(1, &["another server", "--force"]);
        assert_eq!(stage.tree(), before);
        stage.run(toolwright, &["uninstall", "wink", "--client", "cursor"]).ok();
    }
}

#[test]
fn a_file_that_we_made_stays_when_others_use_it() {
    let stage = Stage::new();
    stage.install("cursor", "user", &[]).ok();
    stage.write(CURSOR, stage.read(CURSOR).replacen('{', "{\n  \"theme\": \"dark\",", 1));
    stage.uninstall("cursor", "user", &[]).ok();
    assert_eq!(stage.read(CURSOR), "{\n  \"theme\": \"dark\"\n}\n");
}

#[test]
fn an_edited_entry_goes_all_the_same_and_it_is_told() {
    let stage = Stage::new();
    stage.write(CURSOR, "{\"a\": 1}");
    stage.install("cursor", "user", &[]).ok();
    stage.write(CURSOR, stage.read(CURSOR).replace("\"args\":", "\"disabled\": true, \"args\":"));
    let done = stage.uninstall("cursor", "user", &[]).ok();
    assert!(done.err.contains("was changed since it was installed"), "{}", done.err);
    assert_eq!(stage.read(CURSOR), "{\"a\": 1}");

    stage.install("codex", "user", &[]).ok();
    let more = "startup_timeout_sec = 5\n\n[mcp_servers.wink.env]\nA = 'b'\n\n\
                [[mcp_servers.wink.x]]\na = 1\n\n[tui]\na = 1\n";
    stage.write(CODEX, stage.read(CODEX) + more);
    let done = stage.uninstall("codex", "user", &[]).ok();
    assert!(done.err.contains("was changed"), "{}", done.err);
    assert_eq!(stage.read(CODEX), "[tui]\na = 1\n");
}

#[test]
fn without_its_receipt_just_the_entry_goes() {
    let stage = Stage::new();
    stage.install("cursor", "user", &[]).ok();
    fs::remove_dir_all(stage.path("home/.local")).unwrap();
    stage.uninstall("cursor", "user", &[]).ok();
    assert_eq!(stage.read(CURSOR), "{\n  \"mcpServers\": {\n  }\n}\n");
}

#[test]
fn a_receipt_is_private_and_holds_no_secret() {
    let stage = Stage::new();
    stage.write(CURSOR, "{\"token\": \"their-secret\"}");
    stage.install("cursor", "user", &["--env", "KEY=our-secret"]).ok();
    let folder = stage.path("home/.local/state/toolwright/installed");
    let receipts: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    assert_eq!(receipts.len(), 1);
    assert_eq!(receipts[0].metadata().unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!fs::read_to_string(&receipts[0]).unwrap().contains("secret"));
}

#[test]
fn a_receipt_that_cannot_be_read_is_as_good_as_none() {
    let stage = Stage::new();
    stage.write(CURSOR, "{}\n");
    stage.install("cursor", "user", &[]).ok();
    let folder = stage.path("home/.local/state/toolwright/installed");
    for file in fs::read_dir(folder).unwrap() {
        fs::write(file.unwrap().path(), "not a receipt").unwrap();
    }
    stage.uninstall("cursor", "user", &[]).ok();
    assert!(!stage.read(CURSOR).contains("wink"));
}

#[test]
fn replacing_our_own_entry_keeps_what_was_made_for_it() {
    let stage = Stage::new();
    stage.write(CURSOR, "{\n  \"mcpServers\": {}\n}\n");
    stage.install("cursor", "user", &[]).ok();
    stage.install("cursor", "user", &["--force", "--env", "A=b"]).ok();
    stage.uninstall("cursor", "user", &[]).ok();
    assert_eq!(stage.read(CURSOR), "{\n  \"mcpServers\": {}\n}\n");
    stage.install("codex", "user", &[]).ok();
    stage.install("codex", "user", &["--force", "--env", "A=b"]).ok();
    stage.uninstall("codex", "user", &[]).ok();
    assert!(!stage.path("home/.codex").exists());
}
