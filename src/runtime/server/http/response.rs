//! Answers that the transport gives by itself, without the SDK.

use std::time::Duration;

use bytes::Bytes;
use http::header::{
    ALLOW, CONNECTION, CONTENT_TYPE, HeaderName, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};

use super::metrics::Reason;
use crate::server::answer::write_error;

/// What leaves the server; the same as the SDK's.
pub(super) type HttpResponse = Response<BoxBody<Bytes, std::convert::Infallible>>;

pub(super) const JSON: &str = "application/json";
pub(super) const EVENTS: &str = "text/event-stream";
pub(super) const TEXT: &str = "text/plain; charset=utf-8";
pub(super) const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// Any answer.
pub(super) fn response(
    status: StatusCode,
    kind: &'static str,
    body: impl Into<Bytes>,
) -> HttpResponse {
    let mut reply = Response::new(Full::new(body.into()).boxed());
    *reply.status_mut() = status;
    reply.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    reply
}

/// A JSON-RPC error; `id` is JSON text. A request that was not read has the id `null`: clients take
/// an error without any for something else, and its message is lost.
pub(super) fn error(
    status: StatusCode,
    id: Option<&str>,
    code: i32,
    message: &str,
) -> HttpResponse {
    let mut body = Vec::with_capacity(128);
    write_error(&mut body, id.or(Some("null")), code, message, None);
    response(status, JSON, body)
}

/// Why a request is turned away, and what there is to say beyond the reason.
pub(super) struct HttpRejection {
    pub(super) reason: Reason,
    /// Instead of the reason's own text.
    pub(super) message: Option<String>,
    /// Whole seconds, instead of the reason's own.
    pub(super) retry_after: Option<u64>,
}

impl From<Reason> for HttpRejection {
    fn from(reason: Reason) -> Self {
        Self { reason, message: None, retry_after: None }
    }
}

impl HttpRejection {
    /// Comes back too soon.
    pub(super) fn rate_limited(wait: Duration) -> Self {
        let seconds = wait.as_nanos().div_ceil(1_000_000_000).max(1);
        let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
        Self { retry_after: Some(seconds), ..Reason::TooOften.into() }
    }
}

/// Turns a request away. The reasons' own texts name no value of the request.
pub(super) fn rejection_response(refused: &HttpRejection, id: Option<&str>) -> HttpResponse {
    let reason = refused.reason;
    let (status, code, message) = match reason {
        Reason::Busy => (503, -32603, "too many calls are under way: try again in a moment"),
        Reason::BadToken => (401, -32600, "the bearer token is not accepted"),
        Reason::Host => (403, -32600, "this server does not go by the name in `Host`"),
        Reason::Malformed => (400, -32700, "the body of the request cannot be read"),
        Reason::Method => (405, -32600, "only POST is served here: there are no sessions"),
        Reason::NoToken => (401, -32600, "send `Authorization: Bearer <token>`"),
        Reason::Origin => (403, -32600, "web pages of this origin may not call this server"),
        Reason::Path => (404, -32600, "nothing is served here: the endpoint is /mcp"),
        Reason::SlowBody => (408, -32600, "the body of the request took too long"),
        Reason::Stopping => (503, -32603, "the server stops: ask another one, or again later"),
        Reason::Timeout => (504, -32603, "the call took too long and was cancelled"),
        Reason::TooLarge => (413, -32600, "the body of the request is larger than is accepted"),
        Reason::TooOften => (429, -32600, "too many requests: `Retry-After` says when to go on"),
        Reason::Unverified => {
            (503, -32603, "the bearer token cannot be verified now: try again in a moment")
        }
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let mut reply = error(status, id, code, refused.message.as_deref().unwrap_or(message));
    let header: Option<(HeaderName, &str)> = match reason {
        Reason::Busy | Reason::Stopping | Reason::TooOften | Reason::Unverified => {
            Some((RETRY_AFTER, "1"))
        }
        Reason::BadToken => Some((WWW_AUTHENTICATE, r#"Bearer error="invalid_token""#)),
        Reason::NoToken => Some((WWW_AUTHENTICATE, "Bearer")),
        Reason::Method => Some((ALLOW, "POST")),
        Reason::SlowBody | Reason::TooLarge => Some((CONNECTION, "close")),
        _ => None,
    };
    if let Some((name, value)) = header {
        reply.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if let Some(seconds) = refused.retry_after {
        reply.headers_mut().insert(RETRY_AFTER, seconds.into());
    }
    reply
}
