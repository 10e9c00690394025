//! A user of yarnnn who calls tools in this process. Every answer must fit its tool's output schema and budget.

use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwright_runtime::ask::Asker;
use toolwright_runtime::clock::FixedClock;
use toolwright_runtime::{Call, Client, Dispatch, Services};
use toolwright_testing::{ToolReply, in_process};

use super::instance::addition;

/// A user of one server, in one session of a host.
#[derive(Clone)]
pub(crate) struct TestUser {
    surface: Arc<dyn Dispatch>,
    clock: Arc<FixedClock>,
    client: Client,
    meta: Map<String, Value>,
    asker: Option<Arc<dyn Asker>>,
}

impl TestUser {
    pub(crate) fn new(surface: Arc<dyn Dispatch>, clock: Arc<FixedClock>) -> Self {
        let client = Client { name: Some("claude-ai".to_owned()), ..Client::default() };
        Self { surface, clock, client, meta: Map::new(), asker: None }.in_session("session-1")
    }

    /// Through a client with this name.
    pub(crate) fn through(mut self, client: &str) -> Self {
        self.client.name = Some(client.to_owned());
        self
    }

    /// With something in the request's `_meta`.
    pub(crate) fn with_meta(mut self, key: &str, value: Value) -> Self {
        self.meta.insert(key.to_owned(), value);
        self
    }

    /// In another session of the host.
    pub(crate) fn in_session(self, id: &str) -> Self {
        self.with_meta("sessionId", json!(id))
    }

    /// Through a client that can ask its user.
    pub(crate) fn with_asker(mut self, asker: Arc<dyn Asker>) -> Self {
        self.asker = Some(asker);
        self
    }

    /// Calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> ToolReply {
        self.call_raw(tool, &arguments.to_string())
    }

    /// Calls a tool with any JSON text.
    pub(crate) fn call_raw(&self, tool: &str, arguments: &str) -> ToolReply {
        let surface = &*self.surface;
        let reply = in_process::checked(surface, tool, arguments, |info| {
            let services = Services { clock: self.clock.clone(), ..in_process::services() };
            let call = Call::new(info, "test", services)
                .from_client(Arc::new(self.client.clone()))
                .with_request_meta(self.meta.clone());
            match &self.asker {
                Some(asker) => call.with_asker(Arc::clone(asker)),
                None => call,
            }
        });
        in_process::stays_within_budget(surface, tool, &reply);
        reply
    }

    /// The answer of a call that must succeed.
    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> Value {
        self.call_ok(tool, arguments).body
    }

    /// The same with the result's metadata.
    #[track_caller]
    pub(crate) fn call_ok(&self, tool: &str, arguments: Value) -> ToolReply {
        let reply = self.call(tool, &arguments);
        assert!(!reply.is_error, "{tool}: {}", reply.body);
        reply
    }

    /// The answer of a call that must fail with this code.
    #[track_caller]
    pub(crate) fn fails(&self, tool: &str, arguments: Value, code: &str) -> Value {
        self.call(tool, &arguments).fails(code)
    }

    /// Adds a text for a session.
    pub(crate) fn add(&self, content: &str, embedding: &[f64]) -> ToolReply {
        self.call("add_to_substrate", &addition(content, embedding))
    }

    /// Adds a text that must be stored; returns the answer.
    #[track_caller]
    pub(crate) fn add_stored(&self, content: &str, embedding: &[f64]) -> Value {
        let added = self.ok("add_to_substrate", addition(content, embedding));
        assert_eq!(added["status"], "success", "{added}");
        added
    }
}
