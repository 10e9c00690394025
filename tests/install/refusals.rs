//! Refusals: the right status, a helpful message, and nothing changed.

use std::fs;

use crate::harness::{FILES, Machine, wink};
use toolwright_testing::run;

/// Runs and expects a refusal that leaves everything as it was.
#[track_caller]
fn refused(machine: &Machine, arguments: &[&str], code: i32, words: &[&str]) {
    let before = machine.tree();
    let done = machine.run(wink(), arguments).fails(code, words);
    assert!(done.stdout.is_empty(), "{}", done.stdout);
    assert_eq!(machine.tree(), before);
}

#[test]
fn a_scope_that_the_client_does_not_have() {
    let arguments = ["install", "--client", "claude-desktop", "--scope", "project"];
    refused(&Machine::new(), &arguments, 2, &["Claude Desktop", "it has user"]);
}

#[test]
fn an_unknown_client_or_none() {
    refused(&Machine::new(), &["install", "--client", "emacs"], 2, &["claude-code", "vscode"]);
    refused(&Machine::new(), &["install"], 2, &["--client"]);
}

#[test]
fn names_that_a_client_would_not_take() {
    let machine = Machine::new();
    let name = |name: &'static str| ["install", "--client", "codex", "--name", name];
    for bad in ["", "a.b", "a b", "é", "a/b"] {
        refused(&machine, &name(bad), 2, &["letters, digits"]);
    }
    refused(&machine, &name("a-name-of-thirty-five-characters-ab"), 2, &["64", "--name a-name"]);
}

#[test]
fn variables_and_arguments_that_make_no_sense() {
    let machine = Machine::new();
    let with = |more: &[&'static str]| [&["install", "--client", "cursor"], more].concat();
    refused(&machine, &with(&["--env", "NOVALUE"]), 2, &["NAME=VALUE"]);
    refused(&machine, &with(&["--env", "=x"]), 2, &["NAME=VALUE"]);
    refused(&machine, &with(&["--", "--no-such-flag"]), 2, &["does not accept", "--no-such-flag"]);
}

#[test]
fn a_file_that_does_not_parse_is_named_with_line_and_column() {
    for (client, scope, file) in FILES {
        let machine = Machine::new();
        let (text, place) = match *client {
            "codex" => ("a = 1\nb = = 2\n", "line 2, column 5"),
            _ => ("{\n  \"é\": 1,\n  \"a\" 2\n}\n", "line 3, column 7"),
        };
        machine.write(file, text);
        for verb in ["install", "uninstall"] {
            let arguments = [verb, "--client", client, "--scope", scope];
            refused(&machine, &arguments, 1, &[place, file, "nothing was changed"]);
        }
    }
}

#[test]
fn files_of_another_shape() {
    let machine = Machine::new();
    let install = ["install", "--client", "cursor"];
    for (text, words) in [
        ("[1]", &["the document is not an object", "line 1"][..]),
        ("{\n \"mcpServers\": []}", &["`mcpServers` is not an object", "line 2"]),
        ("{\"mcpServers\": null}", &["`mcpServers` is not an object"]),
        ("{'a': 1}", &["line 1, column 2"]),
        ("{} {}", &["line 1, column 4"]),
    ] {
        machine.write("home/.cursor/mcp.json", text);
        refused(&machine, &install, 1, words);
    }
    machine.write("home/.cursor/mcp.json", b"{\"a\": \"\xff\"}");
    refused(&machine, &install, 1, &["not UTF-8", "byte 7"]);
    fs::remove_file(machine.path("home/.cursor/mcp.json")).unwrap();
    fs::create_dir(machine.path("home/.cursor/mcp.json")).unwrap();
    refused(&machine, &install, 1, &["cannot be read"]);
    fs::remove_dir(machine.path("home/.cursor/mcp.json")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", machine.path("home/.cursor/mcp.json")).unwrap();
    refused(&machine, &install, 1, &["cannot be read"]);

    machine.write("home/.codex/config.toml", "mcp_servers = 1\n");
    refused(&machine, &["install", "--client", "codex"], 1, &["`mcp_servers` is not a table"]);
    machine.write("home/.codex/config.toml", "[[mcp_servers]]\n");
    refused(&machine, &["install", "--client", "codex"], 1, &["`mcp_servers` is not a table"]);
}

#[test]
fn another_entry_of_the_same_name_is_replaced_only_by_force() {
    for (client, scope, file) in FILES {
        let machine = Machine::new();
        let list = if *client == "vscode" { "servers" } else { "mcpServers" };
        let text = match *client {
            "codex" => "[mcp_servers.wink]\nurl = 'http://x'\n\n[mcp_servers.z]\ncommand = 'z'\n"
                .to_owned(),
            _ => format!("{{\"{list}\": {{\"wink\": {{\"url\": \"http://x\"}}, \"z\": {{}}}}}}"),
        };
        machine.write(file, text);
        let arguments = ["install", "--client", client, "--scope", scope];
        refused(&machine, &arguments, 1, &["another entry", "--force", "--name"]);
        let remove = ["uninstall", "--client", client, "--scope", scope];
        refused(&machine, &remove, 1, &["another server", "--force"]);
        let before = machine.read(file);
        machine.install(client, scope, &["--force"]).ok();
        assert!(!machine.read(file).contains("http://x") && machine.read(file).contains("\"mcp\""));
        machine.uninstall(client, scope, &[]).ok();
        assert_eq!(machine.read(file), before);
    }
}

#[test]
fn nothing_to_uninstall() {
    for (client, scope, file) in FILES {
        let machine = Machine::new();
        let arguments = ["uninstall", "--client", client, "--scope", scope];
        refused(&machine, &arguments, 1, &["there is no `wink`", file]);
        machine.write(file, if *client == "codex" { "a = 1" } else { "{\"a\": 1}" });
        refused(&machine, &arguments, 1, &["there is no `wink`", "nothing was changed"]);
    }
}

#[test]
fn without_a_home_the_project_can_still_be_changed() {
    let machine = Machine::new();
    // A home that is no absolute path is none.
    let mut command = machine.command(wink());
    command.env("HOME", "x").args(["install", "--client", "cursor"]);
    run(command).fails(2, &["set HOME"]);
    let mut command = machine.command(wink());
    command.env("HOME", "x").args(["install", "--client", "cursor", "--scope", "project"]);
    run(command).fails(0, &["only remove the entry"]);
}
