//! The fast validator agrees with the validator wherever it is sure, and is sure of
//! what clients and handlers usually send.

use serde_json::{Value, json};

use super::FastValidator;

fn schema() -> Value {
    json!({
        "type": "object",
        "description": "prose",
        "properties": {
            "name": {"type": "string", "minLength": 2, "maxLength": 4},
            "mode": {"type": "string", "enum": ["on", "off"], "default": "on"},
            "count": {"type": "integer", "minimum": 0, "maximum": 10},
            "ratio": {"type": "number"},
            "share": {"type": "number", "maximum": 1},
            "huge": {"type": "number", "minimum": 9007199254740994i64},
            "id": {"type": ["string", "null"], "pattern": "^[0-9a-f]{4}$"},
            "day": {"type": "string", "format": "date", "maxLength": 20},
            "yes": {"const": true},
            "one": {"const": 1},
            "either": {"type": ["string", "null"], "enum": ["a", false, null]},
            "maybe": {"anyOf": [{"type": "string", "maxLength": 1}, {"type": "null"}]},
            "mixed": {"type": ["string", "array"], "anyOf": [
                {"enum": ["x", 1]}, {"type": "array", "items": {"type": "integer"}},
            ]},
            "tagged": {"oneOf": [
                {"type": "object", "required": ["kind"], "additionalProperties": false,
                 "properties": {"kind": {"const": "a"}, "n": {"type": "integer"}}},
                {"type": "object", "required": ["kind"], "additionalProperties": false,
                 "properties": {"kind": {"enum": ["b", "c"]}, "s": {"type": "string"}}},
                {"type": "object", "required": ["kind"], "additionalProperties": false,
                 "properties": {"kind": {"const": "d"}, "list": {"type": "array",
                    "items": {"anyOf": [{"type": "boolean"}, {"type": "string"}]}}}},
            ]},
            "flag": {"type": ["boolean", "null"]},
            "tags": {"type": "array", "minItems": 1, "maxItems": 2, "items": {"$ref": "#/$defs/tag"}},
            "open": {"type": "object", "additionalProperties": {"type": "integer"}},
            "any": {},
        },
        "required": ["name"],
        "additionalProperties": false,
        "$defs": {"tag": {"type": "string", "maxLength": 3}},
    })
}

const SURE: &[&str] = &[
    r#"{"name":"ab"}"#,
    r#"{"name":"äöüß","mode":"off","count":10,"ratio":2.5,"flag":null,"tags":["a","b"]}"#,
    r#"{"name":"a\u00e4","count":0,"ratio":-3,"flag":true,"open":{"x":1,"":-2}}"#,
    r#"{"name":"ab","share":0.5,"id":"00ff","day":"2026-01-31","yes":true,"one":1}"#,
    r#"{"name":"ab","share":-1e300,"id":null,"either":null,"maybe":null,"mixed":[ 1 ]}"#,
    r#"{"name":"ab","either":"a","maybe":"ä","mixed":"x","tagged":{"kind":"a","n":1}}"#,
    r#"{"name":"ab","tagged":{"s":"","kind":"c"}}"#,
    r#"{"name":"ab","tagged": {"list":[ true, "x" ],"kind":"d"} }"#,
    r#" { "any" : [1, {"a": [null, "x"]}] , "name" : "abcd" } "#,
];

