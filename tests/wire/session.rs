//! A session with a furnished surface at one revision, in which nothing that the server prints goes
//! unread: every line must be a message, and after the goodbye there must be nothing.

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};

use serde_json::{Value, json};

use crate::homes::{Ask, Home};

/// Every revision that is promised.
pub(crate) const REVISIONS: [&str; 3] = ["2025-06-18", "2025-11-25", MODERN];
/// The one without a handshake.
pub(crate) const MODERN: &str = "2026-07-28";

pub(crate) struct Session {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    pub(crate) revision: &'static str,
    next: u64,
}

impl Session {
    pub(crate) fn open(home: &Home, revision: &'static str) -> Self {
        // Which names are listed depends on the client's, and that on the revision.
        let mut command = home.command(&["mcp", "--client-profile", "canonical"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut session = Self { child, input, output, revision, next: 1 };
        if revision != MODERN {
            let hello = json!({"protocolVersion": revision, "capabilities": {},
                "clientInfo": {"name": "wire-test", "version": "1"}});
            let opened = session.exchange("initialize", hello);
            assert_eq!(opened["result"]["protocolVersion"], revision, "{opened}");
            session.line(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
        }
        session
    }

    pub(crate) fn write(&mut self, bytes: &[u8]) {
        self.input.write_all(bytes).expect("the server reads");
    }

    pub(crate) fn line(&mut self, message: &Value) {
        self.write(format!("{message}\n").as_bytes());
    }

    /// The text of a request as this revision wants it, and its id.
    pub(crate) fn request(&mut self, method: &str, mut params: Value) -> (String, u64) {
        if self.revision == MODERN {
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(MODERN);
            params["_meta"]["io.modelcontextprotocol/clientCapabilities"] = json!({});
        }
        let id = self.next;
        self.next += 1;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        (request.to_string(), id)
    }

    pub(crate) fn call(&mut self, ask: &Ask) -> (String, u64) {
        self.request("tools/call", json!({"name": ask.tool, "arguments": ask.arguments}))
    }

    /// The next line, which is a message.
    pub(crate) fn receive_line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("UTF-8");
        assert!(line.ends_with('\n'), "the server ended with {line:?}");
        line
    }

    pub(crate) fn receive(&mut self) -> Value {
        parsed(&self.receive_line())
    }

    /// Sends a request; the next message answers it.
    pub(crate) fn exchange(&mut self, method: &str, params: Value) -> Value {
        let (text, id) = self.request(method, params);
        self.write(format!("{text}\n").as_bytes());
        self.answer_to(id)
    }

    pub(crate) fn answer_to(&mut self, id: u64) -> Value {
        let answer = self.receive();
        assert_eq!(answer["id"], id, "{answer}");
        answer
    }

    /// The server still serves, and nothing stands before its answer.
    pub(crate) fn serves(&mut self, home: &Home) {
        let (text, id) = self.call(&home.read);
        self.write(format!("{text}\n").as_bytes());
        let answer = self.answer_to(id);
        assert_eq!(answer["result"]["isError"], false, "{answer}");
    }

    /// Says goodbye; what the server still had to say.
    pub(crate) fn close(self) -> Vec<Value> {
        let Self { mut child, input, output, .. } = self;
        drop(input);
        let rest = output.lines().map(|line| parsed(&line.expect("UTF-8"))).collect();
        assert!(child.wait().expect("it ends").success());
        rest
    }
}

fn parsed(line: &str) -> Value {
    let message: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
    assert_eq!(message["jsonrpc"], "2.0", "{line}");
    message
}
