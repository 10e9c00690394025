//! Bad input: a stable code with a hint, in time, nothing lost, and the server keeps running.

use serde_json::{Value, json};

use crate::session::{Refusal, Session, text};
use crate::terminal::{Backend, SHELL};
use crate::workspace::{Workspace, on_every_backend};

on_every_backend!(
    unknown_and_dead_panes_are_distinguished_from_live_ones,
    text_that_could_press_keys_is_refused
);

/// A server that needs no terminal.
fn plain() -> (Workspace, Session) {
    let workspace = Workspace::new(Backend::Embedded);
    let session = workspace.session();
    (workspace, session)
}

fn unknown_and_dead_panes_are_distinguished_from_live_ones(workspace: Workspace) {
    let mut session = workspace.session();
    let live = workspace.shell(&mut session);
    let dead = workspace.shell(&mut session);
    workspace.terminal.type_line(dead, "exit 7");
    session.until("it has ended", "wa.state", json!({}), |panes| {
        panes.as_array().is_some_and(|all| all.iter().all(|one| one["pane_id"] != dead))
    });
    for pane in [dead, 987_654] {
        for (tool, arguments) in [
            ("wa.state", json!({"pane_id": pane})),
            ("wa.get_text", json!({"pane_id": pane})),
            ("wa.send", json!({"pane_id": pane, "text": "ls"})),
            ("wa.send", json!({"pane_id": pane, "text": "ls", "dry_run": true})),
            ("wa.wait_for", json!({"pane_id": pane, "pattern": "x"})),
            ("wa.reserve", json!({"pane_id": pane})),
            ("wa.workflow_run", json!({"name": "handle_session_end", "pane_id": pane})),
        ] {
            let refusal = session.refused(tool, arguments, "WA-MCP-0007");
            assert!(
                refusal.error.contains(&pane.to_string()),
                "{tool} does not name the pane: {refusal:?}"
            );
        }
    }
    session.refused("wa.workflow_status", json!({"pane_id": 987_654}), "WA-MCP-0007");
    assert_eq!(
        session.data("wa.state", json!({"pane_id": live})).as_array().map(Vec::len),
        Some(1)
    );
}

fn text_that_could_press_keys_is_refused(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    for smuggled in [
        "",
        "\0",
        "echo a\0b",
        "echo a\u{1b}[201~\rtouch oops\r",
        "\u{1b}[200~x",
        "echo x\u{3}",
        "echo x\u{1b}[A",
        "\u{9b}201~touch oops",
    ] {
        let refusal =
            session.refused("wa.send", json!({"pane_id": pane, "text": smuggled}), "WA-MCP-0001");
        assert!(
            refusal.error.contains("text"),
            "{smuggled:?} does not name the argument: {refusal:?}"
        );
    }
    let ten_megabytes = "x".repeat(10 << 20);
    let refusal =
        session.refused("wa.send", json!({"pane_id": pane, "text": ten_megabytes}), "WA-MCP-0001");
    assert!(
        refusal.error.contains("text") && refusal.error.len() < 2000,
        "{} bytes",
        refusal.error.len()
    );

    let all = session.data("wa.get_text", json!({"pane_id": pane}));
    assert_eq!(text(&all["text"]).trim(), "$", "something of it was typed");
    assert!(!workspace.path("oops").exists());
    let sent = json!({"pane_id": pane, "text": "echo still-''here", "wait_for": "still-here"});
    assert_eq!(session.data("wa.send", sent)["wait_for_result"]["matched"], true);
}

