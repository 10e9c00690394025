//! Each guard: when it passes, how it refuses, and that the handler is not reached.

use std::sync::{Arc, Mutex};

use serde_json::{Value, json};
use toolwright_runtime::ask::{AskOutcome, Asker, InputRequest, Question, Reply};
use toolwright_runtime::guard::{self, Ask, Bind, Confirm, Refusal, Role};
use toolwright_runtime::pipeline::DecodedCall;
use toolwright_runtime::{Call, ErrorKind as _, Failure, Handle, Outcome};

use crate::fixture::{
    CONFIRM_REQUIRED, DemoHandlers, Done, Error, FORBIDDEN, NOTE, Note, NoteRequest, Policy,
    SURFACE, UNKNOWN, assert_send, block_on, body, call, kind, raw,
};

fn decoded<'a>(call: &'a Call, extra: &Value) -> DecodedCall<'a, Note> {
    let mut arguments = json!({"ns": "demo", "section_path": "a"});
    for (name, value) in extra.as_object().unwrap() {
        arguments[name] = value.clone();
    }
    DecodedCall::decode(&SURFACE, call, &raw(&arguments)).ok().unwrap()
}

const fn confirm(rehearse: bool) -> Confirm {
    Confirm { field: "confirm", unless: Some("dry_run"), refuses: &CONFIRM_REQUIRED, rehearse }
}

/// As generated code does it.
async fn confirmed(demo: &DemoHandlers, extra: Value, rehearse: bool) -> Outcome {
    let call = call(&NOTE);
    let mut run = decoded(&call, &extra);
    if let Err(refusal) = guard::confirm(&mut run, &confirm(rehearse)) {
        return run.refused(refusal);
    }
    run.handle(demo, ()).await
}

#[test]
fn confirm_needs_true_or_its_exception() {
    let demo = DemoHandlers::default();
    for refused in [json!({}), json!({"confirm": false}), json!({"dry_run": false})] {
        let outcome = block_on(confirmed(&demo, refused, false));
        assert_eq!(kind(&outcome), Some("confirm_required"));
        assert_eq!(body(&outcome)["field"], "confirm");
        assert!(body(&outcome)["message"].as_str().unwrap().contains("`confirm`"));
    }
    assert_eq!(demo.call_count(), 0);
    for passed in [json!({"confirm": true}), json!({"dry_run": true})] {
        assert_eq!(kind(&block_on(confirmed(&demo, passed, false))), None);
    }
    assert_eq!(demo.call_count(), 2);
}

#[test]
fn a_rehearsal_tells_what_would_have_happened() {
    let demo = DemoHandlers::default();
    let outcome = block_on(confirmed(&demo, json!({"count": 3}), true));
    assert_eq!(kind(&outcome), Some("confirm_required"));
    assert_eq!(body(&outcome)["would"], json!({"said": "would", "count": 3}));

    let outcome = block_on(confirmed(&demo, json!({"confirm": true}), true));
    assert_eq!(body(&outcome)["said"], "did");
}

#[test]
fn a_rehearsal_that_fails_tells_its_own_failure() {
    let demo = DemoHandlers {
        note: Box::new(|_, _| Err(Error::NotFound.because("gone"))),
        ..DemoHandlers::default()
    };
    let outcome = block_on(confirmed(&demo, json!({}), true));
    assert_eq!(kind(&outcome), Some("not_found"));
}

#[test]
fn guards_run_in_order_and_the_first_refusal_counts() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let demo = DemoHandlers {
        policy: Box::new(move |_, params| {
            log.lock().unwrap().push(params.action.clone());
            match params.action.as_str() {
                "deny" => Err(Error::Forbidden.because("denied")),
                _ => Ok(()),
            }
        }),
        ..DemoHandlers::default()
    };
    let call = call(&NOTE);
    let mut run = decoded(&call, &json!({}));
    let outcome = block_on(assert_send(async {
        for action in ["\"allow\"", "\"deny\"", "\"never\""] {
            let binds = [("action", Bind::Literal(action))];
            if let Err(refusal) = guard::own::<Policy, _, _>(&mut run, &demo, &binds).await {
                return run.refused(refusal);
            }
        }
        run.handle(&demo, ()).await
    }));
    assert_eq!(kind(&outcome), Some("forbidden"));
    assert_eq!(*seen.lock().unwrap(), ["allow", "deny"]);
    assert_eq!(demo.call_count(), 0);
}

