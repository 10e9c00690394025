//! The protocol's methods by name, and how their parameters are read.
//!
//! The SDK finds the type of a request by trial and error, and treats malformed parameters as an
//! unknown method. Here the method name decides, so that the actual mistake is reported and nothing
//! is parsed twice.

use rmcp::model::{ClientRequest, ErrorCode, ErrorData, PaginatedRequestParams};
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};

const KNOWN: [&str; 18] = [
    "completion/complete",
    "initialize",
    "logging/setLevel",
    "ping",
    "prompts/get",
    "prompts/list",
    "resources/list",
    "resources/read",
    "resources/subscribe",
    "resources/templates/list",
    "resources/unsubscribe",
    "server/discover",
    "subscriptions/listen",
    "tasks/cancel",
    "tasks/get",
    "tasks/update",
    "tools/call",
    "tools/list",
];

/// Methods that revision 2026-07-28 removed.
const REMOVED: [&str; 5] =
    ["initialize", "logging/setLevel", "ping", "resources/subscribe", "resources/unsubscribe"];

/// A method of the protocol, whether or not it is served.
pub(super) fn is_known(method: &str) -> bool {
    KNOWN.contains(&method)
}

/// A method that a client of 2026-07-28 can no longer call.
pub(super) fn is_removed(method: &str) -> bool {
    REMOVED.contains(&method)
}

/// The error for a removed method.
pub(super) fn removed(method: &str) -> ErrorData {
    let message = format!("method `{method}` was removed in revision 2026-07-28");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

/// The error for an unknown method.
pub(super) fn unknown(method: &str) -> ErrorData {
    let message = match crate::suggest::nearest(method, KNOWN) {
        Some(near) => format!("unknown method `{method}`; did you mean `{near}`?"),
        None => format!("unknown method `{method}`"),
    };
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, message, None)
}

/// Reads a request of any method except `tools/call` from its whole message.
pub(super) fn read(
    method: &str,
    message: &str,
    params: Option<&RawValue>,
) -> Result<ClientRequest, ErrorData> {
    let typed = Typed { method, message };
    match method {
        "completion/complete" => typed.read(ClientRequest::CompleteRequest),
        "initialize" => typed.read(ClientRequest::InitializeRequest),
        "logging/setLevel" => typed.read(ClientRequest::SetLevelRequest),
        "ping" => typed.read(ClientRequest::PingRequest),
        "prompts/get" => typed.read(ClientRequest::GetPromptRequest),
        "prompts/list" => typed.read_page(params, ClientRequest::ListPromptsRequest),
        "resources/list" => typed.read_page(params, ClientRequest::ListResourcesRequest),
        "resources/read" => typed.read(ClientRequest::ReadResourceRequest),
        "resources/subscribe" => typed.read(ClientRequest::SubscribeRequest),
        "resources/templates/list" => {
            typed.read_page(params, ClientRequest::ListResourceTemplatesRequest)
        }
        "resources/unsubscribe" => typed.read(ClientRequest::UnsubscribeRequest),
        "server/discover" => typed.read(ClientRequest::DiscoverRequest),
        "subscriptions/listen" => typed.read(ClientRequest::SubscriptionsListenRequest),
        "tasks/cancel" => typed.read(ClientRequest::CancelTaskRequest),
        "tasks/get" => typed.read(ClientRequest::GetTaskRequest),
        "tasks/update" => typed.read(ClientRequest::UpdateTaskRequest),
        "tools/list" => typed.read_page(params, ClientRequest::ListToolsRequest),
        other => Err(unknown(other)),
    }
}

struct Typed<'a> {
    method: &'a str,
    message: &'a str,
}

impl Typed<'_> {
    fn read<R: DeserializeOwned>(
        &self,
        wrap: impl FnOnce(R) -> ClientRequest,
    ) -> Result<ClientRequest, ErrorData> {
        serde_json::from_str(self.message).map(wrap).map_err(|error| self.malformed(&error))
    }

    /// Checks the cursor first, because the SDK ignores a malformed one.
    fn read_page<R: DeserializeOwned>(
        &self,
        params: Option<&RawValue>,
        wrap: impl FnOnce(R) -> ClientRequest,
    ) -> Result<ClientRequest, ErrorData> {
        if let Some(params) = params {
            serde_json::from_str::<Option<PaginatedRequestParams>>(params.get())
                .map_err(|error| self.malformed(&error))?;
        }
        self.read(wrap)
    }

    fn malformed(&self, error: &serde_json::Error) -> ErrorData {
        // Drop the position: it refers to text that the client does not see.
        let text = error.to_string();
        let text = text.split(" at line ").next().unwrap_or_default();
        ErrorData::invalid_params(format!("malformed params for {}: {text}", self.method), None)
    }
}

/// A request's `_meta` without the keys that the protocol reserves; handlers get those as the call's
/// client, progress and so on.
pub(super) fn own_meta(mut meta: Map<String, Value>) -> Map<String, Value> {
    meta.retain(|key, _| key != "progressToken" && !key.starts_with("io.modelcontextprotocol/"));
    meta
}
