//! How a mock decides, on a contract that uses every kind of guard and schema.

use std::sync::{Arc, OnceLock};

use serde_json::{Map, Value, json};
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_runtime::mock::{MOCK_KEY, Mock};
use toolwright_runtime::{Call, Dispatch as _, Outcome, Services};

use crate::from_specs;
use toolwright_testing::contract::raw;

fn sink() -> &'static SurfaceInfo {
    static SINK: OnceLock<&'static SurfaceInfo> = OnceLock::new();
    SINK.get_or_init(|| from_specs::surface("tests/specs/valid/kitchen_sink", "kitchen_sink"))
}

fn outcome(mock: &Mock, tool: &str, arguments: &Value, choice: Option<Value>) -> Outcome {
    let (index, info) = mock.info().tool(tool).expect("a tool");
    let services = Services {
        clock: Arc::new(FixedClock::at(0)),
        ids: Arc::new(CountingIds::default()),
        version: "0.0.0",
    };
    let meta = choice.into_iter().map(|choice| (MOCK_KEY.to_owned(), choice));
    let call = Call::new(info, "1", services).with_request_meta(Map::from_iter(meta));
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(mock.dispatch(index, &call, &raw(arguments)))
}

/// The envelope of an answer; every one says that it is a mock's.
fn body(outcome: Outcome) -> Value {
    let Outcome::Answer(answer) = outcome else { panic!("no answer: {outcome:?}") };
    assert_eq!(answer.meta[MOCK_KEY], true);
    serde_json::from_str(&answer.body).expect("JSON")
}

fn call(tool: &str, arguments: Value) -> Value {
    body(outcome(&Mock::new(sink()), tool, &arguments, None))
}

#[test]
fn a_token_of_the_issuer_is_accepted_and_no_other() {
    let token = call("ks.plan", json!({}))["data"]["token"].clone();
    let apply = |arguments: Value| call("ks.apply", arguments);
    let code = |answer: Value| answer["error"]["code"].clone();
    assert_eq!(code(apply(json!({"token": token}))), "KS-010");
    assert_eq!(code(apply(json!({"yes": true}))), "KS-011");
    assert_eq!(code(apply(json!({"yes": true, "token": "other"}))), "KS-013");
    let applied = apply(json!({"yes": true, "token": token}));
    assert_eq!(applied["ok"], true, "{applied}");
    // The same token again: a mock remembers nothing.
    assert_eq!(apply(json!({"yes": true, "token": token})), applied);
}

#[test]
fn a_refusal_that_rehearses_tells_what_would_happen() {
    let answer = call("ks.forget", json!({"name": "a"}));
    assert_eq!(answer["error"]["code"], "KS-010");
    assert_eq!(answer["details"]["would"]["forgotten"], 1, "{answer}");
    assert_eq!(answer["details"]["field"], "confirm");
}

#[test]
fn guards_that_need_the_surface_pass_unless_an_example_says_otherwise() {
    let get = |user: &str| {
        let target = json!({"kind": "all"});
        call(
            "ks.entity.get",
            json!({"tenantId": "t", "projectId": "p", "userId": user, "target": target}),
        )
    };
    assert_eq!(get("guest")["error"]["code"], "KS-031");
    assert_eq!(get("anybody")["data"]["name"], "all");
    assert_eq!(call("ks.wipe", json!({"what": "all"}))["error"]["code"], "KS-021");
    assert_eq!(call("ks.wipe", json!({"what": "some"}))["data"]["things"], 2);
}

#[test]
fn aliases_and_defaults_count_when_examples_are_compared() {
    // `ident` is an alias of `id`; the deprecated tool warns as ever.
    let answer = call("ks.everything", json!({"ident": 1, "mode": "fast", "shift": -5}));
    assert_eq!(answer["data"]["next"], Value::Null);
    assert!(answer["warnings"].to_string().contains("is an alias"), "{answer}");
}

