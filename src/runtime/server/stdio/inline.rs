//! The short road: answers what needs no waiting right where it was read.
//!
//! `tools/call` of tools that never wait, `tools/list` and `ping` make up nearly all traffic.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::message::CallParams;
use super::outbox::Outbox;
use crate::server::answer::{write_rendered, write_response};
use crate::server::host::Host;
use crate::server::session::{Handshake, Session};
use crate::server::short::{Caller, Errand, Frame, Running, Said, Started, read_meta};

/// Answers in line.
pub(super) struct Inline {
    host: Arc<Host>,
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    /// The last `_meta` without a handshake and what it means; clients repeat it with every request.
    last: Option<(String, Caller)>,
    /// Calls that turned out to wait after all.
    waiting: JoinSet<()>,
    cancels: Arc<Mutex<HashMap<String, CancellationToken>>>,
}

impl Inline {
    pub(super) fn new(host: Arc<Host>, session: Arc<Session>, outbox: Arc<Outbox>) -> Self {
        Self { host, session, outbox, last: None, waiting: JoinSet::new(), cancels: Arc::default() }
    }

    /// Answers the request if it can; false leaves it to the ordinary road.
    pub(super) fn answer(&mut self, frame: &Frame<'_>) -> bool {
        let Some(id) = frame.id() else { return false };
        let none = CallParams::default();
        let params = frame.params.as_ref().unwrap_or(&none);
        match frame.method {
            "tools/call" => self.call(id, params),
            "tools/list" => self.list(id, params),
            "ping" if params.meta.is_none() => {
                self.outbox.append(|out| write_rendered(out, id, "{}"));
                true
            }
            _ => false,
        }
    }

    /// A call that waits here, not in the SDK, is no longer wanted.
    pub(super) fn cancel(&self, id: &str) {
        if let Some(token) = lock(&self.cancels).get(id) {
            token.cancel();
        }
    }

    /// Resolves when no call waits here any more.
    pub(super) async fn finished(&mut self) {
        while self.waiting.join_next().await.is_some() {}
    }

    fn list(&mut self, id: &str, params: &CallParams<'_>) -> bool {
        if params.cursor.is_some() {
            return false;
        }
        let Some(caller) = self.caller(params.meta) else { return false };
        let list = self.host.catalogue.list(caller.view);
        let result = if caller.modern { &list.without_handshake } else { &list.with_handshake };
        self.outbox.append(|out| write_rendered(out, id, result));
        true
    }

    fn call(&mut self, id: &str, params: &CallParams<'_>) -> bool {
        let Some(errand) = Errand::read(&self.host, params, Host::is_immediate) else {
            return false;
        };
        let Some(caller) = self.caller(params.meta) else { return false };
        let modern = caller.modern;
        match errand.start(&self.host, id, caller) {
            Started::Done(outcome) => {
                let catalogue = &self.host.catalogue;
                self.outbox.append(|out| write_response(out, id, &outcome, catalogue, modern));
            }
            Started::Waiting(running, cancel) => {
                self.finish_later(id.to_owned(), running, cancel, modern);
            }
        }
        true
    }

    /// The tool waits although its contract says that it does not: nothing is lost, only slower.
    fn finish_later(
        &mut self,
        id: String,
        running: Running,
        cancel: CancellationToken,
        modern: bool,
    ) {
        while self.waiting.try_join_next().is_some() {}
        lock(&self.cancels).insert(id.clone(), cancel.clone());
        let (host, outbox, cancels) =
            (self.host.clone(), self.outbox.clone(), self.cancels.clone());
        self.waiting.spawn(async move {
            let outcome = running.await;
            lock(&cancels).remove(&id);
            if !cancel.is_cancelled() {
                outbox.append(|out| write_response(out, &id, &outcome, &host.catalogue, modern));
                outbox.flush_soon();
            }
        });
    }

    /// Who is calling; `None` where the ordinary road must decide.
    fn caller(&mut self, meta: Option<&RawValue>) -> Option<Caller> {
        let Some(meta) = meta else { return self.after_handshake(Map::new()) };
        if let Some((known, caller)) = &self.last
            && known == meta.get()
        {
            return Some(caller.clone());
        }
        match read_meta(&self.host, meta)? {
            Said::Nothing { own, .. } => self.after_handshake(own),
            Said::Stateless(caller) => {
                self.last = Some((meta.get().to_owned(), caller.clone()));
                Some(caller)
            }
        }
    }

    fn after_handshake(&self, meta: Map<String, Value>) -> Option<Caller> {
        let Handshake { client, view } = self.session.handshake()?;
        Some(Caller { client, meta, view, modern: false, can_ask: false })
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
