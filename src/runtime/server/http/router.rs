//! Routes one HTTP request.
//!
//! Order of the checks: path, `Host`, `Origin`, method, authorization, body, JSON-RPC message. Calls
//! are handled in [`super::calls`], everything else by the SDK.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::header::{ALLOW, AUTHORIZATION, CONTENT_TYPE, EXPECT, HeaderValue};
use http::{Method, Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper::body::Incoming;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::accept::Scope;
use super::authorizer::Authorizer;
use super::body::{self, DeadlineBody};
use super::call_slots::{CallSlots, Slot};
use super::caller_key::{AddressKey, CallerKey};
use super::calls::rejected;
use super::host_origin::{self, HostOriginPolicy};
use super::metrics::{Metrics, Reason};
use super::options::{HttpOptions, MetricsEndpoint};
use super::page::{File, Page};
use super::response::{self, HttpRejection, HttpResponse, rejection_response, response};
use super::shares::{Share, Shares};
use super::surface_pages;
use crate::call::Client;
use crate::dispatch::Dispatch;
use crate::server::handler::{Handler, SenderClient};
use crate::server::host::Host;
use crate::server::raw_call::{RawRequest, is_handled_here, malformed};
use crate::server::session::Session;
use crate::server::stdio::message::{self, ParsedMessage};

/// Time limit for the surface's readiness check.
const READY_TIMEOUT: Duration = Duration::from_secs(2);

/// The addresses of a connection.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionAddrs {
    pub(super) local: IpAddr,
    pub(super) peer: IpAddr,
}

/// State that all connections share.
pub(super) struct HttpRouter {
    pub(super) options: HttpOptions,
    pub(super) metrics: Arc<Metrics>,
    pub(super) surface: Arc<dyn Dispatch>,
    pub(super) host: Arc<Host>,
    pub(super) host_origin: HostOriginPolicy,
    pub(super) authorizer: Authorizer,
    pub(super) page: Option<Page>,
    pub(super) mcp: StreamableHttpService<Handler, NeverSessionManager>,
    pub(super) slots: Arc<CallSlots>,
    /// Streams of each caller.
    pub(super) streams: Arc<Shares<CallerKey>>,
    /// Requests in progress of each client of a trusted proxy.
    pub(super) proxied: Arc<Shares<AddressKey>>,
    /// Cancelled on shutdown: no more requests are accepted.
    pub(super) stopping: CancellationToken,
    /// Cancelled when the grace period of running calls has passed.
    pub(super) abandoned: CancellationToken,
}

/// The SDK's HTTP service: without sessions, with plain JSON if nothing precedes the answer. Host,
/// origin and size are already checked by the router.
pub(super) fn mcp(
    host: Arc<Host>,
    stopping: CancellationToken,
    stream_timeout: Duration,
) -> StreamableHttpService<Handler, NeverSessionManager> {
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_sse_retry(None)
        .with_max_request_body_bytes(usize::MAX)
        .disable_allowed_hosts()
        .disable_allowed_origins();
    let handler = move || {
        let session = Session::for_one_request(stopping.clone(), stream_timeout);
        Ok(Handler::new(host.clone(), Arc::new(session)))
    };
    StreamableHttpService::new(handler, Arc::default(), config)
}

impl HttpRouter {
    /// Answers any request.
    pub(super) async fn answer(
        &self,
        request: Request<Incoming>,
        addrs: ConnectionAddrs,
    ) -> HttpResponse {
        let shares_metrics = self.options.metrics == MetricsEndpoint::Shared;
        let answer = match request.uri().path() {
            "/mcp" => self.endpoint(request, addrs).await,
            "/healthz" | "/readyz" => self.health(&request).await,
            "/metrics" if shares_metrics => self.metrics(&request, addrs),
            path => match self.page.as_ref().and_then(|page| page.find(path)) {
                Some(file) => self.file(file, request, addrs).await,
                None => match surface_pages::find(self, path) {
                    Some(pages) => surface_pages::answer(self, pages, request, addrs).await,
                    None => self.refuse(Reason::Path, None),
                },
            },
        };
        self.metrics.responded(answer.status().as_u16());
        answer
    }

    /// Answers a request where not everything is served.
    pub(super) async fn probe(
        &self,
        request: &Request<Incoming>,
        addrs: ConnectionAddrs,
        scope: Scope,
    ) -> HttpResponse {
        let answer = match (request.uri().path(), scope) {
            ("/healthz" | "/readyz", _) => self.health(request).await,
            ("/metrics", Scope::Metrics) => self.metrics(request, addrs),
            (_, Scope::Probes) => self.refuse(Reason::Crowded, None),
            _ => self.refuse(Reason::Path, None),
        };
        self.metrics.responded(answer.status().as_u16());
        answer
    }

