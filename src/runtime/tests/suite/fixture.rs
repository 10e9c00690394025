//! A contract in the form of generated code, and handlers that record their calls.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::contract::{
    Budget, BuiltinErrors, Constraint, Effects, Envelope, ErrorInfo, GuardUse, Piece, RoleInfo,
    Strength, SurfaceInfo, ToolInfo,
};
use toolwright_runtime::tool::GuardParams;
use toolwright_runtime::{
    Call, ErrorKind, Failure, Guard, Handle, HandleGuarded, Outcome, Roles, Services, Stage,
    Staged, Subject, Tool,
};

/// Declares registry entries.
macro_rules! errors {
    ($($name:ident $kind:literal $code:literal;)*) => {
        $(pub(crate) static $name: ErrorInfo = ErrorInfo {
            kind: $kind, code: $code, when: "", retryable: false, next: None, aliases: &[],
            jsonrpc: None, exit: 3, details: "{}",
        };)*
    };
}

errors! {
    CONFIRM_REQUIRED "confirm_required" "D-1";
    EXPIRED "expired" "D-2";
    FORBIDDEN "forbidden" "D-3";
    INVALID "invalid_arguments" "D-4";
    MISMATCH "mismatch" "D-5";
    MISSING "missing" "D-6";
    NOT_FOUND "not_found" "D-7";
    DEFECT "internal" "D-8";
    UNDECLARED "undeclared" "D-9";
    UNKNOWN "unknown_user" "D-10";
}

/// Errors of the test handlers.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Error {
    Forbidden,
    NotFound,
    Undeclared,
}

impl ErrorKind for Error {
    fn info(self) -> &'static ErrorInfo {
        match self {
            Self::Forbidden => &FORBIDDEN,
            Self::NotFound => &NOT_FOUND,
            Self::Undeclared => &UNDECLARED,
        }
    }
}

pub(crate) static GONE: ErrorInfo = ErrorInfo {
    kind: "gone",
    code: "D-11",
    when: "",
    retryable: true,
    next: Some("try later"),
    aliases: &[],
    jsonrpc: Some(-31_001),
    exit: 4,
    details: r#"{"reason":"gone","when":"static"}"#,
};

pub(crate) const BASE: ToolInfo = ToolInfo {
    name: "base",
    canonical: "demo.base",
    portable: "demo_base",
    title: "",
    description: "",
    effects: Effects::Read,
    idempotent: true,
    open_world: false,
    immediate: false,
    listed: true,
    since: "v1",
    deprecated: None,
    command: &["base"],
    input: "{}",
    projections: &[],
    accepted: r#"{"type":"object"}"#,
    data: "{}",
    output: "{}",
    aliases: &[],
    constraints: &[],
    errors: &[
        "confirm_required",
        "expired",
        "forbidden",
        "internal",
        "invalid_arguments",
        "mismatch",
        "missing",
        "not_found",
        "unknown_user",
    ],
    guards: &[GuardUse { name: "confirm", strength: Strength::ModelSatisfiable, params: "{}" }],
    budget: Budget { definition_tokens: 600, result_tokens: 4000 },
    minimal_call: "{}",
    examples: &[],
    meta: "{}",
};

pub(crate) static SURFACE: SurfaceInfo = DEMO;

pub(crate) const DEMO: SurfaceInfo = SurfaceInfo {
    name: "demo",
    title: "Demo",
    contract: "v1",
    digest: "",
    instructions: "",
    prefix: "demo.",
    tools: &[&APPLY, &NOTE, &PLAN],
    errors: &[],
    builtin: BuiltinErrors { invalid_arguments: &INVALID, unknown_tool: None, internal: &DEFECT },
    envelope: Envelope {
        success: &[Piece::Data],
        failure: &[
            Piece::Text("{\"code\":"),
            Piece::ErrorCode,
            Piece::Text(",\"message\":"),
            Piece::ErrorMessage,
            Piece::Text(",\"hint\":"),
            Piece::ErrorHint,
            Piece::ErrorSpread,
            Piece::Text("}"),
        ],
    },
    guards: &[],
    settings: &[],
    server_settings: &[],
    config: None,
    resources: &[],
    prompts: &[],
    icons: &[],
    roles: &[
        RoleInfo { name: "OWNER", tools: &["apply", "note"] },
        RoleInfo { name: "READER", tools: &["plan"] },
        RoleInfo { name: "WRITER", tools: &["note"] },
    ],
    identity: None,
    toolsets: &[],
};

