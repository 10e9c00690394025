//! Unusable embeddings: a stable error, and nothing is written.

use std::sync::Barrier;

use serde_json::{Value, json};

use crate::instance::{DIMS, Instance, axis, on_both};

const TEXT: &str = "Refunds take five days.";

/// What each tool that takes a fingerprint says to it.
fn answers(instance: &Instance, fingerprint: &str) -> Vec<(&'static str, Value)> {
    [
        ("add_to_substrate", json!({"content": TEXT})),
        ("create_memory_from_chat", json!({"conversation_history": TEXT, "new_basket": true})),
        ("get_substrate", json!({})),
        ("validate_against_substrate", json!({"new_idea": TEXT})),
    ]
    .into_iter()
    .map(|(tool, arguments)| {
        let mut text = arguments.to_string();
        text.pop();
        let comma = if text.len() > 1 { "," } else { "" };
        let text = format!("{text}{comma}\"session_fingerprint\":{fingerprint}}}");
        let reply = instance.owner().call_raw(tool, &text);
        assert!(reply.protocol_code.is_none(), "{tool}: {}", reply.response);
        (tool, reply.body)
    })
    .collect()
}

fn numbers(count: usize, number: &str) -> String {
    format!("{{\"embedding\":[{}]}}", vec![number; count].join(","))
}

#[test]
fn every_unusable_embedding_has_its_code() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let before = (instance.count("raw_dumps"), instance.count("mcp_unassigned_captures"));
        let mixed = |last: &str| format!("{{\"embedding\":[1,0,0,0,0,0,0,{last}]}}");
        for (fingerprint, code) in [
            (numbers(DIMS, "0"), "EMBEDDING_UNUSABLE"),
            (numbers(DIMS, "-0.0"), "EMBEDDING_UNUSABLE"),
            (numbers(DIMS, "1e-60"), "EMBEDDING_UNUSABLE"),
            (numbers(DIMS, "1e39"), "EMBEDDING_UNUSABLE"),
            (mixed("1e300"), "EMBEDDING_UNUSABLE"),
            (numbers(1, "1"), "EMBEDDING_UNUSABLE"),
            (numbers(DIMS - 1, "1"), "EMBEDDING_UNUSABLE"),
            (numbers(4097, "1"), "EMBEDDING_UNUSABLE"),
            (numbers(16_384, "1"), "EMBEDDING_UNUSABLE"),
            (numbers(DIMS + 1, "1"), "EMBEDDING_DIMENSION_MISMATCH"),
            (numbers(4096, "1"), "EMBEDDING_DIMENSION_MISMATCH"),
            (numbers(16_385, "1"), "INVALID_ARGUMENTS"),
            (mixed("null"), "INVALID_ARGUMENTS"),
            (mixed("\"NaN\""), "INVALID_ARGUMENTS"),
            (mixed("\"0.5\""), "INVALID_ARGUMENTS"),
            (mixed("[1]"), "INVALID_ARGUMENTS"),
            (mixed("true"), "INVALID_ARGUMENTS"),
            ("{\"embedding\":\"AAAA\"}".to_owned(), "INVALID_ARGUMENTS"),
            ("{\"embedding\":{\"0\":1}}".to_owned(), "INVALID_ARGUMENTS"),
            ("{\"embedding\":null}".to_owned(), "INVALID_ARGUMENTS"),
            ("[]".to_owned(), "INVALID_ARGUMENTS"),
            ("null".to_owned(), "INVALID_ARGUMENTS"),
        ] {
            for (tool, body) in answers(instance, &fingerprint) {
                let shown: String = fingerprint.chars().take(60).collect();
                assert_eq!(body["code"], code, "{tool} {shown}: {body}");
                let size = body.to_string().len();
                assert!(size < 4_000, "{tool} {shown}: an error of {size} bytes");
            }
        }
        let after = (instance.count("raw_dumps"), instance.count("mcp_unassigned_captures"));
        assert_eq!(after, before);
    });
}

