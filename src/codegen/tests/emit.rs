//! The text of generated modules, compared with goldens that other tests compile and call:
//! `src/runtime/tests/generated/`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests are tests too")]

use std::path::{Path, PathBuf};

use serde_json::json;
use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::model::Contract;
use toolwright_codegen::{emit, load};
use toolwright_testing::expected;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn golden(name: &str) {
    let loaded = load(&root().join("tests/specs/valid").join(name));
    let contract = match loaded.contracts.as_slice() {
        [contract] => contract,
        _ => panic!("{name}:\n{}", loaded.report.render(Colour::Never)),
    };
    let text = emit::emit(contract).unwrap();
    assert_eq!(text, emit::emit(contract).unwrap(), "two runs differ");
    let path = root().join("src/codegen/tests/golden").join(format!("{name}.rs"));
    expected::compare(&path, &text).unwrap();
}

#[test]
fn echo() {
    golden("echo");
}

#[test]
fn kitchen_sink() {
    golden("kitchen_sink");
}

fn echo_contract() -> Contract {
    load(&root().join("tests/specs/valid/echo")).contracts.remove(0)
}

fn message(contract: &Contract, tool: &str) -> String {
    let error = emit::emit(contract).unwrap_err();
    let file = error.span.file.file_name().unwrap().to_str().unwrap().to_owned();
    assert_eq!(file, tool, "{error}");
    error.message
}

#[test]
fn names_that_clash_are_reported_where_they_are_written() {
    let mut contract = echo_contract();
    contract.tools[0].name = "settings".to_owned();
    let text = message(&contract, "add.yaml");
    assert!(text.contains("the tool `settings`") && text.contains("the settings"), "{text}");

    let mut contract = echo_contract();
    contract.types.insert("EchoRequest".to_owned(), json!({"type": "object", "properties": {}}));
    contract.types.insert("Fine".to_owned(), json!({"type": "string"}));
    let text = message(&contract, "echo.yaml");
    assert!(text.contains("the type `EchoRequest`"), "{text}");

    let mut contract = echo_contract();
    contract.types.insert("Result".to_owned(), json!({"type": "string"}));
    let text = message(&contract, "types.yaml");
    assert!(text.contains("the result of handlers"), "{text}");

    let mut contract = echo_contract();
    contract.tools[1].output = json!({"type": "object", "properties": {
        "fooBar": {"type": "string"}, "foo_bar": {"type": "string"}
    }});
    let text = message(&contract, "echo.yaml");
    assert!(text.contains("`fooBar` and `foo_bar`"), "{text}");
}

#[test]
fn a_raw_output_is_json_text_while_clients_see_the_same_schema() {
    let mut contract = echo_contract();
    contract.tools[0].raw_output = true;
    let raw = emit::emit(&contract).unwrap();
    let typed = emit::emit(&echo_contract()).unwrap();
    let says = |text: &str| text.contains("Response = Box<") && text.contains("::RawValue");
    assert!(says(&raw) && !says(&typed), "{raw}");
    let schemas = |text: &str| text.split_once("mod schemas {").map(|(_, rest)| rest.to_owned());
    assert_eq!(schemas(&typed), schemas(&raw));
}

#[test]
fn raw_arguments_reach_the_handler_as_values_while_clients_see_the_same_schema() {
    let typed = emit::emit(&echo_contract()).unwrap();
    let mut contract = echo_contract();
    contract.tools[0].raw = vec!["numbers".to_owned()];
    let raw = emit::emit(&contract).unwrap();
    assert!(typed.contains("pub numbers: Vec<i64>,"), "{typed}");
    assert!(raw.contains("pub numbers: ::serde_json::Value,"), "{raw}");
    let schemas = |text: &str| text.split_once("mod schemas {").map(|(_, rest)| rest.to_owned());
    assert!(schemas(&typed).is_some());
    assert_eq!(schemas(&typed), schemas(&raw));
}

#[test]
fn what_typify_refuses_is_reported_at_its_tool() {
    let mut contract = echo_contract();
    contract.tools[2].input["properties"]["really"]["default"] = json!("maybe");
    let text = message(&contract, "fail.yaml");
    assert!(text.contains("FailRequest"), "{text}");
}

/// The front end lets none of these pass; the emitter must not fall over them either.
#[test]
fn odd_schemas_never_panic_and_never_give_broken_rust() {
    let odd = [
        json!(null),
        json!(true),
        json!(7),
        json!([]),
        json!({}),
        json!({"type": 5}),
        json!({"type": []}),
        json!({"type": ["string", "integer", "null"]}),
        json!({"type": "null"}),
        json!({"$ref": 3}),
        json!({"$ref": "#/$defs/Nowhere"}),
        json!({"$ref": "http://example.com/x.json"}),
        json!({"oneOf": []}),
        json!({"oneOf": [{"type": "null"}]}),
        json!({"oneOf": [{"type": "string"}, {"type": "integer"}]}),
        json!({"anyOf": [{"$ref": "#/$defs/Loop"}, {"type": "null"}]}),
        json!({"allOf": [{"type": "object"}, {"type": "string"}]}),
        json!({"not": {"type": "string"}}),
        json!({"if": {"type": "string"}, "then": {}}),
        json!({"enum": []}),
        json!({"enum": [null]}),
        json!({"enum": [1, "a", null]}),
        json!({"enum": ["", "-", "_", "self", "Self", "9", "ß"]}),
        json!({"const": {"a": 1}}),
        json!({"type": "object", "properties": []}),
        json!({"type": "object", "properties": {"": {"type": "string"}}}),
        json!({"type": "object", "properties": {"a": 1}, "required": "a"}),
        json!({"type": "object", "properties": {"a": {}}, "additionalProperties": {"type": "string"}}),
        json!({"type": "object", "required": ["ghost"], "additionalProperties": false}),
        json!({"type": "object", "patternProperties": {"^a": {"type": "string"}}}),
        json!({"type": "array", "prefixItems": [{"type": "string"}], "items": false}),
        json!({"type": "array", "items": [{"type": "string"}]}),
        json!({"type": "string", "description": "*/ \"# \\ \u{0} \n\n   /// `"}),
        json!({"type": "integer", "minimum": "low", "default": 1e300}),
        json!({"oneOf": [
            {"type": "object", "required": ["k"], "properties": {"k": {"const": "a"}}, "additionalProperties": true},
            {"type": "object", "required": ["k"], "properties": {"k": {"const": "A"}}}
        ]}),
    ];
    for schema in odd {
        let mut contract = echo_contract();
        contract.types.insert("Loop".to_owned(), json!({"$ref": "#/$defs/Loop"}));
        contract.tools[1].output = schema.clone();
        contract.tools[0].output["properties"]["odd"] = schema.clone();
        contract.tools[0].output["properties"]["list"] = json!({"type": "array", "items": schema});
        if let Ok(text) = emit::emit(&contract) {
            let parsed = syn::parse_file(&text);
            assert!(parsed.is_ok(), "{schema}: {:?}", parsed.err());
        }
    }
}