pub(crate) static NOTE: ToolInfo = ToolInfo {
    name: "note",
    canonical: "demo.note",
    portable: "demo_note",
    effects: Effects::Write,
    projections: &[],
    accepted: r##"{
        "type": "object",
        "additionalProperties": false,
        "required": ["ns", "section_path"],
        "properties": {
            "ns": {"type": "string", "minLength": 1, "maxLength": 10, "pattern": "^[a-z]*$"},
            "section_path": {"type": "string"},
            "mode": {"enum": ["append", "replace"], "default": "replace"},
            "count": {"type": "integer", "minimum": 0, "maximum": 100, "default": 1},
            "ratio": {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1, "multipleOf": 0.25},
            "tags": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3, "uniqueItems": true},
            "when": {"type": "string", "format": "date-time"},
            "maybe": {"type": ["string", "null"]},
            "either": {"anyOf": [{"type": "integer", "minimum": 5}, {"type": "null"}]},
            "shape": {"oneOf": [
                {"type": "object", "required": ["kind", "r"], "properties": {"kind": {"const": "circle"}, "r": {"type": "number"}}},
                {"type": "object", "required": ["kind", "w"], "properties": {"kind": {"const": "box"}, "w": {"type": "number"}}}
            ]},
            "inner": {"$ref": "#/$defs/Inner"},
            "free": {"type": "object", "maxProperties": 2, "minProperties": 1, "propertyNames": {"pattern": "^[a-z]+$"}, "additionalProperties": {"type": "integer"}},
            "fixed": {"const": 7},
            "confirm": {"type": "boolean"},
            "dry_run": {"type": "boolean", "default": false},
            "yes": {"type": "boolean"},
            "tenant": {"type": "string"},
            "user": {"type": "string"}
        },
        "$defs": {"Inner": {"type": "object", "additionalProperties": false, "required": ["name"],
            "properties": {"name": {"type": "string"}, "size": {"type": "integer"}}}}
    }"##,
    aliases: &[("namespace", "ns"), ("section", "section_path")],
    minimal_call: r#"{"ns":"demo","section_path":"a/b"}"#,
    ..BASE
};

/// Like `note`, with rules over several arguments.
pub(crate) static PICKY: ToolInfo = ToolInfo {
    name: "picky",
    canonical: "demo.picky",
    portable: "demo_picky",
    projections: &[],
    accepted: r#"{"type":"object","properties":{"a":{},"b":{},"c":{},"d":{},"e":{},"f":{},"g":{},"h":{}}}"#,
    constraints: &[
        Constraint::AtLeastOneOf(&["a", "b"]),
        Constraint::AtMostOneOf(&["c", "d"]),
        Constraint::ExactlyOneOf(&["e", "f"]),
        Constraint::Requires { field: "g", needs: "h" },
    ],
    ..BASE
};

pub(crate) static PLAN: ToolInfo =
    ToolInfo { name: "plan", canonical: "demo.plan", portable: "demo_plan", ..BASE };

pub(crate) static APPLY: ToolInfo = ToolInfo {
    name: "apply",
    canonical: "demo.apply",
    portable: "demo_apply",
    effects: Effects::Destructive,
    projections: &[],
    accepted: r#"{"type":"object","properties":{"target":{"type":"string","default":"x"},"token":{"type":"string"},"dry_run":{"type":"boolean"}}}"#,
    ..BASE
};

#[derive(Debug, Deserialize)]
pub(crate) struct NoteRequest {
    pub(crate) ns: String,
    pub(crate) section_path: String,
    #[serde(default)]
    pub(crate) count: Option<u8>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Done {
    pub(crate) said: String,
    pub(crate) count: u8,
}

pub(crate) struct Note;
impl Tool for Note {
    type Request = NoteRequest;
    type Response = Done;
    type Error = Error;
    const INFO: &'static ToolInfo = &NOTE;
    fn compiled() -> &'static toolwright_runtime::tool::LazyTool {
        static COMPILED: toolwright_runtime::tool::LazyTool =
            toolwright_runtime::tool::LazyTool::new(&NOTE);
        &COMPILED
    }
}

#[derive(Debug, Deserialize)]
pub(crate) struct AnyRequest(pub(crate) Map<String, Value>);

pub(crate) struct Picky;
impl Tool for Picky {
    type Request = AnyRequest;
    type Response = Value;
    type Error = Error;
    const INFO: &'static ToolInfo = &PICKY;
    fn compiled() -> &'static toolwright_runtime::tool::LazyTool {
        static COMPILED: toolwright_runtime::tool::LazyTool =
            toolwright_runtime::tool::LazyTool::new(&PICKY);
        &COMPILED
    }
}

