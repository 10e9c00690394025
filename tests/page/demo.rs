//! A surface made for the page: every kind of field, a question, a slow call, hostile text.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright_runtime::ask::{AskOutcome, Question, Reply};
use toolwright_runtime::contract::{
    Budget, BuiltinErrors, Deprecation, Effects, Envelope, ErrorInfo, ExampleInfo, Expect,
    GuardUse, Piece, ResourceInfo, ResourceSource, Strength, SurfaceInfo, ToolInfo,
};
use toolwright_runtime::dispatch::OutcomeFuture;
use toolwright_runtime::{Answer, Call, Dispatch, Outcome};

/// What would run, were any text of an answer taken for markup.
pub(crate) const HOSTILE: &str =
    "<img src=x onerror=\"window.hurt=1\"><script>window.hurt=1</script>`<b>`";

const SHAPES_INPUT: &str = r##"{
  "type": "object",
  "required": ["title", "count"],
  "properties": {
    "title": {"type": "string", "minLength": 1, "description": "A short text."},
    "count": {"type": "integer", "minimum": 1, "maximum": 9007199254740999, "description": "How many."},
    "ratio": {"type": "number", "default": 0.5},
    "flag": {"type": "boolean", "default": false},
    "colour": {"type": "string", "enum": ["red", "green"], "default": "red"},
    "text": {"type": "string", "maxLength": 100000, "description": "A long text."},
    "note": {"type": ["string", "null"]},
    "tags": {"type": "array", "items": {"type": "string"}, "maxItems": 5},
    "people": {"type": "array", "items": {"$ref": "#/$defs/Person"}},
    "place": {"type": "object", "required": ["city"], "properties": {
      "city": {"type": "string"}, "geo": {"type": "object", "properties": {"lat": {"type": "number"}}}}},
    "either": {"anyOf": [{"type": "string"}, {"type": "integer"}]},
    "free": {"type": "object", "additionalProperties": {"type": "string"}}
  },
  "$defs": {"Person": {"type": "object", "required": ["name"], "properties": {
    "name": {"type": "string"}, "age": {"type": "integer", "minimum": 0}}}}
}"##;

const ANY: &str = r#"{"type":"object"}"#;

const BASE: ToolInfo = ToolInfo {
    name: "",
    canonical: "",
    portable: "",
    title: "",
    description: "",
    effects: Effects::Read,
    idempotent: true,
    open_world: false,
    immediate: false,
    listed: true,
    since: "v1",
    deprecated: None,
    command: &[],
    input: ANY,
    projections: &[],
    accepted: ANY,
    data: ANY,
    output: ANY,
    aliases: &[],
    constraints: &[],
    errors: &["internal", "invalid_arguments"],
    guards: &[],
    budget: Budget { definition_tokens: 600, result_tokens: 4000 },
    minimal_call: "{}",
    examples: &[],
    meta: "{}",
};

static ASK: ToolInfo = ToolInfo {
    name: "ask",
    canonical: "demo.ask",
    portable: "demo_ask",
    title: "Asks first",
    description: "Removes a thing once a person has agreed.",
    effects: Effects::Destructive,
    input: r#"{"type":"object","properties":{"thing":{"type":"string"}},"required":["thing"]}"#,
    errors: &["declined", "internal", "invalid_arguments"],
    guards: &[GuardUse {
        name: "ask",
        strength: Strength::ClientAttested,
        params: r#"{"message":"Remove {thing}?","refuses":"declined"}"#,
    }],
    ..BASE
};
static HURT: ToolInfo = ToolInfo {
    name: "hurt",
    canonical: "demo.hurt",
    portable: "demo_hurt",
    title: HOSTILE,
    description: HOSTILE,
    deprecated: Some(Deprecation { since: "v1", replaced_by: Some(HOSTILE), sunset: None }),
    input: r#"{"type":"object","properties":{"<b>x</b>":{"type":"string","description":"<img src=x onerror=window.hurt=1>"},"fail":{"type":"boolean"}}}"#,
    errors: &["hostile"],
    ..BASE
};
static SHAPES: ToolInfo = ToolInfo {
    name: "shapes",
    canonical: "demo.shapes",
    portable: "demo_shapes",
    title: "All kinds of fields",
    description: "Answers with the arguments as they came.",
    input: SHAPES_INPUT,
    examples: &[ExampleInfo {
        name: "everything",
        given: None,
        input: r#"{"title":"t","count":9007199254740993,"ratio":1.0,"flag":true,"colour":"green","text":"a\nb","note":null,"tags":["x",""],"people":[{"name":"Ann","age":3},{"name":"Bob"}],"place":{"city":"Bonn","geo":{"lat":50.7}},"either":7,"free":{"k":"v"},"unknown":[1]}"#,
        expect: Expect::Output("{}"),
    }],
    ..BASE
};
static SLOW: ToolInfo = ToolInfo {
    name: "slow",
    canonical: "demo.slow",
    portable: "demo_slow",
    title: "Takes its time",
    description: "Reports progress and goes on until it is cancelled.",
    ..BASE
};

