//! Every rule of decode, with the pointer that a model needs to fix the call.

use serde_json::value::RawValue;
use serde_json::{Value, json};
use toolwright_runtime::Outcome;
use toolwright_runtime::pipeline::DecodedCall;

use crate::fixture::{APPLY, NOTE};
use crate::fixture::{
    Apply, DemoHandlers, Note, PICKY, Picky, SURFACE, block_on, body, call, kind, raw,
};

fn failure_of(arguments: &Value) -> Value {
    let call = call(&NOTE);
    match DecodedCall::<Note>::decode(&SURFACE, &call, &raw(arguments)) {
        Ok(_) => panic!("accepted: {arguments}"),
        Err(outcome) => {
            assert_eq!(kind(&outcome), Some("invalid_arguments"));
            body(&outcome)
        }
    }
}

/// `(pointer, rule)` of all problems.
fn problems(arguments: &Value) -> Vec<(String, String)> {
    pairs(&failure_of(arguments))
}

fn pairs(failure: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let list = failure["problems"].as_array().unwrap();
    list.iter().map(|problem| (text(&problem["pointer"]), text(&problem["rule"]))).collect()
}

/// A valid call with one argument replaced.
fn with(name: &str, value: Value) -> Value {
    let mut arguments = json!({"ns": "demo", "section_path": "a/b"});
    arguments[name] = value;
    arguments
}

fn accepted(arguments: &Value) {
    let call = call(&NOTE);
    if let Err(outcome) = DecodedCall::<Note>::decode(&SURFACE, &call, &raw(arguments)) {
        panic!("{arguments}: {}", body(&outcome));
    }
}

#[test]
fn each_rule_has_its_pointer() {
    let cases = [
        ("ns", json!(5), "/ns", "type"),
        ("ns", json!(""), "/ns", "minLength"),
        ("ns", json!("abcdefghijklm"), "/ns", "maxLength"),
        ("ns", json!("A"), "/ns", "pattern"),
        ("mode", json!("replaced"), "/mode", "enum"),
        ("count", json!(-1), "/count", "minimum"),
        ("count", json!(101), "/count", "maximum"),
        ("count", json!(1.5), "/count", "type"),
        ("ratio", json!(0), "/ratio", "exclusiveMinimum"),
        ("ratio", json!(1), "/ratio", "exclusiveMaximum"),
        ("ratio", json!(0.3), "/ratio", "multipleOf"),
        ("tags", json!([]), "/tags", "minItems"),
        ("tags", json!(["a", "b", "c", "d"]), "/tags", "maxItems"),
        ("tags", json!(["a", "a"]), "/tags", "uniqueItems"),
        ("tags", json!(["a", 2]), "/tags/1", "type"),
        ("when", json!("yesterday"), "/when", "format"),
        ("maybe", json!(3), "/maybe", "type"),
        ("either", json!(3), "/either", "minimum"),
        ("either", json!("x"), "/either", "type"),
        ("shape", json!({"kind": "circle"}), "/shape/r", "required"),
        ("shape", json!({"kind": "box", "w": "wide"}), "/shape/w", "type"),
        ("shape", json!({"kind": "line"}), "/shape/kind", "enum"),
        ("shape", json!({"r": 1}), "/shape/kind", "required"),
        ("inner", json!({}), "/inner/name", "required"),
        ("inner", json!({"name": "n", "nmae": 1}), "/inner/nmae", "additionalProperties"),
        ("free", json!({}), "/free", "minProperties"),
        ("free", json!({"a": 1, "b": 2, "c": 3}), "/free", "maxProperties"),
        ("free", json!({"a": "x"}), "/free/a", "type"),
        ("free", json!({"A/B": 1}), "/free/A~1B", "propertyNames"),
        ("fixed", json!(8), "/fixed", "const"),
        ("sektion", json!(1), "/sektion", "additionalProperties"),
        ("count", Value::Null, "/count", "type"),
    ];
    for (name, value, pointer, rule) in cases {
        let found = problems(&with(name, value.clone()));
        assert_eq!(found, [(pointer.to_owned(), rule.to_owned())], "{name} = {value}");
    }
}

#[test]
fn a_missing_property_is_named_itself() {
    let failure = failure_of(&json!({"ns": "demo"}));
    assert_eq!(pairs(&failure), [("/section_path".to_owned(), "required".to_owned())]);
    assert_eq!(failure["problems"][0]["expected"], json!({"type": "string"}));
    assert_eq!(failure["problems"][0].get("received"), None);
    assert_eq!(failure["minimal_call"], json!({"ns": "demo", "section_path": "a/b"}));
}

#[test]
fn all_problems_come_at_once_and_in_order() {
    let found = problems(&json!({"ns": 1, "count": 500, "nope": true}));
    let pointers: Vec<&str> = found.iter().map(|(pointer, _)| &**pointer).collect();
    assert_eq!(pointers, ["/count", "/nope", "/ns", "/section_path"]);
    let failure = failure_of(&json!({"ns": 1, "count": 500, "nope": true}));
    assert_eq!(
        failure["message"],
        "invalid arguments for `demo.note`: /count: must be 100 or less; /nope: `nope` is not \
         known here; /ns: must be a string, not a number (and 1 more problem)"
    );
}

