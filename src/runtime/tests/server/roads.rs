//! The short road and the ordinary one must give the same answers.

use serde_json::{Value, json};

use crate::client::Client;
use crate::surface::modern_meta;

/// Sends the same call twice: a progress token leads to the ordinary road.
fn both_roads(client: &mut Client, params: &Value) -> [Value; 2] {
    let mut ordinary = params.clone();
    ordinary["_meta"]["progressToken"] = "p".into();
    [params.clone(), ordinary].map(|params| {
        client.send(
            &json!({"jsonrpc": "2.0", "id": "same", "method": "tools/call", "params": params}),
        );
        client.receive()
    })
}

#[test]
fn give_equal_answers_to_calls() {
    let mut client = Client::legacy();
    let calls = [
        json!({"name": "test.echo", "arguments": {"a": [1, 2.5, null], "b": "x\u{2028}\n"}}),
        json!({"name": "test_echo", "arguments": {"meta": {"k": 1}}}),
        json!({"name": "test.echo"}),
        json!({"name": "test.echo", "arguments": {}, "_meta": {"x/y": 7}}),
        json!({"name": "test.fail", "arguments": {}}),
        json!({"name": "test.protocol", "arguments": {}}),
        json!({"name": "test.panic", "arguments": {}}),
        json!({"name": "test.lazy", "arguments": {}}),
        json!({"name": "test.echoo", "arguments": {}}),
        json!({"name": "test.echo", "arguments": []}),
        json!({"arguments": {}}),
    ];
    for call in calls {
        let [short, ordinary] = both_roads(&mut client, &call);
        assert_eq!(short, ordinary, "{call}");
        let mut call = call;
        let mut meta = modern_meta();
        if let Some(own) = call.get("_meta") {
            meta.extend(own.as_object().unwrap().clone());
        }
        call["_meta"] = meta.into();
        let [short, ordinary] = both_roads(&mut client, &call);
        assert_eq!(short, ordinary, "{call}");
    }
    client.close().unwrap();
}

#[test]
fn give_equal_lists() {
    let mut client = Client::legacy();
    for meta in [json!({}), modern_meta().into()] {
        let mut lists = [false, true].map(|ordinary| {
            let mut meta = meta.clone();
            if ordinary {
                meta["progressToken"] = 1.into();
            }
            client.request("tools/list", json!({ "_meta": meta }))
        });
        let [short, ordinary] = &mut lists;
        assert_eq!(short, ordinary);
        assert!(!short["tools"].as_array().unwrap().is_empty());
    }
    client.close().unwrap();
}

#[test]
fn text_and_structured_content_say_the_same() {
    let mut client = Client::legacy();
    for meta in [json!({}), json!({"progressToken": 1})] {
        let params = json!({"name": "test.echo", "arguments": {"z": 1, "a": 2}, "_meta": meta});
        let result = client.request("tools/call", params);
        let text: Value =
            serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
    }
    client.close().unwrap();
}
