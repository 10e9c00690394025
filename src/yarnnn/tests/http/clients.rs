//! Third-party clients: the official Python package and the official Inspector's command
//! line list and call tools over HTTP. `tests/run` installs both.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolwright_testing::{Finished, HttpServer, run};

use crate::instance::{Instance, list};

fn python(python: &str, server: &HttpServer, token: &str, mode: &str) -> Finished {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/http/client.py");
    let mut command = Command::new(python);
    command.arg(script).args([&server.url(), token, mode]);
    run(command)
}

#[test]
fn the_official_python_client_lists_and_calls_tools() {
    let Some(program) = super::provided("TOOLWRIGHT_TEST_MCP_PYTHON") else { return };
    for (mode, protocol) in [("auto", "2026-07-28"), ("legacy", "2025-11-25")] {
        let instance = Instance::on_sqlite();
        let server = instance.serve(&[]);
        let seen = python(&program, &server, &instance.tenant.token, mode).ok().json();
        assert_eq!(seen["protocol"], protocol);
        assert_eq!(seen["tools"].as_object().map(serde_json::Map::len), Some(5));
        let template = &seen["tools"]["config_settings"]["openai/outputTemplate"];
        assert_eq!(template, "ui://yarnnn/settings.html");
        assert_eq!(seen["created"]["basket_name"], "Billing", "{seen}");
        assert_eq!(seen["selection"]["decision"], "pick", "{seen}");
        assert_eq!(seen["recalled"]["total_count"], 1, "{seen}");
        assert_eq!(seen["foreign"]["is_error"], true, "{seen}");
        assert_eq!(seen["foreign"]["body"]["code"], "BASKET_NOT_FOUND", "{seen}");
        assert_eq!(seen["page"], json!(["text/html+skybridge"]));
        assert_eq!(instance.count("raw_dumps"), 1);

        // Whoever has no token is told by the client itself where to get one.
        let refused = python(&program, &server, "yit_bad", mode);
        assert!(!refused.succeeded());
        assert!(refused.stderr.contains("Visit https://yarnnn.com/connect"), "{refused:?}");
    }
}

#[test]
fn the_official_inspector_lists_and_calls_tools() {
    let Some(program) = super::provided("TOOLWRIGHT_TEST_INSPECTOR") else { return };
    let instance = Instance::on_sqlite();
    let server = instance.serve(&[]);
    let tenant = tempfile::tempdir().expect("a folder");
    let inspect = |token: &str, arguments: &[&str]| {
        let mut command = Command::new(&program);
        command.env("HOME", tenant.path()).args(["--cli", &server.url()]);
        let header = format!("Authorization: Bearer {token}");
        command.args(["--transport", "http", "--header", &header, "--format", "json"]);
        command.args(arguments);
        run(command)
    };
    for era in ["legacy", "modern"] {
        let ask = |arguments: &[&str]| -> Value {
            let arguments = [&["--protocol-era", era], arguments].concat();
            inspect(&instance.tenant.token, &arguments).ok().json()
        };
        let listed = ask(&["--method", "tools/list"]);
        assert_eq!(list(&listed["result"]["tools"]).len(), 5, "{listed}");
        let add = json!({"content": format!("The {era} garden needs water twice a week.")});
        let call = ["--method", "tools/call", "--tool-name"];
        let added =
            ask(&[&call, &["add_to_substrate", "--tool-args-json", &add.to_string()][..]].concat());
        // The Inspector checks it against the tool's output schema.
        assert_eq!(added["result"]["structuredContent"]["status"], "queued", "{added}");
        let resources = ask(&["--method", "resources/list"]);
        assert_eq!(list(&resources["result"]["resources"]).len(), 2, "{resources}");
    }
    assert_eq!(instance.count("mcp_unassigned_captures"), 2);
    assert!(!inspect("yit_bad", &["--method", "tools/list"]).succeeded());
}
