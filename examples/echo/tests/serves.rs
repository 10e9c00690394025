//! Starts the server and calls every tool over standard input and output, as a client would.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

struct Client {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Client {
    /// A server after the handshake.
    fn start() -> Self {
        let mut child = Command::new(env!("CARGO_BIN_EXE_echo-server"))
            .arg("mcp")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let input = child.stdin.take().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        let mut client = Self { child, input, output };
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "test", "version": "1"},
        });
        client.send(
            json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": params}),
        );
        assert_eq!(client.receive()["result"]["serverInfo"]["name"], "echo");
        client.send(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        client
    }

    fn send(&mut self, message: Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).unwrap();
        serde_json::from_str(&line).unwrap()
    }

    fn request(&mut self, id: u32, method: &str, params: Value) {
        self.send(json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
    }

    /// The result of one call.
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request(1, "tools/call", json!({"name": tool, "arguments": arguments}));
        self.receive()["result"].take()
    }

    /// Says goodbye and returns what the server has logged.
    fn ends_well(self) -> String {
        let Self { mut child, input, .. } = self;
        drop(input);
        let mut log = String::new();
        child.stderr.take().unwrap().read_to_string(&mut log).unwrap();
        assert!(child.wait().unwrap().success());
        log
    }
}

#[test]
fn lists_its_tools() {
    let mut client = Client::start();
    client.request(1, "tools/list", json!({}));
    let tools = client.receive()["result"]["tools"].take();
    let names: Vec<_> = tools.as_array().unwrap().iter().map(|tool| tool["name"].clone()).collect();
    assert_eq!(names, ["add", "echo", "wait"]);
    client.ends_well();
}

#[test]
fn echo_says_it_again() {
    let mut client = Client::start();
    let result = client.call("echo", json!({"text": "Hé ", "times": 2, "style": "upper"}));
    let body = json!({"text": "HÉ HÉ ", "length": 6, "style": "upper", "tags": []});
    assert_eq!(result["structuredContent"], body);
    assert_eq!(result["isError"], false);
    let text = result["content"][0]["text"].as_str().unwrap();
    assert_eq!(serde_json::from_str::<Value>(text).unwrap(), body);
    client.ends_well();
}

#[test]
fn all_bad_arguments_are_told_at_once() {
    let mut client = Client::start();
    let result = client.call("echo", json!({"text": "x", "times": 6, "style": "loud", "tag": []}));
    assert_eq!(result["isError"], true);
    let body = &result["structuredContent"];
    assert_eq!(body["code"], "invalid_arguments");
    let mut pointers: Vec<_> = body["problems"]
        .as_array()
        .unwrap()
        .iter()
        .map(|p| p["pointer"].as_str().unwrap())
        .collect();
    pointers.sort_unstable();
    assert_eq!(pointers, ["/style", "/tag", "/times"]);
    client.ends_well();
}

#[test]
fn add_has_an_error_of_its_own() {
    let mut client = Client::start();
    let result = client.call("add", json!({"numbers": [2, 3, -1]}));
    assert_eq!(result["structuredContent"], json!({"sum": 4}));
    let result = client.call("add", json!({"numbers": [i64::MAX, 1]}));
    assert_eq!(result["isError"], true);
    assert_eq!(result["structuredContent"]["code"], "sum_too_large");
    client.ends_well();
}

#[test]
fn wait_reports_progress() {
    let mut client = Client::start();
    let params = json!({
        "name": "wait", "arguments": {"steps": 2}, "_meta": {"progressToken": "t"},
    });
    client.request(1, "tools/call", params);
    for done in [1.0, 2.0] {
        let message = client.receive();
        assert_eq!(message["method"], "notifications/progress");
        assert_eq!(message["params"]["progress"], done);
        assert_eq!(message["params"]["total"], 2.0);
    }
    assert_eq!(client.receive()["result"]["structuredContent"], json!({"waited": 2}));
    client.ends_well();
}

#[test]
fn wait_can_be_cancelled() {
    let mut client = Client::start();
    client.request(7, "tools/call", json!({"name": "wait", "arguments": {"steps": 600}}));
    let cancel = json!({"requestId": 7, "reason": "changed my mind"});
    client.send(json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancel}));
    // A cancelled call is not answered: the next answer belongs to the next call.
    let result = client.call("add", json!({"numbers": [1]}));
    assert_eq!(result["structuredContent"], json!({"sum": 1}));
    let log = client.ends_well();
    assert!(log.contains(r#""outcome":"cancelled""#), "{log}");
}
