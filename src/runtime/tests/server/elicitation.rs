//! Asking the user through the client, with and without a handshake.

use serde_json::{Value, json};
use toolwright_runtime::server::ServeOptions;

use crate::client::Client;
use crate::surface::modern_meta;

fn answer_form(client: &mut Client, result: &Value) {
    let question = client.receive();
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "Really?");
    assert_eq!(question["params"]["requestedSchema"]["required"], json!(["confirm"]));
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": result}));
}

#[test]
fn in_a_session_the_client_is_asked_while_the_call_waits() {
    let mut client = Client::legacy();
    for (reply, done) in [
        (json!({"action": "accept", "content": {"confirm": true}}), true),
        (json!({"action": "accept", "content": {"confirm": false}}), false),
        (json!({"action": "accept"}), false),
        (json!({"action": "decline"}), false),
        (json!({"action": "cancel"}), false),
    ] {
        let id = client.start("tools/call", json!({"name": "test.ask"}));
        answer_form(&mut client, &reply);
        let answer = client.receive();
        assert_eq!(answer["id"], id);
        assert_eq!(answer["result"]["isError"], !done, "{reply}");
    }
    client.close().unwrap();
}

#[test]
fn an_error_instead_of_an_answer_counts_as_no() {
    let mut client = Client::legacy();
    client.start("tools/call", json!({"name": "test.ask"}));
    let question = client.receive();
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"],
                        "error": {"code": -32603, "message": "no screen"}}));
    let answer = client.receive();
    assert_eq!(answer["result"]["structuredContent"]["code"], "declined");
    client.close().unwrap();
}

#[test]
fn a_client_that_cannot_ask_counts_as_no() {
    let mut client = Client::raw(ServeOptions::default());
    client.request(
        "initialize",
        json!({"protocolVersion": "2025-11-25", "capabilities": {},
               "clientInfo": {"name": "x", "version": "1"}}),
    );
    let answer = client.call("test.ask", json!({}));
    assert_eq!(answer["structuredContent"]["code"], "cannot_ask");
    let mut meta = modern_meta();
    meta["io.modelcontextprotocol/clientCapabilities"] = json!({"elicitation": {"url": {}}});
    let answer = client.request("tools/call", json!({"name": "test.ask", "_meta": meta}));
    assert_eq!(answer["structuredContent"]["code"], "cannot_ask");
    client.close().unwrap();
}

#[test]
fn cancelling_a_call_withdraws_its_question() {
    let mut client = Client::legacy();
    let id = client.start("tools/call", json!({"name": "test.ask"}));
    let question = client.receive();
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled",
                        "params": {"requestId": id}}));
    let withdrawn = client.receive();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    client.close().unwrap();
}

#[test]
fn without_a_session_the_call_is_repeated_with_the_answer() {
    let mut client = Client::raw(ServeOptions::default());
    let call = |arguments: Value| json!({"name": "test.ask", "arguments": arguments});
    let first = client.modern("tools/call", call(json!({"n": 1})))["result"].take();
    assert_eq!(first["resultType"], "input_required");
    let question = &first["inputRequests"]["confirm"];
    assert_eq!(question["method"], "elicitation/create");
    assert_eq!(question["params"]["message"], "Really?");
    let state = first["requestState"].as_str().unwrap().to_owned();

    let yes = json!({"confirm": {"action": "accept", "content": {"confirm": true}}});
    let no = json!({"confirm": {"action": "decline"}});
    let mut repeat = |arguments: Value, responses: &Value, state: &str| {
        let mut params = call(arguments);
        params["inputResponses"] = responses.clone();
        params["requestState"] = state.into();
        client.modern("tools/call", params)["result"].take()
    };
    assert_eq!(repeat(json!({"n": 1}), &yes, &state)["structuredContent"], json!({"done": true}));
    assert_eq!(repeat(json!({"n": 1}), &no, &state)["structuredContent"]["code"], "declined");
    // A yes for other arguments, or one that we never sealed, is asked again.
    assert_eq!(repeat(json!({"n": 2}), &yes, &state)["resultType"], "input_required");
    let forged = state.replace(|digit: char| digit.is_ascii_digit(), "0");
    assert_eq!(repeat(json!({"n": 1}), &yes, &forged)["resultType"], "input_required");
    assert_eq!(repeat(json!({"n": 1}), &json!({}), &state)["resultType"], "input_required");
    client.close().unwrap();
}
