//! 2. Sending submits, and waiting never matches its own echo.
//! 3. Panes that cannot take text get none; keys are actions of their own.

use std::time::Duration;

use serde_json::json;

use crate::session::text;
use crate::terminal::Backend;
use crate::workspace::{Workspace, on_every_backend};

on_every_backend!(
    output_is_waited_for_and_the_echo_is_not_output,
    what_is_on_the_screen_matches_at_once_and_rules_can_be_waited_for,
    a_full_screen_program_gets_no_text,
    a_running_command_gets_no_text_but_may_be_interrupted,
    several_lines_arrive_as_one_paste,
    a_dry_run_leaves_no_trace,
    a_text_that_ends_its_pane_was_sent_all_the_same,
    a_wait_reports_progress_and_can_be_cancelled,
);

/// Lines that are exactly this.
fn printed(all: &str, line: &str) -> usize {
    all.lines().filter(|one| one.trim_end() == line).count()
}

fn output_is_waited_for_and_the_echo_is_not_output(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let sent =
        session.data("wa.send", json!({"pane_id": pane, "text": "echo hi", "wait_for": "hi"}));
    assert_eq!(sent["sent"], true);
    assert_eq!(sent["policy_decision"], "allow");
    assert_eq!(sent["text_length"], 7);
    assert_eq!(sent["wait_for_result"]["matched"], true);
    assert_eq!(sent["wait_for_result"]["condition"], "hi");
    let now = session.data("wa.get_text", json!({"pane_id": pane}));
    assert_eq!(printed(text(&now["text"]), "hi"), 1, "the output was there: {now}");

    session.wait_for_prompt(pane);
    let slow = json!({"pane_id": pane, "text": "sleep 1; echo done\n", "wait_for": "done", "timeout_secs": 30});
    let sent = session.data("wa.send", slow);
    assert_eq!(sent["wait_for_result"]["matched"], true, "{sent}");
    let now = session.data("wa.get_text", json!({"pane_id": pane}));
    assert_eq!(printed(text(&now["text"]), "done"), 1, "it matched before the output came: {now}");

    session.wait_for_prompt(pane);
    let now = session.data("wa.get_text", json!({"pane_id": pane}));
    assert_eq!(printed(text(&now["text"]), "$"), 1, "one newline at the end is one Enter: {now}");
    let silent = json!({"pane_id": pane, "text": "true never-printed", "wait_for": "never-printed", "timeout_secs": 1});
    let sent = session.data("wa.send", silent);
    assert_eq!(sent["sent"], true);
    assert_eq!(sent["wait_for_result"]["matched"], false, "the echo matched: {sent}");

    session.wait_for_prompt(pane);
    let regex = json!({"pane_id": pane, "text": "echo n=$((40+2))", "wait_for": "n=\\d+", "wait_for_regex": true});
    assert_eq!(session.data("wa.send", regex)["wait_for_result"]["matched"], true);
    session.wait_for_prompt(pane);
    let stale = json!({"pane_id": pane, "text": "true", "wait_for": "n=42", "timeout_secs": 1});
    assert_eq!(
        session.data("wa.send", stale)["wait_for_result"]["matched"],
        false,
        "old output matched"
    );
}

fn what_is_on_the_screen_matches_at_once_and_rules_can_be_waited_for(workspace: Workspace) {
    workspace.write("limit.txt", super::LIMIT_TEXT);
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    session.data("wa.send", json!({"pane_id": pane, "text": "cat limit.txt", "wait_for": "3:28"}));
    let there = session
        .data("wa.wait_for", json!({"pane_id": pane, "pattern": "usage limit", "timeout_secs": 0}));
    assert_eq!(there["matched"], true);
    assert_eq!(there["rule_id"], "usage limit");
    for spelling in ["core.codex:usage_reached", "codex.usage.reached"] {
        let ruled = session
            .data("wa.wait_for", json!({"pane_id": pane, "pattern": spelling, "timeout_secs": 5}));
        assert_eq!(ruled["rule_id"], "core.codex:usage_reached");
        assert_eq!(ruled["detection"]["event_type"], "usage.reached");
        assert_eq!(ruled["detection"]["extracted"]["reset_time"], "3:28 PM");
    }
    let late = json!({"pane_id": pane, "pattern": "never printed", "timeout_secs": 1});
    let refusal = session.refused("wa.wait_for", late, "WA-MCP-0009");
    assert!(refusal.error.contains("never printed"), "{refusal:?}");

    let id = session
        .begin_call("wa.wait_for", &json!({"pane_id": pane, "pattern": "x+y{3}z", "regex": true}));
    workspace.terminal.type_line(pane, "echo xx$(echo yyy)z");
    let answer = session.answer("wa.wait_for", id);
    assert_eq!(answer["data"]["matched"], true, "{answer}");
}

