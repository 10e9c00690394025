//! Calls over HTTP: from a decoded request to the response, which is plain JSON or, if progress
//! precedes the answer, an event stream.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::stream::unfold;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use http::{Response, StatusCode};
use http_body::Frame;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full, StreamBody};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::DropGuard;

use super::authorizer::Sender;
use super::caller_key::CallerKey;
use super::metrics::Reason;
use super::request_head::RequestHead;
use super::response::{self, HttpResponse, response};
use super::router::{HttpRouter, deadline_or_shutdown};
use crate::call::ProgressSink;
use crate::server::answer::{write_error, write_rendered};
use crate::server::caller::{CallerDefaults, RequestMeta};
use crate::server::invocation::{Started, ToolInvocation};
use crate::server::progress::Progress;
use crate::server::raw_call::{RawCall, RawRequest, Rejection};

/// Progress reports that are buffered for a slow client; more are dropped.
const REPORTS: usize = 64;
/// Interval of keep-alive comments on a silent stream.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

impl HttpRouter {
    /// Answers a request that runs a tool or has a ready answer; `None` leaves it to the SDK.
    pub(super) async fn try_handle(
        &self,
        request: &RawRequest<'_>,
        headers: &HeaderMap,
        sender: &Sender,
    ) -> Option<HttpResponse> {
        if !matches!(&*request.method, "ping" | "resources/read" | "tools/call" | "tools/list") {
            return None;
        }
        let request_meta = request.meta().map(RequestMeta::read).transpose();
        let head = RequestHead::new(headers, request);
        let checked = head.check(request_meta.as_ref().ok().and_then(Option::as_ref));
        let caller = |_| {
            let defaults = CallerDefaults::without_handshake(&self.host, head.client(sender));
            match request_meta {
                Err(error) => Err(request.malformed(&format!("`_meta`: {error}"))),
                Ok(None) => Ok(defaults.caller()),
                Ok(Some(request_meta)) => {
                    request_meta.check()?;
                    Ok(request_meta.caller(&self.host, &defaults))
                }
            }
        };
        let id = request.id();
        match &*request.method {
            "ping" => {
                let legacy = checked.is_ok() && caller(None).is_ok_and(|caller| !caller.modern);
                return legacy.then(|| rendered(id, "{}"));
            }
            "tools/list" => {
                let listed = checked.map(|()| request.only_page().and_then(|()| caller(None)));
                return Some(match listed {
                    Err(refused) => *refused,
                    Ok(Err(rejection)) => rejected(id, &rejection),
                    Ok(Ok(caller)) => rendered(id, &self.host.tool_list(&caller).await),
                });
            }
            _ => {}
        }
        let call = request.call(&self.host, caller)?;
        Some(match checked.map(|()| call) {
            Err(refused) => *refused,
            Ok(Err(rejection)) => rejected(id, &rejection),
            Ok(Ok(call)) => self.call(call, sender.key()).await,
        })
    }

    async fn call(&self, mut call: RawCall, caller: CallerKey) -> HttpResponse {
        let id = call.head.id.clone();
        let slot = match self.slot(caller).await {
            Ok(slot) => slot,
            Err(reason) => return self.refuse(reason, Some(&id)),
        };
        let (progress, mut reports) = reports(&mut call);
        let (head, ToolInvocation { outcome, cancel }) =
            match call.start(&self.host, None, progress) {
                Started::Waiting(head, invocation) => (head, invocation),
                Started::Done(head, outcome) => {
                    let mut body = Vec::new();
                    head.write(&mut body, outcome, &self.host);
                    return answer_at_once(reports, body);
                }
            };
        // A tool that writes runs to completion even if its client disconnects.
        let host = self.host.clone();
        let mut answer = tokio::spawn(async move {
            let _slot = slot;
            let mut body = Vec::new();
            head.write(&mut body, outcome.await, &host);
            body
        });
        let cancel = cancel.drop_guard();
        let deadline = Instant::now() + self.options.call_timeout;
        let mut expired =
            std::pin::pin!(deadline_or_shutdown(Some(deadline), self.abandoned.clone()));
        if let Some(mut reports) = reports.take() {
            let first = tokio::select! {
                first = reports.recv() => first,
                reason = &mut expired => return self.refuse(reason, Some(&id)),
            };
            if let Some(first) = first {
                let stream = Streaming { first: Some(first), reports, answer, _cancel: cancel };
                return self.with_deadline(stream.into_reply(), Some(deadline), Some(id), None);
            }
        }
        tokio::select! {
            body = &mut answer => match body {
                Ok(body) => response(StatusCode::OK, response::JSON, body),
                // The runtime is shutting down.
                Err(_) => self.refuse(Reason::Stopping, Some(&id)),
            },
            reason = expired => self.refuse(reason, Some(&id)),
        }
    }
}

