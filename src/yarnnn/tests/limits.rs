//! Oversized input and invalid bytes, over the program's standard streams.

use serde_json::{Value, json};
use toolwright_testing::StdioSession;

use crate::instance::{axis, on_both, text_of};

const BIG: usize = 10 * 1024 * 1024;

#[test]
fn a_transcript_of_ten_megabytes_is_refused_shortly_and_the_server_lives() {
    on_both(|instance| {
        let mut client = instance.session();
        let line = "User: We decided to keep all invoices of Acme for ten years.\n";
        let big = line.repeat(BIG / line.len());
        for (tool, name) in [
            ("create_memory_from_chat", "conversation_history"),
            ("add_to_substrate", "content"),
            ("validate_against_substrate", "new_idea"),
        ] {
            let arguments = json!({name: big, "session_fingerprint": {"embedding": axis(0)}});
            let response = client.call(tool, arguments).response;
            let body = &response["result"]["structuredContent"];
            assert_eq!(body["code"], "INVALID_ARGUMENTS", "{tool}");
            let size = response.to_string().len();
            assert!(size < 20_000, "{tool}: an error of {size} bytes");
        }
        let huge = "x".repeat(17 * 1024 * 1024);
        let response = client.call("get_substrate", json!({"keywords": [huge]})).response;
        assert_eq!(response["error"]["code"], -32600);
        let alive = client.call("get_substrate", json!({})).response;
        assert_eq!(alive["result"]["structuredContent"]["total_count"], 0);
        assert_eq!(instance.count("raw_dumps"), 0);
    });
}

#[test]
fn the_longest_transcript_is_kept_whole() {
    on_both(|instance| {
        let mut chat = String::new();
        for number in 0.. {
            let line =
                format!("User: We decided that shelf {number} of Acme holds é {number} boxes.\n");
            if chat.chars().count() + line.chars().count() > 999_000 {
                break;
            }
            chat.push_str(&line);
            if number > 400 {
                // Nobody decides so much; the rest is idle talk.
                chat.push_str(&"la la ".repeat(100));
                chat.push('\n');
            }
        }
        let made = instance.owner().ok(
            "create_memory_from_chat",
            json!({"conversation_history": chat, "session_fingerprint": {"embedding": axis(0)}}),
        );
        assert!(made["proposed_blocks"].as_u64().is_some_and(|blocks| blocks > 0), "{made}");
        assert_eq!(instance.value::<String>("SELECT body_md AS x FROM raw_dumps"), chat);
        let found = instance.owner().ok("get_substrate", json!({}));
        let entry = &found["substrate"][0];
        assert_eq!(text_of(&entry["content"]).chars().count(), 4000);
        assert_eq!(entry["metadata"]["cut"], true);
        assert_eq!(entry["metadata"]["characters"], json!(chat.chars().count()));
    });
}

#[test]
fn one_character_more_than_the_limit_is_too_much() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let text = |length: usize| "é".repeat(length);
        let session = json!({"embedding": axis(0)});
        for (tool, name, limit) in [
            ("add_to_substrate", "content", 100_000),
            ("validate_against_substrate", "new_idea", 100_000),
            ("create_memory_from_chat", "conversation_history", 1_000_000),
        ] {
            let call = |length| {
                let arguments = json!({name: text(length), "session_fingerprint": session});
                instance.owner().call(tool, &arguments).body
            };
            assert_eq!(call(limit)["code"], Value::Null, "{tool}");
            assert_eq!(call(limit + 1)["code"], "INVALID_ARGUMENTS", "{tool}");
        }
    });
}

#[test]
fn metadata_has_its_limits() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let add = |text: &str, metadata: &str| {
            let arguments = format!(
                "{{\"content\":\"{text}\",\"basket_id\":\"{basket}\",\"metadata\":{metadata}}}"
            );
            instance.owner().call_raw("add_to_substrate", &arguments).body
        };
        let deep = |depth: usize| format!("{{\"a\":{}1{}}}", "[".repeat(depth), "]".repeat(depth));
        assert_eq!(add("deep enough", &deep(100))["status"], "success");
        for depth in [200, 20_000] {
            let body = add("too deep", &deep(depth));
            assert_eq!(body["code"], "INVALID_ARGUMENTS", "{depth}: {body}");
        }
        let fits = json!({"text": "x".repeat(16_000)}).to_string();
        assert_eq!(add("large enough", &fits)["status"], "success");
        let large = json!({"text": "x".repeat(17_000)}).to_string();
        assert_eq!(add("too large", &large)["code"], "INVALID_ARGUMENTS");
        let many: serde_json::Map<String, Value> =
            (0..51).map(|n| (format!("k{n}"), json!(n))).collect();
        assert_eq!(add("too many", &Value::from(many).to_string())["code"], "INVALID_ARGUMENTS");
        for odd in ["[]", "\"text\"", "null", "7"] {
            assert_eq!(add("odd", odd)["code"], "INVALID_ARGUMENTS", "{odd}");
        }
        // What was kept comes back as it was.
        let kept: String =
            instance.value("SELECT source_meta AS x FROM raw_dumps WHERE body_md = 'deep enough'");
        assert_eq!(kept, deep(100));
        assert_eq!(instance.count("raw_dumps WHERE body_md LIKE 'too%' OR body_md = 'odd'"), 0);
    });
}

