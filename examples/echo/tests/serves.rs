//! Starts the server and calls every tool over standard input and output, as a client would.

use serde_json::{Value, json};
use toolwright_testing::ServerHome;

/// A folder whose server logs into a file.
fn home() -> ServerHome {
    ServerHome::for_program(env!("CARGO_BIN_EXE_echo-server")).logging("log")
}

#[test]
fn lists_its_tools() {
    let mut session = home().session();
    let names: Vec<_> = session.tools().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["add", "echo", "wait"]);
    session.close();
}

#[test]
fn echo_says_it_again() {
    let mut session = home().session();
    let reply = session.call("echo", json!({"text": "Hé ", "times": 2, "style": "upper"}));
    let body = json!({"text": "HÉ HÉ ", "length": 6, "style": "upper", "tags": []});
    let text = reply.response["result"]["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), body);
    assert_eq!(reply.ok(), body);
    session.close();
}

#[test]
fn all_bad_arguments_are_told_at_once() {
    let mut session = home().session();
    let arguments = json!({"text": "x", "times": 6, "style": "loud", "tag": []});
    let body = session.fails("echo", arguments, "invalid_arguments");
    let mut pointers: Vec<_> = body["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["pointer"].as_str().unwrap())
        .collect();
    pointers.sort_unstable();
    assert_eq!(pointers, ["/style", "/tag", "/times"]);
    session.close();
}

#[test]
fn add_has_an_error_of_its_own() {
    let mut session = home().session();
    assert_eq!(session.ok("add", json!({"numbers": [2, 3, -1]})), json!({"sum": 4}));
    session.fails("add", json!({"numbers": [i64::MAX, 1]}), "sum_too_large");
    session.close();
}

#[test]
fn wait_reports_progress() {
    let mut session = home().session();
    let id = session.begin(
        "tools/call",
        json!({"name": "wait", "arguments": {"steps": 2}, "_meta": {"progressToken": "t"}}),
    );
    for done in [1.0, 2.0] {
        let message = session.receive();
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progress"], done);
        assert_eq!(message["params"]["total"], 2.0);
    }
    assert_eq!(session.reply(id).ok(), json!({"waited": 2}));
    session.close();
}

#[test]
fn wait_can_be_cancelled() {
    let home = home();
    let mut session = home.session();
    let id = session.begin_call("wait", &json!({"steps": 600}));
    session.cancel(id);
    // A cancelled call is not answered: the next answer belongs to the next call.
    assert_eq!(session.ok("add", json!({"numbers": [1]})), json!({"sum": 1}));
    assert!(!session.has_response(id));
    session.close();
    assert!(home.log().contains(r#""outcome":"cancelled""#), "{}", home.log());
}
