//! What a request brings along past the SDK, which hands the head of a request to the handler.

use std::sync::Arc;

use http::request::Parts;
use rmcp::model::Extensions;
use tokio::sync::OwnedSemaphorePermit;

use crate::server::handler::RawArguments;
use crate::server::stdio::message::{CallParams, Head};

/// Held by a running call; given back when it ends, however it ends.
#[derive(Clone)]
pub(super) struct Turn {
    _permit: Arc<OwnedSemaphorePermit>,
}

impl From<OwnedSemaphorePermit> for Turn {
    fn from(permit: OwnedSemaphorePermit) -> Self {
        Self { _permit: Arc::new(permit) }
    }
}

/// What travels with one request.
#[derive(Clone)]
pub(in crate::server) struct Carried {
    /// Token for the surface. Never logged.
    pub(in crate::server) bearer: Option<String>,
    /// Arguments as they were sent, so that a call is answered alike over every transport.
    pub(in crate::server) arguments: Option<RawArguments>,
    _turn: Option<Turn>,
}

impl Carried {
    pub(super) fn new(bearer: Option<String>, head: &Head<'_>, turn: Option<Turn>) -> Self {
        let arguments = head
            .params
            .filter(|_| head.method.as_deref() == Some("tools/call"))
            .and_then(|params| serde_json::from_str::<CallParams<'_>>(params.get()).ok())
            .and_then(|params| params.arguments())
            .map(|arguments| RawArguments(Arc::from(arguments)));
        Self { bearer, arguments, _turn: turn }
    }
}

/// What came with the request; nothing over stdio.
pub(in crate::server) fn of(extensions: &Extensions) -> Option<&Carried> {
    extensions.get::<Parts>()?.extensions.get()
}
