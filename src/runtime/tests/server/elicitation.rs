//! Asking the user through the client, with and without a handshake.

use std::time::Duration;

use serde_json::{Value, json};
use toolwright_runtime::ask::AskPolicy;
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

    let yes = yes();
    let no = json!({"confirm": {"action": "decline"}});
    let mut repeat = |arguments: Value, responses: &Value, state: &str| {
        let mut params = call(arguments);
        params["inputResponses"] = responses.clone();
        params["requestState"] = state.into();
        client.modern("tools/call", params)["result"].take()
    };
    assert_eq!(repeat(json!({"n": 1}), &no, &state)["structuredContent"]["code"], "declined");
    // A yes for other arguments, or one that we never sealed, is asked again.
    assert_eq!(repeat(json!({"n": 2}), &yes, &state)["resultType"], "input_required");
    let forged = state.replace(|digit: char| digit.is_ascii_digit(), "0");
    assert_eq!(repeat(json!({"n": 1}), &yes, &forged)["resultType"], "input_required");
    assert_eq!(repeat(json!({"n": 1}), &json!({}), &state)["resultType"], "input_required");
    assert_eq!(repeat(json!({"n": 1}), &yes, &state)["structuredContent"], json!({"done": true}));
    client.close().unwrap();
}

fn yes() -> Value {
    json!({"confirm": {"action": "accept", "content": {"confirm": true}}})
}

/// A call of revision 2026-07-28, with the state of a question and a yes to it.
fn agreed(client: &mut Client, state: &str) -> Value {
    let params = json!({"name": "test.ask", "inputResponses": yes(), "requestState": state});
    client.modern("tools/call", params)["result"].take()
}

fn state_of(question: &Value) -> String {
    question["requestState"].as_str().unwrap().to_owned()
}

#[test]
fn a_yes_is_used_once() {
    let mut client = Client::raw(ServeOptions::default());
    let questions = [(); 2].map(|()| client.modern("tools/call", json!({"name": "test.ask"})));
    let [one, two] = questions.map(|response| state_of(&response["result"]));
    assert_ne!(one, two, "each question is answered for itself");
    assert_eq!(agreed(&mut client, &one)["structuredContent"], json!({"done": true}));
    let again = agreed(&mut client, &one);
    assert_eq!(again["resultType"], "input_required", "{again}");
    // Another spelling of the same state is the same state.
    let (expires, rest) = one.split_once('.').unwrap();
    let respelled = agreed(&mut client, &format!("0{}.{rest}", expires.to_uppercase()));
    assert_eq!(respelled["resultType"], "input_required", "{respelled}");
    assert_eq!(agreed(&mut client, &two)["structuredContent"], json!({"done": true}));
    client.close().unwrap();
}

#[test]
fn a_yes_is_used_once_among_replicas_whose_surfaces_share_a_store() {
    let key = ServeOptions { seal_key: Some([7; 32]), ..ServeOptions::default() };
    let [mut one, mut two] = [(); 2].map(|()| Client::raw(key.clone()));
    let question = one.modern("tools/call", json!({"name": "test.ask"}));
    let state = state_of(&question["result"]);
    assert_eq!(agreed(&mut one, &state)["structuredContent"], json!({"done": true}));
    // Without a store that they share, the other replica cannot know.
    assert_eq!(agreed(&mut two, &state)["structuredContent"], json!({"done": true}));
    let question = one.modern("tools/call", json!({"name": "test.ask"}));
    let state = state_of(&question["result"]);
    for replica in [&one, &two] {
        replica.surface.shared_consents.lock().unwrap().replace(Default::default());
    }
    let shared = one.surface.shared_consents.lock().unwrap().clone();
    *two.surface.shared_consents.lock().unwrap() = shared;
    assert_eq!(agreed(&mut one, &state)["structuredContent"], json!({"done": true}));
    assert_eq!(agreed(&mut two, &state)["resultType"], "input_required");
    one.close().unwrap();
    two.close().unwrap();
}

fn with(ask: AskPolicy, ask_timeout: Duration) -> ServeOptions {
    ServeOptions { ask, ask_timeout, ..ServeOptions::default() }
}

/// Clients that declare elicitation and have nobody to answer it.
#[test]
fn a_question_that_nobody_answers_is_a_no() {
    let soon = Duration::from_millis(20);
    let mut client = Client::legacy_with("2025-11-25", "headless", with(AskPolicy::Auto, soon));
    let id = client.start("tools/call", json!({"name": "test.ask"}));
    let question = client.receive();
    let withdrawn = client.receive();
    assert_eq!(withdrawn["method"], "notifications/cancelled");
    assert_eq!(withdrawn["params"]["requestId"], question["id"]);
    let answer = client.receive();
    assert_eq!(answer["id"], id);
    assert_eq!(answer["result"]["structuredContent"]["code"], "late");
    // A yes that comes later changes nothing.
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"],
                        "result": {"action": "accept", "content": {"confirm": true}}}));
    assert_eq!(client.request("ping", json!({})), json!({}));
    client.close().unwrap();

    let mut client = Client::raw(with(AskPolicy::Auto, Duration::ZERO));
    let question = client.modern("tools/call", json!({"name": "test.ask"}));
    let late = agreed(&mut client, &state_of(&question["result"]));
    assert_eq!(late["structuredContent"]["code"], "late", "{late}");
    client.close().unwrap();
}

#[test]
fn never_asks_nobody_and_always_asks_or_refuses() {
    let wait = Duration::from_secs(60);
    for (ask, asking, other) in [
        (AskPolicy::Auto, None, "cannot_ask"),
        (AskPolicy::Always, None, "must_ask"),
        (AskPolicy::Never, Some("cannot_ask"), "cannot_ask"),
    ] {
        let mut client = Client::raw(with(ask, wait));
        let mut meta = modern_meta();
        let answer = client.modern("tools/call", json!({"name": "test.ask"}))["result"].take();
        match asking {
            None => assert_eq!(answer["resultType"], "input_required", "{ask:?} {answer}"),
            Some(code) => assert_eq!(answer["structuredContent"]["code"], code, "{ask:?}"),
        }
        meta["io.modelcontextprotocol/clientCapabilities"] = json!({});
        let answer = client.request("tools/call", json!({"name": "test.ask", "_meta": meta}));
        assert_eq!(answer["structuredContent"]["code"], other, "{ask:?}");
        client.close().unwrap();
    }
    let mut client = Client::legacy_with("2025-11-25", "tests", with(AskPolicy::Never, wait));
    let answer = client.call("test.ask", json!({}));
    assert_eq!(answer["structuredContent"]["code"], "cannot_ask");
    client.close().unwrap();
}
