//! The scenarios of the contract by their names, and what belongs to them.

use serde_json::{Value, json};
use toolwright_runtime::digest::sha256_hex;

use crate::sandbox::{AGENTS, PROMPT, REPO, Sandbox, Session, confirmed};

fn codex() -> Value {
    json!({"target": "codex"})
}

#[test]
fn tools_list_includes_the_stabilized_tool_set() {
    let tools = Sandbox::new().session().stdio.tools();
    for name in [
        "plan",
        "diff",
        "preview",
        "status",
        "doctor",
        "deploy",
        "deploy_apply",
        "rollback",
        "evolve_propose",
        "evolve_restore",
        "explain",
    ] {
        assert!(tools.iter().any(|tool| tool["name"] == name), "no {name}");
    }
}

#[test]
fn deploy_tool_returns_a_confirm_token() {
    let sandbox = Sandbox::new();
    let before = sandbox.files();
    let envelope = sandbox.session().envelope("deploy", json!({}));
    assert_eq!(envelope["command"], "deploy");
    let data = &envelope["data"];
    let token = data["confirm_token"].as_str().expect("a token");
    assert_eq!(token.len(), 64, "32 random bytes in hex");
    assert!(token.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(data["confirm_plan_hash"].as_str().map(str::len), Some(64));
    let expires = data["confirm_token_expires_at"].as_str().expect("a time");
    assert!(expires.ends_with('Z') && expires.contains('T'), "{expires}");
    assert_eq!(before, sandbox.files());
}

#[test]
fn deploy_apply_with_mismatched_token_is_refused() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    session.token(codex());
    let before = sandbox.files();
    let answer = session.call("deploy_apply", confirmed(codex(), &"0".repeat(64)));
    assert!(answer.is_error);
    assert_eq!(answer.response["result"]["isError"], true);
    assert_eq!(answer.body["errors"][0]["code"], "E_CONFIRM_TOKEN_MISMATCH");
    assert_eq!(before, sandbox.files());
}

#[test]
fn the_plan_hash_is_the_documented_one() {
    let sandbox = Sandbox::new();
    let mut data = sandbox.session().data("deploy", codex());
    let hash = data["confirm_plan_hash"].clone();
    let members = data.as_object_mut().expect("an object");
    members.retain(|name, _| !name.starts_with("confirm_"));
    let binding = json!({
        "machine": "test-box",
        "profile": "default",
        "project": sandbox.path("project"),
        "repo": sandbox.path(REPO),
        "target": "codex",
    });
    // Compact, keys sorted.
    let text = json!({"binding": binding, "data": data}).to_string();
    assert_eq!(hash, sha256_hex(text.as_bytes()));
}

#[test]
fn without_yes_nothing_is_read_and_no_token_is_checked() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    let token = session.token(codex());
    let config = sandbox.read(&format!("{REPO}/agentpack.yaml"));
    sandbox.repo("agentpack.yaml", "version: [");
    for arguments in [
        json!({}),
        json!({"confirm_token": "nonsense"}),
        json!({"confirm_token": token, "target": "codex"}),
        json!({"confirm_token": token, "target": "codex", "dry_run": true}),
        json!({"profile": "no-such-profile"}),
    ] {
        session.refused("deploy_apply", arguments, "E_CONFIRM_REQUIRED");
    }
    for (tool, arguments) in [
        ("rollback", json!({"to": "../x"})),
        ("evolve_propose", json!({})),
        ("evolve_restore", json!({})),
    ] {
        session.refused(tool, arguments, "E_CONFIRM_REQUIRED");
    }
    // The token was not used up on the way.
    sandbox.repo("agentpack.yaml", &config);
    assert_eq!(session.data("deploy_apply", confirmed(codex(), &token))["applied"], true);
}