const fn error(kind: &'static str, when: &'static str) -> ErrorInfo {
    ErrorInfo {
        kind,
        code: kind,
        when,
        retryable: false,
        next: None,
        aliases: &[],
        jsonrpc: None,
        exit: 1,
        details: "{}",
    }
}
static DECLINED: ErrorInfo = error("declined", "the person said no");
static HOSTILE_ERROR: ErrorInfo = error("hostile", HOSTILE);
static INTERNAL: ErrorInfo = error("internal", "a defect");
static INVALID: ErrorInfo = error("invalid_arguments", "the arguments do not fit");

static INFO: SurfaceInfo = SurfaceInfo {
    name: "demo",
    title: "A surface for the page",
    contract: "v1",
    digest: "0123456789abcdef",
    instructions: HOSTILE,
    prefix: "demo.",
    tools: &[&ASK, &HURT, &SHAPES, &SLOW],
    errors: &[&DECLINED, &HOSTILE_ERROR, &INTERNAL, &INVALID],
    builtin: BuiltinErrors { invalid_arguments: &INVALID, unknown_tool: None, internal: &INTERNAL },
    envelope: Envelope {
        success: &[Piece::Data],
        failure: &[
            Piece::Text("{\"error\":{\"code\":"),
            Piece::ErrorCode,
            Piece::Text(",\"message\":"),
            Piece::ErrorMessage,
            Piece::Text(",\"details\":"),
            Piece::ErrorDetails,
            Piece::Text("}}"),
        ],
    },
    guards: &[],
    settings: &[],
    server_settings: &[],
    config: None,
    resources: &[ResourceInfo {
        uri: "demo://greeting",
        name: "greeting",
        title: "Greeting",
        description: "A text of the contract.",
        source: ResourceSource::File { mime_type: "text/html", text: HOSTILE },
        variables: &[],
        arguments: "{}",
        not_found: &[],
        content: None,
        subscribe: false,
    }],
    roles: &[],
    prompts: &[],
    icons: &[],
    identity: None,
    toolsets: &[],
};

/// A contract with nothing behind it: the page can show it, but not call.
pub(crate) struct Shown(pub(crate) &'static SurfaceInfo);

impl Dispatch for Shown {
    fn info(&self) -> &'static SurfaceInfo {
        self.0
    }

    fn dispatch<'a>(&'a self, _: usize, _: &'a Call, _: &'a RawValue) -> OutcomeFuture<'a> {
        Box::pin(std::future::ready(failure("internal", "there is nothing behind this contract")))
    }
}

/// The surface; it keeps nothing.
pub(crate) struct Demo;

fn success(body: &Value) -> Outcome {
    answer(body, None)
}

fn failure(kind: &'static str, message: &str) -> Outcome {
    let body = json!({"error": {"code": kind, "message": message, "details": {}}});
    answer(&body, Some(kind))
}

fn answer(body: &Value, kind: Option<&'static str>) -> Outcome {
    let (body, is_error) = (body.to_string(), kind.is_some());
    Outcome::Answer(Answer { body, is_error, kind, exit: 0, meta: serde_json::Map::new() })
}

async fn run(tool: usize, call: &Call, arguments: &RawValue) -> Outcome {
    let given: Value = serde_json::from_str(arguments.get()).expect("JSON");
    match INFO.tools[tool].name {
        "ask" => ask(call, arguments, &given).await,
        "hurt" if given["fail"] == true => failure("hostile", HOSTILE),
        "hurt" => success(&json!({"said": HOSTILE, "got": given})),
        "slow" => {
            call.progress(1.0, Some(3.0), Some("one step"));
            call.cancelled().await;
            success(&json!({}))
        }
        // As text: a number must come back with all its digits.
        _ => success(&json!({"given": arguments.get()})),
    }
}

async fn ask(call: &Call, arguments: &RawValue, given: &Value) -> Outcome {
    let thing = given["thing"].as_str().unwrap_or_default();
    let question = Question::new(format!("Remove {thing}?"));
    let asked = match call.asker() {
        Some(asker) => asker.ask(&question, arguments.get()).await,
        None => AskOutcome::Impossible,
    };
    match asked {
        AskOutcome::Answered(Reply::Yes) => success(&json!({"removed": thing})),
        AskOutcome::Repeat(request) => Outcome::NeedsInput(request),
        _ => failure("declined", "the person did not agree"),
    }
}

impl Dispatch for Demo {
    fn info(&self) -> &'static SurfaceInfo {
        &INFO
    }

    fn dispatch<'a>(
        &'a self,
        tool: usize,
        call: &'a Call,
        arguments: &'a RawValue,
    ) -> OutcomeFuture<'a> {
        Box::pin(run(tool, call, arguments))
    }
}
