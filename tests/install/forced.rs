//! `install --force` over an entry that is there: what stays of it, and that `uninstall` gives it back.

use serde_json::{Value, json};

use crate::harness::{FILES, Machine, servers, wink};

/// Entries that somebody wrote, as JSON and as TOML; `wink` may start anything.
const ENTRIES: &[(&str, &str)] = &[
    (
        r#"{"mcpServers": {"wink": {"command": "old", "args": [], "env": {"A": "1"}, "disabled": true}}}"#,
        "[mcp_servers.wink]\ncommand = 'old' # mine\nargs = []\nenv = { A = '1' } # env\nenabled = false\n",
    ),
    (
        "{\n\t\"mcpServers\": {\n\t\t\"wink\": {\n\t\t\t// mine\n\t\t\t\"env\": {\"A\": \"1\"}, // env\n\
         \t\t\t\"command\": \"old\",\n\t\t\t\"disabled\": true,\n\t\t},\n\t},\n}",
        "model = 'x'\n\n[mcp_servers.wink]\n# mine\ncommand = 'old'\nenabled = false\n\n[mcp_servers.wink.env]\n# env\nA = '1'\n\n[tui]\na = 1\n",
    ),
    (
        "{\r\n  \"mcpServers\": {\r\n    \"a\": {},\r\n    \"wink\": {\r\n      \"env\": {\r\n        \"A\": \"1\"\r\n      },\r\n      \"disabled\": true, /* mine */ \"url\": \"http://x\", /* env */ \"headers\": {\"X\": \"y\"}\r\n    }\r\n  }\r\n}\r\n",
        "# mine\r\nmcp_servers.wink.url = 'http://x'\r\nmcp_servers.wink.enabled = false # env\r\nmcp_servers.wink.env.A = '1'\r\n",
    ),
    (
        "\u{feff}{\"mcpServers\":{\"wink\":{\"env\":{\"A\":\"1\"},\"disabled\":true,\"command\":[\"odd\"]/*mine*/},/* env */\"z\":{}}}",
        "\u{feff}mcp_servers = { wink = { env.A = '1', enabled = false }, z = { command = 'z' } } # mine, env",
    ),
    (
        r#"{"mcpServers": {"wink": {"disabled": true, "env": {"A": "0"}, "env": {"A": "1"}, "args": 1}}} // mine, env"#,
        "[mcp_servers]\nwink = { enabled = false, env = { A = '1' } }\n# mine, env",
    ),
    (
        "{\"mcpServers\": {\"wink\": {\"command\": 1}, \"wink\": {\"env\": { /* env */ \"A\": \"1\" }, \"disabled\": true /* mine */}}}",
        "[mcp_servers.wink.env]\nA = '1' # env\n[mcp_servers.z] # mine\ncommand = 'z'\n[mcp_servers.wink.extra]\nb = 1\n",
    ),
    (
        "{\"mcpServers\": {\"wink\": {\"x\": [1,  2], \"env\": {\"A\": \"1\"} /* mine, env */, \"disabled\": true}}}\n\n\n",
        "[mcp_servers]\nz.command = 'z'\nwink.args = [\n 'a',\n] # mine\n# env\nwink.env = { A = '1' }\nwink.enabled = false",
    ),
];

#[test]
fn what_the_user_set_stays_and_uninstall_gives_back_every_byte() {
    for (client, scope, file) in FILES {
        let machine = Machine::new();
        let list = if *client == "vscode" { "\"servers\"" } else { "\"mcpServers\"" };
        for (json, toml) in ENTRIES {
            let original = match *client {
                "codex" => (*toml).to_owned(),
                _ => json.replace("\"mcpServers\"", list),
            };
            machine.write(file, &original);
            let was = servers(client, &original);
            let refused = machine.install(client, scope, &[]).fails(1, &["another entry"]);
            assert!(refused.stdout.is_empty());
            machine.uninstall(client, scope, &[]).fails(1, &["another server", "--force"]);
            assert_eq!(machine.read(file), original);

            let done = machine.install(client, scope, &["--force", "--env", "B=2"]);
            assert_eq!(done.code, 0, "{original}\n{}", done.stderr);
            let text = machine.read(file);
            let now = servers(client, &text);
            let (before, entry) = (&was["wink"], &now["wink"]);
            assert_eq!(entry["args"][0], "mcp", "{text}");
            assert!(entry["command"].as_str().unwrap().ends_with("wink"), "{text}");
            assert_eq!(entry["env"], json!({"A": "1", "B": "2"}), "{text}");
            for key in ["disabled", "enabled", "x", "extra"] {
                assert_eq!(entry[key], before[key], "{key}: {text}");
            }
            assert!(entry.get("url").is_none() && entry.get("headers").is_none(), "{text}");
            let switched_off = entry["disabled"] == true || entry["enabled"] == false;
            assert_eq!(done.stderr.contains("switched off"), switched_off, "{}", done.stderr);
            let others = |all: &Value| {
                let mut all = all.clone();
                all.as_object_mut().unwrap().remove("wink");
                all
            };
            assert_eq!(others(&now), others(&was), "{text}");
            for comment in ["mine", "env"] {
                let count = |text: &str| text.matches(comment).count();
                assert!(count(&text) >= count(&original).min(1), "{comment}: {text}");
            }
            // Once more, over our own: what was there first still comes back.
            machine.install(client, scope, &["--force", "--env", "B=3"]).ok();
            assert_eq!(servers(client, &machine.read(file))["wink"]["env"]["B"], "3");
            let done = machine.uninstall(client, scope, &[]).ok();
            assert!(done.stderr.contains("gave back"), "{}", done.stderr);
            assert_eq!(machine.read(file), original, "{client}");
        }
    }
}