#[test]
fn regular_expressions_are_checked_and_never_run_away() {
    let (workspace, mut session) = plain();
    let pane = workspace.shell(&mut session);
    for (pattern, place) in [
        ("(", true),
        ("a{", true),
        ("[z-a]", true),
        ("*", true),
        ("(?<n", true),
        ("a{1,99999999}", false),
    ] {
        let wait = json!({"pane_id": pane, "pattern": pattern, "regex": true});
        let refusal = session.refused("wa.wait_for", wait, "WA-MCP-0001");
        assert!(refusal.error.contains("pattern"), "{refusal:?}");
        assert!(
            !place || refusal.error.chars().any(|c| c.is_ascii_digit()),
            "it names no place: {refusal:?}"
        );
        let send = json!({"pane_id": pane, "text": "touch oops", "wait_for": pattern, "wait_for_regex": true});
        let refusal = session.refused("wa.send", send, "WA-MCP-0001");
        assert!(refusal.error.contains("wait_for"), "{refusal:?}");
    }
    assert!(!workspace.path("oops").exists(), "nothing is typed when it cannot be waited for");
    let refusal = session.refused(
        "wa.wait_for",
        json!({"pane_id": pane, "pattern": "(\\w{1000}){1000}", "regex": true}),
        "WA-MCP-0001",
    );
    assert!(refusal.error.contains("pattern"), "{refusal:?}");

    // What makes backtracking engines hang is only a regular expression here.
    workspace.terminal.type_line(pane, "printf 'a%.0s' $(seq 2001); echo '!'");
    session.wait_for_text(pane, |text| text.contains("a!"));
    let hostile = json!({"pane_id": pane, "pattern": "(a+)+(a+)+\\?", "regex": true, "timeout_secs": 1, "tail": 0});
    session.refused("wa.wait_for", hostile, "WA-MCP-0009");
    session.data("wa.state", json!({"pane_id": pane}));
}

#[test]
fn arguments_out_of_range_are_named() {
    let (workspace, mut session) = plain();
    let pane = workspace.shell(&mut session);
    for (tool, arguments, named) in [
        ("wa.search", json!({"query": "x", "limit": 0}), "limit"),
        ("wa.search", json!({"query": "x", "limit": -1}), "limit"),
        ("wa.search", json!({"query": "x", "limit": 1_000_000_000_000_i64}), "limit"),
        ("wa.search", json!({"query": "x", "limit": 1e300}), "limit"),
        ("wa.search", json!({"query": ""}), "query"),
        ("wa.search", json!({}), "query"),
        ("wa.search", json!({"query": "x".repeat(100_000)}), "query"),
        ("wa.events", json!({"limit": 100_000}), "limit"),
        ("wa.events", json!({"rule_id": "core.codex:usage_reachd"}), "rule_id"),
        ("wa.get_text", json!({"pane_id": pane, "tail": -1}), "tail"),
        ("wa.get_text", json!({"pane_id": -1}), "pane_id"),
        ("wa.get_text", json!({"pane_id": "zero"}), "pane_id"),
        ("wa.get_text", json!({"pane_id": 1.5}), "pane_id"),
        ("wa.get_text", json!({"pane_id": pane, "tial": 5}), "tial"),
        (
            "wa.wait_for",
            json!({"pane_id": pane, "pattern": "x", "timeout_secs": -1}),
            "timeout_secs",
        ),
        ("wa.wait_for", json!({"pane_id": pane, "pattern": ""}), "pattern"),
        ("wa.reserve", json!({"pane_id": pane, "ttl_secs": 0}), "ttl_secs"),
        ("wa.reserve", json!({"pane_id": pane, "ttl_secs": -5}), "ttl_secs"),
        ("wa.release", json!({"reservation_id": "rsv-never"}), "reservation_id"),
        ("wa.rules_show", json!({"rule_id": "core.codex:nope"}), "rule_id"),
        ("wa.rules_list", json!({"pack": "core.nope"}), "pack"),
        ("wa.rules_lint", json!({"pack": "core.nope"}), "pack"),
        ("wa.rules_test", json!({"text": "x", "agent": "hal"}), "agent"),
        ("wa.state", json!({"agent": "hal"}), "agent"),
        ("wa.accounts", json!({"service": "acme"}), "service"),
        ("wa.accounts_refresh", json!({"service": "acme"}), "service"),
        ("wa.why", json!({"code": "policy.alt_scren"}), "code"),
        ("wa.workflow_status", json!({}), "execution_id"),
    ] {
        let refusal = session.refused(tool, arguments.clone(), "WA-MCP-0001");
        assert!(
            refusal.error.contains(named) || refusal.hint.contains(named),
            "{tool} {arguments}: {refusal:?}"
        );
    }
    // Mistakes that are close to something come with it.
    for (tool, arguments, meant) in [
        ("wa.events", json!({"rule_id": "core.codex:usage_reachd"}), "core.codex:usage_reached"),
        (
            "wa.rules_show",
            json!({"rule_id": "core.codex:usage_reachd"}),
            "core.codex:usage_reached",
        ),
        ("wa.why", json!({"code": "policy.alt_scren"}), "policy.alt_screen"),
        ("wa.get_text", json!({"pane_id": pane, "tial": 5}), "tail"),
    ] {
        let refusal = session.refused(tool, arguments, "WA-MCP-0001");
        assert!(
            refusal.hint.contains(meant) || refusal.error.contains(meant),
            "{tool}: {refusal:?}"
        );
    }
    let huge_but_allowed = json!({"pane_id": pane, "tail": 1_000_000});
    assert_eq!(session.data("wa.get_text", huge_but_allowed)["tail_lines"], 1_000_000);
}