#[test]
fn expectations_are_data_and_text() {
    let problem = failure_of(&with("mode", json!("replce")))["problems"][0].clone();
    assert_eq!(
        problem,
        json!({
            "pointer": "/mode", "rule": "enum",
            "message": "must be one of \"append\", \"replace\"; did you mean `replace`?",
            "expected": {"enum": ["append", "replace"]},
            "received": "\"replce\"", "did_you_mean": "replace",
        })
    );
    let problem = failure_of(&with("section_pth", json!(1)))["problems"][0].clone();
    assert_eq!(problem["did_you_mean"], "section_path");
    let problem = failure_of(&with("name_space", json!(1)))["problems"][0].clone();
    assert_eq!(problem["did_you_mean"], "namespace", "aliases are names too");
    let problem =
        failure_of(&with("inner", json!({"name": "a", "siez": 1})))["problems"][0].clone();
    assert_eq!(problem["did_you_mean"], "size", "also inside of `$ref`");
}

#[test]
fn what_was_received_is_shortened() {
    let failure = failure_of(&with("ns", json!("x".repeat(100_000))));
    let received = failure["problems"][0]["received"].as_str().unwrap();
    assert_eq!(received.chars().count(), 80);
    let failure = failure_of(&with(&"k".repeat(100_000), json!(1)));
    assert!(failure.to_string().len() < 2_000);
}

#[test]
fn twenty_problems_are_enough() {
    let mut arguments = with("ns", json!("demo"));
    for number in 0..50 {
        arguments[format!("unknown{number}")] = json!(1);
    }
    let failure = failure_of(&arguments);
    assert_eq!(failure["problems"].as_array().unwrap().len(), 20);
    assert_eq!(failure["more"], 30);
}

#[test]
fn huge_bad_arguments_get_their_first_problem() {
    let failure = failure_of(&with("tags", json!(vec![0; 300_000])));
    assert_eq!(failure["problems"].as_array().unwrap().len(), 1);
}

#[test]
fn aliases_are_renamed_with_a_warning() {
    let call = call(&NOTE);
    let arguments = raw(&json!({"namespace": "demo", "section": "a"}));
    let run = DecodedCall::<Note>::decode(&SURFACE, &call, &arguments).ok().unwrap();
    assert_eq!(run.request().ns, "demo");
    assert_eq!(run.request().section_path, "a");
    assert_eq!(run.arguments()["section_path"], "a");
    assert_eq!(run.arguments().get("namespace"), None);
    assert_eq!(call.take_warnings().len(), 2);
}

#[test]
fn alias_and_name_together_are_a_problem() {
    let found = problems(&json!({"ns": "demo", "namespace": "demo", "section_path": "a"}));
    assert_eq!(found, [("/namespace".to_owned(), "alias".to_owned())]);
}

#[test]
fn pointers_use_the_name_that_was_sent() {
    let found = problems(&json!({"namespace": 4, "section_path": "a"}));
    assert_eq!(found, [("/namespace".to_owned(), "type".to_owned())]);
}

#[test]
fn whole_numbers_may_have_a_fraction() {
    let call = call(&NOTE);
    let run = DecodedCall::<Note>::decode(&SURFACE, &call, &raw(&with("count", json!(42.0))))
        .ok()
        .unwrap();
    assert_eq!(run.request().count, Some(42));
    assert_eq!(run.arguments()["count"].to_string(), "42");
}

#[test]
fn a_value_that_only_the_type_rejects_is_a_problem() {
    // `count` fits the schema of `apply`, which says nothing of it, but not the type.
    struct Narrow;
    #[derive(serde::Deserialize)]
    struct Request {
        #[serde(rename = "list")]
        _list: Vec<u8>,
    }
    impl toolwright_runtime::Tool for Narrow {
        type Request = Request;
        type Response = Value;
        type Error = crate::fixture::Error;
        const INFO: &'static toolwright_runtime::contract::ToolInfo = &APPLY;
        fn compiled() -> &'static toolwright_runtime::tool::LazyTool {
            static COMPILED: toolwright_runtime::tool::LazyTool =
                toolwright_runtime::tool::LazyTool::new(&APPLY);
            &COMPILED
        }
    }
    let call = call(&APPLY);
    let arguments = raw(&json!({"list": [1, 1e30]}));
    let outcome = DecodedCall::<Narrow>::decode(&SURFACE, &call, &arguments).err().unwrap();
    assert_eq!(pairs(&body(&outcome)), [("/list/1".to_owned(), "type".to_owned())]);
}

