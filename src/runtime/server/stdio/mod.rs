//! The stdio transport: one JSON-RPC message a line, over whatever descriptors the host gives.
//!
//! Lines are read here and either answered in line ([`inline`]) or handed to the SDK. What is no
//! message is answered or ignored, and never ends the server:
//!
//! - blank lines and malformed notifications are ignored;
//! - broken JSON and bad UTF-8 get −32700, other non-messages −32600. The member `id` is left out
//!   unless the id can be made out, as revision 2026-07-28 says; TypeScript and Python clients
//!   that do not know this form log the line and go on;
//! - a line over the limit is skipped and answered with −32600;
//! - a request before any handshake gets −32602 and the way to begin.
//!
//! Reading stops while too much is under way: calls beyond the limit wait in order, and when
//! their queue is full too, or the client does not take its answers, nothing more is read.

mod fd;
mod inline;
mod lines;
pub(super) mod message;
mod outbox;
mod recover;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::Future;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, GetExtensions as _, JsonRpcMessage,
    RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use self::inline::Inline;
use self::lines::{Line, Lines, Skipped};
use self::message::Read;
use self::outbox::Outbox;
use super::ServeOptions;
use super::answer::write_error;
use super::host::Host;
use super::session::Session;
use super::short::Frame;

/// Calls that may wait for their turn, beyond those that run.
const QUEUED: usize = 1024;
/// Bytes of calls that may wait for their turn.
const QUEUED_BYTES: usize = 32 * 1024 * 1024;

/// Held by a running call; dropped when it ends, however it ends.
#[derive(Clone)]
struct Turn {
    _permit: Arc<OwnedSemaphorePermit>,
}

/// Both ends and what is between them.
pub(super) struct Stdio {
    lines: Lines,
    road: Road,
    turns: Arc<Semaphore>,
    /// Cancelled from outside, or because nobody reads what we write.
    stop: CancellationToken,
    grace: Duration,
    writer: JoinHandle<()>,
}

/// What happens to a line.
struct Road {
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    inline: Inline,
    opened: bool,
    queue: VecDeque<Queued>,
    limit: usize,
}

/// A call whose turn has not come.
struct Queued {
    message: ClientJsonRpcMessage,
    bytes: usize,
}

impl Stdio {
    /// Takes over the descriptors.
    pub(super) fn open(
        input: OwnedFd,
        output: OwnedFd,
        host: Arc<Host>,
        session: Arc<Session>,
        options: &ServeOptions,
    ) -> io::Result<Self> {
        let lines = Lines::new(input, options.max_line_bytes)?;
        let stop = options.stop.child_token();
        let outbox = Outbox::new(output, stop.clone())?;
        let writer = tokio::spawn(outbox.clone().run());
        Ok(Self {
            lines,
            turns: Arc::new(Semaphore::new(options.max_calls.clamp(1, Semaphore::MAX_PERMITS))),
            stop,
            grace: options.grace,
            writer,
            road: Road {
                inline: Inline::new(host, session.clone(), outbox.clone()),
                session,
                outbox,
                opened: false,
                queue: VecDeque::new(),
                limit: options.max_line_bytes,
            },
        })
    }

