//! Every example of the contract, called over real standard streams. Add one, get a test.

// The same tables that the server is made of.
#[path = "../generated/shelf.rs"]
#[rustfmt::skip]
mod generated;

use std::path::Path;

use generated::SURFACE;
use serde_json::Value;
use toolwright_runtime::client::Client;
use toolwright_runtime::contract::Expect;

/// Makes the state that an example is `given`.
fn make(given: Option<&str>, file: &Path) {
    let text = match given {
        None => return,
        Some("one_book") => {
            r#"[{"id": "b1", "title": "Walden", "author": "Thoreau", "added": "2026-01-01T00:00:00Z"}]"#
        }
        Some("broken_file") => "not books",
        Some(other) => panic!("nobody knows the state {other}"),
    };
    std::fs::write(file, text).unwrap();
}

/// Whether `actual` has at least what `expected` shows.
fn shows(expected: &Value, actual: &Value) -> bool {
    match (expected, actual) {
        (Value::Object(expected), Value::Object(actual)) => expected
            .iter()
            .all(|(name, value)| actual.get(name).is_some_and(|member| shows(value, member))),
        (Value::Array(expected), Value::Array(actual)) => {
            expected.len() == actual.len() && expected.iter().zip(actual).all(|(e, a)| shows(e, a))
        }
        _ => expected == actual,
    }
}

#[test]
fn examples_answer_as_written() {
    for tool in SURFACE.tools {
        for example in tool.examples {
            let place = format!("{} / {}", tool.name, example.name);
            let folder = tempfile::tempdir().unwrap();
            make(example.given, &folder.path().join("shelf.json"));
            let program = env!("CARGO_BIN_EXE_shelf");
            let words = ["mcp", "--file", "shelf.json"];
            let mut client = Client::start(program, &words, folder.path(), "contract").unwrap();
            let input = serde_json::from_str(example.input).unwrap();
            let answer = client.call(tool.canonical, input).unwrap();
            match example.expect {
                Expect::Output(expected) => {
                    let expected = serde_json::from_str(expected).unwrap();
                    assert!(!answer.is_error, "{place}: {}", answer.body);
                    assert!(shows(&expected, &answer.body), "{place}: {}", answer.body);
                }
                Expect::Error(kind) => {
                    let error = SURFACE.error(kind).unwrap();
                    assert!(answer.is_error, "{place}: {}", answer.body);
                    assert_eq!(answer.body["code"], error.code, "{place}: {}", answer.body);
                    assert_eq!(answer.body["hint"].as_str(), error.next, "{place}");
                }
            }
        }
    }
}
