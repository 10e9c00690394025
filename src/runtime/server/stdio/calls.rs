//! Calls over stdio: starts, queues and cancels them.
//!
//! Every call is started in place and answered at once if it does not wait. A call that waits
//! continues in its own task and holds a slot until it ends; without a free slot, calls are queued in
//! order. Tools that never wait (`immediate`) need no slot.

use std::collections::VecDeque;
use std::sync::Arc;
use std::task::{Context, Waker};
use std::time::{Duration, Instant};

use rmcp::model::RequestId;
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::in_flight::{InFlight, Kind};
use super::outbox::Outbox;
use crate::call::{Client, ProgressSink};
use crate::server::answer::{ResponseHead, write_error, write_rendered};
use crate::server::caller::{Caller, CallerDefaults, RequestMeta};
use crate::server::host::Host;
use crate::server::invocation::{Started, ToolInvocation};
use crate::server::progress::Progress;
use crate::server::raw_call::{RawCall, RawRequest, Rejection};
use crate::server::session::Session;

/// Maximum number of queued calls.
const MAX_QUEUED: usize = 1024;
/// After a call that blocks the transport for longer, other tasks run before the next line.
const YIELD_AFTER: Duration = Duration::from_millis(1);

/// The calls of one connection.
pub(super) struct Calls {
    host: Arc<Host>,
    resolver: CallerResolver,
    outbox: Arc<Outbox>,
    slots: Arc<Semaphore>,
    queue: VecDeque<Queued>,
    running: JoinSet<()>,
    in_flight: Arc<InFlight>,
    /// Cancelled when the grace period of running calls has passed.
    abandoned: CancellationToken,
    /// The last call blocked the transport for longer than [`YIELD_AFTER`].
    blocked_long: bool,
}

/// A call that waits for a slot.
struct Queued {
    call: RawCall,
    /// Size of its request.
    bytes: usize,
}

impl Calls {
    pub(super) fn new(
        host: Arc<Host>,
        session: Arc<Session>,
        outbox: Arc<Outbox>,
        in_flight: Arc<InFlight>,
        slots: usize,
        abandoned: CancellationToken,
    ) -> Self {
        Self {
            resolver: CallerResolver { host: host.clone(), session, last: None },
            host,
            outbox,
            slots: Arc::new(Semaphore::new(slots.clamp(1, Semaphore::MAX_PERMITS))),
            queue: VecDeque::new(),
            running: JoinSet::new(),
            in_flight,
            abandoned,
            blocked_long: false,
        }
    }

    /// Handles the request, of so many bytes, if it runs a tool or has a ready answer; false leaves it to
    /// the SDK.
    pub(super) fn try_handle(&mut self, request: &RawRequest<'_>, bytes: usize) -> bool {
        let taken = match &*request.method {
            "ping" if request.meta().is_none() => {
                self.outbox.append(|out| write_rendered(out, request.id(), "{}"));
                Ok(())
            }
            "tools/list" => self.list(request, bytes),
            _ => match request.call(&self.host, |meta| self.resolver.caller(request, meta)) {
                Some(call) => call.map(|call| self.admit(call, bytes)),
                None => return false,
            },
        };
        if let Err(rejection) = taken {
            self.reject(request.id(), &rejection);
        }
        true
    }

    fn list(&mut self, request: &RawRequest<'_>, bytes: usize) -> Result<(), Rejection> {
        request.only_page()?;
        let caller = self.resolver.caller(request, request.meta())?;
        let (host, outbox, id) = (self.host.clone(), self.outbox.clone(), request.id().to_owned());
        let mut listed = Box::pin(async move {
            let list = host.tool_list(&caller).await;
            outbox.append(|out| write_rendered(out, &id, &list));
        });
        // Ready at once, unless the surface must look up what the caller may call.
        if listed.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending() {
            while self.running.try_join_next().is_some() {}
            let id = serde_json::from_str::<RequestId>(request.id()).ok();
            if let Some(id) = &id {
                self.in_flight.add(id.clone(), bytes, Kind::PassedOn);
            }
            let (outbox, in_flight) = (self.outbox.clone(), self.in_flight.clone());
            self.running.spawn(async move {
                listed.await;
                if let Some(id) = &id {
                    in_flight.end(id);
                }
                outbox.flush_soon();
            });
        }
        Ok(())
    }

    /// The queue is full.
    pub(super) fn is_busy(&self) -> bool {
        self.queue.len() >= MAX_QUEUED
    }

    /// Calls are queued.
    pub(super) fn has_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    /// Whether the last call blocked the transport for long; resets the flag.
    pub(super) fn blocked_long(&mut self) -> bool {
        std::mem::take(&mut self.blocked_long)
    }

    /// Waits for a free slot.
    pub(super) fn slot(&self) -> impl Future<Output = Option<OwnedSemaphorePermit>> + use<> {
        let slots = self.slots.clone();
        async move { slots.acquire_owned().await.ok() }
    }

    /// Starts the first queued call, in `slot` or a free one; false if there is neither.
    pub(super) fn start_queued(&mut self, slot: Option<OwnedSemaphorePermit>) -> bool {
        if self.queue.is_empty() {
            return false;
        }
        let Some(slot) = slot.or_else(|| self.slots.clone().try_acquire_owned().ok()) else {
            return false;
        };
        if let Some(Queued { call, bytes }) = self.queue.pop_front() {
            if let Some(id) = request_id(&call.head) {
                self.in_flight.end(&id);
            }
            self.start(call, Some(slot), bytes);
        }
        true
    }

