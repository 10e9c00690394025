//! The guard before every tool: whose workspace does the token open?

use serde_json::Value;
use toolwright_runtime::{Call, Guard};

use super::super::Yarnnn;
use super::super::extract::clean;
use super::super::journal::Known;
use super::super::memory::host_of;
use crate::generated::{CredentialsGuard, Result};

/// Longest session id that is kept, in characters.
const SESSION: usize = 200;

impl Guard<CredentialsGuard> for Yarnnn {
    async fn check(&self, call: &Call, _: CredentialsGuard) -> Result<()> {
        let started = self.memory.ticks();
        let token = self.token(call);
        let admitted = self.run(move |memory| memory.admit(token.as_deref())).await?;
        let host = host_of(call.client().name.as_deref());
        let caller = admitted.calls(call.tool().name, host, session(call), started);
        call.put(Known(caller.clone()));
        call.put(caller);
        Ok(())
    }
}

impl Yarnnn {
    /// The token of the user that an adapter speaks for, else that of the connection.
    fn token(&self, call: &Call) -> Option<String> {
        let of_connection = call.client().bearer.as_deref().or(self.token.as_deref());
        match call.request_meta().get("user_token") {
            None | Some(Value::Null) => of_connection.map(str::to_owned),
            Some(Value::String(of_user)) => Some(of_user.clone()),
            // What is no text is no token, and nobody else's takes its place.
            Some(other) => Some(other.to_string()),
        }
    }
}

/// The host's session, by any of the names that hosts use.
fn session(call: &Call) -> Option<String> {
    let meta = call.request_meta();
    let found = ["sessionId", "session_id", "session"].iter().find_map(|name| meta.get(*name))?;
    let seen = clean(found.as_str()?).text;
    let text: String = seen.chars().filter(|c| !c.is_control()).take(SESSION).collect();
    (!text.is_empty()).then_some(text)
}
