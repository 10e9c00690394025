//! The command line: a command for every tool with the same envelope, and the user's commands.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::process::{Child, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::scenarios::LIMIT_TEXT;
use crate::session::{Refusal, text};
use crate::terminal::{Backend, SHELL};
use crate::workspace::{Workspace, mode, on_every_backend};
use toolwright_testing::eventually;

on_every_backend!(
    every_tool_has_a_command_with_the_same_answer,
    users_list_and_approve_held_actions,
    shells_are_offered_the_panes_that_there_are,
);

/// Without what differs from call to call.
fn without_volatile_fields(mut envelope: Value) -> Value {
    for member in ["now", "elapsed_ms"] {
        envelope[member] = Value::Null;
    }
    if let Some(data) = envelope["data"].as_object_mut() {
        data.remove("elapsed_us");
    }
    // Scores depend on all that is recorded, and recording goes on.
    for hit in envelope["data"]["results"].as_array_mut().into_iter().flatten() {
        hit["bm25_score"] = Value::Null;
    }
    envelope
}

fn every_tool_has_a_command_with_the_same_answer(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    workspace.terminal.type_line(pane, "echo twin''ned");
    session.until("it is recorded", "wa.search", json!({"query": "twinned"}), |data| {
        data["total_matches"] != 0
    });
    session.wait_for_prompt(pane);
    for (tool, arguments) in [
        ("wa.get_text", json!({"pane_id": pane, "tail": 5})),
        ("wa.search", json!({"query": "twinned", "snippets": true})),
        ("wa.events", json!({"would_handle": true})),
        ("wa.accounts", json!({})),
        ("wa.rules_list", json!({"pack": "core.gemini"})),
        ("wa.rules_show", json!({"rule_id": "codex.usage.reached"})),
        ("wa.rules_lint", json!({"fixtures": true, "strict": true})),
        ("wa.workflow_list", json!({})),
        ("wa.workflow_status", json!({"active": true})),
        ("wa.why", json!({"code": "robot.policy_denied"})),
        ("wa.reservations", json!({})),
        ("wa.send", json!({"pane_id": pane, "text": "rm -rf build", "dry_run": true})),
        // Refusals are the same, too.
        ("wa.get_text", json!({"pane_id": 987_654})),
        ("wa.send", json!({"pane_id": pane, "text": "rm -rf /"})),
        ("wa.wait_for", json!({"pane_id": pane, "pattern": "(", "regex": true})),
        ("wa.workflow_run", json!({"name": "nope", "pane_id": pane})),
        ("wa.workflow_abort", json!({"execution_id": "nope"})),
        ("wa.release", json!({"reservation_id": "nope"})),
        ("wa.approve", json!({"code": "ABCD2345"})),
        ("wa.accounts_refresh", json!({"service": "acme"})),
    ] {
        let called = without_volatile_fields(session.call(tool, arguments.clone()));
        let (twin, status) = workspace.robot(tool, &arguments);
        assert_eq!(without_volatile_fields(twin), called, "{tool} {arguments}");
        let code = text(&called["error_code"]);
        let expected = code.rsplit('-').next().and_then(|number| number.parse().ok()).unwrap_or(0);
        let expected = if expected == 1 { 2 } else { expected };
        assert_eq!(status, expected, "{tool} {arguments}: {code}");
    }
    let tested = workspace.robot("wa.rules_test", &json!({"text": LIMIT_TEXT})).0;
    assert_eq!(tested["data"]["detections"][0]["rule_id"], "core.codex:usage_reached");
    let state = workspace.robot("wa.state", &json!({"pane_id": pane})).0;
    assert_eq!(state["data"][0]["pane_state"]["prompt_active"], true);
    let reserved = workspace.robot("wa.reserve", &json!({"pane_id": pane})).0;
    assert_eq!(reserved["data"]["owner_kind"], "robot");
    let sent = json!({"pane_id": pane, "text": "echo by-''hand", "wait_for": "by-hand"});
    let (sent, status) = workspace.robot("wa.send", &sent);
    assert_eq!((&sent["data"]["wait_for_result"]["matched"], status), (&json!(true), 0), "{sent}");
    let released = json!({"reservation_id": reserved["data"]["reservation_id"]});
    assert_eq!(workspace.robot("wa.release", &released).0["data"]["released"], true);

    // With flags and for display: text instead of JSON.
    let id = pane.to_string();
    let plain = workspace.run(&["robot", "get-text", "--pane-id", &id, "--tail", "0"]);
    assert_eq!(plain.code, 0, "{plain:?}");
    assert!(
        plain.stdout.contains("twinned") && serde_json::from_str::<Value>(&plain.stdout).is_err(),
        "{plain:?}"
    );
}