#[test]
fn our_own_entry_keeps_what_the_user_added_to_it() {
    for (client, scope, file) in FILES {
        let machine = Machine::new();
        machine.install(client, scope, &["--env", "A=1"]).ok();
        let text = machine.read(file);
        let edited = match *client {
            "codex" => text.replace("args =", "enabled = false\nstartup_timeout_sec = 9\nargs ="),
            _ => {
                text.replace("\"args\":", "\"disabled\": true, \"timeout\": 9, // slow\n\"args\":")
            }
        };
        machine.write(file, &edited);
        // What it starts is the same, so there is nothing to do.
        let again = machine.install(client, scope, &["--env", "A=1"]).ok();
        assert!(again.stderr.contains("already") && again.stderr.contains("switched off"));
        machine.install(client, scope, &["--read-only"]).fails(1, &["this server", "--force"]);
        assert_eq!(machine.read(file), edited);
        machine.install(client, scope, &["--read-only", "--force", "--env", "C=3"]).ok();
        let entry = &servers(client, &machine.read(file))["wink"];
        assert_eq!(entry["env"], json!({"A": "1", "C": "3"}));
        assert!(entry["disabled"] == true || entry["enabled"] == false, "{entry}");
        assert!(entry["timeout"] == 9 || entry["startup_timeout_sec"] == 9, "{entry}");
        assert!(entry["args"].as_array().unwrap().contains(&json!("--read-only=true")), "{entry}");
        machine.uninstall(client, scope, &[]).ok();
        assert!(!machine.path(file).exists(), "it was ours from the start");
    }
}

#[test]
fn an_entry_is_another_unless_it_was_installed_or_starts_this_binary() {
    let machine = Machine::new();
    machine.program("else/wink", wink());
    let real = std::fs::canonicalize(wink()).unwrap();
    let file = "home/.cursor/mcp.json";
    for (entry, ours) in [
        (json!({"command": real, "args": ["mcp", "--read-only"]}), true),
        (json!({"command": real, "args": ["overrides", "list"]}), false),
        (json!({"command": real}), false),
        (json!({"command": machine.path("else/wink"), "args": ["mcp"]}), false),
        (json!({"command": "wink", "args": ["mcp"]}), false),
        (json!({"command": "/bin/sh", "args": ["serve", "wink"]}), false),
        (json!({"command": 1}), false),
        (json!({}), false),
    ] {
        let text = json!({"mcpServers": {"wink": entry}}).to_string();
        machine.write(file, &text);
        let word = if ours { "this server" } else { "another entry" };
        machine.install("cursor", "user", &[]).fails(1, &[word, "--force"]);
        let uninstalled = machine.uninstall("cursor", "user", &[]);
        if ours {
            uninstalled.ok();
        } else {
            uninstalled.fails(1, &["another server", "--force"]);
            assert_eq!(machine.read(file), text);
        }
    }
}

#[test]
fn a_replaced_entry_that_was_moved_comes_back_with_its_values() {
    let machine = Machine::new();
    let file = "home/.codex/config.toml";
    machine.write(file, "[mcp_servers.wink]\ncommand = 'old'\nenv = { A = '1' }\n\n[tui]\na = 1\n");
    machine.install("codex", "user", &["--force"]).ok();
    let edited = machine.read(file) + "\n[mcp_servers.wink.http_headers]\nX = 'y'\n";
    machine.write(file, edited);
    let done = machine.uninstall("codex", "user", &[]).ok();
    assert!(done.stderr.contains("was changed"), "{}", done.stderr);
    let text = machine.read(file);
    let expected = json!({"wink": {"command": "old", "env": {"A": "1"}}});
    assert_eq!(servers("codex", &text), expected, "{text}");
    assert!(text.contains("[tui]\na = 1\n"), "{text}");
}
