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

/// Numbers that look like a model's.
fn real(dims: usize) -> Vec<f64> {
    (0..dims).map(|n| ((n * n + 7 * n) as f64 * 0.618).sin() * 0.05).collect()
}

#[test]
fn every_unusable_embedding_has_its_code() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let before = (instance.count("raw_dumps"), instance.count("mcp_unassigned_captures"));
        let mixed = |last: &str| {
            let head: Vec<String> = real(DIMS - 1).iter().map(f64::to_string).collect();
            format!("{{\"embedding\":[{},{last}]}}", head.join(","))
        };
        let counting: Vec<f64> = (0..384).map(|n| f64::from(n % 10) / 10.0).collect();
        let same_model = |dims: usize| {
            json!({"embedding": real(dims), "embedding_model": format!("host/{DIMS}")}).to_string()
        };
        for (fingerprint, code, reason) in [
            (numbers(DIMS, "0"), "EMBEDDING_UNUSABLE", "EMBEDDING_ZERO"),
            (numbers(DIMS, "-0.0"), "EMBEDDING_UNUSABLE", "EMBEDDING_ZERO"),
            (numbers(DIMS, "1e-60"), "EMBEDDING_UNUSABLE", "EMBEDDING_ZERO"),
            (numbers(DIMS, "1e39"), "EMBEDDING_UNUSABLE", "EMBEDDING_NOT_FINITE"),
            (mixed("1e300"), "EMBEDDING_UNUSABLE", "EMBEDDING_NOT_FINITE"),
            (numbers(1, "1"), "EMBEDDING_UNUSABLE", "EMBEDDING_DIMENSIONS"),
            (numbers(4097, "1"), "EMBEDDING_UNUSABLE", "EMBEDDING_DIMENSIONS"),
            (numbers(16_384, "1"), "EMBEDDING_UNUSABLE", "EMBEDDING_DIMENSIONS"),
            (
                json!({"embedding": real(8)}).to_string(),
                "EMBEDDING_UNUSABLE",
                "EMBEDDING_TOO_SHORT",
            ),
            (
                json!({"embedding": real(63)}).to_string(),
                "EMBEDDING_UNUSABLE",
                "EMBEDDING_TOO_SHORT",
            ),
            (numbers(DIMS, "0.25"), "EMBEDDING_UNUSABLE", "EMBEDDING_IMPLAUSIBLE"),
            (
                json!({"embedding": counting}).to_string(),
                "EMBEDDING_UNUSABLE",
                "EMBEDDING_IMPLAUSIBLE",
            ),
            (same_model(DIMS + 1), "EMBEDDING_DIMENSION_MISMATCH", "EMBEDDING_DIMENSION_MISMATCH"),
            (same_model(4096), "EMBEDDING_DIMENSION_MISMATCH", "EMBEDDING_DIMENSION_MISMATCH"),
            (numbers(16_385, "1"), "INVALID_ARGUMENTS", ""),
            (mixed("null"), "INVALID_ARGUMENTS", ""),
            (mixed("\"NaN\""), "INVALID_ARGUMENTS", ""),
            (mixed("\"0.5\""), "INVALID_ARGUMENTS", ""),
            (mixed("[1]"), "INVALID_ARGUMENTS", ""),
            (mixed("true"), "INVALID_ARGUMENTS", ""),
            ("{\"embedding\":\"AAAA\"}".to_owned(), "INVALID_ARGUMENTS", ""),
            ("{\"embedding\":{\"0\":1}}".to_owned(), "INVALID_ARGUMENTS", ""),
            ("{\"embedding\":null}".to_owned(), "INVALID_ARGUMENTS", ""),
            ("[]".to_owned(), "INVALID_ARGUMENTS", ""),
            ("null".to_owned(), "INVALID_ARGUMENTS", ""),
        ] {
            for (tool, body) in answers(instance, &fingerprint) {
                let shown: String = fingerprint.chars().take(60).collect();
                assert_eq!(body["code"], code, "{tool} {shown}: {body}");
                let why = body["details"]["reason"].as_str().unwrap_or_default();
                assert_eq!(why, reason, "{tool} {shown}: {body}");
                let size = body.to_string().len();
                assert!(size < 4_000, "{tool} {shown}: an error of {size} bytes");
            }
        }
        let after = (instance.count("raw_dumps"), instance.count("mcp_unassigned_captures"));
        assert_eq!(after, before);
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
        for (scale, dims) in [(1.0, 64), (1e-30, 4096)] {
            let embedding: Vec<f64> = real(dims).iter().map(|number| number * scale).collect();
            let arguments = json!({"conversation_history": "User: Hello, we decided to go.",
                                   "session_fingerprint": {"embedding": embedding}});
            let user = instance.owner().in_session(&dims.to_string());
            assert_eq!(user.ok("create_memory_from_chat", arguments)["created"], true);
            let reply = user
                .call_ok("get_substrate", json!({"session_fingerprint": {"embedding": embedding}}));
            assert_eq!(reply.meta("_basket_selection")["primary"]["score"], json!(0.9), "{dims}");
        }
    });
}

#[test]
fn of_two_first_writes_of_one_model_and_different_length_one_decides() {
    on_both(|instance| {
        for round in 0..5 {
            let tenant = instance.create_workspace(&format!("W{round}"), &format!("user{round}"));
            let start = Barrier::new(2);
            let bodies: Vec<Value> = std::thread::scope(|scope| {
                let threads: Vec<_> = [64, 128]
                    .map(|dims| {
                        let (start, tenant) = (&start, &tenant);
                        scope.spawn(move || {
                            let arguments = json!({"conversation_history": "User: We decided to go.",
                                "new_basket": true, "session_fingerprint":
                                    {"embedding": real(dims), "embedding_model": "ours"}});
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