#[test]
fn custom_guards_get_literals_arguments_and_defaults() {
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = seen.clone();
    let demo = DemoHandlers {
        policy: Box::new(move |_, params| {
            log.lock().unwrap().push(params);
            Ok(())
        }),
        ..DemoHandlers::default()
    };
    let binds = [
        ("action", Bind::Literal("\"send_text\"")),
        ("count", Bind::Argument("count")),
        ("text", Bind::Argument("maybe")),
    ];
    for extra in [json!({}), json!({"count": 5.0, "maybe": "hi"})] {
        let call = call(&NOTE);
        let mut run = decoded(&call, &extra);
        block_on(guard::own::<Policy, _, _>(&mut run, &demo, &binds)).unwrap();
    }
    let action = "send_text".to_owned();
    assert_eq!(
        *seen.lock().unwrap(),
        [
            Policy { action: action.clone(), count: Some(1), text: None },
            Policy { action, count: Some(5), text: Some("hi".to_owned()) },
        ]
    );
}

#[test]
fn a_guard_that_breaks_does_not_pass() {
    let demo = DemoHandlers { policy: Box::new(|_, _| panic!("boom")), ..DemoHandlers::default() };
    for binds in [[("action", Bind::Literal("\"x\""))], [("nonsense", Bind::Literal("1"))]] {
        let call = call(&NOTE);
        let mut run = decoded(&call, &json!({}));
        let refusal = block_on(guard::own::<Policy, _, _>(&mut run, &demo, &binds)).unwrap_err();
        assert_eq!(kind(&run.refused(refusal)), Some("internal"));
    }
}

/// Answers every question the same way and remembers it.
struct ScriptedAsker {
    asked: Mutex<Vec<(String, String)>>,
    answer: fn() -> AskOutcome,
}

impl Asker for ScriptedAsker {
    fn ask<'a>(
        &'a self,
        question: &'a Question,
        binding: &'a str,
    ) -> std::pin::Pin<Box<dyn Future<Output = AskOutcome> + Send + 'a>> {
        self.asked.lock().unwrap().push((question.message.clone(), binding.to_owned()));
        Box::pin(async { (self.answer)() })
    }
}

fn asked(
    answer: Option<fn() -> AskOutcome>,
    extra: &Value,
    otherwise: Option<&'static str>,
) -> (Result<(), Refusal>, Vec<(String, String)>) {
    asked_in(call(&NOTE), answer, extra, otherwise, false)
}

fn asked_in(
    mut call: Call,
    answer: Option<fn() -> AskOutcome>,
    extra: &Value,
    otherwise: Option<&'static str>,
    optional: bool,
) -> (Result<(), Refusal>, Vec<(String, String)>) {
    let asker = answer.map(|answer| Arc::new(ScriptedAsker { asked: Mutex::default(), answer }));
    if let Some(asker) = &asker {
        call = call.with_asker(asker.clone());
    }
    let guard =
        Ask { message: "Write {count} to {ns}?", refuses: &CONFIRM_REQUIRED, otherwise, optional };
    let mut run = decoded(&call, extra);
    let result = block_on(assert_send(guard::ask(&mut run, &guard)));
    let questions = asker.map(|asker| asker.asked.lock().unwrap().clone()).unwrap_or_default();
    (result, questions)
}

#[test]
fn ask_passes_on_yes_only() {
    let (yes, questions) = asked(Some(|| AskOutcome::Answered(Reply::Yes)), &json!({}), None);
    assert!(yes.is_ok());
    assert_eq!(questions[0].0, "Write 1 to demo?", "defaults are shown");
    assert_eq!(questions[0].1.len(), 64);

    // An argument that stands in does not overrule the person.
    let sent = json!({"yes": true});
    let (no, _) = asked(Some(|| AskOutcome::Answered(Reply::No)), &sent, Some("yes"));
    assert!(
        matches!(no, Err(Refusal::Failure(failure)) if failure.info.kind == "confirm_required")
    );
}

#[test]
fn a_client_that_cannot_ask_counts_as_no() {
    let impossible: Option<fn() -> AskOutcome> = Some(|| AskOutcome::Impossible);
    for answer in [None, impossible] {
        for (extra, otherwise, passes) in [
            (json!({}), None, false),
            (json!({"yes": true}), None, false),
            (json!({}), Some("yes"), false),
            (json!({"yes": false}), Some("yes"), false),
            (json!({"yes": true}), Some("yes"), true),
        ] {
            let (result, _) = asked(answer, &extra, otherwise);
            assert_eq!(result.is_ok(), passes, "{extra} {otherwise:?}");
        }
    }
}

