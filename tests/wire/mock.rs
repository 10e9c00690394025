//! Mocks as a client meets them: the list of the real server, answers without anything behind them.

use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::{Value, json};
use toolwright_testing::{StdioSession, run};

use crate::server_homes::wink;

/// `toolwright serve` with these arguments, in the repository.
fn serve(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_toolwright"));
    command
        .arg("serve")
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .env_clear()
        .stderr(Stdio::null());
    command
}

fn session(arguments: &[&str]) -> StdioSession {
    StdioSession::start(serve(arguments), "wire-test")
}

fn refused(arguments: &[&str]) -> String {
    let finished = run(serve(arguments)).exits_with(2);
    assert_eq!(finished.stdout, "");
    finished.stderr
}

/// A section that no file overrides.
fn section() -> Value {
    json!({"ns": "my.app", "prompt": "mine", "section_path": "system"})
}

fn choosing(choice: Value) -> Value {
    json!({"name": "wink.get_section_override", "arguments": section(),
        "_meta": {"toolwright/mock": choice}})
}

#[test]
fn the_list_is_that_of_the_real_server_byte_for_byte() {
    let home = wink();
    let list = |command: Command, meta: &Value| {
        let mut client = StdioSession::start(command, "wire-test");
        let params = json!({"_meta": meta});
        client.send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": params}));
        client.receive_line()
    };
    let modern = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    for meta in [json!({}), modern] {
        let real = list(home.server(), &meta);
        assert!(real.contains("list_overrides") && real.ends_with("}\n"), "{real}");
        let own = home.command(&["mcp", "--mock"]);
        let from_specs = serve(&["--mock", "wink", "--specs", "specs"]);
        for mock in [serve(&["wink", "--mock"]), own, from_specs] {
            assert!(list(mock, &meta) == real, "the lists differ");
        }
    }
}

#[test]
fn a_client_is_told_that_it_speaks_to_a_mock() {
    let mut client = StdioSession::connect(serve(&["wink", "--mock"]));
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let opened = client.request("initialize", hello);
    let instructions = opened["instructions"].as_str().expect("instructions");
    assert!(instructions.starts_with("This is a mock of wink"), "{instructions}");
    assert!(instructions.contains("Writes need confirm"), "{instructions}");

    let mut client = session(&["wink", "--mock"]);
    let answer = client.call("wink.get_section_override", section());
    assert_eq!(answer.response["result"]["_meta"]["toolwright/mock"], true);
    assert_eq!(answer.body["ns"], "my.app", "{}", answer.body);
    let failed = client.call("wink.get_section_override", json!({"ns": 1}));
    assert!(failed.is_error);
    assert_eq!(failed.body["code"], "invalid_arguments");
    assert_eq!(failed.response["result"]["_meta"]["toolwright/mock"], true);
    client.close();

    let log = run(serve(&["wink", "--mock"])).stderr;
    let start = log.lines().find(|line| line.contains("mcp.start")).expect("the start is logged");
    let start: Value = serde_json::from_str(start).expect("JSON");
    assert_eq!(start["context"]["mock"], true);
}

#[test]
fn nothing_is_read_and_nothing_is_written() {
    let home = wink();
    // The surface itself would complain about this file.
    let file = home.write("overrides/demo.app/code-review/latest.json", "{");
    let mut client = StdioSession::start(home.command(&["mcp", "--mock"]), "wire-test");

    let mut section = json!({"ns": "demo.app", "prompt": "code-review", "section_path": "system"});
    let read = client.call("wink.get_section_override", section.clone());
    assert_eq!(read.body["status"], "current", "{}", read.body);
    section["body"] = json!("You are new.");
    let refused = client.call("wink.write_section_override", section.clone());
    assert_eq!(refused.body["code"], "confirm_required");
    assert!(refused.body["would"].is_object(), "{}", refused.body);
    section["confirm"] = json!(true);
    let written = client.call("wink.write_section_override", section);
    assert!(!written.is_error, "{}", written.body);
    assert_eq!(std::fs::read_to_string(&file).expect("readable"), "{");
}

