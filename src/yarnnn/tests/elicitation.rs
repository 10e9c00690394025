//! Asking the user before an unsure write, in both eras of the protocol: a yes
//! stores, anything else holds the capture.

use serde_json::{Value, json};
use toolwright_testing::session::stateless_meta;
use toolwright_testing::{Person, StdioSession};

use crate::instance::{Instance, on_both, text_of, vector};

const TEXT: &str = "Refunds take five days.";

fn call() -> Value {
    json!({"name": "add_to_substrate", "arguments": {"content": TEXT,
        "session_fingerprint": {"embedding": vector(&[1.0, 1.0])}}})
}

/// A session of a client that can ask.
fn asking(instance: &Instance) -> StdioSession {
    let able = json!({"elicitation": {}});
    StdioSession::start_with(instance.server(), "claude-ai", "2025-11-25", &able)
}

/// Calls, answers the question, and gives the response.
fn answered(client: &mut StdioSession, reply: &Value) -> Value {
    let id = client.begin("tools/call", call());
    let question = client.receive();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let message = text_of(&question["params"]["message"]);
    assert!(message.contains("Billing") && message.contains(TEXT), "{message}");
    client.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": reply}));
    client.wait(id)
}

fn yes() -> Value {
    json!({"action": "accept", "content": {"confirm": true}})
}

#[test]
fn in_a_session_a_no_holds_and_a_later_yes_stores_once() {
    on_both(|instance| {
        let basket = instance.basket("Billing", 0);
        let mut client = asking(instance);
        let mut captures = Vec::new();
        for no in [
            json!({"action": "decline"}),
            json!({"action": "cancel"}),
            json!({"action": "accept", "content": {"confirm": false}}),
            json!({"action": "accept"}),
        ]
        .iter()
        {
            let response = answered(&mut client, no);
            let body = &response["result"]["structuredContent"];
            assert_eq!(body["code"], "CONFIRMATION_REQUIRED", "{no}: {response}");
            captures.push(text_of(&body["details"]["capture_id"]));
            assert_eq!(instance.dumps(TEXT), 0, "{no}");
        }
        captures.dedup();
        assert_eq!(captures.len(), 1);
        let response = answered(&mut client, &yes());
        let body = &response["result"]["structuredContent"];
        assert_eq!(body["status"], "success", "{response}");
        assert_eq!(body["basket_id"], json!(basket));
        // Now the basket is sure, and the same write is a repeated one.
        let again = client.request("tools/call", call());
        assert_eq!(again["structuredContent"]["raw_dump_id"], body["raw_dump_id"], "{again}");
        assert_eq!(instance.dumps(TEXT), 1);
        assert_eq!(instance.count("mcp_unassigned_captures WHERE status = 'assigned'"), 1);
        client.close();
    });
}

#[test]
fn in_a_session_a_yes_stores_at_once() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let mut client = asking(instance);
        let response = answered(&mut client, &yes());
        assert_eq!(response["result"]["structuredContent"]["status"], "success", "{response}");
        assert_eq!(instance.dumps(TEXT), 1);
        assert_eq!(instance.count("mcp_unassigned_captures"), 0);
        // The yes is worth something the next time.
        assert_eq!(instance.count("basket_signals WHERE sign = 1 AND user_id = 'olga'"), 1);
    });
}

#[test]
fn a_client_that_cannot_ask_gets_the_way_to_confirm() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let mut client = instance.session();
        let result = client.request("tools/call", call());
        let body = &result["structuredContent"];
        assert_eq!(body["code"], "CONFIRMATION_REQUIRED", "{result}");
        let mut modern = call();
        stateless_meta(&mut modern, "claude-code", &json!({}));
        let mut client = StdioSession::connect(instance.server());
        let again = client.request("tools/call", modern);
        let again = &again["structuredContent"];
        assert_eq!(again["details"]["capture_id"], body["details"]["capture_id"], "{again}");
        assert_eq!(instance.dumps(TEXT), 0);
    });
}

#[test]
fn without_a_session_the_call_is_repeated_with_the_answer() {
    on_both(|instance| {
        instance.basket("Billing", 0);
        let mut client = StdioSession::connect(instance.server());
        let mut modern = |text: &str, more: Option<(&Value, &str)>| {
            let mut params = call();
            params["arguments"]["content"] = json!(text);
            stateless_meta(&mut params, "claude-code", &json!({"elicitation": {}}));
            if let Some((responses, state)) = more {
                params["inputResponses"] = responses.clone();
                params["requestState"] = json!(state);
            }
            client.request("tools/call", params)
        };
        let first = modern(TEXT, None);
        assert_eq!(first["resultType"], "input_required", "{first}");
        let (name, question) =
            first["inputRequests"].as_object().and_then(|all| all.iter().next()).expect("one");
        assert_eq!(question["method"], "elicitation/create");
        let state = text_of(&first["requestState"]);
        assert_eq!((instance.dumps(TEXT), instance.count("mcp_unassigned_captures")), (0, 0));

        // A yes to one text is none to another.
        let agreed = json!({name: yes()});
        let other = modern("Refunds take six days.", Some((&agreed, &state)));
        assert_eq!(other["resultType"], "input_required", "{other}");
        assert_eq!(instance.dumps("Refunds take six days."), 0);

        let declined = json!({name: {"action": "decline"}});
        let no = modern(TEXT, Some((&declined, &state)));
        assert_eq!(no["structuredContent"]["code"], "CONFIRMATION_REQUIRED", "{no}");
        assert_eq!(instance.dumps(TEXT), 0);
        let done = modern(TEXT, Some((&agreed, &state)));
        assert_eq!(done["structuredContent"]["status"], "success", "{done}");
        assert_eq!(instance.dumps(TEXT), 1);
    });
}

#[test]
fn less_review_asks_and_more_review_does_not() {
    on_both(|instance| {
        let mut client = StdioSession::start_asking(instance.server(), "claude-ai", "2025-11-25");
        let tool = "config_settings";
        let smart = json!({"auto_approve": true});
        let (asked, no) = client.call_before(Person::Declines, tool, smart.clone());
        assert!(asked[0].contains("without a reviewer"), "{asked:?}");
        no.fails("SETTINGS_FORBIDDEN");
        assert_eq!(instance.count("timeline_events WHERE kind = 'governance.changed'"), 0);
        let (asked, yes) = client.call_before(Person::Agrees, tool, smart.clone());
        let done = yes.ok();
        assert_eq!((&done["auto_approve"], &done["changed"]), (&json!(true), &json!(true)));
        assert_eq!(asked.len(), 1);
        for unasked in [smart, json!({}), json!({"manual_review": true})] {
            let (asked, done) = client.call_before(Person::Declines, tool, unasked);
            assert_eq!(asked, Vec::<String>::new());
            done.ok();
        }
        let both = json!({"auto_approve": true, "manual_review": true});
        let (asked, refused) = client.call_before(Person::Agrees, tool, both);
        assert_eq!(asked, Vec::<String>::new());
        refused.fails("SETTINGS_CONTRADICTORY");
        client.close();
    });
}
