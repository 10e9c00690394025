//! Turns an outcome into what the protocol calls a result: as SDK types for the ordinary road, as
//! bytes for the transport's own. Both must say the same JSON.

use rmcp::model::{
    CallToolResponse, CallToolResult, ContentBlock, ElicitRequest, ElicitRequestParams,
    ElicitationSchema, ErrorCode, ErrorData, InputRequest, InputRequiredResult, MetaObject,
};
use serde_json::Value;

use super::catalogue::Catalogue;
use crate::ask;
use crate::dispatch::{Answer, Outcome, ProtocolError};

/// As SDK types.
pub(super) fn to_response(
    outcome: Outcome,
    catalogue: &Catalogue,
    modern: bool,
) -> Result<CallToolResponse, ErrorData> {
    match outcome {
        Outcome::Answer(answer) => Ok(to_result(answer, catalogue, modern).into()),
        Outcome::Protocol(error) => Err(to_error(error)),
        Outcome::NeedsInput(request) => {
            to_input_required(request, catalogue).map(CallToolResponse::from)
        }
    }
}

fn to_result(answer: Answer, catalogue: &Catalogue, modern: bool) -> CallToolResult {
    let structured = serde_json::from_str(&answer.body).unwrap_or(Value::Null);
    let mut result = CallToolResult::success(vec![ContentBlock::text(one_line(answer.body))]);
    result.structured_content = Some(structured);
    result.is_error = Some(answer.is_error);
    let meta = if modern { catalogue.sign(answer.meta) } else { answer.meta };
    result.meta = (!meta.is_empty()).then_some(MetaObject(meta));
    result
}

/// A JSON-RPC error as SDK type.
pub(super) fn to_error(error: ProtocolError) -> ErrorData {
    ErrorData::new(ErrorCode(error.code), error.message, error.data)
}

/// A question that the client must put before it repeats the call.
pub(super) fn to_input_required(
    request: ask::InputRequest,
    catalogue: &Catalogue,
) -> Result<InputRequiredResult, ErrorData> {
    let schema: ElicitationSchema = serde_json::from_value(request.schema)
        .map_err(|error| ErrorData::internal_error(format!("bad question: {error}"), None))?;
    let form = ElicitRequest::new(ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: request.message,
        requested_schema: schema,
    });
    let requests = [(request.name, InputRequest::Elicitation(form))].into();
    Ok(InputRequiredResult::new(Some(requests), Some(request.state))
        .with_meta(MetaObject(catalogue.sign(serde_json::Map::new()))))
}

/// Appends the response to request `id` (JSON text), newline included.
pub(super) fn write_response(
    out: &mut Vec<u8>,
    id: &str,
    outcome: &Outcome,
    catalogue: &Catalogue,
    modern: bool,
) {
    match outcome {
        Outcome::Answer(answer) => write_result(out, id, answer, catalogue, modern),
        Outcome::Protocol(error) => {
            write_error(out, Some(id), error.code, &error.message, error.data.as_ref());
        }
        Outcome::NeedsInput(_) => {
            // No asker is offered to calls answered in line, so no guard can have asked.
            write_error(out, Some(id), -32603, "asked for input where nobody can be asked", None);
        }
    }
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
            write_json(out, &catalogue.sign(answer.meta.clone()));
        } else {
            write_json(out, &answer.meta);
        }
    }
    out.extend_from_slice(b"}}\n");
}

/// Appends a JSON-RPC error, newline included. Without a usable id the member is left out, as
/// revision 2026-07-28 says.
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
    // Strings and JSON values into memory: neither can fail.
    let _ = serde_json::to_writer(out, value);
}

/// Messages are lines, so a body may have no line break. Bodies are compact by contract; text that
/// a handler passed through unparsed may not be.
fn one_line(body: String) -> String {
    if !body.contains('\n') {
        return body;
    }
    serde_json::from_str::<Value>(&body).map(|value| value.to_string()).unwrap_or(body)
}
