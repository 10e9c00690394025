//! Asks the user through the client, with the mechanism of each protocol revision.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use rmcp::model::{
    CancelledNotificationParam, ClientCapabilities, ClientResult, ElicitRequest,
    ElicitRequestParams, ElicitResult, ElicitationAction, ElicitationSchema, InputResponses,
    ServerRequest,
};
use rmcp::service::{PeerRequestOptions, ServiceError};
use serde::Deserialize as _;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::host::Host;
use super::seal::Sealed;
use super::session::Handshake;
use crate::ask::{AskOutcome, Asker, InputRequest, Question, Reply};
use crate::digest::sha256_hex;
use crate::dispatch::Dispatch;

/// Name of the question within a call, and of its one field.
const FIELD: &str = "confirm";

/// Whether the client can show a form to the user.
pub(super) fn can_ask(capabilities: &ClientCapabilities) -> bool {
    capabilities
        .elicitation
        .as_ref()
        .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none())
}

fn schema() -> Value {
    json!({
        "type": "object",
        "properties": {
            FIELD: {"type": "boolean", "title": "Confirm", "description": "Set to true to proceed"}
        },
        "required": [FIELD],
    })
}

/// Only an accepted form with `true` counts as yes.
fn reply(result: &ElicitResult) -> Reply {
    let confirmed =
        result.content.as_ref().and_then(|content| content.get(FIELD)) == Some(&Value::Bool(true));
    if result.action == ElicitationAction::Accept && confirmed { Reply::Yes } else { Reply::No }
}

/// For revisions with a handshake: sends a request to the client and waits for the answer.
pub(super) struct SessionAsker {
    pub(super) handshake: Arc<Handshake>,
    pub(super) cancelled: CancellationToken,
    pub(super) ending: CancellationToken,
    pub(super) timeout: Duration,
}

impl SessionAsker {
    async fn elicit(&self, question: &Question) -> Result<Reply, ServiceError> {
        let Ok(requested_schema) = serde_json::from_value::<ElicitationSchema>(schema()) else {
            return Ok(Reply::No);
        };
        let request = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: question.message.clone(),
            requested_schema,
        });
        let options = PeerRequestOptions::with_timeout(self.timeout);
        let peer = &self.handshake.peer;
        let handle =
            peer.send_request_with_option(ServerRequest::ElicitRequest(request), options).await?;
        let id = handle.id.clone();
        tokio::select! {
            answer = handle.await_response() => match answer? {
                ClientResult::ElicitResult(result) => Ok(reply(&result)),
                _ => Err(ServiceError::UnexpectedResponse),
            },
            () = self.cancelled.cancelled() => {
                let reason = Some("the call was cancelled".to_owned());
                let withdrawal = CancelledNotificationParam::new(Some(id), reason);
                peer.notify_cancelled(withdrawal).await?;
                Ok(Reply::No)
            }
            // The client has disconnected.
            () = self.ending.cancelled() => Ok(Reply::No),
        }
    }
}

impl Asker for SessionAsker {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        _binding: &'a str,
    ) -> Pin<Box<dyn Future<Output = AskOutcome> + Send + 'a>> {
        Box::pin(async move {
            match self.elicit(question).await {
                Ok(reply) => AskOutcome::Answered(reply),
                Err(ServiceError::Timeout { .. }) => AskOutcome::Answered(Reply::Late),
                Err(error) => {
                    tracing::warn!(%error, "the client did not answer a question");
                    AskOutcome::Answered(Reply::No)
                }
            }
        })
    }
}

/// For 2026-07-28: the call ends with the question, and the client repeats it with the answer.
pub(super) struct RetryAsker {
    pub(super) host: Arc<Host>,
    /// The surface that runs the call.
    pub(super) surface: Arc<dyn Dispatch>,
    pub(super) responses: Option<InputResponses>,
    pub(super) state: Option<String>,
}

impl RetryAsker {
    /// The answer that came with the call. None without one, and where it belongs to another question
    /// or other arguments or was already used: then the user is asked again.
    async fn answered(&self, parts: &[&str], now: u64) -> Option<Reply> {
        let response = self.responses.as_ref()?.get(FIELD)?;
        let state = self.state.as_deref()?;
        let (expires, id) = match self.host.seal.check(state, parts, now) {
            Sealed::Foreign => return None,
            Sealed::Expired => return Some(Reply::Late),
            Sealed::Valid { expires, id } => (expires, id),
        };
        let reply = ElicitResult::deserialize(response).map_or(Reply::No, |result| reply(&result));
        if reply == Reply::Yes && !self.spend(&id, expires, now).await {
            return None;
        }
        Some(reply)
    }

    /// Uses a yes up. The surface's store decides where it has one: replicas share it.
    async fn spend(&self, id: &str, expires: u64, now: u64) -> bool {
        let consent = sha256_hex(id.as_bytes());
        if !self.host.consents.spend(&consent, expires, now) {
            return false;
        }
        match self.surface.spend_consent(&consent, expires).await {
            Ok(spent) => spent,
            Err(error) => {
                tracing::error!(%error, "cannot tell whether the user's answer was used before");
                false
            }
        }
    }

    async fn asked(&self, question: &Question, binding: &str) -> AskOutcome {
        let now = u64::try_from(self.host.services.clock.now().as_millisecond()).unwrap_or(0);
        let parts = [self.host.info.name, binding];
        if let Some(reply) = self.answered(&parts, now).await {
            return AskOutcome::Answered(reply);
        }
        let timeout = u64::try_from(self.host.ask_timeout.as_millis()).unwrap_or(u64::MAX);
        AskOutcome::Repeat(InputRequest {
            name: FIELD.to_owned(),
            message: question.message.clone(),
            schema: schema(),
            state: self.host.seal.seal(
                &parts,
                now.saturating_add(timeout),
                &*self.host.services.ids,
            ),
        })
    }
}

impl Asker for RetryAsker {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        binding: &'a str,
    ) -> Pin<Box<dyn Future<Output = AskOutcome> + Send + 'a>> {
        Box::pin(self.asked(question, binding))
    }
}