const UNSURE: &[&str] = &[
    "",
    "{",
    "[]",
    "null",
    "{}",
    r#"{"name":"a"}"#,
    r#"{"name":"ä"}"#,
    r#"{"name":"abcde"}"#,
    r#"{"name":5}"#,
    r#"{"name":null}"#,
    r#"{"name":"ab"} trailing"#,
    r#"{"name":"ab","other":1}"#,
    r#"{"name":"ab","mode":"of"}"#,
    r#"{"name":"ab","count":-1}"#,
    r#"{"name":"ab","count":11}"#,
    r#"{"name":"ab","count":1.5}"#,
    r#"{"name":"ab","count":5.0}"#,
    r#"{"name":"ab","count":18446744073709551616}"#,
    r#"{"name":"ab","ratio":1e999}"#,
    r#"{"name":"ab","share":1.5}"#,
    r#"{"name":"ab","huge":9007199254740994.5}"#,
    r#"{"name":"ab","id":"00FF"}"#,
    r#"{"name":"ab","id":5}"#,
    r#"{"name":"ab","day":"2026-02-31"}"#,
    r#"{"name":"ab","day":null}"#,
    r#"{"name":"ab","yes":false}"#,
    r#"{"name":"ab","one":2}"#,
    r#"{"name":"ab","one":"1"}"#,
    r#"{"name":"ab","either":false}"#,
    r#"{"name":"ab","either":"b"}"#,
    r#"{"name":"ab","maybe":"ab"}"#,
    r#"{"name":"ab","maybe":0}"#,
    r#"{"name":"ab","mixed":1}"#,
    r#"{"name":"ab","mixed":["x"]}"#,
    r#"{"name":"ab","tagged":{"kind":"a","s":""}}"#,
    r#"{"name":"ab","tagged":{"kind":"e"}}"#,
    r#"{"name":"ab","tagged":{"n":1}}"#,
    r#"{"name":"ab","tagged":{"kind":"d","list":[1]}}"#,
    r#"{"name":"ab","tagged":null}"#,
    r#"{"name":"ab","flag":0}"#,
    r#"{"name":"ab","tags":[]}"#,
    r#"{"name":"ab","tags":["a","b","c"]}"#,
    r#"{"name":"ab","tags":["long"]}"#,
    r#"{"name":"ab","tags":{"0":"a"}}"#,
    r#"{"name":"ab","open":{"x":"1"}}"#,
    r#"{"name":"ab","name":"a"}"#,
    r#"{"name":"\ud800ab"}"#,
];

#[test]
fn accepts_what_is_commonly_valid() {
    let schema = schema();
    let fast = FastValidator::of(&schema).unwrap();
    let validator = jsonschema::options().build(&schema).unwrap();
    for text in SURE {
        assert!(fast.accepts(text), "{text}");
        assert!(validator.is_valid(&serde_json::from_str(text).unwrap()), "{text}");
    }
    for text in UNSURE {
        assert!(!fast.accepts(text), "{text}");
    }
}

#[test]
fn nesting_beyond_the_parsers_limit_is_not_accepted() {
    let fast = FastValidator::of(&schema()).unwrap();
    let deep = format!(r#"{{"name":"ab","any":{}{}}}"#, "[".repeat(200), "]".repeat(200));
    assert!(!fast.accepts(&deep));
}

#[test]
fn unsupported_keywords_are_left_to_the_full_validator() {
    for keyword in [
        json!({"pattern": "("}),
        json!({"uniqueItems": true}),
        json!({"anyOf": [{"type": "string"}], "maxLength": 3}),
        json!({"oneOf": [{"type": "number"}, {"type": "integer"}]}),
        json!({"oneOf": [
            {"type": "object", "properties": {"kind": {"const": "a"}}},
            {"type": "object", "properties": {"kind": {"const": "b"}}, "required": ["kind"]},
        ]}),
        json!({"exclusiveMinimum": 0}),
        json!({"minimum": 0.5}),
        json!({"enum": [1, 2]}),
        json!({"const": [1]}),
        json!({"const": "a", "enum": ["a", "b"]}),
        json!({"patternProperties": {}}),
        json!({"required": ["not a property"]}),
        json!({"$ref": "#"}),
        json!({"$ref": "other.json"}),
        json!(true),
    ] {
        let schema = json!({"type": "object", "properties": {"a": keyword.clone()}});
        assert!(FastValidator::of(&schema).is_none(), "{keyword}");
    }
}
