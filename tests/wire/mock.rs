//! Mocks as a client meets them: the list of the real server, answers without anything behind them.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use toolwright_runtime::client::Client;

use crate::server::{folder, wink};

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

fn session(arguments: &[&str]) -> Client {
    Client::spawn(serve(arguments), "wire-test").expect("the server starts")
}

fn refused(arguments: &[&str]) -> String {
    let Output { status, stdout, stderr } =
        serve(arguments).stdin(Stdio::null()).stderr(Stdio::piped()).output().expect("runs");
    assert_eq!(status.code(), Some(2));
    assert!(stdout.is_empty());
    String::from_utf8_lossy(&stderr).into_owned()
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
    let folder = folder();
    let list = |command: Command, meta: &Value| {
        let mut client = Client::spawn(command, "wire-test").expect("the server starts");
        let params = json!({"_meta": meta});
        client
            .send(&json!({"jsonrpc": "2.0", "id": 7, "method": "tools/list", "params": params}))
            .expect("the server reads");
        client.receive_line().expect("a list")
    };
    let modern = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "t", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}});
    for meta in [json!({}), modern] {
        let real = list(wink(folder.path()), &meta);
        assert!(real.contains("list_overrides") && real.ends_with("}\n"), "{real}");
        let mut own = wink(folder.path());
        own.arg("--mock");
        let from_specs = serve(&["--mock", "wink", "--specs", "specs"]);
        for mock in [serve(&["wink", "--mock"]), own, from_specs] {
            assert!(list(mock, &meta) == real, "the lists differ");
        }
    }
}

#[test]
fn a_client_is_told_that_it_speaks_to_a_mock() {
    let mut client = Client::connect(serve(&["wink", "--mock"])).expect("the server starts");
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "t", "version": "1"}});
    let opened = client.request("initialize", hello).expect("a handshake");
    let instructions = opened["instructions"].as_str().expect("instructions");
    assert!(instructions.starts_with("This is a mock of wink"), "{instructions}");
    assert!(instructions.contains("Writes need confirm"), "{instructions}");

    let mut client = session(&["wink", "--mock"]);
    let answer = client.call("wink.get_section_override", section()).expect("an answer");
    assert_eq!(answer.raw["_meta"]["toolwright/mock"], true);
    assert_eq!(answer.body["ns"], "my.app", "{}", answer.body);
    let failed = client.call("wink.get_section_override", json!({"ns": 1})).expect("an answer");
    assert!(failed.is_error);
    assert_eq!(failed.body["code"], "invalid_arguments");
    assert_eq!(failed.raw["_meta"]["toolwright/mock"], true);
    assert!(client.close().expect("it ends").success());

    let output = serve(&["wink", "--mock"]).stdin(Stdio::null()).stderr(Stdio::piped()).output();
    let log = String::from_utf8_lossy(&output.expect("runs").stderr).into_owned();
    let start = log.lines().find(|line| line.contains("mcp.start")).expect("the start is logged");
    let start: Value = serde_json::from_str(start).expect("JSON");
    assert_eq!(start["context"]["mock"], true);
}

#[test]
fn nothing_is_read_and_nothing_is_written() {
    let folder = folder();
    // The surface itself would complain about this file.
    let file = folder.path().join("overrides/demo.app/code-review/latest.json");
    std::fs::create_dir_all(file.parent().expect("a parent")).expect("writable");
    std::fs::write(&file, "{").expect("writable");
    let mut command = wink(folder.path());
    command.arg("--mock");
    let mut client = Client::spawn(command, "wire-test").expect("the server starts");

    let mut section = json!({"ns": "demo.app", "prompt": "code-review", "section_path": "system"});
    let read = client.call("wink.get_section_override", section.clone()).expect("an answer");
    assert_eq!(read.body["status"], "current", "{}", read.body);
    section["body"] = json!("You are new.");
    let refused = client.call("wink.write_section_override", section.clone()).expect("an answer");
    assert_eq!(refused.body["code"], "confirm_required");
    assert!(refused.body["would"].is_object(), "{}", refused.body);
    section["confirm"] = json!(true);
    let written = client.call("wink.write_section_override", section).expect("an answer");
    assert!(!written.is_error, "{}", written.body);
    assert_eq!(std::fs::read_to_string(&file).expect("readable"), "{");
}

#[test]
fn the_caller_chooses_an_answer() {
    let mut client = session(&["wink", "--mock"]);
    let mut exchange =
        |choice: Value| client.exchange("tools/call", choosing(choice)).expect("an answer");
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
    let mut code = |tool: &str, arguments: Value| {
        client.call(tool, arguments).expect("an answer").body["code"].clone()
    };
    assert_eq!(code("wink.list_overrides", json!({})), "storage_failed");
    assert_eq!(code("wink.get_section_override", section()), "prompt_not_found");
    let tool = json!({"ns": "my.app", "prompt": "mine", "tool_name": "search"});
    assert_eq!(code("wink.get_tool_override", tool), "tool_not_found");
}

#[test]
fn a_choice_that_there_is_not_ends_with_2_and_what_there_is() {
    let said = refused(&["wink", "--mock", "--mock-error", "wink.list_overrides=hash_mismatch"]);
    assert!(said.contains("it declares: cursor_invalid"), "{said}");
    let said = refused(&["wink", "--mock", "--mock-error", "list=internal"]);
    assert!(said.contains("unknown tool `list`") && said.contains("list_overrides"), "{said}");
    let said = refused(&["wink", "--mock", "--mock-example", "list_overrides=none"]);
    assert!(said.contains("has no example `none`"), "{said}");
    let said = refused(&["wink", "--mock", "--mock-error", "internal"]);
    assert!(said.contains("expected TOOL=VALUE"), "{said}");
    let said = refused(&["wink", "--mock-error", "*=internal"]);
    assert!(said.contains("add --mock"), "{said}");
}

#[test]
fn a_contract_without_code_is_served_from_its_folder() {
    let mut client = session(&["--mock", "echo", "--specs", "examples/echo/specs"]);
    assert_eq!(client.tools().expect("a list").len(), 3);
    let said = client.call("echo", json!({"text": "bye"})).expect("an answer");
    assert_eq!(said.body["text"], "bye");
    let failed = client.call("add", json!({"numbers": []})).expect("an answer");
    assert_eq!(failed.body["code"], "invalid_arguments");
}

#[test]
fn resources_are_answered_by_mocks_and_files() {
    let specs = "tests/specs/valid/kitchen_sink";
    // `--strict` is a setting of that contract.
    let mut client = session(&["--mock", "kitchen_sink", "--specs", specs, "--strict"]);
    let mut read = |uri: &str| {
        client.request("resources/read", json!({"uri": uri})).expect("a resource")["contents"][0]
            .clone()
    };
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
    let said = refused(&["--mock", "demo", "--specs", "tests/specs/invalid/unknown_key"]);
    assert!(said.contains("error[TW003]") && said.contains("^^^^^"), "{said}");
    let said = refused(&["--mock", "nothing", "--specs", "examples/echo/specs"]);
    assert!(said.contains("no surface `nothing`") && said.contains("available: echo"), "{said}");
    let said = refused(&["--mock", "echo", "--specs", "no/such/folder"]);
    assert!(said.contains("`no/such/folder` is not a folder"), "{said}");
    let said = refused(&["echo", "--specs", "examples/echo/specs"]);
    assert!(said.contains("add --mock"), "{said}");
    let said = refused(&["nothing"]);
    assert!(said.contains("no surface `nothing`") && said.contains("wink"), "{said}");
}
