//! A minimal HTTP client for tests: it shows exactly what goes over the wire.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream};

use rustix::net;
use serde_json::{Value, json};

use crate::reply::ToolReply;
use crate::session::{STATELESS, stateless_meta};
use crate::wait::PATIENCE;

/// Headers that every MCP request needs.
pub const MCP: [(&str, &str); 2] =
    [("Content-Type", "application/json"), ("Accept", "application/json, text/event-stream")];

/// One connection.
pub struct Web {
    stream: BufReader<TcpStream>,
}

/// A whole answer.
#[derive(Debug)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Names as sent, in the order sent.
    pub headers: Vec<(String, String)>,
    /// All of it.
    pub body: String,
}

impl Response {
    /// The first header of that name.
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, value)| value.as_str())
    }

    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The messages of an event stream.
    pub fn events(&self) -> Vec<Value> {
        assert_eq!(self.header("content-type"), Some("text/event-stream"), "{self:?}");
        self.body.lines().filter_map(event).collect()
    }
}

/// The message in one line of an event stream.
pub fn event(line: &str) -> Option<Value> {
    let data = line.trim().strip_prefix("data:")?.trim();
    (!data.is_empty()).then(|| serde_json::from_str(data).unwrap())
}

/// The text of a request.
pub fn request(method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> String {
    let mut text = format!("{method} {path} HTTP/1.1\r\nContent-Length: {}\r\n", body.len());
    if !headers.iter().any(|(name, _)| *name == "Host") {
        text += "Host: localhost\r\n";
    }
    for (name, value) in headers {
        text += &format!("{name}: {value}\r\n");
    }
    text + "\r\n" + body
}

/// A JSON-RPC request.
pub fn message(id: u64, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params})
}

impl Web {
    /// Connects.
    pub fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).unwrap())
    }

    /// Connects from another address of this machine, such as 127.0.0.9.
    pub fn connect_from(from: Ipv4Addr, address: SocketAddr) -> Self {
        let socket = net::socket(net::AddressFamily::INET, net::SocketType::STREAM, None).unwrap();
        net::bind(&socket, &SocketAddr::from((from, 0))).unwrap();
        net::connect(&socket, &address).unwrap();
        Self::over(TcpStream::from(socket))
    }

    fn over(stream: TcpStream) -> Self {
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self { stream: BufReader::new(stream) }
    }

    /// Sends bytes as they are.
    pub fn send(&mut self, text: &str) {
        self.stream.get_mut().write_all(text.as_bytes()).unwrap();
    }

    /// Sends bytes to a server that may have closed the connection; whether it took them.
    pub fn try_send(&mut self, text: &str) -> bool {
        self.stream.get_mut().write_all(text.as_bytes()).is_ok()
    }

    /// One line as it comes.
    pub fn line(&mut self) -> String {
        let mut line = String::new();
        self.stream.read_line(&mut line).unwrap();
        line
    }

    /// Status and headers.
    pub fn head(&mut self) -> Response {
        let status = self.line();
        let status = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let mut headers = Vec::new();
        loop {
            let line = self.line();
            let Some((name, value)) = line.trim().split_once(':') else { break };
            headers.push((name.to_owned(), value.trim().to_owned()));
        }
        Response { status: status.expect("a status"), headers, body: String::new() }
    }

    /// Whether an answer with this status comes, and not the end of the connection.
    pub fn answers_with(&mut self, status: u16) -> bool {
        let mut line = String::new();
        let read = self.stream.read_line(&mut line);
        read.is_ok() && line.split(' ').nth(1) == Some(&status.to_string())
    }

    /// A whole answer.
    pub fn receive(&mut self) -> Response {
        let mut response = self.head();
        let mut body = Vec::new();
        if let Some(length) = response.header("content-length") {
            body.resize(length.parse().unwrap(), 0);
            self.stream.read_exact(&mut body).unwrap();
        } else if response.header("transfer-encoding") == Some("chunked") {
            loop {
                let length = usize::from_str_radix(self.line().trim(), 16).unwrap();
                let start = body.len();
                body.resize(start + length, 0);
                self.stream.read_exact(&mut body[start..]).unwrap();
                self.line();
                if length == 0 {
                    break;
                }
            }
        }
        response.body = String::from_utf8(body).unwrap();
        response
    }

    /// Sends a request and reads the whole answer.
    pub fn exchange(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &str,
    ) -> Response {
        self.send(&request(method, path, headers, body));
        self.receive()
    }

    /// Gets a path.
    pub fn get(&mut self, path: &str) -> Response {
        self.exchange("GET", path, &[], "")
    }

    /// Posts a JSON-RPC message with the headers that MCP requires, and more.
    pub fn post(&mut self, headers: &[(&str, &str)], body: &str) -> Response {
        self.exchange("POST", "/mcp", &[&MCP, headers].concat(), body)
    }

    /// Calls a tool at a handshake revision, with a bearer token where one is given; the whole
    /// response.
    pub fn send_call(&mut self, token: Option<&str>, tool: &str, arguments: &Value) -> Response {
        let authorization = token.map(|token| format!("Bearer {token}"));
        let mut headers = vec![("MCP-Protocol-Version", "2025-11-25")];
        headers.extend(authorization.as_deref().map(|value| ("Authorization", value)));
        let call = message(1, "tools/call", json!({"name": tool, "arguments": arguments}));
        self.post(&headers, &call.to_string())
    }

    /// The same for a call that the server accepts.
    pub fn call(&mut self, token: Option<&str>, tool: &str, arguments: &Value) -> ToolReply {
        let response = self.send_call(token, tool, arguments);
        assert_eq!(response.status, 200, "{response:?}");
        ToolReply::of(response.json())
    }

    /// A request of a handshake revision; its result.
    pub fn legacy(&mut self, headers: &[(&str, &str)], method: &str, params: Value) -> Value {
        let version = [("MCP-Protocol-Version", "2025-11-25")];
        let response =
            self.post(&[&version, headers].concat(), &message(1, method, params).to_string());
        assert_eq!(response.status, 200, "{response:?}");
        response.json()
    }

    /// Sends a request of revision 2026-07-28.
    pub fn start_modern(&mut self, headers: &[(&str, &str)], method: &str, mut params: Value) {
        stateless_meta(&mut params, "web", &json!({"elicitation": {}}));
        let name = params["name"].as_str().or(params["uri"].as_str()).map(str::to_owned);
        let mut all = vec![("MCP-Protocol-Version", STATELESS), ("Mcp-Method", method)];
        all.extend(name.as_deref().map(|name| ("Mcp-Name", name)));
        all.extend(MCP);
        all.extend(headers);
        self.send(&request("POST", "/mcp", &all, &message(1, method, params).to_string()));
    }

    /// A request of revision 2026-07-28; its response.
    pub fn modern(&mut self, headers: &[(&str, &str)], method: &str, params: Value) -> Value {
        self.start_modern(headers, method, params);
        let response = self.receive();
        assert_eq!(response.status, 200, "{response:?}");
        response.json()
    }

    /// Reads until the server closes the connection.
    pub fn rest(mut self) -> String {
        let mut rest = Vec::new();
        // A reset is an end too.
        let _ = self.stream.read_to_end(&mut rest);
        String::from_utf8_lossy(&rest).into_owned()
    }
}
