//! HTTP responses of the transport itself, without the SDK.

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

/// The response type of the server and of the SDK.
pub(super) type HttpResponse = Response<BoxBody<Bytes, std::convert::Infallible>>;

pub(super) const JSON: &str = "application/json";
pub(super) const EVENTS: &str = "text/event-stream";
pub(super) const TEXT: &str = "text/plain; charset=utf-8";
pub(super) const METRICS: &str = "text/plain; version=0.0.4; charset=utf-8";

/// A response with a body.
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

/// A JSON-RPC error; `id` is JSON text. If the request was not read the id is `null`: clients do not
/// recognise an error without an id, and would lose its message.
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

/// A rejected request: the reason, and optional overrides.
pub(super) struct HttpRejection {
    pub(super) reason: Reason,
    /// Replaces the reason's default message.
    pub(super) message: Option<String>,
    /// In seconds; replaces the reason's default.
    pub(super) retry_after: Option<u64>,
}

impl From<Reason> for HttpRejection {
    fn from(reason: Reason) -> Self {
        Self { reason, message: None, retry_after: None }
    }
}

impl HttpRejection {
    /// The caller is over its rate limit.
    pub(super) fn rate_limited(wait: Duration) -> Self {
        let seconds = wait.as_nanos().div_ceil(1_000_000_000).max(1);
        let seconds = u64::try_from(seconds).unwrap_or(u64::MAX);
        Self { retry_after: Some(seconds), ..Reason::TooOften.into() }
    }
}

/// The response to a rejected request. Default messages contain no values of the request.
pub(super) fn rejection_response(refused: &HttpRejection, id: Option<&str>) -> HttpResponse {
    let reason = refused.reason;
    let (status, code, message) = match reason {
        Reason::Busy => (503, -32603, "too many calls in progress; try again shortly"),
        Reason::BadToken => (401, -32600, "invalid bearer token"),
        Reason::Crowded => (429, -32603, "too many connections; close some, or try again shortly"),
        Reason::Host => (403, -32600, "the `Host` header is not an allowed host name"),
        Reason::Malformed => (400, -32700, "cannot read the request body"),
        Reason::Method => (405, -32600, "only POST is supported: there are no sessions"),
        Reason::NoToken => {
            (401, -32600, "missing bearer token: send `Authorization: Bearer <token>`")
        }
        Reason::Origin => (403, -32600, "this origin is not allowed to call the server"),
        Reason::Path => (404, -32600, "not found: the MCP endpoint is /mcp"),
        // These end a connection, which nothing is sent on any more.
        Reason::Displaced | Reason::SlowHead | Reason::SlowRead => {
            (408, -32600, "the connection was closed")
        }
        Reason::Streams => {
            (429, -32603, "too many `subscriptions/listen` streams; close some first")
        }
        Reason::SlowBody => (408, -32600, "timed out while reading the request body"),
        Reason::Stopping => {
            (503, -32603, "the server is shutting down; try another instance or try again later")
        }
        Reason::Timeout => (504, -32603, "the call timed out and was cancelled"),
        Reason::TooLarge => (413, -32600, "the request body exceeds the size limit"),
        Reason::TooOften => (429, -32600, "too many requests: wait for the time in `Retry-After`"),
        Reason::Unverified => {
            (503, -32603, "cannot verify the bearer token right now; try again shortly")
        }
    };
    let status = StatusCode::from_u16(status).unwrap_or(StatusCode::BAD_REQUEST);
    let mut reply = error(status, id, code, refused.message.as_deref().unwrap_or(message));
    let header: Option<(HeaderName, &str)> = match reason {
        Reason::Busy
        | Reason::Crowded
        | Reason::Stopping
        | Reason::Streams
        | Reason::TooOften
        | Reason::Unverified => Some((RETRY_AFTER, "1")),
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
