//! Log lines name the call that they belong to, over real stdio.

use serde_json::{Value, json};

use crate::served::{logged, recorded};

/// The message of each line and its context.
fn call_fields(lines: &[Value]) -> Vec<(&str, &Value)> {
    lines.iter().map(|line| (line["message"].as_str().unwrap(), &line["context"])).collect()
}

#[test]
fn every_line_of_a_call_names_it() {
    let lines = logged("info", &[(json!(7), "plain")]);
    let call_fields = call_fields(&lines);
    let named = json!({"tool": "demo.note", "request_id": "7", "who": "7"});
    assert_eq!(call_fields[..2], [("guarded", &named), ("handled", &named)]);
    for (at, message) in [(2, "call"), (3, "audit")] {
        let (line, context) = call_fields[at];
        assert_eq!((line, &context["request_id"]), (message, &json!("7")));
        assert_eq!(context["tool"], "demo.note");
    }
    assert_eq!(call_fields.len(), 4);
}

#[test]
fn a_blocking_thread_names_the_call() {
    let lines = logged("info", &[(json!("a"), "blocking")]);
    let named = json!({"tool": "demo.note", "request_id": "a", "who": "a"});
    assert_eq!(call_fields(&lines)[1], ("from a blocking thread", &named));
}

#[test]
fn calls_at_once_do_not_mix() {
    let lines = logged("info", &[(json!("a"), "meets"), (json!("b"), "meets")]);
    let call_fields = call_fields(&lines);
    let mut met: Vec<&str> = call_fields
        .iter()
        .filter(|(message, _)| !["call", "audit"].contains(message))
        .map(|(_, context)| {
            assert_eq!(context["request_id"], context["who"]);
            context["who"].as_str().unwrap()
        })
        .collect();
    // Both guards ran before the first handler did.
    met[..2].sort_unstable();
    met[2..].sort_unstable();
    assert_eq!(met, ["a", "b", "a", "b"]);
}

#[test]
fn a_panic_names_the_call() {
    let lines = logged("error", &[(json!("a"), "panics")]);
    let events: Vec<&Value> = lines.iter().map(|line| &line["event"]).collect();
    assert_eq!(events, ["panic", "tool.call"]);
    assert_eq!(lines[0]["context"]["request_id"], "a");
    assert_eq!(lines[0]["context"]["tool"], "demo.note");
}

#[test]
fn fields_of_an_event_take_precedence() {
    let lines = logged("info", &[(json!("a"), "own")]);
    let named = json!({"tool": "demo.note", "request_id": "its own", "who": "a"});
    assert_eq!(call_fields(&lines)[1], ("an id of its own", &named));
    // The line of the call has both fields itself: they are there once.
    let call = lines[2].to_string();
    assert_eq!(call.matches("request_id").count(), 1, "{call}");
}

#[test]
fn other_spans_add_and_hide_nothing() {
    let lines = logged("info", &[(json!("a"), "inner")]);
    let named = json!({"tool": "demo.note", "request_id": "a", "who": "a"});
    assert_eq!(call_fields(&lines)[1], ("within another span", &named));
}

#[test]
fn a_higher_level_still_names_the_call() {
    for level in ["warning", "warn,toolwright=off"] {
        let lines = logged(level, &[(json!("a"), "warns")]);
        let named = json!({"tool": "demo.note", "request_id": "a", "who": "a"});
        assert_eq!(call_fields(&lines), [("warned", &named)], "{level}");
    }
    assert_eq!(logged("off", &[(json!("a"), "warns")]), [] as [Value; 0]);
}

#[test]
fn another_layer_sees_calls_and_events_whatever_the_level_of_lines() {
    let seen = recorded("warning", &[(json!("a"), "plain")]);
    let spans: Vec<&Value> = seen.iter().filter(|seen| seen["span"] == "call").collect();
    let named = json!({"span": "call", "fields": {"tool": "demo.note", "request_id": "a"}});
    assert_eq!(spans, [&named]);
    let messages = seen.iter().map(|seen| &seen["fields"]["message"]);
    let handled = messages.clone().filter(|message| *message == "handled");
    assert_eq!(handled.count(), 1, "{seen:?}");
    assert!(seen.iter().all(|line| line.get("timestamp").is_none()), "no line: {seen:?}");
    let seen = recorded("warning", &[(json!("a"), "warns")]);
    let line = seen.iter().find(|line| line.get("timestamp").is_some()).expect("a line");
    assert_eq!(line["context"]["request_id"], "a");
}
