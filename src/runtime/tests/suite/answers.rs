//! Answers of the pipeline: envelopes, declared kinds, internal errors, cancellation.

use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolwright_runtime::contract::{
    Budget, BuiltinErrors, Effects, Envelope, ErrorInfo, Piece, SurfaceInfo, ToolInfo,
};
use toolwright_runtime::decode::AnswerSchema;
use toolwright_runtime::pipeline::{DecodedCall, no_such_tool, unknown_tool};
use toolwright_runtime::{Call, ErrorKind as _, Failure, Handle, Outcome, Tool, ValidateOutput};

use crate::fixture::{
    APPLY, Apply, BASE, DEFECT, DemoHandlers, Done, Error, GONE, INVALID, NOT_FOUND, NOTE, Note,
    SURFACE, assert_send, block_on, body, call, kind, raw, test_services,
};

fn run_note(demo: &DemoHandlers) -> Outcome {
    let call = call(&NOTE);
    let arguments = raw(&json!({"ns": "demo", "section_path": "a"}));
    let run = DecodedCall::<Note>::decode(&SURFACE, &call, &arguments).ok().unwrap();
    block_on(assert_send(run.handle(demo, ())))
}

/// The envelope of the terminal surface: nine fields, `data` left out of failures.
static NINE: SurfaceInfo = SurfaceInfo {
    name: "nine",
    tools: &[&NOTE],
    envelope: Envelope {
        success: &[
            Piece::Text("{\"ok\":true,\"data\":"),
            Piece::Data,
            Piece::Text(",\"error\":null,\"error_code\":null,\"hint\":null,\"elapsed_ms\":"),
            Piece::ElapsedMs,
            Piece::Text(",\"version\":"),
            Piece::Version,
            Piece::Text(",\"now\":"),
            Piece::NowMs,
            Piece::Text(",\"mcp_version\":"),
            Piece::Contract,
            Piece::Text("}"),
        ],
        failure: &[
            Piece::Text("{\"ok\":false,\"error\":"),
            Piece::ErrorMessage,
            Piece::Text(",\"error_code\":"),
            Piece::ErrorCode,
            Piece::Text(",\"hint\":"),
            Piece::ErrorHint,
            Piece::Text(",\"elapsed_ms\":"),
            Piece::ElapsedMs,
            Piece::Text(",\"version\":"),
            Piece::Version,
            Piece::Text(",\"now\":"),
            Piece::NowMs,
            Piece::Text(",\"mcp_version\":"),
            Piece::Contract,
            Piece::Text("}"),
        ],
    },
    builtin: BuiltinErrors {
        invalid_arguments: &INVALID,
        unknown_tool: Some(&NOT_FOUND),
        internal: &DEFECT,
    },
    title: "",
    contract: "v1",
    digest: "",
    instructions: "",
    prefix: "",
    errors: &[],
    guards: &[],
    settings: &[],
    server_settings: &[],
    config: None,
    resources: &[],
    prompts: &[],
    icons: &[],
    roles: &[],
    identity: None,
    toolsets: &[],
};

#[test]
fn the_nine_fields_are_byte_exact() {
    let (test_services, clock) = test_services();
    let call = Call::new(&NOTE, "1", test_services);
    let arguments = raw(&json!({"ns": "demo", "section_path": "a", "count": 1}));
    let run = DecodedCall::<Note>::decode(&NINE, &call, &arguments).ok().unwrap();
    clock.advance(12);
    let Outcome::Answer(answer) = block_on(run.handle(&DemoHandlers::default(), ())) else {
        panic!()
    };
    assert_eq!(
        answer.body,
        r#"{"ok":true,"data":{"said":"did","count":1},"error":null,"error_code":null,"hint":null,"elapsed_ms":12,"version":"0.1.0","now":1700000000012,"mcp_version":"v1"}"#
    );
    assert!(!answer.is_error);
    assert_eq!(answer.exit, 0);
}