/// A call of a server whose `ask` setting is `always`.
fn must_ask() -> Call {
    call(&NOTE).that_must_ask()
}

#[test]
fn an_optional_question_is_asked_where_the_client_can_and_holds_there() {
    let ask = |answer, optional| asked_in(call(&NOTE), answer, &json!({}), None, optional).0;
    assert!(ask(None, true).is_ok());
    assert!(ask(Some(|| AskOutcome::Impossible), true).is_ok());
    assert!(ask(Some(|| AskOutcome::Answered(Reply::Yes)), true).is_ok());
    assert!(ask(Some(|| AskOutcome::Answered(Reply::No)), true).is_err());
    assert!(ask(Some(|| AskOutcome::Answered(Reply::Late)), true).is_err());
}

#[test]
fn what_must_be_asked_is_refused_where_nobody_can_be_asked() {
    let sent = json!({"yes": true});
    for (otherwise, optional) in [(None, true), (Some("yes"), false), (None, false)] {
        let (result, _) = asked_in(must_ask(), None, &sent, otherwise, optional);
        let Err(Refusal::Failure(failure)) = result else { panic!("{otherwise:?} {optional}") };
        assert!(failure.hint.is_some_and(|hint| hint.contains("`ask` setting")));
    }
    let yes: Option<fn() -> AskOutcome> = Some(|| AskOutcome::Answered(Reply::Yes));
    assert!(asked_in(must_ask(), yes, &sent, None, true).0.is_ok());
}

#[test]
fn an_answer_is_bound_to_the_tool_to_all_arguments_and_to_what_it_is_about() {
    let binding = |arguments: &Value, question: &Question| {
        let answer = || AskOutcome::Answered(Reply::Yes);
        let asker = Arc::new(ScriptedAsker { asked: Mutex::default(), answer });
        let call = call(&NOTE).with_asker(asker.clone());
        let _run = decoded(&call, arguments);
        block_on(call.ask(question));
        let asked = asker.asked.lock().unwrap();
        asked[0].1.clone()
    };
    let one = binding(&json!({"user": "a", "tenant": "t"}), &Question::new("?"));
    assert_eq!(one, binding(&json!({"tenant": "t", "user": "a"}), &Question::new("?")));
    assert_ne!(one, binding(&json!({"user": "a"}), &Question::new("?")));
    assert_ne!(one, binding(&json!({"user": "a", "tenant": "t"}), &Question::new("!")));
    let about =
        |text: &str, about: &str| binding(&json!({"user": "a"}), &Question::new(text).about(about));
    assert_eq!(about("seen at noon", "plan 1"), about("seen at one", "plan 1"));
    assert_ne!(about("seen at noon", "plan 1"), about("seen at noon", "plan 2"));
}

#[test]
fn a_client_that_must_repeat_gets_the_question() {
    let (result, _) = asked(
        Some(|| {
            AskOutcome::Repeat(InputRequest {
                name: "consent".to_owned(),
                message: "?".to_owned(),
                schema: json!({}),
                state: "sealed".to_owned(),
            })
        }),
        &json!({}),
        None,
    );
    let refusal = result.unwrap_err();
    let call = call(&NOTE);
    let outcome = decoded(&call, &json!({})).refused(refusal);
    assert!(matches!(outcome, Outcome::NeedsInput(request) if request.state == "sealed"));
}

/// Answers `demo.note` unless the person says no.
struct AskingHandler;

impl Handle<Note> for AskingHandler {
    async fn handle(&self, call: &Call, request: NoteRequest) -> Result<Done, Failure<Error>> {
        let question = Question::new(format!("Write to {}?", request.ns));
        let consent = call.consent(&question, Error::Forbidden).await?;
        Ok(Done { said: format!("{consent:?}"), count: 1 })
    }
}

