//! `doctor` starts what was registered, with its own arguments and environment, and nothing else.

use std::fs;

use serde_json::{Value, json};

use crate::harness::{Machine, TOOLWRIGHT, wink};

/// Each client with its file for the user, in which doctor looks.
const FILES: &[(&str, &str)] = &[
    ("claude-code", "home/.claude.json"),
    ("claude-desktop", "home/.config/Claude/claude_desktop_config.json"),
    ("codex", "home/.codex/config.toml"),
    ("cursor", "home/.cursor/mcp.json"),
    ("vscode", "home/.config/Code/User/mcp.json"),
];

/// The rows about clients in the report of a surface.
fn rows(machine: &Machine, surface: &str) -> Vec<Value> {
    let before = machine.tree();
    let done = machine.run(TOOLWRIGHT, &["doctor", surface, "--json"]);
    assert_eq!(machine.tree(), before, "doctor changes nothing");
    assert!(!done.stdout.contains("hush"), "{}", done.stdout);
    let report: Value = serde_json::from_str(&done.stdout).expect("JSON");
    let all = report["surfaces"][0]["rows"].as_array().expect("rows").clone();
    all.into_iter().filter(|row| row["check"].as_str().unwrap().starts_with("client.")).collect()
}

/// Expects a row about an entry, with this verdict and these words.
#[track_caller]
fn expect(rows: &[Value], entry: &str, verdict: &str, words: &[&str]) {
    let name = format!("`{entry}` in ");
    let found = rows.iter().find(|row| row["measured"].as_str().unwrap().starts_with(&name));
    let found = found.unwrap_or_else(|| panic!("no {entry} in {rows:#?}"));
    assert_eq!(found["verdict"], verdict, "{found:#}");
    for words in words {
        assert!(found.to_string().contains(words), "no {words} in {found:#}");
    }
}

#[test]
fn broken_commands_are_found_in_every_client() {
    for (client, file) in FILES {
        let machine = Machine::new();
        let install = |name: &str, more: &[&str]| {
            let more = [&["--name", name], more].concat();
            machine.install(client, "user", &more).ok();
        };
        let edit = |from: &str, to: &str| {
            let text = machine.read(file);
            assert!(text.contains(from), "no {from} in {text}");
            machine.write(file, text.replacen(from, to, 1));
        };
        let real = fs::canonicalize(wink()).unwrap().display().to_string();
        install("bogus", &[]);
        edit("\"mcp\"", "\"mcp\", \"--bogus\"");
        install("setting", &["--env", "WINK_TOOL_NAMES=dotty", "--env", "TOKEN=hush-hush"]);
        install("network", &["--", "--http", "127.0.0.1:0"]);
        install("no_server", &[]);
        let last = machine.read(file).rfind("\"mcp\"").unwrap();
        let (before, after) =
            (machine.read(file)[..last].to_owned(), machine.read(file)[last + 5..].to_owned());
        machine.write(file, format!("{before}\"overrides\"{after}"));
        install("reader", &["--read-only", "--env", "TOKEN=hush-hush"]);
        // One copy of the program, which moves on once it is registered.
        machine.program("gone/wink", wink());
        let mut at = machine.path("gone/wink");
        for name in ["gone", "false", "swapped"] {
            let next = machine.path(name).join("wink");
            fs::create_dir_all(next.parent().unwrap()).unwrap();
            fs::rename(&at, &next).unwrap();
            at = next;
            let program = at.to_str().unwrap();
            machine.run(program, &["install", "--client", client, "--name", name]).ok();
        }
        machine.program("false/wink", "/bin/false");
        let swapped = at.to_str().unwrap();
        edit(swapped, "/bin/false");

        let rows = rows(&machine, "wink");
        expect(&rows, "bogus", "bad", &["--bogus", "ended with status 2"]);
        expect(&rows, "setting", "bad", &["tool_names", "not `dotty`"]);
        expect(&rows, "network", "bad", &["--http"]);
        expect(&rows, "no_server", "bad", &["do not start a server"]);
        expect(&rows, "reader", "good", &["3 tools", &real]);
        expect(&rows, "gone", "bad", &["does not exist"]);
        expect(&rows, "false", "bad", &["ended with status 1"]);
        expect(&rows, "swapped", "bad", &["/bin/false", "was not started", "changed since"]);
        assert_eq!(rows.len(), 8, "{rows:#?}");
    }
}

