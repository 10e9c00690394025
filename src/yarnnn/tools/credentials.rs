//! The guard before every tool: authenticates the caller by their token.

use serde_json::Value;
use toolwright_runtime::{Call, Guard};

use super::super::engine::{AuthenticatedUser, Caller, host_of};
use super::super::extract::clean;
use super::super::{Connection, Yarnnn};
use crate::generated::{CredentialsGuard, Result};

/// Longest session id that is stored, in characters.
const SESSION: usize = 200;

impl Guard<CredentialsGuard> for Yarnnn {
    type Pass = Caller;

    async fn check(&self, call: &Call, _: CredentialsGuard) -> Result<Caller> {
        let started = self.engine.ticks();
        let user = match (user_token(call), &*self.connection) {
            (Some(token), _) => self.authenticate(Some(token)).await?,
            (None, Connection::Unverified(token)) => self.authenticate(token.clone()).await?,
            (None, Connection::Verified(user)) => user.clone(),
        };
        let host = host_of(call.client().name.as_deref());
        let caller = user.into_caller(call.tool().name, host, session(call), started);
        call.identify(&caller.source.user_id);
        self.details.caller(&caller);
        Ok(caller)
    }
}

impl Yarnnn {
    async fn authenticate(&self, token: Option<String>) -> Result<AuthenticatedUser> {
        self.run(move |engine| engine.authenticate(token.as_deref())).await
    }
}

/// The token of the user on whose behalf an adapter calls; overrides the connection's.
fn user_token(call: &Call) -> Option<String> {
    match call.request_meta().get("user_token")? {
        Value::Null => None,
        Value::String(token) => Some(token.clone()),
        // A value that is not text is a bad token; the connection's is not used instead.
        other => Some(other.to_string()),
    }
}

/// The host's session id, under any of the keys that hosts use.
fn session(call: &Call) -> Option<String> {
    let meta = call.request_meta();
    let found = ["sessionId", "session_id", "session"].iter().find_map(|name| meta.get(*name))?;
    let seen = clean(found.as_str()?).text;
    let text: String = seen.chars().filter(|c| !c.is_control()).take(SESSION).collect();
    (!text.is_empty()).then_some(text)
}
