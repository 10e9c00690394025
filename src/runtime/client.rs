//! A small MCP client over a child process's standard streams.
//!
//! `tour`, `doctor` and the tests use it as a host would: start a process, perform the handshake, list
//! and call tools. It knows no surface.

use std::ffi::OsStr;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use serde_json::{Value, json};

/// The newest protocol revision with a handshake.
pub const PROTOCOL: &str = "2025-11-25";

/// A running server with an open session.
#[derive(Debug)]
pub struct Client {
    child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

/// A tool's answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// Structured content of the result.
    pub body: Value,
    /// The result is an error.
    pub is_error: bool,
    /// The whole result.
    pub raw: Value,
}

impl Answer {
    fn of(raw: Value) -> Self {
        Self {
            body: raw["structuredContent"].clone(),
            is_error: raw["isError"] == Value::Bool(true),
            raw,
        }
    }
}

impl Client {
    /// Starts `program` and performs the handshake as the client `name`.
    pub fn start(
        program: impl AsRef<OsStr>,
        arguments: &[&str],
        folder: &Path,
        name: &str,
    ) -> io::Result<Self> {
        let mut command = Command::new(program);
        command.args(arguments).current_dir(folder).stderr(Stdio::null());
        Self::spawn(command, name)
    }

    /// Starts a command and performs the handshake.
    pub fn spawn(command: Command, name: &str) -> io::Result<Self> {
        Self::spawn_with(command, name, &json!({}))
    }

    /// The same as a client that can ask its user; see [`Client::call_before`].
    pub fn spawn_asking(command: Command, name: &str) -> io::Result<Self> {
        Self::spawn_with(command, name, &json!({"elicitation": {}}))
    }

    fn spawn_with(command: Command, name: &str, capabilities: &Value) -> io::Result<Self> {
        let mut client = Self::connect(command)?;
        client.request(
            "initialize",
            json!({
                "protocolVersion": PROTOCOL,
                "capabilities": capabilities,
                "clientInfo": {"name": name, "version": env!("CARGO_PKG_VERSION")},
            }),
        )?;
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Starts a command without sending anything.
    pub fn connect(mut command: Command) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let input = child.stdin.take();
        let output = child.stdout.take().ok_or_else(closed)?;
        Ok(Self { child, input, output: BufReader::new(output), next_id: 1 })
    }

    /// Lists the tools.
    pub fn tools(&mut self) -> io::Result<Vec<Value>> {
        let mut result = self.request("tools/list", json!({}))?;
        match result["tools"].take() {
            Value::Array(tools) => Ok(tools),
            other => Err(unexpected(&other)),
        }
    }

    /// Calls a tool. A JSON-RPC error is an `Err`; a failed tool is an [`Answer`].
    pub fn call(&mut self, tool: &str, arguments: Value) -> io::Result<Answer> {
        let raw = self.request("tools/call", json!({"name": tool, "arguments": arguments}))?;
        Ok(Answer::of(raw))
    }

    /// Calls a tool while `user` answers the server's questions: `true` agrees.
    pub fn call_before(
        &mut self,
        mut user: impl FnMut(&str) -> bool,
        tool: &str,
        arguments: Value,
    ) -> io::Result<Answer> {
        let params = json!({"name": tool, "arguments": arguments});
        let id = self.begin("tools/call", params)?;
        loop {
            let mut message = self.receive()?;
            if message["method"] == "elicitation/create" {
                let agrees = user(message["params"]["message"].as_str().unwrap_or_default());
                let reply = match agrees {
                    true => json!({"action": "accept", "content": {"confirm": true}}),
                    false => json!({"action": "decline"}),
                };
                self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": reply}))?;
            } else if message["id"] == json!(id) {
                return match message.get("error") {
                    Some(error) => Err(io::Error::other(error.to_string())),
                    None => Ok(Answer::of(message["result"].take())),
                };
            }
        }
    }

    /// Sends a request and waits for its result, skipping notifications.
    pub fn request(&mut self, method: &str, params: Value) -> io::Result<Value> {
        let mut response = self.exchange(method, params)?;
        match response.get("error") {
            Some(error) => Err(io::Error::other(error.to_string())),
            None => Ok(response["result"].take()),
        }
    }

    /// Sends a request and waits for its response, result or error.
    pub fn exchange(&mut self, method: &str, params: Value) -> io::Result<Value> {
        let id = self.begin(method, params)?;
        loop {
            let message = self.receive()?;
            if message["id"] == json!(id) {
                return Ok(message);
            }
        }
    }

    /// Sends a request; its id.
    fn begin(&mut self, method: &str, params: Value) -> io::Result<u64> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    /// Sends any message.
    pub fn send(&mut self, message: &Value) -> io::Result<()> {
        self.send_line(&message.to_string())
    }

    /// Sends any line, well-formed or not.
    pub fn send_line(&mut self, line: &str) -> io::Result<()> {
        let input = self.input.as_mut().ok_or_else(closed)?;
        input.write_all(line.as_bytes())?;
        input.write_all(b"\n")?;
        input.flush()
    }

    /// Sends bytes as they are, which need not be a whole line.
    pub fn send_bytes(&mut self, bytes: &[u8]) -> io::Result<()> {
        let input = self.input.as_mut().ok_or_else(closed)?;
        input.write_all(bytes)?;
        input.flush()
    }

    /// Closes the server's input. What it still prints can be received.
    pub fn close_input(&mut self) {
        drop(self.input.take());
    }

    /// Waits for the next message of any kind.
    pub fn receive(&mut self) -> io::Result<Value> {
        let line = self.receive_line()?;
        serde_json::from_str(&line).map_err(|_| io::Error::other(format!("not JSON: {line:?}")))
    }

    /// Waits for the next line, unparsed.
    pub fn receive_line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        match self.output.read_line(&mut line)? {
            0 => Err(closed()),
            _ => Ok(line),
        }
    }

    /// The server's process id.
    pub fn process_id(&self) -> u32 {
        self.child.id()
    }

    /// Ends the session by closing the server's input, and waits for it.
    pub fn close(mut self) -> io::Result<ExitStatus> {
        drop(self.input.take());
        self.child.wait()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // Hosts end a session by closing the input; a server that does not exit is killed.
        drop(self.input.take());
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the server closed its output")
}

fn unexpected(value: &Value) -> io::Error {
    io::Error::other(format!("unexpected answer: {value}"))
}
