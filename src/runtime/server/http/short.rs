//! The short road over HTTP: calls, lists and pings without the SDK.
//!
//! Every request is on its own, so nearly all of them can take it: only a client that may have to be
//! asked, wants to hear of progress, or says something unusual in its head goes the ordinary way.

use std::pin::Pin;
use std::sync::Arc;

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use rmcp::model::ProtocolVersion;
use serde_json::Map;
use tokio_util::sync::CancellationToken;

use super::carried;
use crate::call::Client;
use crate::dispatch::{Dispatch, Outcome};
use crate::server::answer::{write_rendered, write_response};
use crate::server::host::Host;
use crate::server::short::{Caller, Errand, Frame, STATELESS, Said, Started, read_meta};
use crate::server::stdio::message::CallParams;

const VERSION: &str = "mcp-protocol-version";
const METHOD: &str = "mcp-method";
const NAME: &str = "mcp-name";
/// What a client that names no revision is taken for.
const UNNAMED: ProtocolVersion = ProtocolVersion::V_2025_03_26;

/// A request that needs no SDK.
pub(super) enum Short<'a> {
    /// Its answer.
    Ready(Vec<u8>),
    /// A tool is to run.
    Call(ShortCall<'a>),
}

/// A call that has not begun.
pub(super) struct ShortCall<'a> {
    /// JSON text.
    pub(super) id: &'a str,
    caller: Caller,
    errand: Errand,
}

/// A call that waits for something.
pub(super) struct Waiting {
    /// The answer, once it is there.
    pub(super) answer: Pin<Box<dyn Future<Output = Vec<u8>> + Send>>,
    /// Cancelled when nobody wants the answer any more.
    pub(super) cancel: CancellationToken,
}

impl<'a> Short<'a> {
    /// `None` where the ordinary road must decide.
    pub(super) fn read(
        host: &Host,
        headers: &HeaderMap,
        surface: Option<&Arc<dyn Dispatch>>,
        body: &'a str,
    ) -> Option<Self> {
        let frame = Frame::read(body)?;
        let id = frame.id()?;
        let none = CallParams::default();
        let params = frame.params.as_ref().unwrap_or(&none);
        let caller = caller(host, headers, surface, params)?;
        if caller.modern && !names_agree(headers, frame.method, params) {
            return None;
        }
        match frame.method {
            "tools/call" => {
                let can_ask = caller.can_ask;
                let suited = |tool: &_| !can_ask || Host::is_immediate(tool);
                let errand = Errand::read(host, params, suited)?;
                Some(Self::Call(ShortCall { id, caller, errand }))
            }
            "tools/list" if params.cursor.is_none() => {
                let list = host.catalogue.list(caller.view);
                let modern = caller.modern;
                let list = if modern { &list.without_handshake } else { &list.with_handshake };
                Some(Self::rendered(id, list))
            }
            "ping" if !caller.modern => Some(Self::rendered(id, "{}")),
            _ => None,
        }
    }

    fn rendered(id: &str, result: &str) -> Self {
        let mut body = Vec::with_capacity(result.len() + 64);
        write_rendered(&mut body, id, result);
        Self::Ready(body)
    }
}

impl ShortCall<'_> {
    /// The answer, or what has to be waited for.
    pub(super) fn start(self, host: &Arc<Host>) -> Result<Vec<u8>, Waiting> {
        let modern = self.caller.modern;
        match self.errand.start(host, self.id, self.caller) {
            Started::Done(outcome) => Ok(render(host, self.id, &outcome, modern)),
            Started::Waiting(running, cancel) => {
                let (host, id) = (host.clone(), self.id.to_owned());
                let answer = Box::pin(async move { render(&host, &id, &running.await, modern) });
                Err(Waiting { answer, cancel })
            }
        }
    }
}

/// Who is calling; `None` where the head of the request is not as usual.
fn caller(
    host: &Host,
    headers: &HeaderMap,
    surface: Option<&Arc<dyn Dispatch>>,
    params: &CallParams<'_>,
) -> Option<Caller> {
    let takes = one(headers, ACCEPT.as_str())?;
    let both = takes.contains("application/json") && takes.contains("text/event-stream");
    let sends_json = one(headers, CONTENT_TYPE.as_str())?.starts_with("application/json");
    if !both || !sends_json {
        return None;
    }
    let version = match headers.get(VERSION) {
        Some(_) => one(headers, VERSION)?,
        None => UNNAMED.as_str(),
    };
    let said = match params.meta {
        Some(meta) => read_meta(host, meta)?,
        None => Said::Nothing { own: Map::new(), client: Client::default() },
    };
    match said {
        Said::Stateless(caller) if version == STATELESS => {
            let client = known(Arc::unwrap_or_clone(caller.client), headers, surface);
            Some(Caller { client, ..caller })
        }
        Said::Nothing { own, client } if is_with_handshake(version) => {
            let client = Client { protocol: Some(version.to_owned()), ..client };
            Some(Caller {
                client: known(client, headers, surface),
                meta: own,
                view: host.views.without_handshake(),
                modern: false,
                // Without a session there is no way to ask.
                can_ask: false,
            })
        }
        _ => None,
    }
}

/// The client with what the head of the request says of it.
fn known(client: Client, headers: &HeaderMap, surface: Option<&Arc<dyn Dispatch>>) -> Arc<Client> {
    let agent = if client.name.is_none() { carried::agent(headers) } else { None };
    let client = match agent {
        Some(agent) => Client { name: Some(agent.name), version: Some(agent.version), ..client },
        None => client,
    };
    Arc::new(Client { surface: surface.cloned(), ..client })
}

/// The head repeats what the body says, as revision 2026-07-28 wants it.
fn names_agree(headers: &HeaderMap, method: &str, params: &CallParams<'_>) -> bool {
    one(headers, METHOD) == Some(method)
        && (method != "tools/call"
            || params.name().is_some_and(|name| one(headers, NAME) == Some(&*name)))
}

fn is_with_handshake(version: &str) -> bool {
    version < STATELESS
        && ProtocolVersion::KNOWN_VERSIONS.iter().any(|known| known.as_str() == version)
}

/// The only value of a header.
fn one<'h>(headers: &'h HeaderMap, name: &str) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

fn render(host: &Host, id: &str, outcome: &Outcome, modern: bool) -> Vec<u8> {
    let mut body = Vec::new();
    write_response(&mut body, id, outcome, &host.catalogue, modern);
    body
}
