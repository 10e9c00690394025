//! Hosts start servers in arbitrary folders, so the client's roots name the project.

use serde_json::{Value, json};
use toolwright_testing::StdioSession;

use crate::sandbox::Sandbox;

/// Asks the doctor, which names the project, as a client that can tell its roots.
fn project_root(client: &mut StdioSession, roots: &Value) -> Value {
    let id = client.begin_call("doctor", &json!({}));
    loop {
        let message = client.receive();
        if message["method"] == "roots/list" {
            let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": {"roots": roots}});
            client.send(&answer);
        } else if message["id"] == id {
            return message["result"]["structuredContent"]["data"]["project_root"].clone();
        }
    }
}

fn session(sandbox: &Sandbox) -> StdioSession {
    let mut command = sandbox.agentpack(&["mcp"]);
    command.current_dir("/");
    let mut client = StdioSession::connect(command);
    let params = json!({"protocolVersion": "2025-11-25", "capabilities": {"roots": {"listChanged": true}},
        "clientInfo": {"name": "roots-test", "version": "1"}});
    client.request("initialize", params);
    client.notify("notifications/initialized", json!({}));
    client
}

#[test]
fn the_clients_root_is_the_project_where_the_working_directory_is_none() {
    let sandbox = Sandbox::new();
    let project = sandbox.path("project");
    let root = json!([{"uri": format!("file://{}", project.display())}]);
    let mut client = session(&sandbox);
    let expected = json!(project.canonicalize().expect("the project"));
    let changed = "notifications/roots/list_changed";
    let mut found = project_root(&mut client, &root);
    for _ in 0..20 {
        if found == expected {
            break;
        }
        // A busy machine made the client one that is not waited for; it has itself asked again.
        client.notify(changed, json!({}));
        found = project_root(&mut client, &root);
    }
    assert_eq!(found, expected);
    assert_eq!(project_root(&mut client, &json!([])), expected, "asked for once");

    client.notify(changed, json!({}));
    assert_eq!(project_root(&mut client, &json!([])), "/", "asked again after a change");
}
