//! The fast validator agrees with the validator wherever it is sure, and is sure of what clients usually send.

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
    r#"{"name":"ab","share":0.5}"#,
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
fn accepts_common_valid_arguments() {
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
        json!({"pattern": "a"}),
        json!({"format": "date"}),
        json!({"uniqueItems": true}),
        json!({"anyOf": [{"type": "string"}]}),
        json!({"exclusiveMinimum": 0}),
        json!({"minimum": 0.5}),
        json!({"enum": [1, 2]}),
        json!({"const": true}),
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
