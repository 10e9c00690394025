//! The short road: answers what needs no waiting right where it was read.
//!
//! `tools/call` of tools that never wait, `tools/list` and `ping` make up nearly all traffic, and
//! the SDK's loop costs several times what such an answer does. Taken only when the answer cannot
//! differ from the ordinary road's; whatever is unusual about a request leads there.

use std::collections::HashMap;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, Waker};

use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use super::message::{CallParams, is_id};
use super::outbox::Outbox;
use crate::call::{Call, Client};
use crate::dispatch::Outcome;
use crate::server::answer::{write_rendered, write_response};
use crate::server::host::Host;
use crate::server::methods;
use crate::server::names::Naming;
use crate::server::session::Session;

/// The only revision without a handshake that is answered here.
const STATELESS: &str = "2026-07-28";

/// A request whose parameters are read on the way, in one pass.
#[derive(Deserialize)]
pub(super) struct Frame<'a> {
    #[serde(default)]
    jsonrpc: &'a str,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) method: &'a str,
    #[serde(borrow, default)]
    pub(super) params: Option<CallParams<'a>>,
}

impl<'a> Frame<'a> {
    /// `None` for anything unusual.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let frame: Self = serde_json::from_str(text).ok()?;
        (text.starts_with('{') && frame.jsonrpc == "2.0").then_some(frame)
    }

    /// The request's id as JSON text.
    pub(super) fn id(&self) -> Option<&'a str> {
        self.id.map(RawValue::get).filter(|id| is_id(id))
    }
}

/// Who is calling, and by which rules.
#[derive(Clone)]
struct Caller {
    client: Arc<Client>,
    meta: Map<String, Value>,
    naming: Naming,
    modern: bool,
}

/// Answers in line.
pub(super) struct Inline {
    host: Arc<Host>,
    session: Arc<Session>,
    outbox: Arc<Outbox>,
    /// The last `_meta` and what it means; clients repeat it with every request.
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
        let list = self.host.catalogue.list(caller.naming);
        let result = if caller.modern { &list.without_handshake } else { &list.with_handshake };
        self.outbox.append(|out| write_rendered(out, id, result));
        true
    }

    fn call(&mut self, id: &str, params: &CallParams<'_>) -> bool {
        let Some((index, tool)) = params.name().and_then(|name| self.host.tool(&name)) else {
            return false;
        };
        if !Host::is_immediate(tool)
            || params.input_responses.is_some()
            || params.request_state.is_some()
        {
            return false;
        }
        let Some(arguments) = params.arguments() else { return false };
        let Some(Caller { client, meta, modern, .. }) = self.caller(params.meta) else {
            return false;
        };
        let call = Call::new(tool, plain_id(id), self.host.world.clone())
            .from_client(client)
            .with_request_meta(meta);
        let call = Arc::new(call);
        let (host, called) = (self.host.clone(), call.clone());
        let mut running: Pin<Box<dyn Future<Output = Outcome> + Send>> =
            Box::pin(async move { host.run(index, &called, &arguments).await });
        match running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => {
                let catalogue = &self.host.catalogue;
                self.outbox.append(|out| write_response(out, id, &outcome, catalogue, modern));
            }
            Poll::Pending => {
                self.finish_later(id.to_owned(), running, call.cancellation(), modern);
            }
        }
        true
    }

    /// The tool waits although its contract says that it does not: nothing is lost, only slower.
    fn finish_later(
        &mut self,
        id: String,
        running: Pin<Box<dyn Future<Output = Outcome> + Send>>,
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
        let Some(meta) = meta else {
            let handshake = self.session.handshake()?;
            return Some(Caller {
                client: handshake.client,
                meta: Map::new(),
                naming: handshake.naming,
                modern: false,
            });
        };
        if let Some((known, caller)) = &self.last
            && known == meta.get()
            && caller.modern
        {
            return Some(caller.clone());
        }
        let caller = self.read_caller(meta)?;
        self.last = Some((meta.get().to_owned(), caller.clone()));
        Some(caller)
    }

    fn read_caller(&self, meta: &RawValue) -> Option<Caller> {
        use rmcp::model::{ProtocolVersion, RequestMetaObject};
        let meta: RequestMetaObject = serde_json::from_str(meta.get()).ok()?;
        if meta.contains_key("progressToken") {
            return None;
        }
        let Some(version) = meta.get("io.modelcontextprotocol/protocolVersion") else {
            let handshake = self.session.handshake()?;
            let own = methods::own_meta(meta.0.0);
            return Some(Caller {
                client: handshake.client,
                meta: own,
                naming: handshake.naming,
                modern: false,
            });
        };
        if version != STATELESS
            || !meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        {
            return None;
        }
        let implementation = meta.client_info();
        Some(Caller {
            client: Arc::new(Client {
                name: implementation.as_ref().map(|client| client.name.clone()),
                version: implementation.map(|client| client.version),
                protocol: Some(STATELESS.to_owned()),
                bearer: None,
                roots: Vec::new(),
            }),
            meta: methods::own_meta(meta.0.0),
            naming: self.host.tool_names.without_handshake(),
            modern: true,
        })
    }
}

/// The id without its quotes.
fn plain_id(id: &str) -> String {
    if id.starts_with('"') { serde_json::from_str(id).unwrap_or_default() } else { id.to_owned() }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
