//! Ids that occur twice.

use serde_json::{Value, json};

use crate::client::Client;

fn refused(answer: &Value, words: &str) {
    assert_eq!(answer["error"]["code"], -32600, "{answer}");
    assert!(answer["error"]["message"].as_str().unwrap().contains(words), "{answer}");
}

#[test]
fn an_id_that_is_in_flight_is_refused_and_its_first_request_is_answered() {
    let mut client = Client::legacy();
    let folder = tempfile::tempdir().unwrap();
    let go_on = folder.path().join("go-on");
    for id in [json!(7), json!("a\u{e9}")] {
        let arguments = json!({"until": go_on});
        let params = json!({"name": "test.slow", "arguments": arguments});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}));
        for (method, params) in [
            ("tools/call", json!({"name": "test.echo", "arguments": {}})),
            ("tools/call", json!({"name": "test.slow", "arguments": {}})),
            ("tools/list", json!({})),
            ("resources/list", json!({})),
        ] {
            client.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
            let answer = client.receive();
            assert_eq!(answer["id"], id);
            refused(&answer, "an id of its own");
        }
        // The same text as the number is another id.
        let other = json!({"jsonrpc": "2.0", "id": "7", "method": "ping"});
        client.send(&other);
        assert_eq!(client.receive()["result"], json!({}));
        std::fs::write(&go_on, "").unwrap();
        let answer = client.receive();
        assert_eq!((&answer["id"], &answer["result"]["isError"]), (&id, &json!(false)));
        std::fs::remove_file(&go_on).unwrap();
        // Answered, so the id is free again.
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "resources/list"}));
        assert!(client.receive()["result"]["resources"].is_array());
    }
    client.close().unwrap();
}

#[test]
fn an_id_of_a_queued_call_is_refused_too() {
    let options = toolwright_runtime::server::ServeOptions { max_calls: 1, ..Default::default() };
    let mut client = Client::legacy_with("2025-11-25", "tests", options);
    let folder = tempfile::tempdir().unwrap();
    let go_on = folder.path().join("go-on");
    let slow = json!({"name": "test.slow", "arguments": {"until": go_on}});
    for id in [100, 101, 101] {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": slow}));
    }
    refused(&client.receive(), "an id of its own");
    std::fs::write(&go_on, "").unwrap();
    assert_eq!([client.receive()["id"].clone(), client.receive()["id"].clone()], [100, 101]);
    client.close().unwrap();
}
