//! The same calls give the same answers: in a second run, and on the other database.

use std::sync::Arc;

use serde_json::{Value, json};
use toolwright_runtime::clock::{CountingIds, FixedClock};

use crate::instance::{DAY, Instance, axis, text_of, vector};
use crate::postgres;

const START: u64 = 1_790_000_000_000;

/// A story with everything in it; all that was answered.
fn transcript(url: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().expect("a folder");
    let url = match url {
        "" => format!("sqlite:{}", folder.path().join("yarnnn.db").display()),
        url => url.to_owned(),
    };
    let (clock, ids) = (Arc::new(FixedClock::at(START)), Arc::new(CountingIds::default()));
    let instance = Instance::at(&url, folder, clock, ids);
    let mut all = Vec::new();
    let mut call = |tool: &str, arguments: Value| -> Value {
        let transcript = instance.owner().call(tool, &arguments);
        all.push(json!([
            tool,
            transcript.body,
            transcript.response["result"]["_meta"],
            transcript.protocol_code
        ]));
        transcript.body
    };
    for (at, topic) in ["Billing", "Garden", "Travel", "Hiring"].into_iter().enumerate() {
        let chat = format!(
            "User: We decided that {topic} must cost less than {at}00 EUR by 3 March.\n\
             Assistant: Ada Lovelace of Acme agreed. Ada Lovelace will write the plan.\n\
             User: Maybe {topic} moves to São Paulo; the goal is 40 percent growth."
        );
        call(
            "create_memory_from_chat",
            json!({"conversation_history": chat, "anchor_suggestions": {"vision": topic},
                   "session_fingerprint": {"embedding": axis(at), "keywords": [topic]}}),
        );
    }
    call("config_settings", json!({"auto_approve": true}));
    for number in 0..30_usize {
        instance.clock.advance(DAY / 3);
        let (one, two) = ((number % 5) as f64, (number % 3) as f64);
        let text = format!(
            "We decided to give budget {number} of Acme to team {} before {number} May.",
            number * 7 % 11
        );
        let added = call(
            "add_to_substrate",
            json!({"content": text, "session_fingerprint":
                   {"embedding": vector(&[one, two, 1.0]), "entities": ["Acme"]}}),
        );
        if let Some(capture) = added["details"]["capture_id"].as_str() {
            call("add_to_substrate", json!({"content": text, "capture_id": capture}));
        }
        if let Some(proposal) = added["proposal_id"].as_str()
            && added["governance_mode"] == "manual"
        {
            instance.engine.approve(&instance.operator(), proposal, None).expect("approved");
        }
        if number == 20 && added["raw_dump_id"].is_string() {
            let dump = text_of(&added["raw_dump_id"]);
            instance.engine.misrouted(&instance.operator(), &dump, None).expect("moved");
        }
    }
    // Dumps with a host's vector get one of the server's model later.
    instance.fill_vectors();
    for question in [
        json!({}),
        json!({"limit": 7, "offset": 7}),
        json!({"keywords": ["budget", "Acme"], "limit": 20}),
        json!({"keywords": ["sao paulo", "plan"]}),
        json!({"anchors": ["vision", "metric"]}),
        json!({"format": "prose", "keywords": ["team"], "limit": 11}),
        json!({"session_fingerprint": {"embedding": axis(1)}}),
    ] {
        call("get_substrate", question);
    }
    for idea in [
        "Budget 7 of Acme goes to nobody.",
        "Garden must cost more than 900 EUR.",
        "The goal is 20 percent growth.",
        "Elephants sleep.",
    ] {
        call("validate_against_substrate", json!({"new_idea": idea}));
    }
    all
}

#[track_caller]
fn same(one: &[Value], other: &[Value]) {
    assert_eq!(one.len(), other.len());
    for (number, (left, right)) in one.iter().zip(other).enumerate() {
        assert_eq!(left, right, "answer {number}");
    }
}

#[test]
fn a_second_run_gives_the_same_answers() {
    same(&transcript(""), &transcript(""));
}

#[test]
fn both_databases_give_the_same_answers() {
    if let Some(url) = postgres::postgres() {
        same(&transcript(""), &transcript(&url));
    }
}
