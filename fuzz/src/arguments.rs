//! Arguments of every tool of every surface: a call is accepted if, and only if, its arguments fit
//! the canonical schema, and whatever is answered fits the served one.
//!
//! The first two bytes choose surface and tool; the rest steers what the arguments grow into.

mod accepts;
mod schema_growth;

use std::sync::{Arc, LazyLock};
use std::task::{Context, Poll, Waker};

use arbitrary::Unstructured;
use jsonschema::{Draft, Validator};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::contract::ToolInfo;
use toolwright_runtime::mock::Mock;
use toolwright_runtime::{Call, Dispatch, Outcome, Services, decode};

use accepts::Accepts;

/// Beyond this a double does not tell neighbouring whole numbers apart.
const EXACT: f64 = 9_007_199_254_740_992.0;

struct Surface {
    /// Its own code up to the handlers, which accept everything.
    real: Box<dyn Dispatch>,
    mock: Mock,
    schemas: Vec<Schemas>,
}

struct Schemas {
    accepted: Value,
    arguments: Validator,
    answers: Validator,
}

static SURFACES: LazyLock<Vec<Surface>> = LazyLock::new(|| {
    let all: [Box<dyn Dispatch>; 5] = [
        Box::new(agentpack::generated::Surface::new(Accepts)),
        Box::new(wa::generated::Surface::new(Accepts)),
        Box::new(wink::generated::Surface::new(Accepts)),
        Box::new(worldforge::generated::Surface::new(Accepts)),
        Box::new(yarnnn::generated::Surface::new(Accepts)),
    ];
    all.into_iter().map(Surface::new).collect()
});

impl Surface {
    fn new(real: Box<dyn Dispatch>) -> Self {
        let info = real.info();
        let schemas = info.tools.iter().map(|tool| {
            let accepted: Value = serde_json::from_str(tool.accepted).expect("a schema");
            let answers = serde_json::from_str(tool.output).expect("a schema");
            Schemas { arguments: compile(&accepted), answers: compile(&answers), accepted }
        });
        Self { schemas: schemas.collect(), mock: Mock::new(info), real }
    }
}

fn compile(schema: &Value) -> Validator {
    let options = jsonschema::options().with_draft(Draft::Draft202012);
    options.should_validate_formats(true).build(schema).expect("a schema that compiles")
}

/// Calls a tool with what grows out of `data`.
pub fn run(data: &[u8]) {
    let Some(([which, tool], steering)) = data.split_first_chunk::<2>() else { return };
    let surface = &SURFACES[usize::from(*which) % SURFACES.len()];
    let tools = surface.real.info().tools;
    let index = usize::from(*tool) % tools.len();
    let (tool, schemas) = (tools[index], &surface.schemas[index]);
    let grown = schema_growth::arguments(tool, &schemas.accepted, &mut Unstructured::new(steering));
    let Ok(Some(arguments)) = grown else { return };
    calls(surface, index, tool, schemas, &arguments);
}

fn calls(
    surface: &Surface,
    index: usize,
    tool: &'static ToolInfo,
    schemas: &Schemas,
    arguments: &RawValue,
) {
    let fits = fits(tool, schemas, arguments.get());
    let refused = surface.real.info().builtin.invalid_arguments.kind;
    let outcome = call(&*surface.real, index, tool, arguments);
    let accepted = match &outcome {
        None => true,
        Some(Outcome::Answer(answer)) => answer.kind != Some(refused),
        Some(Outcome::Protocol(error)) => error.kind != refused,
        Some(Outcome::NeedsInput(_)) => true,
    };
    // A whole number that no 64 bits hold fits a schema without limits, but no request.
    if !fits || !has_vast_number(arguments.get()) {
        assert_eq!(accepted, fits, "{} of {}: {outcome:?}", arguments.get(), tool.canonical);
    }
    let mocked = call(&surface.mock, index, tool, arguments);
    for outcome in [outcome, mocked].into_iter().flatten() {
        if let Outcome::Answer(answer) = outcome {
            let body: Value = serde_json::from_str(&answer.body).expect("JSON");
            let told = schemas.answers.iter_errors(&body).map(|error| error.to_string());
            assert_eq!(told.collect::<Vec<_>>(), Vec::<String>::new(), "{}", answer.body);
        }
    }
}

/// What the contract says of the arguments, in three voices that must agree.
fn fits(tool: &'static ToolInfo, schemas: &Schemas, text: &str) -> bool {
    // Numbers that nothing can hold, and nesting without end.
    let Ok(mut value) = serde_json::from_str::<Value>(text) else { return false };
    if value.is_null() {
        value = Value::Object(Map::new());
    }
    let valid = by_own_names(tool, value.clone())
        .is_some_and(|value| value.is_object() && schemas.arguments.is_valid(&value));
    let problems = decode::check(tool, &value).expect("a contract that works");
    let across = ["at_least_one_of", "at_most_one_of", "exactly_one_of", "requires"];
    if valid {
        let several = problems.iter().all(|problem| across.contains(&problem.rule.as_str()));
        assert!(several, "{text} of {}: {problems:?}", tool.canonical);
        assert!(problems.is_empty() || !tool.constraints.is_empty());
    } else {
        assert!(!problems.is_empty(), "{text} of {} has no problem", tool.canonical);
    }
    problems.is_empty()
}

fn has_vast_number(text: &str) -> bool {
    fn vast(value: &Value) -> bool {
        match value {
            Value::Number(number) => number.as_f64().is_none_or(|size| size.abs() > EXACT),
            Value::Array(items) => items.iter().any(vast),
            Value::Object(members) => members.values().any(vast),
            _ => false,
        }
    }
    serde_json::from_str(text).is_ok_and(|value| vast(&value))
}

/// Aliases replaced by the arguments that they stand for; none where both are given.
fn by_own_names(tool: &ToolInfo, mut value: Value) -> Option<Value> {
    let Some(members) = value.as_object_mut() else { return Some(value) };
    for (alias, name) in tool.aliases {
        if let Some(given) = members.remove(*alias) {
            if members.contains_key(*name) {
                return None;
            }
            members.insert((*name).to_owned(), given);
        }
    }
    Some(value)
}

/// How the call ended; none where it reached a handler.
fn call(
    surface: &dyn Dispatch,
    index: usize,
    tool: &'static ToolInfo,
    arguments: &RawValue,
) -> Option<Outcome> {
    let services = Services {
        clock: Arc::new(FixedClock::at(1_000)),
        ids: Arc::new(CountingIds::default()),
        version: "1.2.3",
    };
    let call = Call::new(tool, "1", services);
    let mut answer = surface.dispatch(index, &call, arguments);
    match answer.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(outcome) => Some(outcome),
        Poll::Pending => None,
    }
}