pub(crate) struct Apply;
impl Tool for Apply {
    type Request = AnyRequest;
    type Response = Value;
    type Error = Error;
    const INFO: &'static ToolInfo = &APPLY;
    fn compiled() -> &'static toolwright_runtime::tool::LazyTool {
        static COMPILED: toolwright_runtime::tool::LazyTool =
            toolwright_runtime::tool::LazyTool::new(&APPLY);
        &COMPILED
    }
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Policy {
    pub(crate) action: String,
    pub(crate) count: Option<u8>,
    pub(crate) text: Option<String>,
}
impl GuardParams for Policy {
    type Error = Error;
    const NAME: &'static str = "policy";
}

/// The behaviour of a test handler.
pub(crate) type Behaviour<R, T> = Box<dyn Fn(&Call, R) -> Result<T, Failure<Error>> + Send + Sync>;

pub(crate) struct DemoHandlers {
    pub(crate) note: Behaviour<NoteRequest, Done>,
    pub(crate) policy: Behaviour<Policy, ()>,
    pub(crate) roles: Behaviour<Subject, Option<Vec<String>>>,
    pub(crate) plan: Mutex<String>,
    pub(crate) calls: AtomicUsize,
    pub(crate) stages: AtomicUsize,
}

impl Default for DemoHandlers {
    fn default() -> Self {
        Self {
            note: Box::new(|call, request| {
                let said = if call.is_rehearsal() { "would" } else { "did" };
                Ok(Done { said: said.to_owned(), count: request.count.unwrap_or(0) })
            }),
            policy: Box::new(|_, _| Ok(())),
            roles: Box::new(|_, _| Ok(Some(vec!["OWNER".to_owned()]))),
            plan: Mutex::new("plan A".to_owned()),
            calls: AtomicUsize::new(0),
            stages: AtomicUsize::new(0),
        }
    }
}

impl DemoHandlers {
    pub(crate) fn call_count(&self) -> usize {
        self.calls.load(Ordering::SeqCst)
    }
}

impl Handle<Note> for DemoHandlers {
    async fn handle(&self, call: &Call, request: NoteRequest) -> Result<Done, Failure<Error>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        (self.note)(call, request)
    }
}

impl Handle<Picky> for DemoHandlers {
    async fn handle(&self, _: &Call, request: AnyRequest) -> Result<Value, Failure<Error>> {
        Ok(Value::Object(request.0))
    }
}

impl HandleGuarded<Apply, Option<String>> for DemoHandlers {
    async fn handle(
        &self,
        _: &Call,
        _: AnyRequest,
        plan: Option<String>,
    ) -> Result<Value, Failure<Error>> {
        self.calls.fetch_add(1, Ordering::SeqCst);
        Ok(Value::from(plan))
    }
}

impl Stage<Apply> for DemoHandlers {
    type Plan = String;

    async fn stage(&self, _: &Call, _: &AnyRequest) -> Result<Staged<String>, Failure<Error>> {
        self.stages.fetch_add(1, Ordering::SeqCst);
        let plan = self.plan.lock().unwrap().clone();
        Ok(Staged::new(format!("hash of {plan}"), plan))
    }
}

impl Guard<Policy> for DemoHandlers {
    type Pass = ();

    async fn check(&self, call: &Call, params: Policy) -> Result<(), Failure<Error>> {
        (self.policy)(call, params)
    }
}

impl Roles<Error> for DemoHandlers {
    async fn roles_of(
        &self,
        call: &Call,
        subject: &Subject,
    ) -> Result<Option<Vec<String>>, Failure<Error>> {
        (self.roles)(call, subject.clone())
    }
}

/// Time of the test clock, in epoch milliseconds.
pub(crate) const NOW: u64 = 1_700_000_000_000;

pub(crate) fn test_services() -> (Services, Arc<FixedClock>) {
    let clock = Arc::new(FixedClock::at(NOW));
    let ids = Arc::new(CountingIds::default());
    (Services { clock: clock.clone(), ids, version: "0.1.0" }, clock)
}

pub(crate) fn call(tool: &'static ToolInfo) -> Call {
    Call::new(tool, "req-1", test_services().0)
}

pub(crate) fn raw(value: &Value) -> Box<RawValue> {
    serde_json::value::to_raw_value(value).unwrap()
}

/// The body of a tool result.
pub(crate) fn body(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Answer(answer) => serde_json::from_str(&answer.body).unwrap(),
        other => panic!("not an answer: {other:?}"),
    }
}

/// The kind of a failed tool result.
pub(crate) fn kind(outcome: &Outcome) -> Option<&'static str> {
    match outcome {
        Outcome::Answer(answer) => {
            assert_eq!(answer.is_error, answer.kind.is_some());
            answer.kind
        }
        other => panic!("not an answer: {other:?}"),
    }
}

pub(crate) fn block_on<F: Future>(future: F) -> F::Output {
    tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(future)
}

/// Futures of generated code cross threads.
pub(crate) fn assert_send<T: Send>(value: T) -> T {
    value
}
