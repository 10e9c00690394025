//! Tools called in this process, without a transport.

use std::sync::{Arc, OnceLock};

use serde_json::Value;
use serde_json::value::RawValue;
use tokio::runtime::Runtime;
use toolwright_runtime::clock::{SystemClock, SystemIds};
use toolwright_runtime::contract::ToolInfo;
use toolwright_runtime::page::budget_bytes;
use toolwright_runtime::{Call, Dispatch, Outcome, Services, ValidateOutput};

use crate::contract::examples::fits_schema;
use crate::reply::ToolReply;

/// Calls block on it, from any thread.
pub fn runtime() -> &'static Runtime {
    static RUNTIME: OnceLock<Runtime> = OnceLock::new();
    RUNTIME.get_or_init(|| {
        tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime")
    })
}

/// The system's clock and random ids.
pub fn services() -> Services {
    Services { clock: Arc::new(SystemClock::default()), ids: Arc::new(SystemIds), version: "0.0.0" }
}

/// Calls a tool, by its name without the surface's prefix, with any JSON text. `new_call` says who calls
/// and when.
pub fn dispatch(
    surface: &dyn Dispatch,
    tool: &str,
    arguments: &str,
    new_call: impl FnOnce(&'static ToolInfo) -> Call,
) -> Outcome {
    let tools = surface.info().tools;
    let index = tools.iter().position(|info| info.name == tool).expect("a tool of the surface");
    let arguments = RawValue::from_string(arguments.to_owned()).expect("JSON");
    runtime().block_on(surface.dispatch(index, &new_call(tools[index]), &arguments))
}

/// The same; an answer must fit the output schema of its tool.
pub fn checked(
    surface: &dyn Dispatch,
    tool: &str,
    arguments: &str,
    new_call: impl FnOnce(&'static ToolInfo) -> Call,
) -> ToolReply {
    let mut called = None;
    let outcome = dispatch(surface, tool, arguments, |info| new_call(called.insert(info)));
    let reply = ToolReply::from(outcome);
    if let Some(info) = called.filter(|_| reply.protocol_code.is_none())
        && let Err(problem) = fits_schema(info, &reply.body)
    {
        panic!("{tool} breaks its output schema: {problem}: {}", reply.body);
    }
    reply
}

/// Fails where a reply is larger than the budget of its tool allows.
pub fn stays_within_budget(surface: &dyn Dispatch, tool: &str, reply: &ToolReply) {
    let mut tools = surface.info().tools.iter();
    let info = tools.find(|info| info.name == tool).expect("a tool of the surface");
    let (size, room) = (reply.body.to_string().len(), budget_bytes(info.budget.result_tokens));
    assert!(size <= room, "{tool} answers {size} bytes where {room} are allowed: {}", reply.body);
}

/// Calls a tool with the system's clock and random ids.
pub fn call(surface: &dyn Dispatch, tool: &str, arguments: &Value) -> ToolReply {
    let new_call =
        |info| Call::new(info, "test", services()).validating_output(ValidateOutput::Strict);
    ToolReply::from(dispatch(surface, tool, &arguments.to_string(), new_call))
}
