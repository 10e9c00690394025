//! A call before it runs: decoded from the JSON-RPC text in one pass, with its arguments unparsed.
//!
//! `tools/call` and a `resources/read` of a resource that mirrors a tool become the same [`RawCall`]
//! on every transport. This module does not know how a tool runs or where its answer goes.

use std::borrow::Cow;
use std::fmt;

use rmcp::model::InputResponses;
use serde::Deserialize;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use super::answer::{ReadResource, ResponseHead};
use super::caller::Caller;
use super::host::{Host, NoTool};
use super::resources;
use crate::contract::{ResourceSource, ToolInfo};
use crate::duplicate_keys;

/// A JSON-RPC request.
#[derive(Deserialize)]
pub(super) struct RawRequest<'a> {
    #[serde(borrow, default)]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    pub(super) method: Cow<'a, str>,
    #[serde(borrow, default, deserialize_with = "object")]
    params: Option<RawParams<'a>>,
}

/// The members of `params` that are used here, unparsed.
#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct RawParams<'a> {
    #[serde(borrow, default)]
    name: Option<&'a RawValue>,
    #[serde(borrow, default)]
    uri: Option<&'a RawValue>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    input_responses: Option<&'a RawValue>,
    #[serde(borrow, default)]
    request_state: Option<&'a RawValue>,
    #[serde(borrow, default)]
    cursor: Option<&'a RawValue>,
    #[serde(borrow, default, rename = "_meta")]
    meta: Option<&'a RawValue>,
}

/// Accepts only objects: by default serde deserialises a struct from an array too.
fn object<'de: 'a, 'a, D: Deserializer<'de>>(params: D) -> Result<Option<RawParams<'a>>, D::Error> {
    struct Members;
    impl<'de> Visitor<'de> for Members {
        type Value = RawParams<'de>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, members: A) -> Result<Self::Value, A::Error> {
            RawParams::deserialize(MapAccessDeserializer::new(members))
        }
    }
    params.deserialize_map(Members).map(Some)
}

impl<'a> RawRequest<'a> {
    /// `None` for anything but a well-formed request; `message::read` handles the rest.
    pub(super) fn read(text: &'a str) -> Option<Self> {
        let request: Self = serde_json::from_str(text).ok()?;
        let well_formed = text.starts_with('{')
            && duplicate_keys::find_in_message(text).is_none()
            && request.jsonrpc.is_some_and(|version| version.get() == r#""2.0""#)
            && request.id.is_some_and(|id| is_id(id.get()));
        well_formed.then_some(request)
    }

    /// The request's id as JSON text.
    pub(super) fn id(&self) -> &'a str {
        self.id.map_or("null", RawValue::get)
    }

    /// The request's `_meta`, unparsed.
    pub(super) fn meta(&self) -> Option<&'a RawValue> {
        self.params.as_ref()?.meta
    }

    /// The call that this request makes, or why it is rejected; `None` if it runs no tool.
    ///
    /// `caller` reads the `_meta`, after everything else is checked.
    pub(super) fn call(
        &self,
        host: &Host,
        caller: impl FnOnce(Option<&'a RawValue>) -> Result<Caller, Rejection>,
    ) -> Option<Result<RawCall, Rejection>> {
        let target = match &*self.method {
            "tools/call" => self.tool_target(host),
            "resources/read" => self.resource_target(host)?,
            _ => return None,
        };
        Some(target.and_then(|target| self.decode(target, caller)))
    }

    /// Rejects any cursor: lists have a single page.
    pub(super) fn only_page(&self) -> Result<(), Rejection> {
        let cursor = self.params.as_ref().and_then(|params| params.cursor);
        match self.member::<String>("cursor", cursor)? {
            None => Ok(()),
            Some(_) => Err(Rejection::invalid_params(
                "unknown cursor: the list has a single page; request it without a cursor",
            )),
        }
    }

    /// The tool name or resource URI, which the `Mcp-Name` header repeats.
    pub(super) fn target(&self) -> Option<Cow<'a, str>> {
        let params = self.params.as_ref()?;
        text(if self.method == "resources/read" { params.uri } else { params.name })
    }

    fn tool_target(&self, host: &Host) -> Result<CallTarget, Rejection> {
        let Some(params) = &self.params else { return Err(self.malformed("`params` is missing")) };
        let Some(name) = text(params.name) else {
            return Err(self.malformed("`name` is missing or not a string"));
        };
        let arguments = match params.arguments {
            None => Some(no_arguments()),
            Some(object) => object.get().starts_with('{').then(|| object.to_owned()),
        };
        let arguments = arguments.ok_or_else(|| self.malformed("`arguments` must be an object"))?;
        Ok(CallTarget { tool: host.tool(&name), arguments, resource: None })
    }

    fn resource_target(&self, host: &Host) -> Option<Result<CallTarget, Rejection>> {
        let uri = text(self.params.as_ref()?.uri)?;
        let found = resources::find(host.info, &uri)?;
        let ResourceSource::Tool(index) = found.resource.source else { return None };
        if !host.offer().has(index) {
            return None;
        }
        let tool = *host.info.tools.get(index)?;
        let arguments = match found.arguments(tool, &uri) {
            Ok(arguments) => serde_json::value::to_raw_value(&arguments).ok()?,
            Err(why) => return Some(Err(Rejection::invalid_params(why))),
        };
        let resource = Some(ReadResource { uri: uri.into_owned(), info: found.resource });
        Some(Ok(CallTarget { tool: Ok((index, tool)), arguments, resource }))
    }

    fn decode(
        &self,
        target: CallTarget,
        caller: impl FnOnce(Option<&'a RawValue>) -> Result<Caller, Rejection>,
    ) -> Result<RawCall, Rejection> {
        let none = RawParams::default();
        let params = self.params.as_ref().unwrap_or(&none);
        let input_responses = self.member("inputResponses", params.input_responses)?;
        let request_state = self.member("requestState", params.request_state)?;
        let caller = caller(params.meta)?;
        let CallTarget { tool, arguments, resource } = target;
        let head = ResponseHead { id: self.id().to_owned(), modern: caller.modern, resource };
        Ok(RawCall { head, tool, arguments, caller, input_responses, request_state })
    }

    fn member<T: DeserializeOwned>(
        &self,
        name: &str,
        value: Option<&RawValue>,
    ) -> Result<Option<T>, Rejection> {
        let read = value.map(|value| serde_json::from_str(value.get())).transpose();
        read.map_err(|error| self.malformed(&format!("`{name}`: {error}")))
    }

    /// A rejection of malformed parameters.
    pub(super) fn malformed(&self, why: &str) -> Rejection {
        Rejection::invalid_params(format!("malformed params for {}: {why}", self.method))
    }
}