#[test]
fn lists_and_names_have_their_limits() {
    on_both(|instance| {
        let words = |count: usize| vec!["w"; count];
        let long = |length: usize| "x".repeat(length);
        let session = json!({"embedding": axis(0)});
        for (tool, arguments) in [
            ("get_substrate", json!({"keywords": words(31)})),
            ("get_substrate", json!({"keywords": [long(1_001)]})),
            ("get_substrate", json!({"anchors": words(21)})),
            ("get_substrate", json!({"basket_id": long(101)})),
            ("get_substrate", json!({"basket_id": ""})),
            ("get_substrate", json!({"format": "poem"})),
            ("get_substrate", json!({"unknown": 1})),
            ("validate_against_substrate", json!({"new_idea": "x", "focus_areas": words(21)})),
            ("validate_against_substrate", json!({})),
            ("add_to_substrate", json!({"content": "x", "idempotency_key": long(201)})),
            ("add_to_substrate", json!({"content": "x", "idempotency_key": ""})),
            ("add_to_substrate", json!({"content": ["x"]})),
            ("add_to_substrate", json!({"content": "x", "governance": {"approve": true}})),
            (
                "create_memory_from_chat",
                json!({"conversation_history": "x", "basket_name_suggestion": long(201)}),
            ),
            (
                "create_memory_from_chat",
                json!({"conversation_history": "x", "anchor_suggestions": {"a": 1}}),
            ),
            ("create_memory_from_chat", json!({"conversation_history": null})),
            (
                "get_substrate",
                json!({"session_fingerprint": {"embedding": axis(0), "entities": words(51)}}),
            ),
            (
                "get_substrate",
                json!({"session_fingerprint": {"embedding": axis(0), "summary": long(4001)}}),
            ),
        ] {
            let mut arguments = arguments;
            if arguments.get("session_fingerprint").is_none() {
                arguments["session_fingerprint"] = session.clone();
            }
            let body = instance.owner().fails(tool, arguments, "INVALID_ARGUMENTS");
            assert!(body["details"]["problems"].is_array(), "{body}");
        }
        assert_eq!(instance.count("baskets"), 0);
    });
}

/// Sends bytes as a line; what is answered.
fn say(session: &mut StdioSession, line: &[u8]) -> Value {
    session.send_bytes(&[line, b"\n"].concat());
    session.receive()
}

#[test]
fn bytes_that_are_no_text_and_words_that_are_no_json_get_an_error_each() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let mut session = instance.session();
        let call = |content: &[u8], embedding: &str| {
            let mut line = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"add_to_substrate","arguments":{"content":""#.to_vec();
            line.extend_from_slice(content);
            line.extend_from_slice(br#"","session_fingerprint":{"embedding":"#);
            line.extend_from_slice(embedding.as_bytes());
            line.extend_from_slice(b"}}}}");
            line
        };
        let vector = json!(axis(0)).to_string();
        let vector = vector.as_str();
        for (content, embedding) in [
            (&b"caf\xe9"[..], vector),
            (b"\xff\xfe\x00", vector),
            (b"\xed\xa0\x80", vector),
            (b"lone \\ud800 half", vector),
            (b"x", "[NaN,0,0,0,0,0,0,0]"),
            (b"x", "[Infinity,0,0,0,0,0,0,0]"),
            (b"x", "[1,,0]"),
            (b"a\tb\x01", vector),
        ] {
            let answer = say(&mut session, &call(content, embedding));
            let refused = answer["error"]["code"].is_i64()
                || answer["result"]["structuredContent"]["code"] == "INVALID_ARGUMENTS";
            assert!(refused, "{content:?} {embedding}: {answer}");
        }
        assert_eq!(instance.count("raw_dumps"), 1);
        let fine = say(&mut session, &call(b"caf\xc3\xa9 \\ud83d\\ude00", vector));
        assert_eq!(fine["result"]["structuredContent"]["status"], "success", "{fine}");
        assert_eq!(instance.dumps("café 😀"), 1);
        session.close();
    });
}