#[test]
fn an_unknown_tool_is_0002() {
    let (_stage, mut session) = plain();
    let response = session.exchange("tools/call", json!({"name": "wa.stat", "arguments": {}}));
    assert!(response.to_string().contains("WA-MCP-0002"), "{response}");
    assert!(response.to_string().contains("wa.state"), "{response}");
    session.data("wa.rules_list", json!({}));
}

#[test]
fn ten_megabytes_are_tested_against_the_rules() {
    let (_stage, mut session) = plain();
    let line = "nothing to see here, move along now please\n";
    let mut ten = line.repeat((10 << 20) / line.len() - 10);
    ten.push_str(crate::scenarios::LIMIT_TEXT);
    let data = session.data("wa.rules_test", json!({"text": ten}));
    assert_eq!(data["input_length"], ten.len());
    assert_eq!(data["detections"][0]["rule_id"], "core.codex:usage_reached");
    let span = &data["detections"][0]["matched_span"];
    let (start, end) =
        (span["start"].as_u64().unwrap() as usize, span["end"].as_u64().unwrap() as usize);
    assert!(ten[start..end].starts_with("You've hit your usage limit"), "{span}");
    assert!(!data.to_string().contains("usage limit"), "traces carry places, never text: {data}");
}

/// Calls of every kind against a terminal program that does not work; the code that each gives.
fn against(program: &str, body: &str, timeout_ms: &str, expected: &[&str]) {
    let workspace = Workspace::new(Backend::Tmux);
    let program = workspace.script(program, body).display().to_string();
    let workspace = workspace.set("WA_TMUX", &program).set("WA_BACKEND_TIMEOUT_MS", timeout_ms);
    broken(&workspace, expected);
}

/// Longer than anything takes that ends by itself, also on a busy machine.
const PATIENT: &str = "30000";

fn broken(workspace: &Workspace, expected: &[&str]) {
    let mut session = workspace.session();
    for (tool, arguments) in [
        ("wa.state", json!({})),
        ("wa.get_text", json!({"pane_id": 0})),
        ("wa.send", json!({"pane_id": 0, "text": "ls"})),
        ("wa.wait_for", json!({"pane_id": 0, "pattern": "x", "timeout_secs": 20})),
        ("wa.reserve", json!({"pane_id": 0})),
        ("wa.workflow_run", json!({"name": "handle_session_end", "pane_id": 0})),
    ] {
        let envelope = session.call(tool, arguments);
        let code = text(&envelope["error_code"]).to_owned();
        assert!(expected.contains(&&*code), "{tool}: {envelope}");
        Refusal::of(tool, &envelope, &code);
    }
    for (tool, arguments) in [
        ("wa.rules_list", json!({})),
        ("wa.events", json!({})),
        ("wa.search", json!({"query": "x"})),
        ("wa.why", json!({"code": "WA-MCP-0009"})),
    ] {
        session.data(tool, arguments);
    }
    session.close();
}

#[test]
fn a_terminal_program_that_hangs_is_given_up_in_time() {
    // After some timeouts the program is left alone for a moment: 0004.
    against("hanging", "exec sleep 600", "500", &["WA-MCP-0009", "WA-MCP-0004"]);
}

#[test]
fn a_terminal_program_with_invalid_output_is_reported() {
    let garbage = "head -c 100000 /dev/urandom; echo; echo nonsense";
    against("garbage", garbage, PATIENT, &["WA-MCP-0004"]);
    against("failing", "echo 'no such luck' >&2; exit 1", PATIENT, &["WA-MCP-0004"]);
}

