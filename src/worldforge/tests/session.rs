//! A session with the program over its standard streams, as a tenant's admin.

use std::ops::{Deref, DerefMut};
use std::process::Command;

use serde_json::{Value, json};
use toolwright_testing::{StdioSession, ToolReply};

use super::instance::TestTenant;

/// Tenant, user and project are put into every call.
pub(crate) struct Session {
    stdio: StdioSession,
    fixture: TestTenant,
}

impl Deref for Session {
    type Target = StdioSession;

    fn deref(&self) -> &StdioSession {
        &self.stdio
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut StdioSession {
        &mut self.stdio
    }
}

impl Session {
    pub(crate) fn start(command: Command, fixture: &TestTenant) -> Self {
        let stdio = StdioSession::start(command, "worldforge-test");
        Self { stdio, fixture: fixture.clone() }
    }

    /// The arguments with who and where.
    pub(crate) fn with_scope(&self, tool: &str, user: &str, arguments: &Value) -> Value {
        let mut whole = json!({"tenantId": self.fixture.tenant, "userId": user});
        if tool != "project.create" {
            whole["projectId"] = json!(self.fixture.project);
        }
        for (name, value) in arguments.as_object().expect("arguments are an object") {
            whole[name] = value.clone();
        }
        whole
    }

    /// Calls a tool as the tenant's admin.
    pub(crate) fn call(&mut self, tool: &str, arguments: &Value) -> ToolReply {
        let whole = self.with_scope(tool, &self.fixture.admin, arguments);
        self.stdio.call(tool, whole)
    }

    /// The answer of a call that must go well.
    #[track_caller]
    pub(crate) fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        self.call(tool, &arguments).ok()
    }

    /// kill -9 of the server; what it had answered, in the order of the calls.
    pub(crate) fn kill(self) -> Vec<Value> {
        self.stdio.kill().into_values().collect()
    }

    /// Ends the server as a host does.
    pub(crate) fn close(self) {
        self.stdio.close();
    }
}