#[test]
fn a_failure_has_no_data() {
    let demo = DemoHandlers {
        note: Box::new(|_, _| Err(Error::NotFound.because("no \"such\"\nthing").hint("look"))),
        ..DemoHandlers::default()
    };
    let call = call(&NOTE);
    let arguments = raw(&json!({"ns": "demo", "section_path": "a"}));
    let run = DecodedCall::<Note>::decode(&NINE, &call, &arguments).ok().unwrap();
    let Outcome::Answer(answer) = block_on(run.handle(&demo, ())) else { panic!() };
    assert_eq!(
        answer.body,
        r#"{"ok":false,"error":"no \"such\"\nthing","error_code":"D-7","hint":"look","elapsed_ms":0,"version":"0.1.0","now":1700000000000,"mcp_version":"v1"}"#
    );
    assert!(answer.is_error);
    assert_eq!((answer.kind, answer.exit), (Some("not_found"), 3));
}

#[test]
fn every_hole_can_be_filled() {
    const PIECES: &[Piece] = &[
        Piece::Text("["),
        Piece::Warnings,
        Piece::Text(","),
        Piece::Now,
        Piece::Text(","),
        Piece::Tool,
        Piece::Text(","),
        Piece::Command,
        Piece::Text(","),
        Piece::CommandPath,
        Piece::Text(","),
        Piece::RequestId,
        Piece::Text(","),
        Piece::ErrorRetryable,
        Piece::Text(","),
        Piece::ErrorDetails,
        Piece::Text(","),
        Piece::Data,
        Piece::Text("]"),
    ];
    static ALL: SurfaceInfo =
        SurfaceInfo { envelope: Envelope { success: PIECES, failure: PIECES }, ..empty() };
    let demo = DemoHandlers {
        note: Box::new(|call, request| {
            call.warn("mind the gap");
            call.attach("key", json!(1));
            match request.count {
                Some(_) => Err(Error::NotFound.because("x").with("n", 1)),
                None => Ok(Done { said: "did".to_owned(), count: 0 }),
            }
        }),
        ..DemoHandlers::default()
    };
    let answer = |arguments: Value| {
        let call = call(&NOTE);
        let run = DecodedCall::<Note>::decode(&ALL, &call, &raw(&arguments)).ok().unwrap();
        match block_on(run.handle(&demo, ())) {
            Outcome::Answer(answer) => answer,
            other => panic!("{other:?}"),
        }
    };
    let good = answer(json!({"ns": "demo", "section_path": "a"}));
    assert_eq!(
        good.body,
        r#"[["mind the gap"],"2023-11-14T22:13:20.000Z","note","base",["base"],"req-1",null,null,{"said":"did","count":0}]"#
    );
    assert_eq!(Value::Object(good.meta), json!({"key": 1}));
    let bad = answer(json!({"ns": "demo", "section_path": "a", "count": 1}));
    assert_eq!(
        bad.body,
        r#"[["mind the gap"],"2023-11-14T22:13:20.000Z","note","base",["base"],"req-1",false,{"n":1},null]"#
    );
}

const fn empty() -> SurfaceInfo {
    SurfaceInfo {
        name: "empty",
        title: "",
        contract: "v1",
        digest: "",
        instructions: "",
        prefix: "",
        tools: &[],
        errors: &[],
        builtin: BuiltinErrors {
            invalid_arguments: &INVALID,
            unknown_tool: None,
            internal: &DEFECT,
        },
        envelope: Envelope { success: &[], failure: &[] },
        guards: &[],
        settings: &[],
        server_settings: &[],
        config: None,
        resources: &[],
        prompts: &[],
        icons: &[],
        roles: &[],
        identity: None,
        toolsets: &[],
    }
}

