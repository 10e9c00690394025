//! Calls over stdio: starts, queues and cancels them.
//!
//! Every call is started in place and answered at once if it does not wait. A call that waits
//! continues in its own task and holds a slot until it ends; without a free slot, calls are queued in
//! order. Tools that never wait (`immediate`) need no slot.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rmcp::model::RequestId;
use serde_json::value::RawValue;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

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
/// Maximum size of all queued calls.
const MAX_QUEUED_BYTES: usize = 32 * 1024 * 1024;
/// After a call that blocks the transport for longer, other tasks run before the next line.
const YIELD_AFTER: Duration = Duration::from_millis(1);

/// The calls of one connection.
pub(super) struct Calls {
    host: Arc<Host>,
    resolver: CallerResolver,
    outbox: Arc<Outbox>,
    slots: Arc<Semaphore>,
    queue: VecDeque<RawCall>,
    queued_bytes: usize,
    running: JoinSet<()>,
    cancels: Arc<Mutex<HashMap<RequestId, CancellationToken>>>,
    /// Cancelled when the grace period of running calls has passed.
    abandoned: CancellationToken,
    /// The last call blocked the transport for longer than [`YIELD_AFTER`].
    blocked_long: bool,
}

impl Calls {
    pub(super) fn new(
        host: Arc<Host>,
        session: Arc<Session>,
        outbox: Arc<Outbox>,
        slots: usize,
        abandoned: CancellationToken,
    ) -> Self {
        Self {
            resolver: CallerResolver { host: host.clone(), session, last: None },
            host,
            outbox,
            slots: Arc::new(Semaphore::new(slots.clamp(1, Semaphore::MAX_PERMITS))),
            queue: VecDeque::new(),
            queued_bytes: 0,
            running: JoinSet::new(),
            cancels: Arc::default(),
            abandoned,
            blocked_long: false,
        }
    }

    /// Handles the request if it runs a tool or has a ready answer; false leaves it to the SDK.
    pub(super) fn try_handle(&mut self, request: &RawRequest<'_>) -> bool {
        let taken = match &*request.method {
            "ping" if request.meta().is_none() => {
                self.outbox.append(|out| write_rendered(out, request.id(), "{}"));
                Ok(())
            }
            "tools/list" => self.list(request),
            _ => match request.call(&self.host, |meta| self.resolver.caller(request, meta)) {
                Some(call) => call.map(|call| self.admit(call)),
                None => return false,
            },
        };
        if let Err(rejection) = taken {
            self.reject(request.id(), &rejection);
        }
        true
    }

    fn list(&mut self, request: &RawRequest<'_>) -> Result<(), Rejection> {
        request.only_page()?;
        let caller = self.resolver.caller(request, request.meta())?;
        let offer = self.host.offer();
        let list = offer.list(&self.host.catalogue, caller.view).result(caller.modern);
        self.outbox.append(|out| write_rendered(out, request.id(), list));
        Ok(())
    }

    /// The queue is full.
    pub(super) fn is_busy(&self) -> bool {
        self.queue.len() >= MAX_QUEUED || self.queued_bytes > MAX_QUEUED_BYTES
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
        if let Some(call) = self.queue.pop_front() {
            self.queued_bytes -= call.size();
            self.start(call, Some(slot));
        }
        true
    }

    /// Cancels a call: removes it from the queue, or cancels its token if it is running.
    pub(super) fn cancel(&mut self, id: &RequestId) {
        let is_meant = |call: &RawCall| request_id(&call.head).as_ref() == Some(id);
        let queued_bytes = &mut self.queued_bytes;
        self.queue.retain(|call| {
            let meant = is_meant(call);
            if meant {
                *queued_bytes -= call.size();
            }
            !meant
        });
        if let Some(cancel) = lock(&self.cancels).get(id) {
            cancel.cancel();
        }
    }

    /// Resolves when no call is running. Cancels running calls once their grace period has passed, and
    /// still waits for them.
    pub(super) async fn finished(&mut self) {
        loop {
            let is_abandoned = self.abandoned.is_cancelled();
            if is_abandoned {
                lock(&self.cancels).values().for_each(CancellationToken::cancel);
            }
            tokio::select! {
                ended = self.running.join_next() => if ended.is_none() { return },
                () = self.abandoned.cancelled(), if !is_abandoned => {}
            }
        }
    }

    fn admit(&mut self, call: RawCall) {
        if !call.may_wait() {
            return self.start(call, None);
        }
        let free =
            if self.queue.is_empty() { self.slots.clone().try_acquire_owned().ok() } else { None };
        match free {
            Some(slot) => self.start(call, Some(slot)),
            None => {
                self.queued_bytes += call.size();
                self.queue.push_back(call);
            }
        }
    }

    fn start(&mut self, mut call: RawCall, slot: Option<OwnedSemaphorePermit>) {
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
            Started::Waiting(head, invocation) => self.spawn(head, invocation, slot),
        }
        self.blocked_long |= begun.is_some_and(|begun| begun.elapsed() > YIELD_AFTER);
    }

    fn spawn(
        &mut self,
        head: ResponseHead,
        invocation: ToolInvocation,
        slot: Option<OwnedSemaphorePermit>,
    ) {
        while self.running.try_join_next().is_some() {}
        let ToolInvocation { outcome, cancel } = invocation;
        let id = request_id(&head);
        if let Some(id) = &id {
            lock(&self.cancels).insert(id.clone(), cancel.clone());
        }
        let (host, outbox, cancels) =
            (self.host.clone(), self.outbox.clone(), self.cancels.clone());
        let abandoned = self.abandoned.clone();
        self.running.spawn(async move {
            let _slot = slot;
            let outcome = outcome.await;
            if let Some(id) = &id {
                lock(&cancels).remove(id);
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
