//! Calls every example of the contract over stdio.

// The same tables that the server uses.
#[path = "../generated/@name@.rs"]
#[rustfmt::skip]
mod generated;

use std::path::Path;

use generated::SURFACE;
use serde_json::Value;
use toolwright_runtime::client::Client;
use toolwright_runtime::contract::Expect;

#[test]
fn examples_answer_as_written() {
    let program = env!("CARGO_BIN_EXE_@name@");
    let mut client = Client::start(program, &["mcp"], Path::new("."), "test").unwrap();
    for tool in SURFACE.tools {
        for example in tool.examples {
            let place = format!("{} / {}", tool.name, example.name);
            let input: Value = serde_json::from_str(example.input).unwrap();
            let answer = client.call(tool.canonical, input).unwrap();
            match example.expect {
                Expect::Output(expected) => {
                    let expected: Value = serde_json::from_str(expected).unwrap();
                    for (name, value) in expected.as_object().unwrap() {
                        assert_eq!(&answer.body[name], value, "{place}: {}", answer.body);
                    }
                }
                Expect::Error(kind) => {
                    let code = SURFACE.error(kind).unwrap().code;
                    assert_eq!(answer.body["code"], code, "{place}: {}", answer.body);
                }
            }
        }
    }
}