fn users_list_and_approve_held_actions(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let nothing = workspace.run(&["approve"]);
    assert_eq!(nothing.code, 0);
    assert!(nothing.stderr.contains("Nothing is held"), "{nothing:?}");

    let delete = json!({"pane_id": pane, "text": "rm -rf build"});
    let code = session.held("wa.send", delete.clone(), "command.rm_rf");
    session.data("wa.reserve", json!({"pane_id": pane}));
    let listed = workspace.run(&["approve"]);
    assert!(
        listed.stdout.contains("rm -rf build") && listed.stdout.contains("command.rm_rf"),
        "{listed:?}"
    );
    assert!(!listed.stdout.contains(&code), "the code is kept as a hash only");
    // The server begins to record a moment after its start.
    let status = eventually("a watcher", || {
        let status = workspace.run(&["status"]);
        assert_eq!(status.code, 0, "{status:?}");
        status.stdout.contains("watcher      process").then_some(status)
    });
    for word in [
        "held         1",
        "reserved     1",
        "executions   0",
        "watcher      process",
        "rm -rf build",
    ] {
        assert!(status.stdout.contains(word), "{word:?} is not in {}", status.stdout);
    }
    let unknown = workspace.run(&["approve", "ZZZZ9999"]);
    assert_eq!(unknown.code, 1);
    assert!(unknown.stderr.contains("E_APPROVAL_NOT_FOUND"), "{unknown:?}");
    let checked = workspace.run(&["approve", "--check", &code]);
    assert!(checked.code == 0 && checked.stdout.contains("Would approve"), "{checked:?}");
    session.held("wa.send", delete.clone(), "command.rm_rf");
    workspace.approve(&code);
    assert_eq!(session.data("wa.send", delete)["sent"], true);

    let doctor = workspace.run(&["doctor", "--json"]);
    let report: Value = serde_json::from_str(&doctor.stdout).expect("one JSON object");
    assert_eq!((&report["ok"], doctor.code), (&json!(true), 0), "{report}");
    let whats: Vec<&str> =
        report["rows"].as_array().unwrap().iter().map(|row| text(&row["what"])).collect();
    for what in [workspace.backend.name(), "database", "watcher", "rules", "workflows"] {
        assert!(whats.contains(&what), "{whats:?}");
    }
    let words = workspace.run(&["doctor"]);
    assert!(words.code == 0 && words.stdout.contains("ok    database"), "{words:?}");
}

#[test]
fn embedded_panes_are_opened_shown_and_closed() {
    let workspace = Workspace::new(Backend::Embedded);
    let mut session = workspace.session();
    let spawned = workspace.run(&[
        "spawn",
        "--size",
        "100x30",
        "--title",
        "mine",
        "--cwd",
        "/tmp",
        "--",
        "env",
        "PS1=$ ",
        "bash",
        "--norc",
        "--noprofile",
    ]);
    assert_eq!(spawned.code, 0, "{spawned:?}");
    let pane: u64 = spawned.stdout.trim().parse().expect("an id");
    session.wait_for_prompt(pane);
    let panes = session.data("wa.state", json!({"pane_id": pane}));
    assert_eq!(panes[0]["dimensions"], json!({"cols": 100, "rows": 30}));
    assert_eq!(panes[0]["title"], "mine");
    assert_eq!(panes[0]["cwd"], "/tmp");
    assert_eq!(mode(&workspace.path(".wa/host.sock")), 0o600);

    for (arguments, status) in [
        (&["spawn", "--size", "big"][..], 2),
        (&["spawn", "--cwd", "/nonexistent", "--", "true"][..], 2),
        (&["close", "987654"][..], 1),
        (&["attach", "987654"][..], 1),
    ] {
        let output = workspace.run(arguments);
        assert_eq!(output.code, status, "{arguments:?}: {output:?}");
        assert!(output.stderr.contains("error:"), "{arguments:?}: {output:?}");
    }
    // The pane outlives every server.
    session.close();
    let mut session = workspace.session();
    session.wait_for_prompt(pane);
    assert_eq!(workspace.run(&["close", &pane.to_string()]).code, 0);
    session.refused("wa.get_text", json!({"pane_id": pane}), "WA-MCP-0007");
}

#[test]
fn a_pane_can_be_attached_to_and_left() {
    use portable_pty::{CommandBuilder, PtySize, native_pty_system};
    let workspace = Workspace::new(Backend::Embedded);
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let size = PtySize { rows: 20, cols: 90, pixel_width: 0, pixel_height: 0 };
    let terminal = native_pty_system().openpty(size).expect("a terminal");
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_wa"));
    command.args(["attach", &pane.to_string()]);
    command.cwd(workspace.path(""));
    let attached = terminal.slave.spawn_command(command);
    let mut attached = attached.expect("wa attach starts");
    drop(terminal.slave);
    let mut reader = terminal.master.try_clone_reader().expect("a reader");
    let (seen, all) = std::sync::mpsc::channel();
    std::thread::spawn(move || {
        let mut buffer = [0; 4096];
        while let Ok(count @ 1..) = reader.read(&mut buffer) {
            let _ = seen.send(String::from_utf8_lossy(&buffer[..count]).into_owned());
        }
    });
    let mut writer = terminal.master.take_writer().expect("a writer");
    session.until("it has the terminal's size", "wa.state", json!({"pane_id": pane}), |panes| {
        panes[0]["dimensions"] == json!({"cols": 90, "rows": 20})
    });
    let mut shown = String::new();
    // What is typed before it has the terminal for itself is thrown away.
    eventually("it has a screen of its own", || {
        shown.extend(all.try_iter());
        shown.contains("\u{1b}[?1049h").then_some(())
    });
    writer.write_all(b"echo by-hand-$((40+2))\r").expect("typed");
    session.wait_for_text(pane, |text| text.lines().any(|line| line == "by-hand-42"));
    eventually("it is shown", || {
        shown.extend(all.try_iter());
        shown.contains("by-hand-42").then_some(())
    });
    writer.write_all(b"\x1d").expect("typed");
    let status = eventually("it is left", || attached.try_wait().expect("a status"));
    assert!(status.success(), "{status:?}");
    session.wait_for_prompt(pane);
}

