//! An MCP session with a server process over its standard streams, with a deadline for every answer.
//!
//! Every line that the server prints must be a JSON-RPC message. A server that does not answer is
//! killed, so that a test fails instead of hanging.

use std::collections::BTreeMap;
use std::io;
use std::process::Command;

use serde_json::{Value, json};
use toolwright_runtime::client::{Client, PROTOCOL};

use crate::process::{Watchdog, kill};
use crate::reply::ToolReply;

/// The revision without a handshake: each request names its revision and client.
pub const STATELESS: &str = "2026-07-28";

/// Adds to the parameters of a request what [`STATELESS`] wants in `_meta`.
pub fn stateless_meta(params: &mut Value, client: &str, capabilities: &Value) {
    let own = [
        ("protocolVersion", json!(STATELESS)),
        ("clientCapabilities", capabilities.clone()),
        ("clientInfo", json!({"name": client, "version": "1"})),
    ];
    for (key, value) in own {
        params["_meta"][format!("io.modelcontextprotocol/{key}")] = value;
    }
}

/// A running server and its client; stopped when dropped.
#[derive(Debug)]
pub struct StdioSession {
    client: Client,
    revision: &'static str,
    name: String,
    capabilities: Value,
    next_id: u64,
    /// Answers that arrived while another one was awaited.
    early: BTreeMap<u64, Value>,
    /// Notifications and requests of the server, in the order received.
    pub notifications: Vec<Value>,
}

impl StdioSession {
    /// Starts the server and makes the handshake as the client called `name`.
    pub fn start(command: Command, name: &str) -> Self {
        Self::start_at(command, name, PROTOCOL)
    }

    /// The same at another protocol revision; at [`STATELESS`] there is no handshake.
    pub fn start_at(command: Command, name: &str, revision: &'static str) -> Self {
        Self::start_with(command, name, revision, &json!({}))
    }

    /// The same for a client with capabilities, such as `{"elicitation": {}}`.
    pub fn start_with(
        command: Command,
        name: &str,
        revision: &'static str,
        capabilities: &Value,
    ) -> Self {
        let client = Client::connect(command).expect("the server starts");
        let mut session =
            Self { capabilities: capabilities.clone(), ..Self::over(client, name, revision) };
        if revision != STATELESS {
            let hello = json!({"protocolVersion": revision, "capabilities": capabilities,
                "clientInfo": {"name": name, "version": "1"}});
            let opened = session.request("initialize", hello);
            assert_eq!(opened["protocolVersion"], revision, "{opened}");
            session.notify("notifications/initialized", json!({}));
        }
        session
    }

    /// The same for a server that may fail to start.
    pub fn try_start(command: Command, name: &str) -> io::Result<Self> {
        let client = Client::spawn(command, name)?;
        Ok(Self::over(client, name, PROTOCOL))
    }

    /// Starts the server and sends nothing.
    pub fn connect(command: Command) -> Self {
        let client = Client::connect(command).expect("the server starts");
        Self::over(client, "test-client", PROTOCOL)
    }

    fn over(client: Client, name: &str, revision: &'static str) -> Self {
        let (early, notifications) = (BTreeMap::new(), Vec::new());
        let (name, capabilities) = (name.to_owned(), json!({}));
        Self { client, revision, name, capabilities, next_id: 1000, early, notifications }
    }