#[test]
fn a_detail_never_replaces_a_member_of_the_envelope() {
    let demo = DemoHandlers {
        note: Box::new(|_, _| {
            Err(Error::NotFound.because("x").with("code", "forged").with("other", [1]))
        }),
        ..DemoHandlers::default()
    };
    let Outcome::Answer(answer) = run_note(&demo) else { panic!() };
    assert_eq!(answer.body, r#"{"code":"D-7","hint":null,"message":"x","other":[1]}"#);
}

#[test]
fn an_undeclared_kind_never_leaves() {
    let demo = DemoHandlers {
        note: Box::new(|_, _| Err(Error::Undeclared.because("secret plan"))),
        ..DemoHandlers::default()
    };
    let outcome = run_note(&demo);
    assert_eq!(kind(&outcome), Some("internal"));
    assert!(!body(&outcome).to_string().contains("secret plan"));
}

#[test]
fn a_panic_is_an_answer() {
    let demo =
        DemoHandlers { note: Box::new(|_, _| panic!("secret plan")), ..DemoHandlers::default() };
    let outcome = run_note(&demo);
    assert_eq!(kind(&outcome), Some("internal"));
    assert!(!body(&outcome).to_string().contains("secret plan"));
}

#[test]
fn the_cause_is_not_for_the_client() {
    let demo = DemoHandlers {
        note: Box::new(|_, _| Err(Error::NotFound.because("gone").internal("/home/me/secret"))),
        ..DemoHandlers::default()
    };
    assert!(!body(&run_note(&demo)).to_string().contains("secret"));
}

struct Strict;
static STRICT: ToolInfo = ToolInfo {
    output: r#"{"anyOf":[{"type":"object","required":["n"],"properties":{"n":{"type":"integer"}}},
        {"type":"object","required":["code"]}]}"#,
    errors: &["gone", "internal", "invalid_arguments"],
    budget: Budget { definition_tokens: 1, result_tokens: 10 },
    ..BASE
};
impl Tool for Strict {
    type Request = Value;
    type Response = Value;
    type Error = StrictError;
    const INFO: &'static ToolInfo = &STRICT;
    fn compiled() -> &'static toolwright_runtime::tool::LazyTool {
        static COMPILED: toolwright_runtime::tool::LazyTool =
            toolwright_runtime::tool::LazyTool::new(&STRICT);
        &COMPILED
    }
}
#[derive(Clone, Copy)]
struct StrictError;
impl toolwright_runtime::ErrorKind for StrictError {
    fn info(self) -> &'static ErrorInfo {
        &GONE
    }
}
impl Handle<Strict> for DemoHandlers {
    async fn handle(&self, _: &Call, request: Value) -> Result<Value, Failure<StrictError>> {
        if request.get("gone").is_some() {
            return Err(StrictError.because("it is gone").with("n", 1));
        }
        Ok(request)
    }
}

fn run_strict(arguments: &Value) -> Outcome {
    run_strict_as(ValidateOutput::default(), arguments)
}

fn run_strict_as(mode: ValidateOutput, arguments: &Value) -> Outcome {
    let call = call(&STRICT).validating_output(mode);
    let run = DecodedCall::<Strict>::decode(&SURFACE, &call, &raw(arguments)).ok().unwrap();
    block_on(run.handle(&DemoHandlers::default(), ()))
}

#[test]
fn an_answer_outside_the_output_schema_is_a_defect_sent_or_not_looked_at() {
    let right = json!({"n": 1});
    let wrong = json!({"n": "one"});
    for mode in [ValidateOutput::Strict, ValidateOutput::Log, ValidateOutput::Off] {
        assert_eq!(kind(&run_strict_as(mode, &right)), None);
    }
    assert_eq!(kind(&run_strict(&wrong)), Some("internal"), "tests are strict");
    assert_eq!(kind(&run_strict_as(ValidateOutput::Strict, &wrong)), Some("internal"));
    for mode in [ValidateOutput::Log, ValidateOutput::Off] {
        let outcome = run_strict_as(mode, &wrong);
        assert_eq!((kind(&outcome), body(&outcome)), (None, wrong.clone()), "{mode:?}");
    }
}

