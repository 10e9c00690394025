//! The stdio transport: one JSON-RPC message per line, over the descriptors that the host provides.
//!
//! Calls run here ([`calls`]); every other message is passed to the SDK. Invalid input never ends
//! the server:
//!
//! - blank lines and malformed notifications are ignored;
//! - broken JSON and invalid UTF-8 are answered with −32700, other invalid messages with −32600. The
//!   member `id` is omitted unless the id can be recovered, as revision 2026-07-28 requires;
//!   TypeScript and Python clients that do not know this form log the line and continue;
//! - a line over the limit is skipped and answered with −32600;
//! - a request before the handshake is answered with −32602 and how to start.
//!
//! - a request whose id is that of one in flight is answered with −32600, the first one is not touched.
//!
//! Backpressure: calls over the limit are queued in order. Reading stops while the queue is full, the
//! requests in flight hold too much ([`in_flight`]) or the client does not read its answers; then no
//! queued call is started either. It also stops until a handshake is answered, because the messages that
//! follow depend on it.

mod calls;
mod fd;
mod in_flight;
mod lines;
pub(super) mod message;
mod outbox;
mod recover_id;

use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::calls::Calls;
use self::in_flight::{InFlight, Kind, MAX_LISTENING};
use self::lines::{Line, Lines, Skipped};
use self::message::ParsedMessage;
use self::outbox::Outbox;
use super::ServeOptions;
use super::answer::write_error;
use super::host::Host;
use super::raw_call::RawRequest;
use super::session::Session;

const TAKEN: &str = "a request with this id is still running, and its answer will have this id: give \
                     each request an id of its own; this one was not run";
const TOO_MANY_LISTENING: &str = "too many open `subscriptions/listen` (64): cancel one first, or \
                                  list all resources in one";

/// After so many messages for the SDK, the tasks that serve them run before the next one: otherwise they
/// would pile up as long as there is input.
const YIELD_AFTER: u8 = 64;

/// The transport's state.
pub(super) struct Stdio {
    lines: Lines,
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    calls: Calls,
    in_flight: Arc<InFlight>,
    /// Messages passed on to the SDK since its tasks last ran.
    passed_on: u8,
    /// An `initialize` was received, answered or not.
    opened: bool,
    /// The `initialize` that is not answered yet.
    negotiating: Option<RequestId>,
    limit: usize,
    /// Cancelled from outside, or because the client no longer reads.
    stop: CancellationToken,
    grace: Duration,
    writer: JoinHandle<()>,
}

impl Stdio {
    /// Takes over the descriptors. `abandoned` is cancelled when the grace period of running calls has
    /// passed.
    pub(super) fn open(
        input: OwnedFd,
        output: OwnedFd,
        host: Arc<Host>,
        session: Arc<Session>,
        options: &ServeOptions,
        abandoned: CancellationToken,
    ) -> io::Result<Self> {
        let lines = Lines::new(input, options.max_line_bytes)?;
        let stop = options.stop.child_token();
        let outbox = Outbox::new(output, stop.clone())?;
        let writer = tokio::spawn(outbox.clone().run());
        let in_flight = Arc::new(InFlight::default());
        let (calling, answers, counted) = (session.clone(), outbox.clone(), in_flight.clone());
        Ok(Self {
            lines,
            calls: Calls::new(host, calling, answers, counted, options.max_calls, abandoned),
            session,
            outbox,
            in_flight,
            passed_on: 0,
            opened: false,
            negotiating: None,
            limit: options.max_line_bytes,
            stop,
            grace: options.grace,
            writer,
        })
    }