#[test]
fn a_terminal_program_with_endless_output_is_reported() {
    against("endless", "exec yes", "500", &["WA-MCP-0004", "WA-MCP-0009"]);
}

#[test]
fn a_terminal_that_is_not_installed_is_reported() {
    let workspace = Workspace::new(Backend::Tmux).set("WA_TMUX", "/nonexistent/tmux");
    broken(&workspace, &["WA-MCP-0004"]);
    let workspace = Workspace::new(Backend::Tmux);
    // Installed perhaps, but nobody has started it.
    broken(&workspace, &["WA-MCP-0004"]);
}

#[test]
fn nothing_at_all_still_answers() {
    let workspace = Workspace::new(Backend::Embedded)
        .set("WA_BACKEND", "auto")
        .set("WA_TMUX", "/nonexistent/tmux")
        .set("WA_WEZTERM", "/nonexistent/wezterm");
    let mut session = workspace.session();
    let state = session.call("wa.state", json!({}));
    assert!(state["data"] == json!([]) || state["error_code"] == "WA-MCP-0004", "{state}");
    let read = session.call("wa.get_text", json!({"pane_id": 0}));
    let code = text(&read["error_code"]).to_owned();
    assert!(code == "WA-MCP-0004" || code == "WA-MCP-0007", "{read}");
    Refusal::of("wa.get_text", &read, &code);
    // With no setup at all an embedded pane can be opened, and is seen.
    let pane = workspace.terminal.open(&SHELL);
    session.until("it is seen", "wa.state", json!({}), |panes| panes[0]["pane_id"] == pane);
    session.wait_for_prompt(pane);
}

#[test]
fn an_unusable_database_is_reported_and_tools_without_one_work() {
    let workspace = Workspace::new(Backend::Embedded);
    workspace.write(
        ".wa/wa.db",
        "this is no database, and it is long enough to be one: ".repeat(100).as_str(),
    );
    let mut session = workspace.session();
    for (tool, arguments) in [
        ("wa.search", json!({"query": "x"})),
        ("wa.events", json!({})),
        ("wa.reservations", json!({})),
        ("wa.accounts", json!({})),
        ("wa.approve", json!({"code": "ABCD1234"})),
    ] {
        session.refused(tool, arguments, "WA-MCP-0005");
    }
    session.data("wa.rules_list", json!({}));
    session.data("wa.why", json!({"code": "WA-MCP-0005"}));
    assert!(
        workspace.path(".wa/wa.db").metadata().unwrap().len() > 5000,
        "what a person may want back is kept"
    );
}

#[test]
fn broken_files_are_named_and_hide_nothing_else() {
    let workspace = Workspace::new(Backend::Embedded);
    workspace.workflow("good", "  - {id: a, type: sleep, duration_ms: 10}\n");
    workspace.write(".wa/workflows/bad.yaml", "schema_version: 1\nname: bad\nstepz: []\n");
    workspace
        .write(".wa/rules/bad.yaml", "pack: custom\nrules: [{id: 'custom:x', pattern: '('}]\n");
    let mut session = workspace.session();
    let listed = session.data("wa.workflow_list", json!({}));
    assert_eq!(listed["total"], 7);
    assert_eq!(
        session.data("wa.rules_list", json!({"pack": "core.codex"}))["packs"][0]["enabled"],
        true
    );
    let doctor = workspace.run(&["doctor", "--json"]);
    assert_eq!(doctor.code, 1, "{doctor:?}");
    let report: Value = serde_json::from_str(&doctor.stdout).expect("JSON");
    assert_eq!(report["ok"], false);
    let told = report["rows"].to_string();
    assert!(told.contains("workflows/bad.yaml") && told.contains("stepz"), "{told}");
    assert!(told.contains("rules/bad.yaml") || told.contains("custom:x"), "{told}");

    workspace.write(".wa/policy.yaml", "rules:\n  - {id: x, decision: perhaps}\n");
    let pane = workspace.terminal.open(&SHELL);
    let refusal = session.refused("wa.send", json!({"pane_id": pane, "text": "ls"}), "WA-MCP-0003");
    assert!(
        refusal.error.contains("policy.yaml"),
        "no rules is not what its author meant: {refusal:?}"
    );
    session.data("wa.get_text", json!({"pane_id": pane}));
}
