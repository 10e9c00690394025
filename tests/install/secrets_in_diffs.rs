//! The diff shows the change and no secret, whoever's entry it is in.

use crate::harness::Machine;
use toolwright_testing::Finished;

#[track_caller]
fn hides(done: &Finished, shown: &[&str]) {
    let all = format!("{}{}", done.stdout, done.stderr);
    assert!(!all.contains("hush"), "{all}");
    for words in shown {
        assert!(all.contains(words), "no {words:?} in {all}");
    }
}

#[test]
fn variables_are_named_but_not_their_values() {
    let machine = Machine::new();
    let env =
        ["--env", "API_TOKEN=hush-1", "--env", "PLAIN=hush-2", "--env", "WINK_READ_ONLY=true"];
    for client in ["cursor", "codex"] {
        // A setting of this server that is no secret is shown.
        let more = [&env[..], &["--dry-run"]].concat();
        hides(&machine.install(client, "user", &more).ok(), &["API_TOKEN", "***", "true"]);
        machine.install(client, "user", &env).ok();
        hides(&machine.uninstall(client, "user", &[]).ok(), &["API_TOKEN", "PLAIN"]);
    }
}

#[test]
fn lines_of_other_entries_keep_their_secrets() {
    let machine = Machine::new();
    for (file, client, text) in [
        (
            "home/.cursor/mcp.json",
            "cursor",
            // All on one line, which the diff has to show.
            r#"{"apiKey": "hush", "mcpServers": {"x": {"command": "npx", "args": ["--api-key", "hush", "--token=hush", "-e", "A=hush", "sk-hush-0123456789", "--port", "8080"], "env": {"A": "hu\u0073hush", "N": 7}, "url": "https://me:hush@host/mcp?key=hush&page=2", "headers": {"X-Any": "Bearer hush"}}} // "password": "hush"
}"#,
        ),
        (
            "home/.codex/config.toml",
            "codex",
            "[mcp_servers]\nx = { command = 'x', args = ['--token', 'hush'], env = { A = \"hush\" }, http_headers.X = 'hush', url = 'https:\\/\\/me:hush@host' } # token=hush",
        ),
    ] {
        machine.write(file, text);
        let shown = ["-", "+", "\"***\"", "wink", "x"];
        hides(&machine.install(client, "user", &["--dry-run"]).ok(), &shown);
        machine.install(client, "user", &[]).ok();
        hides(&machine.uninstall(client, "user", &[]).ok(), &shown);
        assert_eq!(machine.read(file), text);
    }
}

#[test]
fn a_text_of_several_lines_stays_hidden_line_by_line() {
    let machine = Machine::new();
    let text = "[mcp_servers.x]\ncommand = 'x'\nenv.A = '''\nhush\nhush-too'''";
    machine.write("home/.codex/config.toml", text);
    hides(&machine.install("codex", "user", &["--dry-run"]).ok(), &["wink"]);
}

#[test]
fn a_replaced_secret_is_seen_to_change() {
    let machine = Machine::new();
    machine.install("cursor", "user", &["--env", "A=hush-1"]).ok();
    let done = machine.install("cursor", "user", &["--force", "--env", "A=hush-2"]).ok();
    hides(&done, &["\n-", "\n+"]);
}