#[test]
fn yes_is_the_literal_true() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    let token = session.token(codex());
    for yes in [json!(false), json!("true"), json!(1), Value::Null] {
        let mut arguments = confirmed(codex(), &token);
        arguments["yes"] = yes.clone();
        let answer = session.call("deploy_apply", arguments);
        let code = answer.body["errors"][0]["code"].as_str().expect("a code");
        assert!(["E_CONFIRM_REQUIRED", "E_INVALID_ARGUMENTS"].contains(&code), "{yes}: {code}");
    }
    assert!(!sandbox.exists(AGENTS));
}

#[test]
fn a_missing_or_empty_token_is_required() {
    let mut session = Sandbox::new().session();
    for arguments in [json!({"yes": true}), json!({"yes": true, "confirm_token": ""})] {
        let error = session.refused("deploy_apply", arguments, "E_CONFIRM_TOKEN_REQUIRED");
        assert_eq!(error["details"]["reason_code"], "confirm_token_required");
        assert_eq!(error["details"]["next_actions"], json!(["call_deploy", "retry_deploy_apply"]));
        assert!(error["details"]["hint"].as_str().is_some_and(|hint| hint.contains("deploy")));
    }
}

#[test]
fn a_token_works_once() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    let token = session.token(codex());
    let applied = session.data("deploy_apply", confirmed(codex(), &token));
    assert_eq!(applied["applied"], true);
    session.refused("deploy_apply", confirmed(codex(), &token), "E_CONFIRM_TOKEN_MISMATCH");
}

#[test]
fn a_token_of_another_server_or_for_other_arguments_is_foreign() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    let foreign = sandbox.session().token(codex());
    session.refused("deploy_apply", confirmed(codex(), &foreign), "E_CONFIRM_TOKEN_MISMATCH");
    let token = session.token(codex());
    for other in
        [json!({}), json!({"target": "vscode"}), json!({"target": "codex", "machine": "b"})]
    {
        let error =
            session.refused("deploy_apply", confirmed(other, &token), "E_CONFIRM_TOKEN_MISMATCH");
        assert_ne!(
            error["details"]["confirm_plan_hash"],
            error["details"]["expected_confirm_plan_hash"]
        );
    }
    // Written-out defaults are the same plan.
    let same = json!({"target": "codex", "profile": "default", "repo": sandbox.path(REPO), "machine": "Test Box"});
    assert_eq!(session.data("deploy_apply", confirmed(same, &token))["applied"], true);
}

#[test]
fn a_plan_that_changed_after_review_is_refused_and_the_old_one_still_counts() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    let token = session.token(codex());
    let source = format!("{REPO}/modules/prompts/draft.md");
    let reviewed = sandbox.read(&source);
    sandbox.write(&source, "Something nobody reviewed.\n");
    let error =
        session.refused("deploy_apply", confirmed(codex(), &token), "E_CONFIRM_TOKEN_MISMATCH");
    assert!(error["details"]["confirm_plan_hash"].is_string(), "{error}");
    assert!(error["details"]["expected_confirm_plan_hash"].is_string(), "{error}");
    assert!(!sandbox.exists(PROMPT));
    // A file that appeared where one would be created is another plan, too.
    sandbox.write(&source, &reviewed);
    sandbox.write(PROMPT, "mine\n");
    session.refused("deploy_apply", confirmed(codex(), &token), "E_CONFIRM_TOKEN_MISMATCH");
    assert_eq!(sandbox.read(PROMPT), "mine\n");
    // Whoever brings the reviewed state back may apply it.
    sandbox.remove(PROMPT);
    assert_eq!(session.data("deploy_apply", confirmed(codex(), &token))["applied"], true);
    assert_eq!(sandbox.read(PROMPT), reviewed);
}

