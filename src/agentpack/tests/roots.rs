//! Hosts start servers in arbitrary folders, so the client's roots name the project.

use serde_json::{Value, json};
use toolwright_runtime::client::Client;

use crate::sandbox::Sandbox;

/// Asks the doctor, which names the project, as a client that can tell its roots.
fn project_root(client: &mut Client, id: u64, roots: &Value) -> Value {
    let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call",
        "params": {"name": "doctor", "arguments": {}}});
    client.send(&call).expect("the server reads");
    loop {
        let message = client.receive().expect("a message");
        if message["method"] == "roots/list" {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}});
            client.send(&answer).expect("the server reads");
        } else if message["id"] == id {
            return message["result"]["structuredContent"]["data"]["project_root"].clone();
        }
    }
}

fn session(sandbox: &Sandbox) -> Client {
    let mut command = sandbox.agentpack(&["mcp"]);
    command.current_dir("/").stderr(std::process::Stdio::null());
    let mut client = Client::connect(command).expect("the server starts");
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"roots": {"listChanged": true}},
        "clientInfo": {"name": "roots-test", "version": "1"}});
    client.request("initialize", params).expect("a handshake");
    client
        .send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))
        .expect("the server reads");
    client
}

#[test]
fn the_clients_root_is_the_project_where_the_working_directory_is_none() {
    let sandbox = Sandbox::new();
    let project = sandbox.path("project");
    let root = json!([{"uri": format!("file://{}", project.display())}]);
    let mut client = session(&sandbox);
    let expected = json!(project.canonicalize().expect("the project"));
    let changed = json!({"jsonrpc": "2.0", "method": "notifications/roots/list_changed"});
    let mut found = project_root(&mut client, 10, &root);
    for id in 100..120 {
        if found == expected {
            break;
        }
        // A busy machine made the client one that is not waited for; it has itself asked again.
        client.send(&changed).expect("the server reads");
        found = project_root(&mut client, id, &root);
    }
    assert_eq!(found, expected);
    assert_eq!(project_root(&mut client, 11, &json!([])), expected, "asked for once");

    client.send(&changed).expect("the server reads");
    assert_eq!(project_root(&mut client, 12, &json!([])), "/", "asked again after a change");
}