type Reports = mpsc::Receiver<String>;

/// The two ends of the call's progress channel; it closes with the call.
fn reports(call: &mut RawCall) -> (Option<Arc<dyn ProgressSink>>, Option<Reports>) {
    let Some(token) = call.caller.progress.take() else { return (None, None) };
    let (sender, receiver) = mpsc::channel(REPORTS);
    let progress = Progress::new(token, move |report| {
        // If the channel is full the client is slow; it still gets the answer.
        let _ = sender.try_send(report);
    });
    (Some(Arc::new(progress)), Some(receiver))
}

/// The response to a call that did not wait.
fn answer_at_once(reports: Option<Reports>, body: Vec<u8>) -> HttpResponse {
    let mut events = Vec::new();
    if let Some(mut reports) = reports {
        while let Ok(report) = reports.try_recv() {
            events.extend_from_slice(&event(report.as_bytes()));
        }
    }
    if events.is_empty() {
        return response(StatusCode::OK, response::JSON, body);
    }
    events.extend_from_slice(&event(&body));
    streamed(Full::new(events.into()).boxed())
}

/// A call that has started to report progress.
struct Streaming {
    first: Option<String>,
    reports: Reports,
    answer: JoinHandle<Vec<u8>>,
    /// Cancels the call when the client disconnects.
    _cancel: DropGuard,
}

impl Streaming {
    fn into_reply(self) -> HttpResponse {
        let events = unfold(Some(self), |streaming| async {
            let mut streaming = streaming?;
            let sent = streaming.next().await;
            let rest = sent.more.then_some(streaming);
            Some((Ok::<_, Infallible>(Frame::data(sent.bytes)), rest))
        });
        streamed(StreamBody::new(events).boxed())
    }

    async fn next(&mut self) -> Sent {
        let report = match self.first.take() {
            Some(first) => Some(first),
            None => {
                tokio::select! {
                    report = self.reports.recv() => report,
                    () = tokio::time::sleep(KEEP_ALIVE) => {
                        return Sent { bytes: Bytes::from_static(b":\n\n"), more: true };
                    }
                }
            }
        };
        match report {
            Some(report) => Sent { bytes: event(report.as_bytes()), more: true },
            // The call has ended, so its answer is ready, unless the runtime is shutting down.
            None => {
                let body = (&mut self.answer).await.unwrap_or_default();
                Sent { bytes: event(&body), more: false }
            }
        }
    }
}

/// One chunk of a stream.
struct Sent {
    bytes: Bytes,
    /// More chunks follow.
    more: bool,
}

fn event(message: &[u8]) -> Bytes {
    [b"data: ", message.trim_ascii_end(), b"\n\n"].concat().into()
}

fn streamed(body: BoxBody<Bytes, Infallible>) -> HttpResponse {
    let mut reply = Response::new(body);
    let headers = [
        (CONTENT_TYPE, response::EVENTS),
        (CACHE_CONTROL, "no-cache"),
        // Otherwise nginx buffers the events.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    for (name, value) in headers {
        reply.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    reply
}

fn rendered(id: &str, result: &str) -> HttpResponse {
    let mut body = Vec::with_capacity(result.len() + 64);
    write_rendered(&mut body, id, result);
    response(StatusCode::OK, response::JSON, body)
}

pub(super) fn rejected(id: &str, rejection: &Rejection) -> HttpResponse {
    let mut body = Vec::with_capacity(128);
    write_error(&mut body, Some(id), rejection.code, &rejection.message, rejection.data.as_ref());
    let status = if rejection.is_bad_request { StatusCode::BAD_REQUEST } else { StatusCode::OK };
    response(status, response::JSON, body)
}
