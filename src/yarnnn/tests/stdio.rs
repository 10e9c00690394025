//! The program itself: `yarnnn mcp` as a host starts it, and commands as users type them.

use std::process::{Command, Output, Stdio};

use serde_json::{Value, json};
use toolwright_runtime::client::Client;

use super::instance::{Instance, SECRET};

/// The newest revision, which has no handshake.
const MODERN: &str = "2026-07-28";

impl Instance {
    /// `yarnnn` on this instance's database, as the owner.
    pub(crate) fn yarnnn(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(toolwright_testing::program("yarnnn"));
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_clear()
            .env("HOME", self.folder.path())
            .env("USER", "petra")
            .env("YARNNN_TOKEN", &self.tenant.token)
            .env("YARNNN_JWT_SECRET", SECRET)
            .stderr(Stdio::null());
        match self.url.strip_prefix("sqlite:") {
            Some(file) => command.env("YARNNN_DATABASE_FILE", file),
            None => command.env("YARNNN_DATABASE_URL", &self.url),
        };
        command
    }

    /// A session with a server of its own.
    pub(crate) fn session(&self) -> Client {
        Client::spawn(self.yarnnn(&["mcp"]), "claude-ai").expect("the server starts")
    }

    /// A server before the handshake.
    pub(crate) fn server(&self) -> Client {
        Client::connect(self.yarnnn(&["mcp"])).expect("the server starts")
    }

    /// Runs an operator command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.yarnnn(arguments).stderr(Stdio::piped()).output().expect("yarnnn runs")
    }
}

/// The response to a call: result or error.
pub(crate) fn respond(client: &mut Client, tool: &str, arguments: Value) -> Value {
    let params = json!({"name": tool, "arguments": arguments});
    client.exchange("tools/call", params).expect("a response")
}

/// The client metadata that a request of the newest revision must carry.
pub(crate) fn modern_meta(asks: bool) -> Value {
    let capabilities = if asks { json!({"elicitation": {}}) } else { json!({}) };
    json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": capabilities,
        "io.modelcontextprotocol/clientInfo": {"name": "claude-code", "version": "9"},
    })
}