/// `wa watch`, and the lines that it prints.
fn watch(workspace: &Workspace) -> (Child, std::sync::mpsc::Receiver<String>) {
    let mut child = workspace
        .command(&["watch"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("wa runs");
    let mut talk = BufReader::new(child.stderr.take().expect("its words"));
    let mut line = String::new();
    talk.read_line(&mut line).expect("a word");
    assert!(line.contains("Watching"), "{line:?}");
    let (told, lines) = std::sync::mpsc::channel();
    let out = BufReader::new(child.stdout.take().expect("its lines"));
    std::thread::spawn(move || {
        for line in out.lines().map_while(Result::ok) {
            let _ = told.send(line);
        }
    });
    (child, lines)
}

#[test]
fn one_watcher_is_enough() {
    let workspace = Workspace::new(Backend::Embedded);
    workspace.write("limit.txt", LIMIT_TEXT);
    let pane = workspace.terminal.open(&SHELL);
    let (mut child, lines) = watch(&workspace);

    let second = workspace.run(&["watch"]);
    assert_eq!(second.code, 1, "{second:?}");
    assert!(
        second.stderr.contains(&format!("process {}", child.id())),
        "it names the first: {second:?}"
    );
    assert!(second.stderr.lines().count() >= 2, "and says what to do: {second:?}");

    // A server stands by and sees everything.
    let mut session = workspace.session();
    session.wait_for_prompt(pane);
    workspace.terminal.type_line(pane, "cat limit.txt");
    let printed = lines.recv_timeout(Duration::from_secs(40)).expect("the event is printed");
    assert!(
        printed.contains("critical") && printed.contains("core.codex:usage_reached"),
        "{printed}"
    );
    let page = session.data("wa.events", json!({"event_type": "usage.reached"}));
    assert_eq!(page["events"].as_array().map(Vec::len), Some(1), "{page}");
    assert!(workspace.run(&["status"]).stdout.contains(&format!("process {}", child.id())));

    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("a signal");
    let status = eventually("it ends", || child.try_wait().expect("a status"));
    assert!(status.success(), "{status}");
    // Now the server records.
    workspace.terminal.type_line(pane, "echo taken-''over");
    session.until("it takes over", "wa.search", json!({"query": "\"taken over\""}), |data| {
        data["total_matches"] != 0
    });
}

#[test]
fn settings_flags_and_help_are_there() {
    let workspace = Workspace::new(Backend::Embedded);
    let help = workspace.run(&["--help"]);
    for word in ["robot", "mcp", "watch", "approve", "spawn", "attach", "status", "doctor"] {
        assert!(help.stdout.contains(word), "{word} is not in {}", help.stdout);
    }
    assert!(!help.stdout.contains("pane-host"), "hidden: {}", help.stdout);
    let robots = workspace.run(&["robot", "--help"]);
    for tool in [
        "state",
        "get-text",
        "send",
        "wait-for",
        "rules-lint",
        "workflow-abort",
        "accounts-refresh",
    ] {
        assert!(robots.stdout.contains(tool), "{tool}");
    }
    let elsewhere = workspace.path("elsewhere").display().to_string();
    std::fs::create_dir(&elsewhere).expect("writable");
    let moved = workspace.run(&["robot", "reservations", "--json", "--workspace", &elsewhere]);
    assert_eq!(moved.code, 0, "{moved:?}");
    assert!(workspace.path("elsewhere/.wa/wa.db").exists());
    let wrong = workspace.run(&["robot", "state", "--backend", "screen"]);
    assert_ne!(wrong.code, 0);
    let unset = workspace.robot("wa.get_text", &json!({}));
    Refusal::of("wa.get_text", &unset.0, "WA-MCP-0001");
    assert_eq!(unset.1, 2);
}

fn shells_are_offered_the_panes_that_there_are(workspace: Workspace) {
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session).to_string();
    let words = ["--", "wa", "robot", "get-text", "--pane-id", ""];
    let output =
        workspace.command(&words).env("TOOLWRIGHT_COMPLETE", "fish").output().expect("wa runs");
    let offered = String::from_utf8(output.stdout).expect("text");
    let ids: Vec<&str> = offered.lines().filter_map(|line| line.split('\t').next()).collect();
    assert!(ids.contains(&pane.as_str()), "{pane} is not in {offered:?}");
}
