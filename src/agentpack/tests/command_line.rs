//! Tool commands: the same envelope with `--json`, readable text without it.

use serde_json::{Value, json};
use toolwright_testing::run;

use crate::sandbox::{AGENTS, REPO, Sandbox, Session};

/// The envelope of a command that must end with this status.
fn envelope(sandbox: &Sandbox, arguments: &[&str], exit: i32) -> Value {
    sandbox.run(arguments).exits_with(exit).json()
}

#[test]
fn with_json_a_tool_command_prints_the_envelope() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({"target": "codex"}));
    sandbox.write(AGENTS, "edited\n");
    let mut session = sandbox.session();
    for (arguments, tool, call) in [
        (vec!["plan"], "plan", json!({})),
        (vec!["diff", "--target", "vscode"], "diff", json!({"target": "vscode"})),
        (vec!["preview", "--diff"], "preview", json!({"diff": true})),
        (vec!["status", "--only", "modified"], "status", json!({"only": ["modified"]})),
        (vec!["doctor"], "doctor", json!({})),
        (vec!["explain", "plan"], "explain", json!({"kind": "plan"})),
        (vec!["explain", "status"], "explain", json!({"kind": "status"})),
        (vec!["evolve", "propose", "--dry-run"], "evolve_propose", json!({"dry_run": true})),
        (vec!["evolve", "restore", "--dry-run"], "evolve_restore", json!({"dry_run": true})),
    ] {
        let mut words = arguments.clone();
        words.push("--json");
        let served = session.envelope(tool, call);
        assert_eq!(envelope(&sandbox, &words, 0), served, "{arguments:?}");
        let path: Vec<&str> =
            served["command_path"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(arguments.starts_with(&path), "{path:?} is not how {arguments:?} is called");
    }
}

#[test]
fn without_json_a_table_of_changes_is_printed() {
    let sandbox = Sandbox::new();
    let text = sandbox.run(&["plan", "--target", "codex"]).ok().stdout;
    let agents = sandbox.path(AGENTS).display().to_string();
    assert!(text.lines().any(|line| line.starts_with('+') && line.contains(&agents)), "{text}");
    assert!(text.contains("4 to create, 0 to update, 0 to delete"), "{text}");
    assert!(!text.contains('{') && !text.contains('\u{1b}'), "no JSON, no colours: {text}");

    let text = sandbox.run(&["preview", "--diff", "--target", "vscode"]).stdout;
    assert!(text.lines().any(|line| line == "+Be brief."), "{text}");
}

#[test]
fn deploy_apply_yes_writes_and_says_where_to_go_back_to() {
    let sandbox = Sandbox::new();
    let planned = envelope(&sandbox, &["deploy", "--json"], 0);
    assert_eq!(planned["command"], "deploy");
    assert_eq!(planned["data"]["applied"], false);
    assert!(!sandbox.exists(AGENTS));

    let refused = envelope(&sandbox, &["deploy", "--apply", "--json"], 3);
    assert_eq!(refused["errors"][0]["code"], "E_CONFIRM_REQUIRED");
    assert!(!sandbox.exists(AGENTS));

    let applied = envelope(&sandbox, &["deploy", "--apply", "--yes", "--json"], 0);
    assert_eq!(applied["command_path"], json!(["deploy", "--apply"]));
    assert_eq!(applied["data"]["applied"], true);
    let snapshot = applied["data"]["snapshot_id"].as_str().expect("a snapshot");
    assert!(sandbox.exists(AGENTS));

    sandbox.repo("modules/base/AGENTS.md", "# Base\n\nBe very brief.\n");
    let text = sandbox.run(&["deploy", "--apply", "--yes"]).stdout;
    assert!(text.contains("applied; snapshot "), "{text}");
    let back = envelope(&sandbox, &["rollback", "--to", snapshot, "--yes", "--json"], 0);
    assert_eq!(back["data"]["rolled_back_to"], snapshot);
    assert!(!sandbox.read(AGENTS).contains("very brief"));
}