    /// Whether the request is a health check.
    pub(super) fn is_probe(request: &Request<Incoming>) -> bool {
        matches!(request.uri().path(), "/healthz" | "/readyz")
    }

    async fn health(&self, request: &Request<Incoming>) -> HttpResponse {
        match request.uri().path() {
            _ if !is_get(request) => self.get_only(),
            "/healthz" => response(StatusCode::OK, response::TEXT, "ok\n"),
            _ => self.readiness().await,
        }
    }

    fn metrics(&self, request: &Request<Incoming>, addrs: ConnectionAddrs) -> HttpResponse {
        if !is_get(request) {
            return self.get_only();
        }
        match self.host_origin.admit(request.uri(), request.headers(), addrs.local) {
            Ok(_) => response(StatusCode::OK, response::METRICS, self.metrics.render()),
            Err(reason) => self.refuse(reason, None),
        }
    }

    fn get_only(&self) -> HttpResponse {
        self.metrics.rejected(Reason::Method);
        let mut refusal = response(StatusCode::METHOD_NOT_ALLOWED, response::TEXT, "GET only\n");
        refusal.headers_mut().insert(ALLOW, HeaderValue::from_static("GET"));
        refusal
    }

    async fn readiness(&self) -> HttpResponse {
        let not = |why: &str| {
            // The reason goes only to the log: probes are not authenticated.
            tracing::warn!(event = "http.not_ready", why, "not ready");
            response(StatusCode::SERVICE_UNAVAILABLE, response::TEXT, "not ready\n")
        };
        if self.stopping.is_cancelled() {
            return not("the server is shutting down");
        }
        match tokio::time::timeout(READY_TIMEOUT, self.surface.ready()).await {
            Ok(Ok(())) => response(StatusCode::OK, response::TEXT, "ready\n"),
            Ok(Err(why)) => not(&why),
            Err(_) => not("the surface did not answer in time"),
        }
    }

    /// Serves a file of the web page.
    async fn file(
        &self,
        file: &File,
        request: Request<Incoming>,
        addrs: ConnectionAddrs,
    ) -> HttpResponse {
        if let Err(reason) = self.host_origin.admit(request.uri(), request.headers(), addrs.local) {
            self.host.trail.rejected(reason.as_str(), addrs.peer);
            return self.refuse_unread(reason, request).await;
        }
        if !is_get(&request) {
            body::drain(request.into_body()).await;
            return self.get_only();
        }
        if file.guarded
            && let Err(refused) = self.authorizer.admit(request.headers(), addrs.peer).await
        {
            self.host.trail.rejected(refused.reason.as_str(), addrs.peer);
            return self.refuse(refused, None);
        }
        file.answer(request.headers())
    }

    async fn endpoint(&self, request: Request<Incoming>, addrs: ConnectionAddrs) -> HttpResponse {
        let origin = match self.host_origin.admit(request.uri(), request.headers(), addrs.local) {
            Ok(origin) => origin,
            Err(reason) => {
                self.host.trail.rejected(reason.as_str(), addrs.peer);
                return self.refuse_unread(reason, request).await;
            }
        };
        let mut answer = match *request.method() {
            Method::POST => self.post(request, addrs.peer).await,
            Method::OPTIONS if origin.is_some() => {
                let mut answer = response(StatusCode::NO_CONTENT, response::TEXT, "");
                host_origin::add_preflight_headers(answer.headers_mut(), request.headers());
                answer
            }
            _ => self.refuse_unread(Reason::Method, request).await,
        };
        if let Some(origin) = origin {
            host_origin::add_cors_headers(answer.headers_mut(), origin);
        }
        answer
    }