#[test]
fn an_answer_takes_over_arguments_where_the_example_does() {
    let echo = from_specs::surface("examples/echo/specs", "echo");
    let say = |arguments: Value| body(outcome(&Mock::new(echo), "echo", &arguments, None));
    // The example shows the same text and, by default, the same tags in both places.
    let said = say(json!({"text": "bye", "tags": ["a"]}));
    assert_eq!(said, json!({"text": "bye", "length": 5, "style": "plain", "tags": ["a"]}));
    // Nearest to the other example, whose text is not the argument: there it stays as shown.
    let said = say(json!({"text": "x", "times": 2, "reverse": true, "note": "mine"}));
    assert_eq!(said["text"], " BA BA", "{said}");
    assert_eq!(said["note"], "mine", "{said}");
}

#[test]
fn the_caller_chooses_an_error_by_kind_code_or_alias_whatever_the_arguments() {
    let mock = Mock::new(sink());
    for name in ["policy_denied", "KS-020", "robot.denied"] {
        let chosen = Some(json!({"error": name}));
        let answer = body(outcome(&mock, "ks.apply", &json!({"nonsense": 1}), chosen));
        assert_eq!(answer["error"]["code"], "KS-020");
    }
    let chosen = outcome(&mock, "ks.wipe", &json!({}), Some(json!({"error": "over_quota"})));
    assert!(matches!(chosen, Outcome::Protocol(error) if error.code == -31002));
}

#[test]
fn a_choice_that_there_is_not_is_answered_with_what_there_is() {
    let mock = Mock::new(sink());
    for (choice, said) in [
        (json!({"error": "not_found"}), "declares no error `not_found`"),
        (json!({"example": "none"}), "has no example `none`; it has: all"),
        (json!({"error": "broken", "example": "all"}), "chooses an answer"),
        (json!({"eror": "broken"}), "chooses an answer"),
        (json!("broken"), "chooses an answer"),
    ] {
        let Outcome::Protocol(error) = outcome(&mock, "ks.plan", &json!({}), Some(choice)) else {
            panic!("accepted");
        };
        assert_eq!(error.code, -32602);
        assert!(error.message.contains(said), "{}", error.message);
        let data = error.data.expect("what there is");
        assert_eq!(data["examples"], json!(["all"]));
    }
}

#[test]
fn whoever_starts_the_mock_chooses_for_all_and_the_caller_for_one_call() {
    let mock = Mock::new(sink())
        .showing("forget", "one")
        .and_then(|mock| mock.failing("*", "not_found"))
        .expect("there are such answers");
    let get = json!({"tenantId": "t", "projectId": "p", "userId": "u", "target": {"kind": "all"}});
    assert_eq!(body(outcome(&mock, "ks.entity.get", &get, None))["error"]["code"], "not_found");
    let forget = json!({"name": "nobody", "confirm": true});
    assert_eq!(body(outcome(&mock, "ks.forget", &forget, None))["data"]["forgotten"], 1);
    let nobody = Some(json!({"example": "nobody"}));
    assert_eq!(body(outcome(&mock, "ks.forget", &forget, nobody))["error"]["code"], "not_found");
    // A chosen success still needs its guards.
    let unconfirmed = body(outcome(&mock, "ks.forget", &json!({"name": "a"}), None));
    assert_eq!(unconfirmed["error"]["code"], "KS-010");
}

#[test]
fn what_cannot_be_chosen_at_the_start_says_what_there_is() {
    let mock = || Mock::new(sink());
    let why = |chosen: Result<Mock, String>| chosen.err().expect("refused");
    assert!(why(mock().failing("no_tool", "who")).contains("ks.plan"));
    assert!(why(mock().failing("plan", "who")).contains("it declares: bad_arguments"));
    assert!(why(mock().failing("*", "nonsense")).contains("policy_denied"));
    assert!(why(mock().showing("plan", "none")).contains("it has: all"));
    let twice = mock().showing("plan", "all").and_then(|mock| mock.failing("plan", "broken"));
    assert!(why(twice).contains("more than one answer"));
}