#[test]
fn a_token_survives_the_question_about_adoption() {
    let sandbox = Sandbox::new();
    sandbox.write(AGENTS, "My own notes.\n");
    let mut session = sandbox.session();
    let data = session.data("deploy", codex());
    assert_eq!(data["changes"][0]["update_kind"], "adopt_update");
    let token = data["confirm_token"].as_str().expect("a token");
    let error =
        session.refused("deploy_apply", confirmed(codex(), token), "E_ADOPT_CONFIRM_REQUIRED");
    assert_eq!(error["details"]["adopt_updates"], 1);
    assert_eq!(error["details"]["sample_paths"], json!([sandbox.path(AGENTS)]));
    assert_eq!(sandbox.read(AGENTS), "My own notes.\n");
    assert!(!sandbox.exists(PROMPT), "all or nothing");
    let mut adopted = confirmed(codex(), token);
    adopted["adopt"] = json!(true);
    assert_eq!(session.data("deploy_apply", adopted)["applied"], true);
    assert!(sandbox.read(AGENTS).contains("Be brief."));
}

#[test]
fn a_dry_run_applies_nothing_and_needs_no_token() {
    let sandbox = Sandbox::new();
    let before = sandbox.files();
    let mut session = sandbox.session();
    let data =
        session.data("deploy_apply", json!({"yes": true, "dry_run": true, "target": "codex"}));
    assert_eq!(data["applied"], false);
    assert_eq!(data["summary"]["create"], 4);
    assert_eq!(before, sandbox.files());
}

#[test]
fn a_failed_deploy_returns_no_token() {
    let sandbox = Sandbox::new();
    sandbox.repo("agentpack.yaml", "version: [");
    let answer = sandbox.session().call("deploy", json!({}));
    assert!(answer.is_error);
    assert!(!answer.response.to_string().contains("confirm_token\""), "{}", answer.response);
}

#[test]
fn tokens_are_not_logged() {
    let sandbox = Sandbox::new();
    let mut command = sandbox.agentpack(&["mcp", "--log-level", "DEBUG"]);
    let log = sandbox.path("../log");
    command.stderr(std::fs::File::create(&log).expect("writable"));
    let mut session = Session::start(command);
    let token = session.token(codex());
    session.data("deploy_apply", confirmed(codex(), &token));
    session.stdio.close();
    let log = std::fs::read_to_string(log).expect("a log");
    assert!(log.contains("deploy_apply"), "calls are logged: {log}");
    assert!(!log.contains(&token));
}

#[test]
fn plan_confirm_apply_drift_propose_rollback() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    let first = session.deploy(json!({}))["snapshot_id"].clone();
    assert_eq!(session.data("status", json!({}))["drift"], json!([]));
    assert_eq!(session.data("plan", json!({}))["changes"], json!([]));

    sandbox.write(AGENTS, &sandbox.read(AGENTS).replace("Be brief.", "Be brief and kind."));
    let status = session.data("status", json!({}));
    assert_eq!(status["summary"], json!({"modified": 1, "missing": 0, "extra": 0}));
    assert_eq!(status["drift"][0]["cause"], "edited");

    let head = sandbox.git(REPO, &["rev-parse", "HEAD"]);
    let proposed = session.data("evolve_propose", json!({"yes": true, "branch": "mine"}));
    assert_eq!(proposed["created"], true);
    assert_eq!(sandbox.git(REPO, &["rev-parse", "HEAD"]), head);
    assert_eq!(sandbox.git(REPO, &["status", "--porcelain"]), "");
    let file = proposed["files_posix"][0].as_str().expect("a file");
    let text = sandbox.git(REPO, &["show", &format!("mine:{file}")]);
    assert_eq!(text, "# Base\n\nBe brief and kind.");

    // Merged and deployed, the edit is everywhere; going back takes it away again.
    sandbox.git(REPO, &["merge", "-q", "mine"]);
    session.deploy(json!({}));
    assert!(sandbox.read("project/.github/copilot-instructions.md").contains("brief and kind"));
    assert_eq!(session.data("status", json!({}))["drift"], json!([]));
    let back = session.data("rollback", json!({"to": first, "yes": true}));
    assert_eq!(back["rolled_back_to"], first);
    assert!(!sandbox.read("project/.github/copilot-instructions.md").contains("brief and kind"));
    assert_eq!(session.data("status", json!({}))["drift"][0]["cause"], "outdated");
}
