//! What the short roads of both transports share: requests read in one pass, who sends them, and
//! calls that run without the SDK.
//!
//! The SDK's loop costs several times what most answers do. A short road is taken only where the
//! answer cannot differ from the ordinary one's; whatever is unusual about a request leads there.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use rmcp::model::{ProtocolVersion, RequestMetaObject};
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use super::asking::can_ask;
use super::host::Host;
use super::methods;
use super::stdio::message::{CallParams, is_id};
use super::view::View;
use crate::call::{Call, Client};
use crate::contract::ToolInfo;
use crate::dispatch::Outcome;

/// The only revision without a handshake that is answered here.
pub(super) const STATELESS: &str = "2026-07-28";

/// A request whose parameters are read on the way, in one pass.
#[derive(Deserialize)]
pub(super) struct Frame<'a> {
    #[serde(default)]
    jsonrpc: &'a str,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) method: &'a str,
    #[serde(borrow, default, deserialize_with = "object")]
    pub(super) params: Option<CallParams<'a>>,
}

/// Left to itself, serde takes a list for a struct too.
fn object<'de: 'a, 'a, D: Deserializer<'de>>(
    params: D,
) -> Result<Option<CallParams<'a>>, D::Error> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = CallParams<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
            CallParams::deserialize(MapAccessDeserializer::new(members))
        }
    }
    params.deserialize_map(Members).map(Some)
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
pub(super) struct Caller {
    pub(super) client: Arc<Client>,
    pub(super) meta: Map<String, Value>,
    pub(super) view: View,
    pub(super) modern: bool,
    /// There may be a person to ask, which only the ordinary road can do.
    pub(super) can_ask: bool,
}

/// What the `_meta` of a request says.
pub(super) enum Said {
    /// All that revision 2026-07-28 wants to know.
    Stateless(Caller),
    /// Nothing about the revision; the rest of it, and what the client may have said of itself.
    Nothing { own: Map<String, Value>, client: Client },
}

/// Reads a `_meta`; `None` for anything unusual.
pub(super) fn read_meta(host: &Host, meta: &RawValue) -> Option<Said> {
    let meta: RequestMetaObject = serde_json::from_str(meta.get()).ok()?;
    if meta.contains_key("progressToken") {
        return None;
    }
    let implementation = meta.client_info();
    let client = Client {
        name: implementation.as_ref().map(|client| client.name.clone()),
        version: implementation.map(|client| client.version),
        ..Client::default()
    };
    let Some(version) = meta.get("io.modelcontextprotocol/protocolVersion") else {
        return Some(Said::Nothing { own: methods::own_meta(meta.0.0), client });
    };
    if version != STATELESS
        || !meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
    {
        return None;
    }
    Some(Said::Stateless(Caller {
        client: Arc::new(Client { protocol: Some(STATELESS.to_owned()), ..client }),
        can_ask: meta.client_capabilities().is_some_and(|offered| can_ask(&offered)),
        meta: methods::own_meta(meta.0.0),
        view: host.views.without_handshake(),
        modern: true,
    }))
}

/// A tool to run.
pub(super) struct Errand {
    index: usize,
    tool: &'static ToolInfo,
    arguments: Box<RawValue>,
}

/// A call that waits for something.
pub(super) type Running = Pin<Box<dyn Future<Output = Outcome> + Send>>;

/// How far a call came at once.
pub(super) enum Started {
    Done(Outcome),
    Waiting(Running, CancellationToken),
}

impl Errand {
    /// `None` for anything unusual: no such tool, one that is not `suited`, arguments that are none,
    /// answers to a question.
    pub(super) fn read(
        host: &Host,
        params: &CallParams<'_>,
        suited: impl FnOnce(&ToolInfo) -> bool,
    ) -> Option<Self> {
        let (index, tool) = host.tool(&params.name()?).filter(|(_, tool)| suited(tool))?;
        let repeated = params.input_responses.is_some() || params.request_state.is_some();
        let arguments = if repeated { None } else { params.arguments() }?;
        Some(Self { index, tool, arguments })
    }

    /// Runs the call as far as it comes without waiting. `id` is JSON text.
    pub(super) fn start(self, host: &Arc<Host>, id: &str, caller: Caller) -> Started {
        let call = Call::new(self.tool, plain_id(id), host.world.clone())
            .from_client(caller.client)
            .with_request_meta(caller.meta);
        let call = Arc::new(call);
        let (host, called) = (host.clone(), call.clone());
        let mut running: Running =
            Box::pin(async move { host.run(self.index, &called, &self.arguments).await });
        match running.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(outcome) => Started::Done(outcome),
            Poll::Pending => Started::Waiting(running, call.cancellation()),
        }
    }
}

/// The id without its quotes.
fn plain_id(id: &str) -> String {
    if id.starts_with('"') { serde_json::from_str(id).unwrap_or_default() } else { id.to_owned() }
}