/// The tool to run and its arguments.
struct CallTarget {
    tool: Result<(usize, &'static ToolInfo), NoTool>,
    arguments: Box<RawValue>,
    resource: Option<ReadResource>,
}

/// A call that has not started.
pub(super) struct RawCall {
    /// What the response depends on.
    pub(super) head: ResponseHead,
    /// The tool's index and contract, or why there is none.
    pub(super) tool: Result<(usize, &'static ToolInfo), NoTool>,
    /// JSON text of an object.
    pub(super) arguments: Box<RawValue>,
    pub(super) caller: Caller,
    /// The user's answers, if the call is repeated with them.
    pub(super) input_responses: Option<InputResponses>,
    /// The sealed state that was sent with the question.
    pub(super) request_state: Option<String>,
}

impl RawCall {
    /// Whether the call may wait and so counts against the limit of concurrent calls.
    pub(super) fn may_wait(&self) -> bool {
        self.tool.as_ref().is_ok_and(|(_, tool)| !Host::is_immediate(tool))
    }
}

/// A request that is answered with a JSON-RPC error before any tool runs.
#[derive(Debug)]
pub(super) struct Rejection {
    pub(super) code: i32,
    pub(super) message: String,
    pub(super) data: Option<Value>,
    /// The request breaks the rules of its own revision: HTTP 400.
    pub(super) is_bad_request: bool,
}

impl Rejection {
    pub(super) fn invalid_params(message: impl Into<String>) -> Self {
        Self { code: -32602, message: message.into(), data: None, is_bad_request: false }
    }
}

/// Methods that are never passed to the SDK: what cannot be read as [`RawRequest`] is malformed.
pub(super) fn is_handled_here(method: &str) -> bool {
    matches!(method, "tools/call" | "tools/list")
}

/// The rejection of such a request.
pub(super) fn malformed(method: &str, params: Option<&RawValue>) -> Rejection {
    let read = params.map(|params| serde_json::from_str::<RawParams<'_>>(params.get()));
    let why = match read {
        Some(Err(error)) => error.to_string(),
        _ => "cannot be read".to_owned(),
    };
    Rejection::invalid_params(format!("malformed params for {method}: {why}"))
}

/// Whether this is the JSON text of a request id: a string or an integer.
pub(super) fn is_id(text: &str) -> bool {
    text.starts_with('"') || text.parse::<i64>().is_ok()
}

/// The text of a JSON string; `None` for anything else.
fn text<'a>(value: Option<&'a RawValue>) -> Option<Cow<'a, str>> {
    let quoted = value?.get();
    let plain = quoted.strip_prefix('"')?.strip_suffix('"')?;
    if plain.contains('\\') {
        serde_json::from_str(quoted).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(plain))
    }
}

fn no_arguments() -> Box<RawValue> {
    RawValue::from_string("{}".to_owned()).unwrap_or_else(|_| RawValue::NULL.to_owned())
}