    async fn post(&self, request: Request<Incoming>, peer: IpAddr) -> HttpResponse {
        let sender = match self.authorizer.admit(request.headers(), peer).await {
            Ok(sender) => sender,
            Err(refused) => {
                self.host.trail.rejected(refused.reason.as_str(), peer);
                return self.refuse_unread(refused, request).await;
            }
        };
        let (mut parts, body) = request.into_parts();
        let expects_continue = parts.headers.contains_key(EXPECT);
        let (limit, time) = (self.options.max_body_bytes, self.options.body_timeout);
        let body = match body::read(body, limit, time, expects_continue).await {
            Ok(body) => body,
            Err(reason) => return self.refuse(reason, None),
        };
        let text = std::str::from_utf8(&body);
        if let Ok(text) = text
            && let Some(request) = RawRequest::read(text)
            && let Some(reply) = self.try_handle(&request, &parts.headers, &sender).await
        {
            return reply;
        }
        let head = match text.map(message::parse_head) {
            Ok(Ok(head)) => head,
            Ok(Err(ParsedMessage::Bad { id, code, message })) => {
                self.metrics.rejected(Reason::Malformed);
                return response::error(StatusCode::BAD_REQUEST, id.as_deref(), code, &message);
            }
            _ => return self.refuse(Reason::Malformed, None),
        };
        if let (Some(method), Some(id)) = (head.method.as_deref(), head.id)
            && is_handled_here(method)
        {
            return rejected(id, &malformed(method, head.params));
        }
        let lasting = head.method.as_deref() == Some("subscriptions/listen");
        let stream = match lasting.then(|| self.streams.take(sender.key())) {
            Some(None) => return self.refuse(Reason::Streams, head.id),
            stream => stream.flatten(),
        };
        // The token is verified; do not pass it on to the SDK.
        parts.headers.remove(AUTHORIZATION);
        // A prompt may run tools, so it takes the place of a call.
        let slot = match head.method.as_deref() == Some("prompts/get") {
            true => match self.slot(sender.key()).await {
                Ok(slot) => Some(slot),
                Err(reason) => return self.refuse(reason, head.id),
            },
            false => None,
        };
        parts.extensions.insert(SenderClient(Client {
            address: Some(sender.address),
            token_id: sender.token_id(),
            surface: sender.surface,
            ..Client::default()
        }));
        let deadline = (!lasting).then(|| Instant::now() + self.options.call_timeout);
        let id = head.id.map(str::to_owned);
        let request = Request::from_parts(parts, Full::new(body.clone()));
        let deadline_or_shutdown = deadline_or_shutdown(deadline, self.abandoned.clone());
        let _slot = slot;
        tokio::select! {
            answer = self.mcp.handle(request) => self.with_deadline(answer, deadline, id, stream),
            reason = deadline_or_shutdown => self.refuse(reason, id.as_deref()),
        }
    }

    /// Applies the deadline to a streamed response.
    pub(super) fn with_deadline(
        &self,
        answer: HttpResponse,
        deadline: Option<Instant>,
        id: Option<String>,
        stream: Option<Share<CallerKey>>,
    ) -> HttpResponse {
        let kind = answer.headers().get(CONTENT_TYPE);
        if kind.is_none_or(|kind| kind != "text/event-stream") {
            return answer;
        }
        let (abandoned, metrics) = (self.abandoned.clone(), self.metrics.clone());
        let expired = async move {
            let _stream = stream;
            let reason = deadline_or_shutdown(deadline, abandoned).await;
            metrics.rejected(reason);
            let body =
                rejection_response(&reason.into(), id.as_deref()).into_body().collect().await;
            let message = body.map(http_body_util::Collected::to_bytes).unwrap_or_default();
            [b"data: ", message.trim_ascii_end(), b"\n\n"].concat().into()
        };
        answer.map(|inner| DeadlineBody::new(inner, expired).boxed())
    }

    /// Waits for a free call slot.
    pub(super) async fn slot(&self, caller: CallerKey) -> Result<Slot, Reason> {
        tokio::select! {
            slot = self.slots.take(caller) => slot,
            () = self.abandoned.cancelled() => Err(Reason::Stopping),
        }
    }

    pub(super) fn refuse(
        &self,
        refused: impl Into<HttpRejection>,
        id: Option<&str>,
    ) -> HttpResponse {
        let refused = refused.into();
        let reason = refused.reason;
        self.metrics.rejected(reason);
        tracing::info!(event = "http.rejected", reason = reason.as_str(), "rejected a request");
        rejection_response(&refused, id)
    }

    /// Rejects a request whose body has not been read.
    pub(super) async fn refuse_unread(
        &self,
        refused: impl Into<HttpRejection>,
        request: Request<Incoming>,
    ) -> HttpResponse {
        if !request.headers().contains_key(EXPECT) {
            body::drain(request.into_body()).await;
        }
        self.refuse(refused, None)
    }
}

fn is_get(request: &Request<Incoming>) -> bool {
    matches!(*request.method(), Method::GET | Method::HEAD)
}

/// Resolves when a call must end: at its deadline or on shutdown.
pub(super) async fn deadline_or_shutdown(
    deadline: Option<Instant>,
    abandoned: CancellationToken,
) -> Reason {
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