#[test]
fn what_is_wrong_with_an_answer_names_tool_field_and_rule() {
    let told = |body: Value, is_error: bool| {
        let text = body.to_string();
        AnswerSchema::new(&STRICT).unwrap().check(&text, is_error).unwrap_err().to_string()
    };
    let start = "the answer of `STRICT` does not match its output schema: "
        .replace("STRICT", STRICT.canonical);
    assert_eq!(
        told(json!({"n": "secret"}), false),
        format!("{start}/n: must be an integer, not a string (type)")
    );
    // The success is meant, however well the failure fits.
    assert_eq!(told(json!({"no": 1}), false), format!("{start}/n: `n` is required (required)"));
    assert_eq!(
        told(json!({"no": 1}), true),
        format!("{start}/code: `code` is required (required)")
    );
    assert_eq!(
        told(json!([]), false),
        format!("{start}the answer: must be an object, not an array (type)")
    );
}

#[test]
fn kinds_that_say_so_become_json_rpc_errors() {
    let Outcome::Protocol(error) = run_strict(&json!({"gone": 1})) else { panic!() };
    assert_eq!((error.code, error.kind, error.exit), (-31_001, "gone", 4));
    assert_eq!(error.message, "it is gone");
    assert_eq!(
        error.data,
        Some(json!({"code": "D-11", "message": "it is gone", "hint": "try later", "n": 1,
            "reason": "gone", "when": "static"})),
        "the kind's own details come with every failure of it"
    );
}

#[test]
fn an_unknown_tool_is_answered_as_the_contract_says() {
    let (test_services, _) = test_services();
    let Outcome::Protocol(error) = unknown_tool(&SURFACE, &test_services, "1", "demo.nope", false)
    else {
        panic!()
    };
    assert_eq!(error.code, -32602);
    assert_eq!(error.message, "unknown tool `demo.nope`; did you mean `demo.note`?");

    let outcome = unknown_tool(&NINE, &test_services, "1", "zzz", false);
    assert_eq!(kind(&outcome), Some("not_found"));
    assert_eq!(body(&outcome)["error"], "unknown tool `zzz`");

    let call = call(&NOTE);
    assert!(matches!(block_on(no_such_tool(&SURFACE, &call)), Outcome::Protocol(_)));
}

/// Waits for ever, or until the test cancels.
struct Waits;
static WAITS: ToolInfo = ToolInfo { effects: Effects::Read, ..BASE };
impl Tool for Waits {
    type Request = Value;
    type Response = Value;
    type Error = Error;
    const INFO: &'static ToolInfo = &WAITS;
    fn compiled() -> &'static toolwright_runtime::tool::LazyTool {
        static COMPILED: toolwright_runtime::tool::LazyTool =
            toolwright_runtime::tool::LazyTool::new(&WAITS);
        &COMPILED
    }
}
impl Handle<Waits> for DemoHandlers {
    async fn handle(&self, _: &Call, _: Value) -> Result<Value, Failure<Error>> {
        std::future::pending().await
    }
}

#[test]
fn a_read_is_dropped_when_nobody_waits() {
    let cancel = CancellationToken::new();
    let call = Call::new(&WAITS, "1", test_services().0).cancelled_by(cancel.clone());
    let run = DecodedCall::<Waits>::decode(&SURFACE, &call, &raw(&json!({}))).ok().unwrap();
    cancel.cancel();
    assert_eq!(kind(&block_on(run.handle(&DemoHandlers::default(), ()))), Some("internal"));
}

#[test]
fn a_write_runs_to_its_end() {
    let cancel = CancellationToken::new();
    cancel.cancel();
    let call = Call::new(&APPLY, "1", test_services().0).cancelled_by(cancel);
    let run = DecodedCall::<Apply>::decode(&SURFACE, &call, &raw(&json!({}))).ok().unwrap();
    let demo = DemoHandlers::default();
    assert_eq!(kind(&block_on(run.handle(&demo, None))), None);
    assert_eq!(demo.calls.load(Ordering::SeqCst), 1);
}