#[test]
fn the_caller_chooses_an_answer() {
    let mut client = session(&["wink", "--mock"]);
    let mut exchange = |choice: Value| client.exchange("tools/call", choosing(choice));
    let failed = exchange(json!({"error": "section_not_found"}));
    assert_eq!(failed["result"]["isError"], true);
    assert_eq!(failed["result"]["structuredContent"]["code"], "section_not_found");
    let shown = exchange(json!({"example": "code_moved_on"}));
    assert_eq!(shown["result"]["structuredContent"]["status"], "stale", "{shown}");
    let unknown = exchange(json!({"error": "hash_mismatch"}));
    assert_eq!(unknown["error"]["code"], -32602);
    assert!(unknown["error"]["data"]["errors"].to_string().contains("section_not_found"));
}

#[test]
fn whoever_starts_the_server_chooses_an_answer() {
    let mut client = session(&[
        "wink",
        "--mock",
        "--mock-error",
        "*=storage_failed",
        "--mock-error",
        "wink.get_section_override=prompt_not_found",
        "--mock-example",
        "get_tool_override=no_such_tool",
    ]);
    let mut code = |tool: &str, arguments: Value| client.call(tool, arguments).body["code"].clone();
    assert_eq!(code("wink.list_overrides", json!({})), "storage_failed");
    assert_eq!(code("wink.get_section_override", section()), "prompt_not_found");
    let tool = json!({"ns": "my.app", "prompt": "mine", "tool_name": "search"});
    assert_eq!(code("wink.get_tool_override", tool), "tool_not_found");
}

#[test]
fn a_choice_that_there_is_not_ends_with_2_and_what_there_is() {
    let message = refused(&["wink", "--mock", "--mock-error", "wink.list_overrides=hash_mismatch"]);
    assert!(message.contains("it declares: cursor_invalid"), "{message}");
    let message = refused(&["wink", "--mock", "--mock-error", "list=internal"]);
    assert!(
        message.contains("unknown tool `list`") && message.contains("list_overrides"),
        "{message}"
    );
    let message = refused(&["wink", "--mock", "--mock-example", "list_overrides=none"]);
    assert!(message.contains("has no example `none`"), "{message}");
    let message = refused(&["wink", "--mock", "--mock-error", "internal"]);
    assert!(message.contains("expected TOOL=VALUE"), "{message}");
    let message = refused(&["wink", "--mock-error", "*=internal"]);
    assert!(message.contains("add --mock"), "{message}");
}

#[test]
fn a_contract_without_code_is_served_from_its_folder() {
    let mut client = session(&["--mock", "echo", "--specs", "examples/echo/specs"]);
    assert_eq!(client.tools().len(), 3);
    let echoed = client.call("echo", json!({"text": "bye"}));
    assert_eq!(echoed.body["text"], "bye");
    let failed = client.call("add", json!({"numbers": []}));
    assert_eq!(failed.body["code"], "invalid_arguments");
}

#[test]
fn resources_are_answered_by_mocks_and_files() {
    let specs = "tests/specs/valid/kitchen_sink";
    // `--strict` is a setting of that contract.
    let mut client = session(&["--mock", "kitchen_sink", "--specs", specs, "--strict"]);
    let mut read =
        |uri: &str| client.request("resources/read", json!({"uri": uri}))["contents"][0].clone();
    let plan = read("ks://plan");
    let body: Value = serde_json::from_str(plan["text"].as_str().expect("text")).expect("JSON");
    assert_eq!(body["data"]["steps"], json!(["apply everything"]), "{plan}");
    assert_eq!(plan["_meta"]["toolwright/mock"], true);
    let page = read("ui://ks/plan.html");
    let file =
        Path::new(env!("CARGO_MANIFEST_DIR")).join(specs).join("kitchen_sink/components/plan.html");
    assert_eq!(page["text"], std::fs::read_to_string(file).expect("a file"));
}

#[test]
fn a_folder_that_cannot_be_served_ends_with_2_and_says_why() {
    let message = refused(&["--mock", "demo", "--specs", "tests/specs/invalid/unknown_key"]);
    assert!(message.contains("error[TW003]") && message.contains("^^^^^"), "{message}");
    let message = refused(&["--mock", "nothing", "--specs", "examples/echo/specs"]);
    assert!(
        message.contains("no surface `nothing`") && message.contains("available: echo"),
        "{message}"
    );
    let message = refused(&["--mock", "echo", "--specs", "no/such/folder"]);
    assert!(message.contains("`no/such/folder` is not a folder"), "{message}");
    let message = refused(&["echo", "--specs", "examples/echo/specs"]);
    assert!(message.contains("add --mock"), "{message}");
    let message = refused(&["nothing"]);
    assert!(message.contains("no surface `nothing`") && message.contains("wink"), "{message}");
}
