//! Parses a text as a JSON-RPC message for the SDK, or reports why it is invalid. Used for lines and
//! for HTTP bodies; `tools/call` and `tools/list` get here only if they are malformed.

use rmcp::model::{ClientJsonRpcMessage, ClientRequest, JsonRpcMessage, RequestId};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::calls::no_handshake;
use crate::duplicate_keys;
use crate::problem::shorten;
use crate::server::methods;
use crate::server::raw_call::{Rejection, is_handled_here, is_id, malformed};

/// A parsed message, or why it is invalid.
pub(in crate::server) enum ParsedMessage {
    /// For the SDK.
    Message(Box<ClientJsonRpcMessage>),
    /// Must be answered with an error; the id, if any, is JSON text.
    Bad { id: Option<String>, code: i32, message: String },
    /// Needs no answer.
    Ignored,
}

impl ParsedMessage {
    pub(super) fn bad(id: Option<&str>, code: i32, message: impl Into<String>) -> Self {
        Self::Bad { id: id.map(str::to_owned), code, message: message.into() }
    }
}

/// The members of any message. Distinguishes null from absent.
#[derive(Deserialize)]
struct Members<'a> {
    #[serde(borrow, default, deserialize_with = "present")]
    jsonrpc: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    id: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    method: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    params: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    result: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "present")]
    error: Option<&'a RawValue>,
}

fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<&'de RawValue>, D::Error> {
    <&RawValue>::deserialize(value).map(Some)
}

/// The kind of a message; its parameters are unparsed.
pub(in crate::server) struct MessageHead<'a> {
    /// JSON text; absent in notifications, optional in responses.
    pub(in crate::server) id: Option<&'a str>,
    /// Absent in responses.
    pub(in crate::server) method: Option<String>,
    /// Unparsed. Those of a request are an object.
    pub(in crate::server) params: Option<&'a RawValue>,
}

/// Parses the head of a message; errors are [`ParsedMessage::Bad`].
pub(in crate::server) fn parse_head(text: &str) -> Result<MessageHead<'_>, ParsedMessage> {
    let members = members(text)?;
    let id = members.id.filter(|id| is_id(id.get())).map(RawValue::get);
    if members.jsonrpc.map(RawValue::get) != Some(r#""2.0""#) {
        let why = r#"not a JSON-RPC 2.0 message: `jsonrpc` must be "2.0""#;
        return Err(ParsedMessage::bad(id, -32600, why));
    }
    let Some(method) = members.method else {
        return if members.result.is_some() || members.error.is_some() {
            Ok(MessageHead { id, method: None, params: None })
        } else {
            let why = "not a request, notification or response";
            Err(ParsedMessage::bad(id, -32600, why))
        };
    };
    let Ok(method) = serde_json::from_str::<String>(method.get()) else {
        return Err(ParsedMessage::bad(id, -32600, "`method` must be a string"));
    };
    if members.id.is_some() && id.is_none() {
        return Err(ParsedMessage::bad(None, -32600, "`id` must be a string or an integer"));
    }
    if id.is_some() && members.params.is_some_and(|params| !params.get().starts_with('{')) {
        return Err(ParsedMessage::bad(id, -32602, "`params` must be an object"));
    }
    Ok(MessageHead { id, method: Some(method), params: members.params })
}

/// Parses any message. `opened` is true after a handshake.
pub(super) fn read(text: &str, opened: bool) -> ParsedMessage {
    let head = match parse_head(text) {
        Ok(head) => head,
        Err(bad) => return bad,
    };
    let Some(method) = head.method else { return response(text) };
    let Some(text_id) = head.id else { return notification(text) };
    let Ok(id) = serde_json::from_str(text_id) else {
        return ParsedMessage::bad(None, -32600, "`id` must be a string or an integer");
    };
    request(text, &method, text_id, id, head.params, opened)
}

fn members(text: &str) -> Result<Members<'_>, ParsedMessage> {
    let broken = |error: serde_json::Error| {
        let id = super::recover_id::recover_id(text.as_bytes(), None);
        let code = if error.is_data() { -32600 } else { -32700 };
        ParsedMessage::bad(id.as_deref(), code, format!("cannot read the message: {error}"))
    };
    if text.starts_with('{') {
        let members = serde_json::from_str(text);
        return match duplicate_keys::find_in_message(text) {
            None => members.map_err(broken),
            Some(key) => Err(duplicate(text, &key)),
        };
    }
    serde_json::from_str::<&RawValue>(text).map_err(broken)?;
    Err(ParsedMessage::bad(None, -32600, "a message is one JSON object; batches are not supported"))
}

/// The refusal of a message that has a key twice; `key` is its JSON pointer.
fn duplicate(text: &str, key: &str) -> ParsedMessage {
    // Of two ids neither is known to be the one that the sender waits for.
    let id = (key != "/id").then(|| super::recover_id::recover_id(text.as_bytes(), None)).flatten();
    let message = format!(
        "duplicate key `{}`: a message must have each key once; nothing was done",
        shorten(key)
    );
    ParsedMessage::bad(id.as_deref(), -32600, message)
}

fn request(
    text: &str,
    method: &str,
    text_id: &str,
    id: RequestId,
    params: Option<&RawValue>,
    opened: bool,
) -> ParsedMessage {
    if is_handled_here(method) {
        let Rejection { code, message, .. } = malformed(method, params);
        return ParsedMessage::bad(Some(text_id), code, message);
    }
    match methods::read(method, text, params) {
        Err(error) => ParsedMessage::bad(Some(text_id), error.code.0, error.message),
        Ok(request) if opened || may_come_first(&request) => {
            ParsedMessage::Message(Box::new(JsonRpcMessage::request(request, id)))
        }
        Ok(_) => ParsedMessage::bad(Some(text_id), -32602, no_handshake().message),
    }
}

/// Requests that are allowed before the handshake, or need none.
fn may_come_first(request: &ClientRequest) -> bool {
    use rmcp::model::{GetMeta as _, ProtocolVersion};
    matches!(
        request,
        ClientRequest::InitializeRequest(_)
            | ClientRequest::PingRequest(_)
            | ClientRequest::DiscoverRequest(_)
    ) || request.get_meta().missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
}

fn notification(text: &str) -> ParsedMessage {
    match serde_json::from_str::<ClientJsonRpcMessage>(text) {
        Ok(message @ JsonRpcMessage::Notification(_)) => ParsedMessage::Message(Box::new(message)),
        _ => {
            tracing::debug!("ignored a malformed notification");
            ParsedMessage::Ignored
        }
    }
}

fn response(text: &str) -> ParsedMessage {
    match serde_json::from_str::<ClientJsonRpcMessage>(text) {
        Ok(message @ (JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_))) => {
            ParsedMessage::Message(Box::new(message))
        }
        _ => {
            tracing::debug!("ignored a malformed response");
            ParsedMessage::Ignored
        }
    }
}