#[test]
fn a_handler_can_ask_for_consent() {
    let told = |call: Call, answer: Option<fn() -> AskOutcome>| {
        let call = match answer {
            Some(answer) => {
                call.with_asker(Arc::new(ScriptedAsker { asked: Mutex::default(), answer }))
            }
            None => call,
        };
        block_on(assert_send(decoded(&call, &json!({})).handle(&AskingHandler, ())))
    };
    let yes: Option<fn() -> AskOutcome> = Some(|| AskOutcome::Answered(Reply::Yes));
    assert_eq!(body(&told(call(&NOTE), yes))["said"], "Given");
    assert_eq!(body(&told(must_ask(), yes))["said"], "Given");
    let outcome = told(
        call(&NOTE),
        Some(|| {
            AskOutcome::Repeat(InputRequest {
                name: "consent".to_owned(),
                message: "?".to_owned(),
                schema: json!({}),
                state: "sealed".to_owned(),
            })
        }),
    );
    assert!(matches!(outcome, Outcome::NeedsInput(request) if request.state == "sealed"));
    for reply in [(|| AskOutcome::Answered(Reply::No)) as fn() -> AskOutcome, || {
        AskOutcome::Answered(Reply::Late)
    }] {
        let outcome = told(call(&NOTE), Some(reply));
        assert_eq!(kind(&outcome), Some("forbidden"));
        assert_eq!(body(&outcome)["asked"], "Write to demo?", "{}", body(&outcome));
    }
    // Where nobody can be asked, the contract decides, unless the server's user demands a person.
    assert_eq!(body(&told(call(&NOTE), None))["said"], "Unasked");
    assert_eq!(kind(&told(must_ask(), None)), Some("forbidden"));
}

fn by_role(demo: &DemoHandlers, extra: &Value) -> Outcome {
    let guard = Role {
        tenant: Some("tenant"),
        user: Some("user"),
        project: None,
        unknown: &UNKNOWN,
        forbidden: &FORBIDDEN,
    };
    let call = call(&NOTE);
    let mut run = decoded(&call, extra);
    block_on(assert_send(async {
        match guard::role(&mut run, demo, &guard).await {
            Err(refusal) => run.refused(refusal),
            Ok(()) => run.handle(demo, ()).await,
        }
    }))
}

/// Users are called by their roles; `nobody` is unknown.
fn named_by_roles() -> DemoHandlers {
    DemoHandlers {
        roles: Box::new(|_, subject| {
            assert_eq!(subject.tenant.as_deref(), Some("t"));
            Ok(match subject.user.as_str() {
                "nobody" => None,
                "guest" => Some(Vec::new()),
                names => Some(names.to_uppercase().split('+').map(str::to_owned).collect()),
            })
        }),
        ..DemoHandlers::default()
    }
}

#[test]
fn roles_follow_the_matrix() {
    let demo = named_by_roles();
    for (user, expected) in [
        ("owner", None),
        ("writer", None),
        ("reader+writer", None),
        ("writer+reader", None),
        ("invented+owner", None),
        ("reader", Some("forbidden")),
        ("reader+invented", Some("forbidden")),
        ("invented", Some("forbidden")),
        ("guest", Some("forbidden")),
        ("nobody", Some("unknown_user")),
    ] {
        let outcome = by_role(&demo, &json!({"tenant": "t", "user": user}));
        assert_eq!(kind(&outcome), expected, "{user}");
    }
    assert_eq!(demo.call_count(), 5);

    let outcome = by_role(&demo, &json!({"tenant": "t"}));
    assert_eq!(kind(&outcome), Some("unknown_user"), "no user is nobody");
    assert_eq!(demo.call_count(), 5);
}

#[test]
fn a_refused_role_gets_the_allowed_roles() {
    let demo = named_by_roles();
    for (user, roles, message) in [
        ("reader", json!(["READER"]), "role `READER` may not call `demo.note`"),
        (
            "reader+guest+reader",
            json!(["GUEST", "READER"]),
            "none of the roles `GUEST`, `READER` may call `demo.note`",
        ),
        ("guest", json!([]), "user `guest` has no role and may not call `demo.note`"),
    ] {
        let answer = body(&by_role(&demo, &json!({"tenant": "t", "user": user})));
        assert_eq!(answer["message"], format!("{message}; allowed roles: OWNER, WRITER"));
        assert_eq!(answer["roles"], roles);
        assert_eq!(answer["allowed"], json!(["OWNER", "WRITER"]));
    }
}

#[test]
fn a_refusal_with_an_undeclared_kind_is_internal() {
    let demo = DemoHandlers {
        policy: Box::new(|_, _| Err(Error::Undeclared.because("x"))),
        note: Box::new(|_, _| Ok(Done { said: String::new(), count: 0 })),
        ..DemoHandlers::default()
    };
    let call = call(&NOTE);
    let mut run = decoded(&call, &json!({}));
    let binds = [("action", Bind::Literal("\"x\""))];
    let refusal = block_on(guard::own::<Policy, _, _>(&mut run, &demo, &binds)).unwrap_err();
    assert_eq!(kind(&run.refused(refusal)), Some("internal"));
}