    /// The protocol revision of the session.
    pub fn revision(&self) -> &'static str {
        self.revision
    }

    /// The text of a request at this revision, and its id; sends nothing.
    pub fn request_text(&mut self, method: &str, mut params: Value) -> (String, u64) {
        if self.revision == STATELESS {
            stateless_meta(&mut params, &self.name, &self.capabilities);
        }
        self.next_id += 1;
        let id = self.next_id;
        let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
        (request.to_string(), id)
    }

    /// Sends a request and does not wait; its id.
    pub fn begin(&mut self, method: &str, params: Value) -> u64 {
        let (text, id) = self.request_text(method, params);
        self.send_line(&text);
        id
    }

    /// Sends a tool call and does not wait; its id.
    pub fn begin_call(&mut self, tool: &str, arguments: &Value) -> u64 {
        self.begin("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Cancels a request.
    pub fn cancel(&mut self, id: u64) {
        self.notify("notifications/cancelled", json!({"requestId": id, "reason": "cancelled"}));
    }

    /// Sends any message.
    pub fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string());
    }

    /// Sends any line, well-formed or not.
    pub fn send_line(&mut self, line: &str) {
        self.send_bytes(format!("{line}\n").as_bytes());
    }

    /// Sends bytes as they are, which need not end a line.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        self.client.send_bytes(bytes).expect("the server reads");
    }

    /// Waits for the next message, whatever it is.
    pub fn receive(&mut self) -> Value {
        parsed(&self.receive_line())
    }

    /// Waits for the next line, as it is.
    pub fn receive_line(&mut self) -> String {
        let _watchdog = Watchdog::over(self.process_id());
        let line = self.client.receive_line().expect("an answer in time");
        assert!(line.ends_with('\n'), "the server ended with {line:?}");
        line
    }

    /// Waits for the response to a request; keeps what else arrives.
    pub fn wait(&mut self, id: u64) -> Value {
        loop {
            if let Some(response) = self.early.remove(&id) {
                return response;
            }
            let message = self.receive();
            self.keep(message);
        }
    }

    /// The response has already arrived, while another one was awaited.
    pub fn has_response(&self, id: u64) -> bool {
        self.early.contains_key(&id)
    }

    pub(crate) fn keep(&mut self, message: Value) {
        match message["id"].as_u64() {
            Some(id) if message.get("method").is_none() => drop(self.early.insert(id, message)),
            _ => self.notifications.push(message),
        }
    }

    /// Sends a request and waits for its response, result or error.
    pub fn exchange(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params);
        self.wait(id)
    }

    /// The result of a request that must succeed.
    #[track_caller]
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let mut response = self.exchange(method, params);
        assert!(response.get("error").is_none(), "{method}: {response}");
        response["result"].take()
    }

    /// The listed tools.
    pub fn tools(&mut self) -> Vec<Value> {
        let mut result = self.request("tools/list", json!({}));
        match result["tools"].take() {
            Value::Array(tools) => tools,
            other => panic!("no list of tools: {other}"),
        }
    }

    /// Calls a tool.
    pub fn call(&mut self, tool: &str, arguments: Value) -> ToolReply {
        let id = self.begin_call(tool, &arguments);
        self.reply(id)
    }

    /// Waits for the reply to a tool call.
    pub fn reply(&mut self, id: u64) -> ToolReply {
        ToolReply::of(self.wait(id))
    }

    /// The body of a call that must succeed.
    #[track_caller]
    pub fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        self.call(tool, arguments).ok()
    }

    /// The body of a call that must fail with this code.
    #[track_caller]
    pub fn fails(&mut self, tool: &str, arguments: Value, code: &str) -> Value {
        self.call(tool, arguments).fails(code)
    }

    /// The server's process.
    pub fn process_id(&self) -> i32 {
        self.client.process_id().try_into().expect("a process id")
    }

    /// Kills the server; the responses that it had already sent, by their ids.
    pub fn kill(mut self) -> BTreeMap<u64, Value> {
        kill(self.process_id());
        while let Ok(message) = self.client.receive() {
            self.keep(message);
        }
        self.early
    }

    /// Closes the server's input and waits until it ends, which must be with status 0; the messages
    /// that it still sent.
    pub fn close(mut self) -> Vec<Value> {
        let _watchdog = Watchdog::over(self.process_id());
        self.client.close_input();
        let mut rest = Vec::new();
        while let Ok(line) = self.client.receive_line() {
            rest.push(parsed(&line));
        }
        let status = self.client.close().expect("the server ends");
        assert!(status.success(), "{status}");
        rest
    }
}

fn parsed(line: &str) -> Value {
    let message: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line:?}"));
    assert_eq!(message["jsonrpc"], "2.0", "{line}");
    message
}
