//! One request, from its head to its answer.
//!
//! The order is: path, `Host`, `Origin`, method, caller, body, is it a message at all. A call goes on
//! in [`super::calls`], everything else to the SDK.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, EXPECT, HeaderValue};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::body::{self, Timed};
use super::callers::Callers;
use super::calls::rejected;
use super::host_origin::{self, HostOriginPolicy};
use super::metrics::{Counted, Metrics, Reason};
use super::options::HttpOptions;
use super::page::{File, Page};
use super::reply::{self, Refused, Reply, reply, turn_away};
use crate::dispatch::Dispatch;
use crate::server::handler::Handler;
use crate::server::host::Host;
use crate::server::raw_call::{RawRequest, is_ours, malformed};
use crate::server::session::Session;
use crate::server::stdio::message::{self, Read};

/// How long a surface may take to say that it is ready.
const READY_TIMEOUT: Duration = Duration::from_secs(2);

/// The two ends of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) local: IpAddr,
    pub(super) peer: IpAddr,
}

/// What all connections share.
pub(super) struct HttpRouter {
    pub(super) options: HttpOptions,
    pub(super) metrics: Arc<Metrics>,
    pub(super) surface: Arc<dyn Dispatch>,
    pub(super) host: Arc<Host>,
    pub(super) host_origin: HostOriginPolicy,
    pub(super) callers: Callers,
    pub(super) page: Option<Page>,
    pub(super) mcp: StreamableHttpService<Handler, NeverSessionManager>,
    pub(super) slots: Arc<Semaphore>,
    pub(super) queue: Semaphore,
    /// No more requests are taken.
    pub(super) stopping: CancellationToken,
    /// Calls under way have had their time.
    pub(super) abandoned: CancellationToken,
}

/// The SDK's part: no sessions, plain JSON where nothing precedes the answer. Host, origin and size
/// are checked here, before it.
pub(super) fn mcp(
    host: Arc<Host>,
    stopping: CancellationToken,
) -> StreamableHttpService<Handler, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_retry(None)
        .with_max_request_body_bytes(usize::MAX)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let handler = move || {
        let session = Session::for_one_request(stopping.clone());
        Ok(Handler::new(host.clone(), Arc::new(session)))
    };
    StreamableHttpService::new(handler, Arc::default(), config)
}

impl HttpRouter {
    /// Answers any request.
    pub(super) async fn answer(&self, request: Request<Incoming>, ends: Ends) -> Reply {
        let answer = match request.uri().path() {
            "/mcp" => self.endpoint(request, ends).await,
            "/healthz" | "/metrics" | "/readyz" if !is_get(&request) => self.get_only(),
            "/healthz" => reply(StatusCode::OK, reply::TEXT, "ok\n"),
            "/metrics" => {
                match self.host_origin.admit(request.uri(), request.headers(), ends.local) {
                    Ok(_) => reply(StatusCode::OK, reply::METRICS, self.metrics.render()),
                    Err(reason) => self.refuse(reason, None),
                }
            }
            "/readyz" => self.readiness().await,
            path => match self.page.as_ref().and_then(|page| page.find(path)) {
                Some(file) => self.file(file, request, ends).await,
                None => self.refuse(Reason::Path, None),
            },
        };
        self.metrics.responded(answer.status().as_u16());
        answer
    }

    fn get_only(&self) -> Reply {
        self.metrics.rejected(Reason::Method);
        let mut refusal = reply(StatusCode::METHOD_NOT_ALLOWED, reply::TEXT, "GET only\n");
        refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
        refusal
    }

    async fn readiness(&self) -> Reply {
        let not = |why: &str| {
            // Why is for the log: whoever probes may not be meant to know.
            tracing::warn!(event = "http.not_ready", why, "not ready");
            reply(StatusCode::SERVICE_UNAVAILABLE, reply::TEXT, "not ready\n")
        };
        if self.stopping.is_cancelled() {
            return not("the server stops");
        }
        match tokio::time::timeout(READY_TIMEOUT, self.surface.ready()).await {
            Ok(Ok(())) => reply(StatusCode::OK, reply::TEXT, "ready\n"),
            Ok(Err(why)) => not(&why),
            Err(_) => not("the surface did not say in time"),
        }
    }

    /// A file of the page. None of them is a call.
    async fn file(&self, file: &File, request: Request<Incoming>, ends: Ends) -> Reply {
        if let Err(reason) = self.host_origin.admit(request.uri(), request.headers(), ends.local) {
            return self.refuse_all(reason, request).await;
        }
        if !is_get(&request) {
            body::forget(request.into_body()).await;
            return self.get_only();
        }
        if file.guarded
            && let Err(refused) = self.callers.admit(request.headers(), ends.peer).await
        {
            return self.refuse(refused, None);
        }
        file.answer(request.headers())
    }

