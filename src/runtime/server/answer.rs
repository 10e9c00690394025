//! Writes the response to a request, once, directly into the output buffer.

use rmcp::model::{
    CacheScope, ElicitRequest, ElicitRequestParams, ElicitationSchema, InputRequest,
    InputRequiredResult, MetaObject, ReadResourceResult,
};
use serde_json::{Map, Value};

use super::catalogue::Catalogue;
use super::content;
use super::host::Host;
use super::resources;
use crate::ask;
use crate::contract::ResourceInfo;
use crate::dispatch::{Answer, Outcome};

const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;
/// Before revision 2026-07-28, which has it among the invalid parameters.
const RESOURCE_NOT_FOUND: i32 = -32002;

/// The parts of a request that its response depends on.
#[derive(Debug)]
pub(super) struct ResponseHead {
    /// JSON text.
    pub(super) id: String,
    /// The request follows revision 2026-07-28 or later.
    pub(super) modern: bool,
    /// The resource that was read, if the call is a `resources/read`.
    pub(super) resource: Option<ReadResource>,
}

/// A resource that mirrors a tool, as it is read.
#[derive(Debug)]
pub(super) struct ReadResource {
    /// As requested.
    pub(super) uri: String,
    pub(super) info: &'static ResourceInfo,
}

impl ReadResource {
    /// Code and message for a failure of the tool.
    fn failure(&self, kind: Option<&str>, host: &Host, modern: bool) -> (i32, String) {
        let uri = &self.uri;
        if kind.is_some_and(|kind| self.info.not_found.contains(&kind)) {
            let code = if modern { INVALID_PARAMS } else { RESOURCE_NOT_FOUND };
            return (code, format!("resource not found: `{uri}`; see `data` for the cause"));
        }
        let refused = kind == Some(host.info.builtin.invalid_arguments.kind);
        let code = if refused { INVALID_PARAMS } else { INTERNAL_ERROR };
        (code, format!("reading `{uri}` failed; see `data` for the cause"))
    }
}

impl ResponseHead {
    /// Appends the response, newline included.
    pub(super) fn write(&self, out: &mut Vec<u8>, outcome: Outcome, host: &Host) {
        let catalogue = &host.catalogue;
        match outcome {
            Outcome::Answer(answer) => match &self.resource {
                None => write_result(out, &self.id, &answer, catalogue, self.modern),
                Some(read) if answer.is_error => {
                    let (code, message) = read.failure(answer.kind, host, self.modern);
                    let data = serde_json::from_str(&answer.body).ok();
                    write_error(out, Some(&self.id), code, &message, data.as_ref());
                }
                Some(read) => self.write_contents(out, read, answer, host),
            },
            Outcome::Protocol(error) => {
                write_error(out, Some(&self.id), error.code, &error.message, error.data.as_ref());
            }
            Outcome::NeedsInput(request) if self.modern => {
                self.write_question(out, request, catalogue);
            }
            Outcome::NeedsInput(_) => {
                let why = "only clients on protocol revision 2026-07-28 or later can answer a question by repeating the call";
                write_error(out, Some(&self.id), INVALID_REQUEST, why, None);
            }
        }
    }

    fn write_contents(&self, out: &mut Vec<u8>, read: &ReadResource, answer: Answer, host: &Host) {
        let Some(contents) = content::of(read.info, &read.uri, answer.body, host.info) else {
            let message = format!("reading `{}` failed: the answer has no content", read.uri);
            return write_error(out, Some(&self.id), INTERNAL_ERROR, &message, None);
        };
        let catalogue = &host.catalogue;
        let mut contents = contents.with_mime_type(resources::mime_type(read.info));
        if !answer.meta.is_empty() {
            contents = contents.with_meta(MetaObject(answer.meta));
        }
        let mut result = ReadResourceResult::new(vec![contents]);
        if self.modern {
            result = result.with_ttl_ms(0).with_cache_scope(CacheScope::Private);
            result.meta = Some(MetaObject(catalogue.with_server_info(Map::new())));
        } else {
            result.result_type = None;
        }
        write_whole(out, &self.id, &result);
    }