    /// The next message for the SDK; `None` at the end.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if self.calls.blocked_long() {
                self.outbox.flush();
                tokio::task::yield_now().await;
            }
            if self.passed_on >= YIELD_AFTER {
                self.passed_on = 0;
                tokio::task::yield_now().await;
            }
            let full = self.outbox.is_full();
            if !full && self.calls.start_queued(None) {
                continue;
            }
            let crowded = self.in_flight.is_full();
            // The SDK sends the answer to a handshake between two calls of this method.
            let may_read = !full && !crowded && self.negotiating.is_none() && !self.calls.is_busy();
            if may_read {
                match self.lines.next() {
                    Some(Line::Text(line)) => {
                        if let Some(message) = self.handle_line(line) {
                            self.passed_on += 1;
                            return Some(message);
                        }
                        continue;
                    }
                    Some(Line::TooLong(skipped)) => {
                        self.reject_too_long(&skipped);
                        continue;
                    }
                    None if self.lines.has_ended() && !self.calls.has_queued() => return None,
                    None => {}
                }
            }
            if self.lines.has_ended() {
                // Calls that wait for the client would block the queue.
                self.session.end();
            }
            self.outbox.flush();
            let more = may_read && !self.lines.has_ended();
            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = self.outbox.has_room(), if full => {}
                () = self.in_flight.has_room(), if crowded => {}
                slot = self.calls.slot(), if self.calls.has_queued() && !full => {
                    self.calls.start_queued(slot);
                }
                read = self.lines.read(), if more => {
                    if let Err(error) = read {
                        tracing::warn!(%error, "cannot read from the client");
                        self.lines.end();
                    }
                }
            }
        }
    }

    /// Runs or answers the message of a line, or returns it for the SDK.
    fn handle_line(&mut self, line: Range<usize>) -> Option<ClientJsonRpcMessage> {
        let line = self.lines.text(line);
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return None;
        }
        let Ok(text) = std::str::from_utf8(line) else {
            let id = recover_id::recover_id(line, None);
            self.reject(id.as_deref(), -32700, "cannot read the message: not UTF-8");
            return None;
        };
        let bytes = text.len();
        if let Some(request) = RawRequest::read(text) {
            if self.in_flight.has(request.id()) {
                self.reject(Some(request.id()), -32600, TAKEN);
                return None;
            }
            if self.calls.try_handle(&request, bytes) {
                return None;
            }
        }
        let message = match message::read(text, self.opened) {
            ParsedMessage::Ignored => return None,
            ParsedMessage::Bad { id, code, message } => {
                self.reject(id.as_deref(), code, &message);
                return None;
            }
            ParsedMessage::Message(message) => message,
        };
        match self.observe(&message, bytes) {
            Ok(()) => Some(*message),
            Err((id, why)) => {
                self.reject(serde_json::to_string(&id).ok().as_deref(), -32600, why);
                None
            }
        }
    }

    /// Updates the transport's state for a message that goes to the SDK, or tells why it may not.
    fn observe(
        &mut self,
        message: &ClientJsonRpcMessage,
        bytes: usize,
    ) -> Result<(), (RequestId, &'static str)> {
        match message {
            JsonRpcMessage::Request(request) => {
                let kind = match request.request {
                    ClientRequest::SubscriptionsListenRequest(_) => Kind::Listening,
                    _ => Kind::PassedOn,
                };
                let id = request.id.clone();
                if matches!(kind, Kind::Listening) && self.in_flight.listening() >= MAX_LISTENING {
                    return Err((id, TOO_MANY_LISTENING));
                }
                if !self.in_flight.add(id.clone(), bytes, kind) {
                    return Err((id, TAKEN));
                }
                if matches!(request.request, ClientRequest::InitializeRequest(_)) {
                    self.opened = true;
                    self.negotiating = Some(id);
                }
            }
            JsonRpcMessage::Notification(notification) => match &notification.notification {
                ClientNotification::CancelledNotification(cancelled) => {
                    if let Some(id) = &cancelled.params.request_id {
                        self.calls.cancel(id);
                    }
                }
                // Handled here, because the next line may be a call, which does not wait for the SDK.
                ClientNotification::RootsListChangedNotification(_) => self.session.set_roots(None),
                _ => {}
            },
            _ => {}
        }
        Ok(())
    }

    fn reject_too_long(&self, skipped: &Skipped) {
        let id = recover_id::recover_id(&skipped.head, Some(&skipped.tail));
        let message =
            format!("the message has {} bytes; the limit is {}", skipped.length, self.limit);
        self.reject(id.as_deref(), -32600, &message);
    }

    fn reject(&self, id: Option<&str>, code: i32, message: &str) {
        tracing::debug!(code, message, "rejected a message");
        self.outbox.append(|out| write_error(out, id, code, message, None));
    }
}

impl Transport<RoleServer> for Stdio {
    type Error = Infallible;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let answered = match &message {
            JsonRpcMessage::Response(response) => Some(&response.id),
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        if answered.is_some() && answered == self.negotiating.as_ref() {
            self.negotiating = None;
        }
        if let Some(id) = answered {
            self.in_flight.end(id);
        }
        let is_answer = answered.is_some();
        self.outbox.append(|out| {
            let start = out.len();
            match serde_json::to_writer(&mut *out, &message) {
                Ok(()) => out.push(b'\n'),
                Err(error) => {
                    out.truncate(start);
                    tracing::error!(%error, "cannot serialise a message");
                }
            }
        });
        self.outbox.flush_soon();
        let outbox = self.outbox.clone();
        async move {
            // Requests in flight limit their answers. Notifications of a surface have no other limit than
            // that the next one waits until the client has read.
            if !is_answer {
                outbox.has_room().await;
            }
            Ok(())
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let message = self.next().await;
        if message.is_none() {
            self.session.end();
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        // The caller limits how long this may take.
        self.calls.finished().await;
        if tokio::time::timeout(self.grace, self.outbox.drained()).await.is_err() {
            tracing::warn!("the client did not read all answers in time");
        }
        Ok(())
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        self.writer.abort();
    }
}
