//! What a request brings along past the SDK, which hands the head of a request to the handler.

use std::sync::Arc;

use http::header::{HeaderMap, USER_AGENT};
use http::request::Parts;
use rmcp::model::{Extensions, Implementation};
use tokio::sync::OwnedSemaphorePermit;

use crate::dispatch::Dispatch;
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
    /// The surface as it serves the caller, where it verified who that is.
    pub(in crate::server) surface: Option<Arc<dyn Dispatch>>,
    /// The program that `User-Agent` names. Without a session a client of a handshake revision says
    /// nothing else about itself.
    pub(in crate::server) agent: Option<Implementation>,
    /// Arguments as they were sent, so that a call is answered alike over every transport.
    pub(in crate::server) arguments: Option<RawArguments>,
    _turn: Option<Turn>,
}

impl Carried {
    pub(super) fn new(
        surface: Option<Arc<dyn Dispatch>>,
        headers: &HeaderMap,
        head: &Head<'_>,
        turn: Option<Turn>,
    ) -> Self {
        let arguments = head
            .params
            .filter(|_| head.method.as_deref() == Some("tools/call"))
            .and_then(|params| serde_json::from_str::<CallParams<'_>>(params.get()).ok())
            .and_then(|params| params.arguments())
            .map(|arguments| RawArguments(Arc::from(arguments)));
        Self { surface, agent: agent(headers), arguments, _turn: turn }
    }
}

/// The first product of `User-Agent`, such as `openai-mcp/1.0`.
pub(super) fn agent(headers: &HeaderMap) -> Option<Implementation> {
    let product = headers.get(USER_AGENT)?.to_str().ok()?.split_whitespace().next()?;
    let (name, version) = product.split_once('/').unwrap_or((product, ""));
    (!name.is_empty()).then(|| Implementation::new(name, version))
}

/// What came with the request; nothing over stdio.
pub(in crate::server) fn of(extensions: &Extensions) -> Option<&Carried> {
    extensions.get::<Parts>()?.extensions.get()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn a_program_is_known_by_its_first_product() {
        for (sent, known) in [
            ("openai-mcp/1.0.0 (ChatGPT)", Some(("openai-mcp", "1.0.0"))),
            ("Claude-User", Some(("Claude-User", ""))),
            ("a/b/c", Some(("a", "b/c"))),
            ("/1", None),
            (" ", None),
        ] {
            let headers = HeaderMap::from_iter([(USER_AGENT, HeaderValue::from_static(sent))]);
            let found = agent(&headers).map(|found| (found.name, found.version));
            let found = found.as_ref().map(|(name, version)| (name.as_str(), version.as_str()));
            assert_eq!(found, known, "{sent}");
        }
        assert!(agent(&HeaderMap::new()).is_none());
    }
}