#[test]
fn writes_need_an_embedding_and_reads_do_not() {
    on_both(|instance| {
        for fingerprint in ["{}", "{\"embedding\":[]}", "{\"summary\":\"Nothing else.\"}"] {
            for (tool, body) in answers(instance, fingerprint) {
                match tool {
                    "add_to_substrate" | "create_memory_from_chat" => {
                        assert_eq!(body["code"], "EMBEDDING_MISSING", "{tool} {fingerprint}");
                    }
                    _ => assert_eq!(body["code"], Value::Null, "{tool} {fingerprint}: {body}"),
                }
            }
        }
        instance.owner().fails("add_to_substrate", json!({"content": TEXT}), "EMBEDDING_MISSING");
        assert_eq!(instance.count("raw_dumps"), 0);
    });
}

#[test]
fn a_number_that_no_computer_can_hold_is_refused() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        for number in ["1e999", "-1e999", &format!("1{}", "0".repeat(400))] {
            for (tool, body) in answers(instance, &numbers(DIMS, number)) {
                let code = body["code"].as_str().unwrap_or_default();
                assert!(
                    ["INVALID_ARGUMENTS", "EMBEDDING_UNUSABLE"].contains(&code),
                    "{tool} {number}: {body}"
                );
            }
        }
    });
}

#[test]
fn the_largest_and_the_smallest_length_are_taken() {
    on_both(|instance| {
        let other = instance.create_workspace("Nebenan", "otto");
        for (token, dims) in [(&instance.tenant.token, 8), (&other.token, 4096)] {
            let mut embedding = vec![0.0; dims];
            embedding[dims - 1] = 1e-30;
            let arguments = json!({"conversation_history": "User: Hello, we decided to go.",
                                   "session_fingerprint": {"embedding": embedding}});
            let user = instance.user(Some(token));
            assert_eq!(user.ok("create_memory_from_chat", arguments)["created"], true);
            let reply = user
                .call_ok("get_substrate", json!({"session_fingerprint": {"embedding": embedding}}));
            assert_eq!(reply.meta("_basket_selection")["primary"]["score"], json!(0.9), "{dims}");
        }
    });
}

#[test]
fn of_two_first_writes_of_different_length_one_decides_for_the_workspace() {
    on_both(|instance| {
        for round in 0..5 {
            let tenant = instance.create_workspace(&format!("W{round}"), &format!("user{round}"));
            let start = Barrier::new(2);
            let bodies: Vec<Value> = std::thread::scope(|scope| {
                let threads: Vec<_> = [8, 16]
                    .map(|dims| {
                        let (start, tenant) = (&start, &tenant);
                        scope.spawn(move || {
                            let arguments = json!({"conversation_history": "User: We decided to go.",
                                "new_basket": true,
                                "session_fingerprint": {"embedding": vec![1.0; dims]}});
                            start.wait();
                            let user = instance.user(Some(&tenant.token)).in_session(&dims.to_string());
                            user.call("create_memory_from_chat", &arguments).body
                        })
                    })
                    .into_iter()
                    .collect();
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
            });
            let mut codes: Vec<&str> =
                bodies.iter().map(|body| body["code"].as_str().unwrap_or("fine")).collect();
            codes.sort_unstable();
            assert_eq!(codes, ["EMBEDDING_DIMENSION_MISMATCH", "fine"], "{bodies:?}");
            let query = format!("baskets WHERE workspace_id = '{}'", tenant.workspace.id);
            assert_eq!(instance.count(&query), 1);
        }
    });
}

#[test]
fn a_scaled_vector_is_the_same_session() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        for scale in [1e-20, 1e20] {
            let embedding: Vec<f64> = axis(0).iter().map(|number| number * scale).collect();
            let reply = instance
                .owner()
                .call_ok("get_substrate", json!({"session_fingerprint": {"embedding": embedding}}));
            assert_eq!(reply.meta("_basket_selection")["primary"]["basket"]["id"], json!(basket));
            assert_eq!(reply.meta("_basket_selection")["primary"]["similarity"], json!(1.0));
        }
    });
}