#[test]
fn absent_arguments_are_none() {
    let call = call(&APPLY);
    for text in ["null", "{}"] {
        let arguments = RawValue::from_string(text.to_owned()).unwrap();
        let run = DecodedCall::<Apply>::decode(&SURFACE, &call, &arguments).ok().unwrap();
        assert_eq!(run.arguments(), &json!({"target": "x"}), "defaults are filled in");
        assert!(run.request().0.is_empty());
    }
}

#[test]
fn arguments_that_are_not_an_object_are_one_problem() {
    for text in ["[]", "3", "\"x\"", "true"] {
        let call = call(&NOTE);
        let arguments = RawValue::from_string(text.to_owned()).unwrap();
        let outcome = DecodedCall::<Note>::decode(&SURFACE, &call, &arguments).err().unwrap();
        assert_eq!(pairs(&body(&outcome)), [(String::new(), "type".to_owned())], "{text}");
    }
}

#[test]
fn deep_nesting_and_huge_numbers_are_answers() {
    for text in ["[".repeat(50_000) + &"]".repeat(50_000), "{\"count\":1e999}".to_owned()] {
        let call = call(&NOTE);
        let arguments = RawValue::from_string(text).unwrap();
        let outcome = DecodedCall::<Note>::decode(&SURFACE, &call, &arguments).err().unwrap();
        assert_eq!(pairs(&body(&outcome)), [(String::new(), "json".to_owned())]);
    }
}

#[test]
fn constraints_name_the_argument_that_must_change() {
    let check = |arguments: Value| {
        let call = call(&PICKY);
        match DecodedCall::<Picky>::decode(&SURFACE, &call, &raw(&arguments)) {
            Ok(_) => Vec::new(),
            Err(outcome) => pairs(&body(&outcome)),
        }
    };
    let pair = |pointer: &str, rule: &str| (pointer.to_owned(), rule.to_owned());
    assert_eq!(check(json!({"a": 1, "e": 1})), []);
    assert_eq!(check(json!({"b": 0, "f": "", "g": 1, "h": 1, "c": 1})), []);
    assert_eq!(
        check(json!({"a": false, "b": null})),
        [pair("", "at_least_one_of"), pair("", "exactly_one_of")]
    );
    assert_eq!(
        check(json!({"a": 1, "c": 1, "d": 1, "e": 1, "f": 1, "g": true})),
        [pair("/d", "at_most_one_of"), pair("/f", "exactly_one_of"), pair("/h", "requires")]
    );
    assert_eq!(check(json!({"a": 1, "e": 1, "g": false})), []);
}

#[test]
fn valid_calls_reach_the_handler() {
    for arguments in [
        with("tags", json!(["a", "b"])),
        with("either", Value::Null),
        with("shape", json!({"kind": "box", "w": 1})),
        with("maybe", Value::Null),
        with("when", json!("2026-01-01T00:00:00Z")),
    ] {
        accepted(&arguments);
    }
    let demo = DemoHandlers::default();
    let call = call(&NOTE);
    let run =
        DecodedCall::<Note>::decode(&SURFACE, &call, &raw(&with("count", json!(2)))).ok().unwrap();
    let outcome = block_on(run.handle(&demo, ()));
    assert_eq!(body(&outcome), json!({"said": "did", "count": 2}));
}

#[test]
fn a_schema_that_does_not_compile_is_internal() {
    use toolwright_runtime::contract::ToolInfo;
    static BROKEN: ToolInfo =
        ToolInfo { accepted: r#"{"type": 5}"#, name: "broken", ..crate::fixture::BASE };
    struct Broken;
    impl toolwright_runtime::Tool for Broken {
        type Request = Value;
        type Response = Value;
        type Error = crate::fixture::Error;
        const INFO: &'static ToolInfo = &BROKEN;
        fn compiled() -> &'static toolwright_runtime::tool::LazyTool {
            static COMPILED: toolwright_runtime::tool::LazyTool =
                toolwright_runtime::tool::LazyTool::new(&BROKEN);
            &COMPILED
        }
    }
    let call = call(&BROKEN);
    let outcome: Outcome =
        DecodedCall::<Broken>::decode(&SURFACE, &call, &raw(&json!({}))).err().unwrap();
    assert_eq!(kind(&outcome), Some("internal"));
}

#[test]
fn a_key_that_occurs_twice_is_named() {
    for (arguments, pointer) in [
        (r#"{"ns":"demo","section_path":"a","ns":"demo"}"#, "/ns"),
        (r#"{"ns":"demo","section_path":"a","\u006es":"demo"}"#, "/ns"),
        (r#"{"ns":"demo","section_path":"a","x":{"y":[{"z":1,"z":1}]}}"#, "/x/y/0/z"),
    ] {
        let call = call(&NOTE);
        let arguments = RawValue::from_string(arguments.to_owned()).unwrap();
        let Err(outcome) = DecodedCall::<Note>::decode(&SURFACE, &call, &arguments) else {
            panic!("accepted: {arguments}");
        };
        let expected = (pointer.to_owned(), "duplicate_key".to_owned());
        assert_eq!(pairs(&body(&outcome)), [expected], "{arguments}");
    }
}