    async fn endpoint(&self, request: Request<Incoming>, ends: Ends) -> Reply {
        let origin = match self.host_origin.admit(request.uri(), request.headers(), ends.local) {
            Ok(origin) => origin,
            Err(reason) => return self.refuse_all(reason, request).await,
        };
        let mut answer = match *request.method() {
            Method::POST => self.post(request, ends.peer).await,
            Method::OPTIONS if origin.is_some() => {
                let mut answer = reply(StatusCode::NO_CONTENT, reply::TEXT, "");
                host_origin::allow_sending(answer.headers_mut(), request.headers());
                answer
            }
            _ => self.refuse_all(Reason::Method, request).await,
        };
        if let Some(origin) = origin {
            host_origin::allow(answer.headers_mut(), origin);
        }
        answer
    }

    async fn post(&self, request: Request<Incoming>, peer: IpAddr) -> Reply {
        let surface = match self.callers.admit(request.headers(), peer).await {
            Ok(surface) => surface,
            Err(refused) => return self.refuse_all(refused, request).await,
        };
        let (mut parts, body) = request.into_parts();
        let asks_first = parts.headers.contains_key(EXPECT);
        let (limit, time) = (self.options.max_body_bytes, self.options.body_timeout);
        let body = match body::read(body, limit, time, asks_first).await {
            Ok(body) => body,
            Err(reason) => return self.refuse(reason, None),
        };
        let text = std::str::from_utf8(&body);
        if let Ok(text) = text
            && let Some(request) = RawRequest::read(text)
            && let Some(reply) = self.take(&request, &parts.headers, surface.as_ref()).await
        {
            return reply;
        }
        let head = match text.map(message::head) {
            Ok(Ok(head)) => head,
            Ok(Err(Read::Bad { id, code, message })) => {
                self.metrics.rejected(Reason::Malformed);
                return reply::error(StatusCode::BAD_REQUEST, id.as_deref(), code, &message);
            }
            _ => return self.refuse(Reason::Malformed, None),
        };
        if let (Some(method), Some(id)) = (head.method.as_deref(), head.id)
            && is_ours(method)
        {
            return rejected(id, &malformed(method, head.params));
        }
        // The token has been read; nothing behind this point has any business with it.
        parts.headers.remove(AUTHORIZATION);
        let lasting = head.method.as_deref() == Some("subscriptions/listen");
        let deadline = (!lasting).then(|| Instant::now() + self.options.call_timeout);
        let id = head.id.map(str::to_owned);
        let request = Request::from_parts(parts, Full::new(body.clone()));
        let cut = cut(deadline, self.abandoned.clone());
        tokio::select! {
            answer = self.mcp.handle(request) => self.timed(answer, deadline, id),
            reason = cut => self.refuse(reason, id.as_deref()),
        }
    }

    /// Sees to it that a streamed answer ends in time too.
    pub(super) fn timed(
        &self,
        answer: Reply,
        deadline: Option<Instant>,
        id: Option<String>,
    ) -> Reply {
        let kind = answer.headers().get(CONTENT_TYPE);
        if kind.is_none_or(|kind| kind != "text/event-stream") {
            return answer;
        }
        let (abandoned, metrics) = (self.abandoned.clone(), self.metrics.clone());
        let up = async move {
            let reason = cut(deadline, abandoned).await;
            metrics.rejected(reason);
            let body = turn_away(&reason.into(), id.as_deref()).into_body().collect().await;
            let message = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
            [b"data: ", message.trim_ascii_end(), b"\n\n"].concat().into()
        };
        answer.map(|inner| Timed::new(inner, up).boxed())
    }

    /// Waits until one more call may be under way.
    pub(super) async fn slot(&self) -> Result<OwnedSemaphorePermit, Reason> {
        if let Ok(slot) = self.slots.clone().try_acquire_owned() {
            return Ok(slot);
        }
        let _place = self.queue.try_acquire().map_err(|_| Reason::Busy)?;
        let _waiting = Counted::new(&self.metrics.waiting);
        tokio::select! {
            slot = self.slots.clone().acquire_owned() => slot.map_err(|_| Reason::Stopping),
            () = tokio::time::sleep(self.options.turn_timeout) => Err(Reason::Busy),
            () = self.abandoned.cancelled() => Err(Reason::Stopping),
        }
    }

    pub(super) fn refuse(&self, refused: impl Into<Refused>, id: Option<&str>) -> Reply {
        let refused = refused.into();
        let reason = refused.reason;
        self.metrics.rejected(reason);
        tracing::info!(event = "http.rejected", reason = reason.as_str(), "turned a request away");
        turn_away(&refused, id)
    }

    /// Refuses a request whose body has not been read.
    async fn refuse_all(&self, refused: impl Into<Refused>, request: Request<Incoming>) -> Reply {
        if !request.headers().contains_key(EXPECT) {
            body::forget(request.into_body()).await;
        }
        self.refuse(refused, None)
    }
}

fn is_get(request: &Request<Incoming>) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// Resolves when a call must end.
pub(super) async fn cut(deadline: Option<Instant>, abandoned: CancellationToken) -> Reason {
    let late = async {
        match deadline {
            Some(deadline) => tokio::time::sleep_until(deadline).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        () = late => Reason::Timeout,
        () = abandoned.cancelled() => Reason::Stopping,
    }
}