fn a_full_screen_program_gets_no_text(workspace: Workspace) {
    workspace.write("long.txt", "a line\n".repeat(300));
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "less long.txt");
    let rule = if workspace.backend == Backend::Wezterm {
        session.wait_for_state(pane, "command_running", true);
        "policy.alt_screen_unknown"
    } else {
        session.wait_for_state(pane, "alt_screen", true);
        "policy.alt_screen"
    };
    let refusal =
        session.refused("wa.send", json!({"pane_id": pane, "text": "!touch oops"}), "WA-MCP-0006");
    assert_eq!(refusal.reason(), rule, "{refusal:?}");
    let dry =
        session.data("wa.send", json!({"pane_id": pane, "text": "!touch oops", "dry_run": true}));
    assert_ne!(dry["policy_decision"], "allow");
    assert_eq!(dry["sent"], false);
    assert!(text(&dry["policy_reason"]).starts_with(rule), "{dry}");
    workspace.terminal.press(pane, "q");
    session.wait_for_state(pane, "alt_screen", false);
    assert!(!workspace.path("oops").exists());
}

fn a_running_command_gets_no_text_but_may_be_interrupted(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "sleep 600");
    session.wait_for_state(pane, "command_running", true);
    let refusal = session.refused("wa.send", json!({"pane_id": pane, "text": "ls"}), "WA-MCP-0006");
    assert_eq!(refusal.reason(), "policy.prompt_required", "{refusal:?}");
    assert_eq!(refusal.code(), None, "a denial cannot be approved: {refusal:?}");

    let interrupt = json!({"pane_id": pane, "text": "\u{3}"});
    let code = session.held("wa.send", interrupt.clone(), "policy.destructive_action");
    workspace.approve(&code);
    let sent = session.data("wa.send", interrupt.clone());
    assert_eq!(sent["sent"], true);
    session.wait_for_prompt(pane);
    let all = session.data("wa.get_text", json!({"pane_id": pane}));
    assert!(text(&all["text"]).contains("^C"), "a key, not a text: {all}");

    let suspend = json!({"pane_id": pane, "text": "\u{1a}"});
    workspace.terminal.type_line(pane, "sleep 601");
    session.wait_for_state(pane, "command_running", true);
    assert_eq!(session.data("wa.send", suspend)["sent"], true, "Ctrl-Z ends nothing");
    session.wait_for_state(pane, "prompt_active", true);
}

fn several_lines_arrive_as_one_paste(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let script = "cat > out.txt <<'END'\nline one\n  line 'two' $HOME\nEND\necho writ''ten";
    let sent =
        session.data("wa.send", json!({"pane_id": pane, "text": script, "wait_for": "written"}));
    assert_eq!(sent["wait_for_result"]["matched"], true, "{sent}");
    assert_eq!(
        std::fs::read_to_string(workspace.path("out.txt")).unwrap(),
        "line one\n  line 'two' $HOME\n"
    );
    let all = session.data("wa.get_text", json!({"pane_id": pane, "tail": 0}));
    let asked = text(&all["text"]).lines().filter(|line| line.starts_with("> ")).count();
    assert_eq!(asked, 0, "the shell asked for more lines, so they came one by one: {all}");
}

fn a_dry_run_leaves_no_trace(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let rows = |workspace: &Workspace| {
        workspace.count(
            "SELECT (SELECT count(*) FROM policy_audit) + (SELECT count(*) FROM policy_ticks)
             + (SELECT count(*) FROM approvals)",
        )
    };
    let before = rows(&workspace);
    for (command, decision) in
        [("touch made", "allow"), ("rm -rf build", "require_approval"), ("rm -rf /", "deny")]
    {
        let dry =
            session.data("wa.send", json!({"pane_id": pane, "text": command, "dry_run": true}));
        assert_eq!(dry["sent"], false);
        assert_eq!(dry["dry_run"], true);
        assert_eq!(dry["policy_decision"], decision, "{command}: {dry}");
    }
    assert_eq!(rows(&workspace), before, "a rehearsal wrote something down");
    std::thread::sleep(Duration::from_millis(300));
    assert!(!workspace.path("made").exists());
    let all = session.data("wa.get_text", json!({"pane_id": pane}));
    assert_eq!(text(&all["text"]).trim(), "$", "something was typed");
}

fn a_text_that_ends_its_pane_was_sent_all_the_same(workspace: Workspace) {
    let mut session = workspace.session();
    workspace.shell(&mut session);
    let pane = workspace.shell(&mut session);
    let exit = json!({"pane_id": pane, "text": "exit", "wait_for": "never", "timeout_secs": 60});
    let sent = session.data("wa.send", exit);
    assert_eq!(sent["sent"], true, "{sent}");
    assert_eq!(sent["wait_for_result"]["matched"], false, "{sent}");
}

fn a_wait_reports_progress_and_can_be_cancelled(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    for (tool, arguments) in [
        ("wa.wait_for", json!({"pane_id": pane, "pattern": "never printed", "timeout_secs": 600})),
        (
            "wa.send",
            json!({"pane_id": pane, "text": ":", "wait_for": "never", "timeout_secs": 600}),
        ),
    ] {
        let meta = json!({"progressToken": tool});
        let params = json!({"name": tool, "arguments": arguments, "_meta": meta});
        let id = session.begin("tools/call", params);
        session.wait_for_notification("progress", |note| {
            note["method"] == "notifications/progress" && note["params"]["progressToken"] == tool
        });
        session.notify("notifications/cancelled", json!({"requestId": id, "reason": "enough"}));
    }
    // The server goes on, and no thread of it keeps waiting: it can say goodbye.
    session.data("wa.state", json!({"pane_id": pane}));
    session.close();
}
