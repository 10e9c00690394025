//! What is refused: with the right status, words that help, and nothing changed.

use std::fs;

use crate::harness::{FILES, Stage, wink};

/// Runs and expects a refusal that leaves everything as it was.
#[track_caller]
fn refused(stage: &Stage, arguments: &[&str], code: i32, words: &[&str]) {
    let before = stage.tree();
    let done = stage.run(wink(), arguments).refused(code, words);
    assert!(done.out.is_empty(), "{}", done.out);
    assert_eq!(stage.tree(), before);
}

#[test]
fn a_scope_that_the_client_does_not_have() {
    let arguments = ["install", "--client", "claude-desktop", "--scope", "project"];
    refused(&Stage::new(), &arguments, 2, &["Claude Desktop", "it has user"]);
}

#[test]
fn an_unknown_client_or_none() {
    refused(&Stage::new(), &["install", "--client", "emacs"], 2, &["claude-code", "vscode"]);
    refused(&Stage::new(), &["install"], 2, &["--client"]);
}

#[test]
fn names_that_a_client_would_not_take() {
    let stage = Stage::new();
    let name = |name: &'static str| ["install", "--client", "codex", "--name", name];
    for bad in ["", "a.b", "a b", "é", "a/b"] {
        refused(&stage, &name(bad), 2, &["letters, digits"]);
    }
    refused(&stage, &name("a-name-of-thirty-five-characters-ab"), 2, &["64", "--name a-name"]);
}

#[test]
fn variables_and_arguments_that_make_no_sense() {
    let stage = Stage::new();
    let with = |more: &[&'static str]| [&["install", "--client", "cursor"], more].concat();
    refused(&stage, &with(&["--env", "NOVALUE"]), 2, &["NAME=VALUE"]);
    refused(&stage, &with(&["--env", "=x"]), 2, &["NAME=VALUE"]);
    refused(&stage, &with(&["--", "--no-such-flag"]), 2, &["does not accept", "--no-such-flag"]);
}

#[test]
fn a_file_that_does_not_parse_is_named_with_line_and_column() {
    for (client, scope, file) in FILES {
        let stage = Stage::new();
        let (text, place) = match *client {
            "codex" => ("a = 1\nb = = 2\n", "line 2, column 5"),
            _ => ("{\n  \"é\": 1,\n  \"a\" 2\n}\n", "line 3, column 7"),
        };
        stage.write(file, text);
        for verb in ["install", "uninstall"] {
            let arguments = [verb, "--client", client, "--scope", scope];
            refused(&stage, &arguments, 1, &[place, file, "nothing was changed"]);
        }
    }
}

#[test]
fn files_of_another_shape() {
    let stage = Stage::new();
    let install = ["install", "--client", "cursor"];
    for (text, words) in [
        ("[1]", &["the document is not an object", "line 1"][..]),
        ("{\n \"mcpServers\": []}", &["`mcpServers` is not an object", "line 2"]),
        ("{\"mcpServers\": null}", &["`mcpServers` is not an object"]),
        ("{'a': 1}", &["line 1, column 2"]),
        ("{} {}", &["line 1, column 4"]),
    ] {
        stage.write("home/.cursor/mcp.json", text);
        refused(&stage, &install, 1, words);
    }
    stage.write("home/.cursor/mcp.json", b"{\"a\": \"\xff\"}");
    refused(&stage, &install, 1, &["not UTF-8", "byte 7"]);
    fs::remove_file(stage.path("home/.cursor/mcp.json")).unwrap();
    fs::create_dir(stage.path("home/.cursor/mcp.json")).unwrap();
    refused(&stage, &install, 1, &["cannot be read"]);
    fs::remove_dir(stage.path("home/.cursor/mcp.json")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", stage.path("home/.cursor/mcp.json")).unwrap();
    refused(&stage, &install, 1, &["cannot be read"]);

    stage.write("home/.codex/config.toml", "mcp_servers = 1\n");
    refused(&stage, &["install", "--client", "codex"], 1, &["`mcp_servers` is not a table"]);
    stage.write("home/.codex/config.toml", "[[mcp_servers]]\n");
    refused(&stage, &["install", "--client", "codex"], 1, &["`mcp_servers` is not a table"]);
}

#[test]
fn another_entry_of_the_same_name_is_replaced_only_by_force() {
    for (client, scope, file) in FILES {
        let stage = Stage::new();
        let list = if *client == "vscode" { "servers" } else { "mcpServers" };
        let text = match *client {
            "codex" => "[mcp_servers.wink]\nurl = 'http://x'\n\n[mcp_servers.z]\ncommand = 'z'\n"
                .to_owned(),
            _ => format!("{{\"{list}\": {{\"wink\": {{\"url\": \"http://x\"}}, \"z\": {{}}}}}}"),
        };
        stage.write(file, text);
        let arguments = ["install", "--client", client, "--scope", scope];
        refused(&stage, &arguments, 1, &["another entry", "--force", "--name"]);
        let remove = ["uninstall", "--client", client, "--scope", scope];
        refused(&stage, &remove, 1, &["another server", "--force"]);
        stage.install(client, scope, &["--force"]).ok();
        assert!(!stage.read(file).contains("http://x") && stage.read(file).contains("\"mcp\""));
        stage.uninstall(client, scope, &[]).ok();
        assert!(!stage.read(file).contains("wink") && stage.read(file).contains('z'));
    }
}

#[test]
fn nothing_to_uninstall() {
    for (client, scope, file) in FILES {
        let stage = Stage::new();
        let arguments = ["uninstall", "--client", client, "--scope", scope];
        refused(&stage, &arguments, 1, &["there is no `wink`", file]);
        stage.write(file, if *client == "codex" { "a = 1" } else { "{\"a\": 1}" });
        refused(&stage, &arguments, 1, &["there is no `wink`", "nothing was changed"]);
    }
}

#[test]
fn without_a_home_the_project_can_still_be_changed() {
    let stage = Stage::new();
    // A home that is no absolute path is none.
    let mut command = stage.command(wink());
    let output = command.env("HOME", "x").args(["install", "--client", "cursor"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("set HOME"));
    let mut command = stage.command(wink());
    command.env("HOME", "x").args(["install", "--client", "cursor", "--scope", "project"]);
    let output = command.output().unwrap();
    assert!(output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("only remove the entry"));
}
