//! One connection that is kept: a session where the server wants one, and calls in it.

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpStream};

use serde_json::{Value, json};

use super::response::Response;
use crate::Result;

/// The revision that is agreed on by a handshake.
const HANDSHAKE: &str = "2025-11-25";

/// A client of one server.
pub(crate) struct Connection {
    pub(super) stream: TcpStream,
    port: u16,
    buffer: Vec<u8>,
    /// Lines of the head beside those that all requests have.
    headers: String,
}

impl Connection {
    pub(super) fn open(port: u16) -> Result<Self> {
        let stream = connected(port)?;
        let headers = format!("Host: 127.0.0.1:{port}\r\n");
        Ok(Self { stream, port, buffer: Vec::with_capacity(64 * 1024), headers })
    }

    /// The same session over a new connection: some servers soon close one that is idle.
    pub(super) fn reopen(&mut self) -> Result<()> {
        self.stream = connected(self.port)?;
        Ok(())
    }

    /// With a bearer token.
    pub(crate) fn with_token(mut self, token: &str) -> Self {
        self.headers.push_str(&format!("Authorization: Bearer {token}\r\n"));
        self
    }

    /// The handshake; what a server without sessions answers is not kept.
    pub(super) fn shake_hands(&mut self) -> Result<()> {
        let about = json!({"name": "harness", "version": "1"});
        let params = json!({"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": about});
        let hello = json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params});
        let request = self.request(hello.to_string().as_bytes());
        self.send(&request)?;
        let response = self.wait()?;
        let session = response.header("mcp-session-id").map(str::to_owned);
        if let Some(session) = session {
            self.headers.push_str(&format!("Mcp-Session-Id: {session}\r\n"));
            let initialized = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
            let request = self.request(initialized.to_string().as_bytes());
            self.send(&request)?;
            self.wait()?;
        }
        Ok(())
    }

    /// Calls a tool; gives the answer of a server that answers with plain JSON.
    pub(crate) fn call(&mut self, id: usize, tool: &str, arguments: &Value) -> Result<Value> {
        let params = json!({"name": tool, "arguments": arguments});
        let call = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
        let request = self.request(call.to_string().as_bytes());
        self.send(&request)?;
        let answer: Value = serde_json::from_slice(self.wait()?.body)?;
        if answer.get("result").is_none_or(|result| result["isError"] == true) {
            return Err(format!("{tool}: {answer}").into());
        }
        Ok(answer)
    }

    /// A request as it goes over the wire.
    pub(super) fn request(&self, body: &[u8]) -> Vec<u8> {
        let head = format!(
            "POST /mcp HTTP/1.1\r\n{}Content-Type: application/json\r\n\
             Accept: application/json, text/event-stream\r\n\
             MCP-Protocol-Version: {HANDSHAKE}\r\nContent-Length: {}\r\n\r\n",
            self.headers,
            body.len()
        );
        [head.as_bytes(), body].concat()
    }

    pub(super) fn send(&mut self, request: &[u8]) -> Result<()> {
        self.buffer.clear();
        Ok(self.stream.write_all(request)?)
    }

    /// Reads once; the answer, if it is whole now.
    pub(super) fn receive(&mut self) -> Result<Option<Response<'_>>> {
        let used = self.buffer.len();
        self.buffer.resize(used + 16 * 1024, 0);
        let count = self.stream.read(&mut self.buffer[used..])?;
        self.buffer.truncate(used + count);
        if count == 0 {
            return Err("the server hung up".into());
        }
        let response = Response::parse(&self.buffer)?;
        match response {
            Some(refusal) if !refusal.is_good() => {
                Err(format!("refused: {}", String::from_utf8_lossy(&self.buffer)).into())
            }
            response => Ok(response),
        }
    }

    fn wait(&mut self) -> Result<Response<'_>> {
        while self.receive()?.is_none() {}
        Response::parse(&self.buffer)?.ok_or_else(|| "no answer".into())
    }
}

fn connected(port: u16) -> Result<TcpStream> {
    let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, port))?;
    stream.set_nodelay(true)?;
    Ok(stream)
}