    /// Cancels a request: removes it from the queue, or lets its call know.
    pub(super) fn cancel(&mut self, id: &RequestId) {
        let queued = self.queue.len();
        self.queue.retain(|queued| request_id(&queued.call.head).as_ref() != Some(id));
        if self.queue.len() < queued {
            self.in_flight.end(id);
        } else {
            self.in_flight.cancel(id);
        }
    }

    /// Resolves when no call is running. Cancels running calls once their grace period has passed, and
    /// still waits for them.
    pub(super) async fn finished(&mut self) {
        loop {
            let is_abandoned = self.abandoned.is_cancelled();
            if is_abandoned {
                self.in_flight.cancel_calls();
            }
            tokio::select! {
                ended = self.running.join_next() => if ended.is_none() { return },
                () = self.abandoned.cancelled(), if !is_abandoned => {}
            }
        }
    }

    fn admit(&mut self, call: RawCall, bytes: usize) {
        if !call.may_wait() {
            return self.start(call, None, bytes);
        }
        let free =
            if self.queue.is_empty() { self.slots.clone().try_acquire_owned().ok() } else { None };
        match free {
            Some(slot) => self.start(call, Some(slot), bytes),
            None => {
                if let Some(id) = request_id(&call.head) {
                    self.in_flight.add(id, bytes, Kind::Call(CancellationToken::new()));
                }
                self.queue.push_back(Queued { call, bytes });
            }
        }
    }

    /// `bytes` is the size of the request.
    fn start(&mut self, mut call: RawCall, slot: Option<OwnedSemaphorePermit>, bytes: usize) {
        let progress = call.caller.progress.take().map(|token| {
            let outbox = self.outbox.clone();
            let send = move |report: String| {
                // If the client does not read, drop only progress.
                if !outbox.is_full() {
                    outbox.append(|out| {
                        out.extend_from_slice(report.as_bytes());
                        out.push(b'\n');
                    });
                    outbox.flush_soon();
                }
            };
            Arc::new(Progress::new(token, send)) as Arc<dyn ProgressSink>
        });
        let begun = call.may_wait().then(Instant::now);
        match call.start(&self.host, Some(&self.resolver.session), progress) {
            Started::Done(head, outcome) => {
                self.outbox.append(|out| head.write(out, outcome, &self.host));
            }
            Started::Waiting(head, invocation) => self.spawn(head, invocation, slot, bytes),
        }
        self.blocked_long |= begun.is_some_and(|begun| begun.elapsed() > YIELD_AFTER);
    }

    fn spawn(
        &mut self,
        head: ResponseHead,
        invocation: ToolInvocation,
        slot: Option<OwnedSemaphorePermit>,
        bytes: usize,
    ) {
        while self.running.try_join_next().is_some() {}
        let ToolInvocation { outcome, cancel } = invocation;
        let id = request_id(&head);
        if let Some(id) = &id {
            self.in_flight.add(id.clone(), bytes, Kind::Call(cancel.clone()));
        }
        let (host, outbox, in_flight) =
            (self.host.clone(), self.outbox.clone(), self.in_flight.clone());
        let abandoned = self.abandoned.clone();
        self.running.spawn(async move {
            let _slot = slot;
            let outcome = outcome.await;
            if let Some(id) = &id {
                in_flight.end(id);
            }
            // A cancelled call gets no answer; an abandoned one does.
            if !cancel.is_cancelled() || abandoned.is_cancelled() {
                outbox.append(|out| head.write(out, outcome, &host));
                outbox.flush_soon();
            }
        });
    }

    fn reject(&self, id: &str, rejection: &Rejection) {
        let Rejection { code, message, data, .. } = rejection;
        tracing::debug!(code, message, "rejected a call");
        self.outbox.append(|out| write_error(out, Some(id), *code, message, data.as_ref()));
    }
}

/// Resolves the caller of a request.
struct CallerResolver {
    host: Arc<Host>,
    session: Arc<Session>,
    /// The last `_meta` and its caller: 2026-07-28 clients repeat it with every request.
    last: Option<(String, Caller)>,
}

impl CallerResolver {
    fn caller(
        &mut self,
        request: &RawRequest<'_>,
        meta: Option<&RawValue>,
    ) -> Result<Caller, Rejection> {
        let Some(meta) = meta else {
            let handshake = self.session.handshake().ok_or_else(no_handshake)?;
            return Ok(handshake.defaults.caller());
        };
        if let Some((known, caller)) = &self.last
            && known == meta.get()
        {
            return Ok(caller.clone());
        }
        let request_meta = RequestMeta::read(meta)
            .map_err(|error| request.malformed(&format!("`_meta`: {error}")))?;
        let handshake = self.session.handshake();
        if handshake.is_none() && !request_meta.missing.is_empty() {
            return Err(no_handshake());
        }
        request_meta.check()?;
        let caller = match handshake {
            Some(handshake) => request_meta.caller(&self.host, &handshake.defaults),
            None => {
                let defaults = CallerDefaults::without_handshake(&self.host, Client::default());
                request_meta.caller(&self.host, &defaults)
            }
        };
        if caller.modern && caller.progress.is_none() {
            self.last = Some((meta.get().to_owned(), caller.clone()));
        }
        Ok(caller)
    }
}

/// The error for requests that need a handshake.
pub(super) fn no_handshake() -> Rejection {
    Rejection::invalid_params(
        "not initialized: send `initialize` first, or include \
         `io.modelcontextprotocol/protocolVersion` and \
         `io.modelcontextprotocol/clientCapabilities` in the `_meta` of every request",
    )
}

fn request_id(head: &ResponseHead) -> Option<RequestId> {
    serde_json::from_str(&head.id).ok()
}