#[test]
fn what_is_switched_off_is_started_and_told() {
    let machine = Machine::new();
    machine.install("cursor", "user", &[]).ok();
    let file = "home/.cursor/mcp.json";
    machine.write(file, machine.read(file).replace("\"args\"", "\"disabled\": true, \"args\""));
    expect(&rows(&machine, "wink"), "wink", "good", &["switched off", "7 tools"]);
}

#[test]
fn the_programs_of_others_are_not_started() {
    let machine = Machine::new();
    let trace = machine.path("home/trace");
    machine.write("script", format!("#!/bin/sh\ntouch '{}'\n", trace.display()));
    for program in ["theirs/wink", "theirs/other"] {
        machine.program(program, machine.path("script"));
    }
    let theirs =
        |program: &str, args: &[&str]| json!({"command": machine.path(program), "args": args});
    let cursor = json!({"mcpServers": {
        "a": theirs("theirs/wink", &["mcp"]),
        "b": theirs("theirs/other", &["serve", "wink"]),
        "wink": theirs("theirs/other", &[]),
        "c": theirs("theirs/other", &["mcp"]),
    }});
    machine.write("home/.cursor/mcp.json", cursor.to_string());
    let rows = rows(&machine, "wink");
    for name in ["a", "b", "wink"] {
        expect(&rows, name, "doubtful", &["was not started"]);
    }
    assert_eq!(rows.len(), 3, "{rows:#?}");
    assert!(!trace.exists());
}

#[test]
fn a_server_with_a_store_is_started_without_it() {
    let machine = Machine::new();
    let install = ["install", "--client", "cursor", "--database-file", "new/y.db"];
    let yarnnn = toolwright_testing::program("yarnnn");
    machine.run(yarnnn, &[&install[..], &["--env", "YARNNN_TOKEN=hush-hush"]].concat()).ok();
    // The tree before and after is compared: no folder, no database.
    expect(&rows(&machine, "yarnnn"), "yarnnn", "good", &["5 tools"]);
    let file = "home/.cursor/mcp.json";
    machine.write(file, machine.read(file).replace("hush-hush", ""));
    expect(&rows(&machine, "yarnnn"), "yarnnn", "bad", &["`token`", "for nobody"]);
}

#[test]
fn references_are_resolved_or_named() {
    let machine = Machine::new();
    machine.install("vscode", "user", &["--env", "WINK_READ_ONLY=${env:READS}"]).ok();
    let more = ["--name", "asks", "--env", "WINK_READ_ONLY=${input:reads}"];
    machine.install("vscode", "user", &more).ok();
    let mut command = machine.command(wink());
    command.env("READS", "true").args(["doctor", "--json"]);
    let done = toolwright_testing::run(command).ok();
    let report: Value = serde_json::from_str(&done.stdout).unwrap();
    let rows = report["surfaces"][0]["rows"].as_array().unwrap();
    expect(rows, "wink", "good", &["3 tools"]);
    expect(rows, "asks", "doubtful", &["not started", "`WINK_READ_ONLY`"]);
}

#[test]
fn the_choice_of_tools_is_passed_on_and_one_that_leaves_none_is_refused() {
    let machine = Machine::new();
    let choices: &[(&str, &[&str], &str)] = &[
        ("a", &["--read-only"], "3 tools"),
        ("b", &["--toolset", "read_only"], "3 tools"),
        ("c", &["--tools", "wink.list_overrides", "--tools", "wink_get_tool_override"], "2 tools"),
        ("d", &["--exclude-tools", "wink.list_overrides"], "6 tools"),
        ("e", &["--toolset", "read_only", "--exclude-tools", "wink.list_overrides"], "2 tools"),
        ("f", &["--env", "WINK_READ_ONLY=true"], "3 tools"),
        ("g", &["--", "--read-only"], "3 tools"),
    ];
    for &(name, more, _) in choices {
        machine.install("codex", "user", &[&["--name", name], more].concat()).ok();
    }
    let found = rows(&machine, "wink");
    for &(name, _, tools) in choices {
        expect(&found, name, "good", &[tools]);
    }
    let before = machine.tree();
    for more in [
        &["--toolset", "none"][..],
        &["--tools", "wink.nothing"],
        &["--exclude-tools", "nothing"],
        &[
            "--toolset",
            "read_only",
            "--read-only",
            "--tools",
            "wink.delete_tool_override",
            "--exclude-tools",
            "wink.list_overrides",
            "--exclude-tools",
            "wink.get_tool_override",
            "--exclude-tools",
            "wink.get_section_override",
        ],
    ] {
        let done = machine.install("cursor", "user", more);
        assert_eq!(done.code, 2, "{more:?}: {}{}", done.stdout, done.stderr);
    }
    assert_eq!(machine.tree(), before);
}
