//! Only what the caller sends counts as consent. The compiler rejects contracts whose defaults consent;
//! even with such a contract, guards ignore defaults.

use serde_json::{Value, json};
use toolwright_runtime::contract::{
    Effects, ErrorInfo, ExampleInfo, Expect, GuardUse, Strength, SurfaceInfo, ToolInfo,
};
use toolwright_runtime::guard::{self, Ask, Confirm, Confirmations, TwoStage};
use toolwright_runtime::mock::Mock;
use toolwright_runtime::pipeline::{DecodedCall, Refusal};
use toolwright_runtime::{Dispatch as _, Failure, Stage, Staged, Tool};

use crate::fixture::{
    AnyRequest, BASE, CONFIRM_REQUIRED, DEMO, DemoHandlers, EXPIRED, Error, MISMATCH, MISSING,
    SURFACE, block_on, call, kind, raw,
};

/// Everything that a guard could take for a yes is one by default.
static EAGER: ToolInfo = ToolInfo {
    name: "eager",
    canonical: "demo.eager",
    portable: "demo_eager",
    effects: Effects::Destructive,
    accepted: r#"{"type": "object", "properties": {
        "yes": {"type": "boolean", "default": true},
        "constant": {"const": true, "default": true},
        "only": {"enum": [true], "default": true},
        "preview": {"type": "boolean", "default": true},
        "token": {"type": "string", "default": "of the contract"}
    }}"#,
    guards: &[GuardUse {
        name: "confirm",
        strength: Strength::ModelSatisfiable,
        params: r#"{"field": "yes", "unless": "preview", "refuses": "confirm_required"}"#,
    }],
    examples: &[ExampleInfo {
        name: "done",
        given: None,
        input: r#"{"yes": true}"#,
        expect: Expect::Output("{}"),
    }],
    ..BASE
};

static ERRORS: [&ErrorInfo; 1] = [&CONFIRM_REQUIRED];
static EAGER_SURFACE: SurfaceInfo = SurfaceInfo { tools: &[&EAGER], errors: &ERRORS, ..DEMO };

struct Eager;
impl Tool for Eager {
    type Request = AnyRequest;
    type Response = Value;
    type Error = Error;
    const INFO: &'static ToolInfo = &EAGER;
    fn compiled() -> &'static toolwright_runtime::tool::LazyTool {
        static COMPILED: toolwright_runtime::tool::LazyTool =
            toolwright_runtime::tool::LazyTool::new(&EAGER);
        &COMPILED
    }
}

impl Stage<Eager> for DemoHandlers {
    type Plan = ();

    async fn stage(
        &self,
        _: &toolwright_runtime::Call,
        _: &AnyRequest,
    ) -> Result<Staged<()>, Failure<Error>> {
        panic!("nothing is staged without consent");
    }
}

fn run<T>(sent: &Value, judge: impl FnOnce(&mut DecodedCall<'_, Eager>) -> T) -> T {
    let call = call(&EAGER);
    judge(&mut DecodedCall::decode(&SURFACE, &call, &raw(sent)).ok().unwrap())
}

fn confirmed(field: &'static str, unless: Option<&'static str>, sent: &Value) -> bool {
    let guard = Confirm { field, unless, refuses: &CONFIRM_REQUIRED, rehearse: false };
    run(sent, |run| guard::confirm(run, &guard).is_ok())
}

#[test]
fn confirm_ignores_defaults() {
    for field in ["yes", "constant", "only"] {
        assert!(!confirmed(field, None, &json!({})), "{field}");
        assert!(confirmed(field, None, &json!({field: true})), "{field}");
    }
}

#[test]
fn a_guard_is_not_waived_by_a_default() {
    assert!(!confirmed("yes", Some("preview"), &json!({})));
    assert!(confirmed("yes", Some("preview"), &json!({"preview": true})));
}

#[test]
fn the_substitute_for_a_question_must_be_sent() {
    for field in ["yes", "constant", "only"] {
        let guard = Ask {
            message: "Sure?",
            refuses: &CONFIRM_REQUIRED,
            otherwise: Some(field),
            optional: false,
        };
        let passes = |sent: &Value| run(sent, |run| block_on(guard::ask(run, &guard)).is_ok());
        assert!(!passes(&json!({})), "{field}");
        assert!(passes(&json!({field: true})), "{field}");
    }
}

#[test]
fn a_token_must_be_sent() {
    let guard = TwoStage {
        issuer: "plan",
        field: "token",
        missing: &MISSING,
        expired: &EXPIRED,
        mismatch: &MISMATCH,
        hash: None,
    };
    let confirmations = Confirmations::new(&SURFACE, &[("plan", 600)]);
    let refusal = run(&json!({}), |run| {
        let demo = DemoHandlers::default();
        let judged = guard::two_stage_unless(run, &demo, &confirmations, &guard, "preview");
        block_on(judged).unwrap_err()
    });
    assert!(matches!(refusal, Refusal::Failure(failure) if failure.info.kind == "missing"));
}

#[test]
fn a_mock_is_as_strict() {
    let mock = Mock::new(&EAGER_SURFACE);
    let call = call(&EAGER);
    let answered = |sent: Value| kind(&block_on(mock.dispatch(0, &call, &raw(&sent))));
    assert_eq!(answered(json!({})), Some("confirm_required"));
    assert_eq!(answered(json!({"yes": true})), None);
    assert_eq!(answered(json!({"preview": true})), None);
}