    /// Writes a question that the client must ask before it repeats the call.
    fn write_question(&self, out: &mut Vec<u8>, request: ask::InputRequest, catalogue: &Catalogue) {
        let schema = match serde_json::from_value::<ElicitationSchema>(request.schema) {
            Ok(schema) => schema,
            Err(error) => {
                let why = format!("bad question: {error}");
                return write_error(out, Some(&self.id), INTERNAL_ERROR, &why, None);
            }
        };
        let form = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: request.message,
            requested_schema: schema,
        });
        let requests = [(request.name, InputRequest::Elicitation(form))].into();
        let meta = MetaObject(catalogue.with_server_info(Map::new()));
        let result = InputRequiredResult::new(Some(requests), Some(request.state)).with_meta(meta);
        write_whole(out, &self.id, &result);
    }
}

/// Appends a response with this result.
fn write_whole<R: serde::Serialize>(out: &mut Vec<u8>, id: &str, result: &R) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(br#","result":"#);
    write_json(out, result);
    out.extend_from_slice(b"}\n");
}

fn write_result(out: &mut Vec<u8>, id: &str, answer: &Answer, catalogue: &Catalogue, modern: bool) {
    let compacted;
    let body = if answer.body.contains('\n') {
        compacted = one_line(answer.body.clone());
        &compacted
    } else {
        &answer.body
    };
    out.reserve(body.len() * 2 + body.len() / 4 + 256);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(br#","result":{"#);
    if modern {
        out.extend_from_slice(br#""resultType":"complete","#);
    }
    out.extend_from_slice(br#""content":[{"type":"text","text":"#);
    write_json(out, &body);
    out.extend_from_slice(br#"}],"structuredContent":"#);
    out.extend_from_slice(body.as_bytes());
    out.extend_from_slice(if answer.is_error {
        br#","isError":true"#.as_slice()
    } else {
        br#","isError":false"#.as_slice()
    });
    if modern && answer.meta.is_empty() {
        out.extend_from_slice(br#","_meta":"#);
        out.extend_from_slice(catalogue.plain_meta.as_bytes());
    } else if !answer.meta.is_empty() {
        out.extend_from_slice(br#","_meta":"#);
        if modern {
            write_json(out, &catalogue.with_server_info(answer.meta.clone()));
        } else {
            write_json(out, &answer.meta);
        }
    }
    out.extend_from_slice(b"}}\n");
}

/// Appends a JSON-RPC error, newline included. Without a usable id the member is omitted, as
/// revision 2026-07-28 requires.
pub(super) fn write_error(
    out: &mut Vec<u8>,
    id: Option<&str>,
    code: i32,
    message: &str,
    data: Option<&Value>,
) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    if let Some(id) = id {
        out.extend_from_slice(br#""id":"#);
        out.extend_from_slice(id.as_bytes());
        out.push(b',');
    }
    out.extend_from_slice(br#""error":{"code":"#);
    out.extend_from_slice(code.to_string().as_bytes());
    out.extend_from_slice(br#","message":"#);
    write_json(out, message);
    if let Some(data) = data {
        out.extend_from_slice(br#","data":"#);
        write_json(out, data);
    }
    out.extend_from_slice(b"}}\n");
}

/// Appends a response whose result is already rendered.
pub(super) fn write_rendered(out: &mut Vec<u8>, id: &str, result: &str) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
    out.extend_from_slice(id.as_bytes());
    out.extend_from_slice(br#","result":"#);
    out.extend_from_slice(result.as_bytes());
    out.extend_from_slice(b"}\n");
}

fn write_json<T: serde::Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // Serialising strings and JSON values into memory cannot fail.
    let _ = serde_json::to_writer(out, value);
}

/// Messages are lines, so a body must not contain a line break. Bodies are usually compact, but JSON
/// text that a handler passes through may not be.
fn one_line(body: String) -> String {
    if !body.contains('\n') {
        return body;
    }
    serde_json::from_str::<Value>(&body).map(|value| value.to_string()).unwrap_or(body)
}
