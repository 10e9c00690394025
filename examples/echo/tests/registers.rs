//! A server that somebody else writes registers itself and is examined like ours.

use std::process::Command;

use serde_json::Value;

const ECHO: &str = env!("CARGO_BIN_EXE_echo-server");

#[test]
fn installed_examined_and_gone_without_a_trace() {
    let home = tempfile::tempdir().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = Command::new(ECHO);
        command.args(arguments).current_dir(home.path()).env_clear().env("HOME", home.path());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let file = home.path().join(".cursor/mcp.json");
    run(&["install", "--client", "cursor"]);
    let entry: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    let command = std::fs::canonicalize(ECHO).unwrap();
    assert_eq!(entry["mcpServers"]["echo"]["command"], command.to_str().unwrap());

    let report: Value = serde_json::from_str(&run(&["doctor", "--json"])).unwrap();
    assert_eq!(report["verdict"], "good", "{report:#}");
    assert!(report.to_string().contains("client.cursor.user"), "{report:#}");

    run(&["uninstall", "--client", "cursor"]);
    assert!(!home.path().join(".cursor").exists());
}