#[test]
fn adoption_is_asked_for_at_the_terminal_too() {
    let sandbox = Sandbox::new();
    sandbox.write(AGENTS, "My own notes.\n");
    let refused = envelope(&sandbox, &["deploy", "--apply", "--yes", "--json"], 1);
    assert_eq!(refused["errors"][0]["code"], "E_ADOPT_CONFIRM_REQUIRED");
    assert_eq!(sandbox.read(AGENTS), "My own notes.\n");
    let applied = envelope(&sandbox, &["deploy", "--apply", "--yes", "--adopt", "--json"], 0);
    assert_eq!(applied["data"]["applied"], true);
}

#[test]
fn exit_codes_are_those_of_the_registry() {
    let sandbox = Sandbox::new();
    for (arguments, code) in [
        (vec!["plan"], 0),
        (vec!["plan", "--profile", "nope"], 1),
        (vec!["plan", "--target", "emacs"], 2),
        (vec!["rollback", "--to", "1"], 3),
        (vec!["rollback", "--to", "1", "--yes"], 1),
        (vec!["no-such-command"], 2),
        (vec!["plan", "--no-such-flag"], 2),
        (vec!["deploy", "--yes"], 2),
        (vec!["explain"], 2),
    ] {
        let finished = sandbox.run(&arguments);
        assert_eq!(finished.code, code, "{arguments:?}: {finished:?}");
    }
    let text = sandbox.run(&["plan", "--profile", "nope"]).stdout;
    assert!(text.contains("E_PROFILE_UNKNOWN") && text.contains("next:"), "{text}");
}

#[test]
fn mcp_serve_is_mcp() {
    let sandbox = Sandbox::new();
    let mut session = Session::start(sandbox.agentpack(&["mcp", "serve"]));
    assert_eq!(session.stdio.tools().len(), 11);
    session.stdio.close();
}

#[test]
fn the_home_and_the_project_can_be_named_by_flags() {
    let sandbox = Sandbox::new();
    let elsewhere = sandbox.path("elsewhere");
    std::fs::create_dir_all(&elsewhere).expect("writable");
    let repo = sandbox.path(REPO).display().to_string();
    let mut command = sandbox.agentpack(&["plan", "--json", "--target", "vscode", "--repo", &repo]);
    command
        .args(["--project-dir".as_ref(), elsewhere.as_os_str()])
        .args(["--home".as_ref(), sandbox.path("other-home").as_os_str()]);
    let body = run(command).json();
    let path = body["data"]["changes"][0]["path"].as_str().expect("a change");
    assert!(path.starts_with(elsewhere.to_str().unwrap()), "{path}");
}

#[test]
fn every_command_that_an_answer_suggests_can_be_run() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({}));
    sandbox.write(AGENTS, "edited\n");
    sandbox.commit(REPO);
    let arguments = json!({"target": "codex", "machine": "m1", "repo": sandbox.path(REPO)});
    let status = sandbox.session().data("status", arguments);
    let lines: Vec<&str> = status["next_actions"]
        .as_array()
        .expect("actions")
        .iter()
        .filter_map(Value::as_str)
        .collect();
    assert!(lines.len() >= 3, "{lines:?}");
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        assert_eq!(words[0], "agentpack", "{line}");
        let body = envelope(&sandbox, &words[1..], 0);
        assert_eq!(body["ok"], true, "{line}");
    }
}

#[test]
fn common_flags_may_precede_the_command() {
    let sandbox = Sandbox::new();
    let front =
        envelope(&sandbox, &["--target", "codex", "--profile=default", "plan", "--json"], 0);
    assert_eq!(front, envelope(&sandbox, &["plan", "--target", "codex", "--json"], 0));
    // What stands behind wins; what the command does not have is refused.
    let both =
        envelope(&sandbox, &["--target", "codex", "plan", "--target", "vscode", "--json"], 0);
    assert_eq!(both["data"]["targets"], json!(["vscode"]));
    sandbox.run(&["--target", "codex", "rollback", "--to", "1"]).exits_with(2);
}
