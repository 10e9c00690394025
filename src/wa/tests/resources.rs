//! Resources: the same answers as the tools, with query parameters, and notifications of changes.

use serde_json::{Value, json};

use crate::scenarios::LIMIT_TEXT;
use crate::schemas;
use crate::session::{Session, text};
use crate::terminal::Backend;
use crate::workspace::{Workspace, on_every_backend};

on_every_backend!(subscribers_are_notified_of_changes);

const RESOURCES: [(&str, &str); 6] = [
    ("wa://accounts", "wa.accounts"),
    ("wa://events", "wa.events"),
    ("wa://panes", "wa.state"),
    ("wa://reservations", "wa.reservations"),
    ("wa://rules", "wa.rules_list"),
    ("wa://workflows", "wa.workflow_list"),
];

/// The envelope of a resource, held against the schema of its tool.
fn read(session: &mut Session, uri: &str, tool: &str) -> Value {
    let result = session.request("resources/read", json!({"uri": uri}));
    let content = &result["contents"][0];
    assert_eq!(content["mimeType"], "application/json");
    assert_eq!(content["uri"], uri);
    let envelope: Value = serde_json::from_str(text(&content["text"])).expect("JSON");
    schemas::check(tool, &envelope);
    envelope
}

#[test]
fn six_resources_return_what_their_tools_return() {
    let workspace = Workspace::new(Backend::Embedded);
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    session.data("wa.reserve", json!({"pane_id": pane}));
    let listed = session.request("resources/list", json!({}));
    let mut uris: Vec<&str> =
        listed["resources"].as_array().unwrap().iter().map(|one| text(&one["uri"])).collect();
    uris.sort_unstable();
    assert_eq!(uris, RESOURCES.map(|(uri, _)| uri));
    for (uri, tool) in RESOURCES {
        let resource = read(&mut session, uri, tool);
        let called = session.call(tool, json!({}));
        if tool == "wa.state" {
            assert_eq!(resource["data"][0]["pane_id"], called["data"][0]["pane_id"]);
        } else {
            assert_eq!(resource["data"], called["data"], "{uri}");
        }
    }
}

#[test]
fn query_parameters_are_those_of_the_tools() {
    let workspace = Workspace::new(Backend::Embedded);
    let mut session = workspace.session();
    let events = read(&mut session, "wa://events?unhandled=true&limit=5", "wa.events");
    assert_eq!(events["data"]["limit"], 5);
    assert_eq!(events["data"]["unhandled_only"], true);
    let rules = read(&mut session, "wa://rules?pack=core.codex", "wa.rules_list");
    assert_eq!(rules["data"]["packs"].as_array().map(Vec::len), Some(1));
    for uri in [
        "wa://events?limit=0",
        "wa://events?limit=many",
        "wa://events?lmit=5",
        "wa://rules?pack=nope",
    ] {
        let response = session.exchange("resources/read", json!({"uri": uri}));
        assert!(response["error"].to_string().contains("WA-MCP-0001"), "{uri}: {response}");
    }
    for uri in ["wa://nothing", "wa://event", "other://events", "nonsense"] {
        let response = session.exchange("resources/read", json!({"uri": uri}));
        assert!(response["error"].is_object(), "{uri}: {response}");
        assert!(response.to_string().contains("WA-MCP-0002"), "{uri}: {response}");
    }
}

#[test]
fn a_pane_is_read_by_its_number() {
    let workspace = Workspace::new(Backend::Embedded);
    let mut session = workspace.session();
    let pane = workspace.shell(&mut session);
    let listed = session.request("resources/templates/list", json!({}));
    let templates = listed["resourceTemplates"].as_array().unwrap().iter();
    let pane_template =
        templates.map(|one| text(&one["uriTemplate"])).find(|uri| uri.contains("{paneId}"));
    assert_eq!(pane_template, Some("wa://panes/{paneId}{?escapes,tail}"));
    let uri = format!("wa://panes/{pane}?tail=2");
    let read = read(&mut session, &uri, "wa.get_text");
    assert_eq!((&read["data"]["pane_id"], &read["data"]["tail_lines"]), (&json!(pane), &json!(2)));
    for (uri, code, product) in [
        ("wa://panes/987654", -32002, "WA-MCP-0007"),
        ("wa://panes/first", -32602, "WA-MCP-0001"),
        ("wa://panes/", -32002, "WA-MCP-0002"),
        ("wa://panes/1/2", -32002, "WA-MCP-0002"),
    ] {
        let response = session.exchange("resources/read", json!({"uri": uri}));
        assert_eq!(response["error"]["code"], code, "{uri}: {response}");
        assert!(response.to_string().contains(product), "{uri}: {response}");
    }
}

fn is_news(uri: &str) -> impl Fn(&Value) -> bool {
    move |note| note["method"] == "notifications/resources/updated" && note["params"]["uri"] == uri
}

fn subscribers_are_notified_of_changes(workspace: Workspace) {
    workspace.write("limit.txt", LIMIT_TEXT);
    let mut session = workspace.session();
    let mut other = workspace.session();
    let pane = workspace.shell(&mut session);
    for uri in ["wa://panes", "wa://events", "wa://reservations", "wa://workflows"] {
        session.request("resources/subscribe", json!({"uri": uri}));
    }
    // What another process does is news as well.
    let reserved = other.data("wa.reserve", json!({"pane_id": pane}));
    session.wait_for_notification("a reservation", is_news("wa://reservations"));
    other.data("wa.release", json!({"reservation_id": reserved["reservation_id"]}));
    session.wait_for_notification("a release", is_news("wa://reservations"));

    workspace.terminal.type_line(pane, "cat limit.txt");
    session.wait_for_notification("an event", is_news("wa://events"));
    let page = read(&mut session, "wa://events", "wa.events");
    assert_eq!(page["data"]["events"][0]["rule_id"], "core.codex:usage_reached", "{page}");

    session.notifications.clear();
    let second = workspace.shell(&mut other);
    session.wait_for_notification("a new pane", is_news("wa://panes"));
    other.until("it is known", "wa.state", json!({"pane_id": second}), |panes| {
        panes[0]["pane_uuid"].is_string()
    });
    session.request("ping", json!({}));
    session.notifications.clear();
    workspace.terminal.close(second);
    session.wait_for_notification("a pane that is gone", is_news("wa://panes"));

    session.wait_for_prompt(pane);
    let run = json!({"name": "handle_session_end", "pane_id": pane, "force": true});
    other.call("wa.workflow_run", run);
    session.wait_for_notification("an execution", is_news("wa://workflows"));

    session.request("resources/unsubscribe", json!({"uri": "wa://reservations"}));
    session.request("resources/subscribe", json!({"uri": "wa://events"}));
    session.notifications.clear();
    other.data("wa.reserve", json!({"pane_id": pane}));
    std::thread::sleep(std::time::Duration::from_millis(1500));
    session.request("ping", json!({}));
    assert!(
        !session.notifications.iter().any(is_news("wa://reservations")),
        "{:?}",
        session.notifications
    );
}