    /// The next message for the SDK; `None` when there will be no more.
    async fn next(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(message) = self.next_in_turn() {
                return Some(message);
            }
            let full = self.road.outbox.is_full();
            let busy = self.road.is_busy();
            if !full && !busy {
                match self.lines.next() {
                    Some(Line::Text(line)) => {
                        if let Some(message) = self.road.take(self.lines.text(line)) {
                            return Some(message);
                        }
                        continue;
                    }
                    Some(Line::TooLong(skipped)) => {
                        self.road.refuse(&skipped);
                        continue;
                    }
                    None if self.lines.has_ended() && self.road.queue.is_empty() => return None,
                    None => {}
                }
            }
            if self.lines.has_ended() {
                // Calls that wait for the client would keep the queue from moving.
                self.road.session.end();
            }
            self.road.outbox.flush();
            let more = !full && !busy && !self.lines.has_ended();
            let turns = self.turns.clone();
            tokio::select! {
                () = self.stop.cancelled() => return None,
                () = self.road.outbox.has_room(), if full => {}
                turn = turns.acquire_owned(), if !self.road.queue.is_empty() => {
                    return self.road.queue.pop_front().map(|queued| queued.run(turn.ok()));
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

    /// A queued message whose turn it is. Calls take one; anything else never queues.
    fn next_in_turn(&mut self) -> Option<ClientJsonRpcMessage> {
        if self.road.queue.is_empty() {
            return None;
        }
        let turn = self.turns.clone().try_acquire_owned().ok()?;
        self.road.queue.pop_front().map(|queued| queued.run(Some(turn)))
    }
}

impl Queued {
    fn run(mut self, turn: Option<OwnedSemaphorePermit>) -> ClientJsonRpcMessage {
        if let (JsonRpcMessage::Request(request), Some(turn)) = (&mut self.message, turn) {
            request.request.extensions_mut().insert(Turn { _permit: Arc::new(turn) });
        }
        self.message
    }
}

impl Road {
    /// Answers a line, queues it, or gives it to the SDK.
    fn take(&mut self, line: &[u8]) -> Option<ClientJsonRpcMessage> {
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line).trim_ascii();
        if line.is_empty() {
            return None;
        }
        let Ok(text) = std::str::from_utf8(line) else {
            let id = recover::id(line, None);
            self.reject(id.as_deref(), -32700, "cannot read the message: not UTF-8");
            return None;
        };
        if let Some(frame) = Frame::read(text)
            && self.inline.answer(&frame)
        {
            return None;
        }
        match message::read(text, self.opened) {
            Read::Ignored => None,
            Read::Bad { id, code, message } => {
                self.reject(id.as_deref(), code, &message);
                None
            }
            Read::Message(message) => self.pass(*message, text.len()),
        }
    }

    /// Too much waits for its turn to read on.
    fn is_busy(&self) -> bool {
        self.queue.len() >= QUEUED
            || self.queue.iter().map(|queued| queued.bytes).sum::<usize>() > QUEUED_BYTES
    }

    fn pass(
        &mut self,
        message: ClientJsonRpcMessage,
        bytes: usize,
    ) -> Option<ClientJsonRpcMessage> {
        match &message {
            JsonRpcMessage::Request(request) => match &request.request {
                ClientRequest::InitializeRequest(_) => self.opened = true,
                ClientRequest::CallToolRequest(_) | ClientRequest::ReadResourceRequest(_) => {
                    self.queue.push_back(Queued { message, bytes });
                    return None;
                }
                _ => {}
            },
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(cancelled) =
                    &notification.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.cancel(id);
                }
            }
            _ => {}
        }
        Some(message)
    }

    /// Forgets a call whose turn has not come, and stops one that waits outside the SDK.
    fn cancel(&mut self, id: &RequestId) {
        self.queue
            .retain(|queued| !matches!(&queued.message, JsonRpcMessage::Request(r) if r.id == *id));
        if let Ok(id) = serde_json::to_string(id) {
            self.inline.cancel(&id);
        }
    }

    fn refuse(&self, skipped: &Skipped) {
        let id = recover::id(&skipped.head, Some(&skipped.tail));
        let message = format!(
            "the message has {} bytes, more than the {} that are accepted",
            skipped.length, self.limit
        );
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
        self.road.outbox.append(|out| {
            let start = out.len();
            match serde_json::to_writer(&mut *out, &message) {
                Ok(()) => out.push(b'\n'),
                Err(error) => {
                    out.truncate(start);
                    tracing::error!(%error, "cannot serialise a message");
                }
            }
        });
        self.road.outbox.flush_soon();
        std::future::ready(Ok(()))
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        let message = self.next().await;
        if message.is_none() {
            self.road.session.end();
        }
        message
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        let rest = async {
            self.road.inline.finished().await;
            self.road.outbox.drained().await;
        };
        if tokio::time::timeout(self.grace, rest).await.is_err() {
            tracing::warn!("the client did not take all answers in time");
        }
        Ok(())
    }
}

impl Drop for Stdio {
    fn drop(&mut self) {
        self.writer.abort();
    }
}
