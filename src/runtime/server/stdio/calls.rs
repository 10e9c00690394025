//! Calls over stdio: who may start, what runs, what was cancelled.
//!
//! Every call is started where it was read and answered there if it does not wait. One that waits
//! goes on in a task of its own and holds a slot until it ends; when there is no slot, calls queue in
//! order. Tools whose contract says that they never wait need no slot.

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
use crate::server::answer::{ReplyHead, write_error, write_rendered};
use crate::server::caller::{Caller, Known, Stated};
use crate::server::host::Host;
use crate::server::invocation::{Started, ToolInvocation};
use crate::server::progress::Progress;
use crate::server::raw_call::{RawCall, RawRequest, Rejection};
use crate::server::session::Session;

/// Calls that may wait for a slot.
const QUEUED: usize = 1024;
/// Bytes of calls that may wait for a slot.
const QUEUED_BYTES: usize = 32 * 1024 * 1024;
/// A call that keeps the transport for longer lets everybody else have a turn before the next.
const LONG: Duration = Duration::from_millis(1);

/// The calls of one connection.
pub(super) struct Calls {
    host: Arc<Host>,
    callers: Callers,
    outbox: Arc<Outbox>,
    slots: Arc<Semaphore>,
    queue: VecDeque<RawCall>,
    queued_bytes: usize,
    running: JoinSet<()>,
    cancels: Arc<Mutex<HashMap<RequestId, CancellationToken>>>,
    /// Cancelled when calls under way have had their time.
    abandoned: CancellationToken,
    /// The last call kept the transport for long.
    kept_long: bool,
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
            callers: Callers { host: host.clone(), session, last: None },
            host,
            outbox,
            slots: Arc::new(Semaphore::new(slots.clamp(1, Semaphore::MAX_PERMITS))),
            queue: VecDeque::new(),
            queued_bytes: 0,
            running: JoinSet::new(),
            cancels: Arc::default(),
            abandoned,
            kept_long: false,
        }
    }

    /// Takes the request if it runs a tool, or has an answer that is always ready; false leaves it to
    /// the SDK.
    pub(super) fn take(&mut self, request: &RawRequest<'_>) -> bool {
        let taken = match &*request.method {
            "ping" if request.meta().is_none() => {
                self.outbox.append(|out| write_rendered(out, request.id(), "{}"));
                Ok(())
            }
            "tools/list" => self.list(request),
            _ => match request.call(&self.host, |meta| self.callers.caller(request, meta)) {
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
        let caller = self.callers.caller(request, request.meta())?;
        let list = self.host.catalogue.list(caller.view).result(caller.modern);
        self.outbox.append(|out| write_rendered(out, request.id(), list));
        Ok(())
    }

    /// Too much waits for a slot to read on.
    pub(super) fn is_busy(&self) -> bool {
        self.queue.len() >= QUEUED || self.queued_bytes > QUEUED_BYTES
    }

    /// Calls wait for a slot.
    pub(super) fn has_queued(&self) -> bool {
        !self.queue.is_empty()
    }

    /// The last call kept the transport for long; says so once.
    pub(super) fn kept_long(&mut self) -> bool {
        std::mem::take(&mut self.kept_long)
    }

    /// A slot, once there is one.
    pub(super) fn slot(&self) -> impl Future<Output = Option<OwnedSemaphorePermit>> + use<> {
        let slots = self.slots.clone();
        async move { slots.acquire_owned().await.ok() }
    }

    /// Starts the first call of the queue, in `slot` or in a free one; false where there is none.
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

    /// The client no longer wants the answer: forgets a call that is queued, tells one that runs.
    pub(super) fn cancel(&mut self, id: &RequestId) {
        let is_meant = |call: &RawCall| request_id(&call.reply).as_ref() == Some(id);
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

    /// Resolves when no call runs any more. Those that have had their time are told to end, and still
    /// waited for.
    pub(super) async fn finished(&mut self) {
        loop {
            let told = self.abandoned.is_cancelled();
            if told {
                lock(&self.cancels).values().for_each(CancellationToken::cancel);
            }
            tokio::select! {
                ended = self.running.join_next() => if ended.is_none() { return },
                () = self.abandoned.cancelled(), if !told => {}
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
                // A client that does not read its answers misses progress only.
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
        match call.start(&self.host, Some(&self.callers.session), progress) {
            Started::Done(reply, outcome) => {
                self.outbox.append(|out| reply.write(out, outcome, &self.host));
            }
            Started::Waiting(reply, invocation) => self.spawn(reply, invocation, slot),
        }
        self.kept_long |= begun.is_some_and(|begun| begun.elapsed() > LONG);
    }

    fn spawn(
        &mut self,
        reply: ReplyHead,
        invocation: ToolInvocation,
        slot: Option<OwnedSemaphorePermit>,
    ) {
        while self.running.try_join_next().is_some() {}
        let ToolInvocation { outcome, cancel } = invocation;
        let id = request_id(&reply);
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
            // A client that gave up on the call expects no answer; one that is left behind does.
            if !cancel.is_cancelled() || abandoned.is_cancelled() {
                outbox.append(|out| reply.write(out, outcome, &host));
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

/// Knows who is calling.
struct Callers {
    host: Arc<Host>,
    session: Arc<Session>,
    /// The last `_meta` that needs no handshake and what it means; clients repeat it.
    last: Option<(String, Caller)>,
}

impl Callers {
    fn caller(
        &mut self,
        request: &RawRequest<'_>,
        meta: Option<&RawValue>,
    ) -> Result<Caller, Rejection> {
        let Some(meta) = meta else {
            let handshake = self.session.handshake().ok_or_else(no_handshake)?;
            return Ok(handshake.known.caller());
        };
        if let Some((known, caller)) = &self.last
            && known == meta.get()
        {
            return Ok(caller.clone());
        }
        let stated =
            Stated::read(meta).map_err(|error| request.malformed(&format!("`_meta`: {error}")))?;
        let handshake = self.session.handshake();
        if handshake.is_none() && !stated.missing.is_empty() {
            return Err(no_handshake());
        }
        stated.check()?;
        let caller = match handshake {
            Some(handshake) => stated.caller(&self.host, &handshake.known),
            None => {
                let known = Known::without_handshake(&self.host, Client::default());
                stated.caller(&self.host, &known)
            }
        };
        if caller.modern && caller.progress.is_none() {
            self.last = Some((meta.get().to_owned(), caller.clone()));
        }
        Ok(caller)
    }
}

/// The answer to what needs a handshake before there was one.
pub(super) fn no_handshake() -> Rejection {
    Rejection::invalid_params(
        "no handshake yet: send `initialize` first, or \
         `io.modelcontextprotocol/protocolVersion` and \
         `io.modelcontextprotocol/clientCapabilities` in the `_meta` of every request",
    )
}

fn request_id(reply: &ReplyHead) -> Option<RequestId> {
    serde_json::from_str(&reply.id).ok()
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
