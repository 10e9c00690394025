//! A user who calls tools over HTTP, on one connection.

use serde_json::{Value, json};

use crate::http_client::{Response, Web, message};
use crate::json::list;
use crate::reply::ToolReply;

/// A connection, and headers that are sent with every request.
pub struct HttpUser {
    web: Web,
    headers: Vec<(&'static str, String)>,
}

impl HttpUser {
    /// With a bearer token.
    pub fn new(web: Web, token: &str) -> Self {
        Self { web, headers: vec![("Authorization", format!("Bearer {token}"))] }
    }

    /// With another header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &str) -> Self {
        self.headers.push((name, value.to_owned()));
        self
    }

    fn borrowed<'a>(headers: &'a [(&'static str, String)]) -> Vec<(&'static str, &'a str)> {
        headers.iter().map(|(name, value)| (*name, value.as_str())).collect()
    }

    /// Any request of a handshake revision; the whole response.
    pub fn send(&mut self, method: &str, params: Value) -> Response {
        let mut headers = Self::borrowed(&self.headers);
        headers.push(("MCP-Protocol-Version", "2025-11-25"));
        self.web.post(&headers, &message(7, method, params).to_string())
    }

    /// A request of revision 2026-07-28, whose client can ask people; its response.
    pub fn modern(&mut self, method: &str, params: Value) -> Value {
        self.web.modern(&Self::borrowed(&self.headers), method, params)
    }

    /// The listed tools.
    pub fn tools(&mut self) -> Vec<Value> {
        let response = self.send("tools/list", json!({}));
        assert_eq!(response.status, 200, "{response:?}");
        list(&response.json()["result"]["tools"]).to_vec()
    }

    /// Calls a tool; the server must accept the request.
    pub fn call(&mut self, tool: &str, arguments: Value) -> ToolReply {
        let response = self.send("tools/call", json!({"name": tool, "arguments": arguments}));
        assert_eq!(response.status, 200, "{response:?}");
        ToolReply::of(response.json())
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
}
