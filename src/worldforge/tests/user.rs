//! A user of worldforge who calls tools in this process. Every answer must fit its tool's output
//! schema.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright_runtime::dispatch::Rejected;
use toolwright_runtime::{Call, Dispatch};
use toolwright_testing::in_process::{checked, runtime, services};
use toolwright_testing::{ToolReply, json as answer};

use super::instance::{TestTenant, text};

/// Somebody who calls tools. Tenant, user and project are put into every call that does not name
/// them itself.
#[derive(Clone)]
pub(crate) struct TestUser {
    surface: Arc<dyn Dispatch>,
    pub(crate) tenant: String,
    pub(crate) user: String,
    pub(crate) project: String,
}

impl TestUser {
    pub(crate) fn at(surface: Arc<dyn Dispatch>, fixture: &TestTenant, user: &str) -> Self {
        let (tenant, project) = (fixture.tenant.clone(), fixture.project.clone());
        Self { surface, tenant, user: user.to_owned(), project }
    }

    /// With a token, as over HTTP.
    pub(crate) fn with_token(self, token: &str) -> Self {
        self.try_token(token).expect("a known token")
    }

    /// The same where the token may not be known.
    pub(crate) fn try_token(self, token: &str) -> Result<Self, Rejected> {
        let authenticator = self.surface.authenticator().expect("tokens are verified");
        let surface = runtime().block_on(authenticator.authenticate(Some(token)))?;
        Ok(Self { surface, ..self.clone() })
    }

    /// In another project.
    pub(crate) fn in_project(mut self, project: &str) -> Self {
        project.clone_into(&mut self.project);
        self
    }

    /// The arguments with who and where.
    pub(crate) fn with_scope(&self, tool: &str, arguments: &Value) -> Value {
        let mut whole = json!({"tenantId": self.tenant, "userId": self.user});
        if tool != "project.create" {
            whole["projectId"] = json!(self.project);
        }
        for (name, value) in arguments.as_object().expect("arguments are an object") {
            whole[name] = value.clone();
        }
        whole
    }

    /// Calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: &Value) -> ToolReply {
        self.call_raw(tool, &self.with_scope(tool, arguments).to_string())
    }

    /// Calls a tool with any JSON text.
    pub(crate) fn call_raw(&self, tool: &str, arguments: &str) -> ToolReply {
        checked(&*self.surface, tool, arguments, |info| Call::new(info, "trace-1", services()))
    }

    /// The answer of a call that must go well.
    #[track_caller]
    pub(crate) fn ok(&self, tool: &str, arguments: Value) -> Value {
        let reply = self.call(tool, &arguments);
        assert!(!reply.is_error, "{tool} {arguments}: {}", reply.body);
        reply.body
    }

    /// The answer of a call that must fail with this code.
    #[track_caller]
    pub(crate) fn fails(&self, tool: &str, arguments: Value, code: &str) -> Value {
        let body = self.call(tool, &arguments).fails(code);
        assert!(body["message"].as_str().is_some_and(|message| !message.is_empty()), "{body}");
        body
    }

    /// Adds an entity; its id.
    pub(crate) fn entity(&self, kind: &str, name: &str) -> String {
        self.entity_with(json!({"type": kind, "name": name}))
    }

    pub(crate) fn entity_with(&self, fields: Value) -> String {
        text(&self.ok("entity.upsert", json!({"entity": fields}))["entity"]["_id"])
    }

    /// Adds a node; its id.
    pub(crate) fn node(&self, fields: Value) -> String {
        text(&self.ok("storyNode.create", json!({"node": fields}))["node"]["_id"])
    }

    /// Adds a scene with a place in the telling; its id.
    pub(crate) fn scene(&self, title: &str, order: u64) -> String {
        self.node(json!({"nodeType": "SCENE", "title": title, "time": {"order": order}}))
    }

    /// Connects two nodes; the edge's id.
    pub(crate) fn edge(&self, from: &str, to: &str, kind: &str) -> String {
        let edge = json!({"fromNodeId": from, "toNodeId": to, "edgeType": kind});
        text(&self.ok("storyEdge.create", json!({"edge": edge}))["edge"]["_id"])
    }

    pub(crate) fn publish(&self, kind: &str, id: &str) -> Value {
        let published = json!({"objectType": kind, "objectId": id});
        self.ok("version.publish", published)["object"].clone()
    }

    pub(crate) fn get_entity(&self, id: &str) -> Value {
        self.ok("entity.get", json!({"entityId": id}))["entity"].clone()
    }

    pub(crate) fn get_node(&self, id: &str) -> Value {
        self.ok("storyNode.get", json!({"nodeId": id}))["node"].clone()
    }
}

/// The pointers that a refusal names, each once.
pub(crate) fn pointers(failure: &Value) -> Vec<String> {
    let problems = answer::list(&failure["details"]["problems"]).iter();
    let mut pointers: Vec<String> = problems.map(|problem| text(&problem["pointer"])).collect();
    pointers.dedup();
    pointers
}
