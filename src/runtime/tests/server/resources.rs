//! Resources and subscriptions, in revisions with and without a handshake.

use serde_json::{Value, json};
use toolwright_runtime::server::{Notifier, ServeOptions};

use crate::client::{Client, patient};
use crate::surface::{modern_meta, without};

fn contents(result: &Value) -> Value {
    let contents = &result["contents"][0];
    assert_eq!(contents["mimeType"], "application/json");
    serde_json::from_str(contents["text"].as_str().unwrap()).unwrap()
}

#[test]
fn lists_what_can_be_read_and_templates_for_the_rest() {
    let mut client = Client::legacy();
    let list = client.request("resources/list", json!({}));
    // `test://text` cannot be read without an argument.
    assert_eq!(list["resources"].as_array().unwrap().len(), 4);
    assert_eq!(list["resources"][0]["uri"], "test://events");
    assert_eq!(list["resources"][0]["mimeType"], "application/json");
    assert_eq!(list["resources"][1]["uri"], "ui://test/page.html");
    assert_eq!(list["resources"][1]["mimeType"], "text/html+skybridge");
    let templates = client.request("resources/templates/list", json!({}));
    let templates: Vec<_> = templates["resourceTemplates"]
        .as_array()
        .unwrap()
        .iter()
        .map(|template| template["uriTemplate"].as_str().unwrap().to_owned())
        .collect();
    let expected = [
        "test://events{?all,limit,pane}",
        "test://text{?name}",
        "test://panes/{paneId}/events{?all}",
        "test://missing/{what}",
        "test://names/{name}",
    ];
    assert_eq!(templates, expected);
    client.close().unwrap();
}

#[test]
fn lists_have_only_what_the_caller_may_call() {
    let mut client = Client::legacy();
    *client.surface.callable.lock().unwrap() = Some(vec![1, 9]);
    let tools = client.request("tools/list", json!({}))["tools"].clone();
    let listed = tools.as_array().unwrap().iter().map(|tool| tool["name"].as_str().unwrap());
    let names: Vec<String> = listed.map(|name| name.replace('_', ".")).collect();
    assert_eq!(names, ["test.echo", "test.text"]);
    let list = client.request("resources/list", json!({}));
    assert_eq!(list["resources"].as_array().unwrap().len(), 3, "{list}");
    assert_eq!(list["resources"][0]["uri"], "ui://test/page.html");
    // It is asked anew for every list.
    *client.surface.callable.lock().unwrap() = None;
    let tools = client.modern("tools/list", json!({}));
    assert_eq!(tools["result"]["tools"].as_array().unwrap().len(), 10);
    client.close().unwrap();
}

#[test]
fn reading_calls_the_mirrored_tool_with_typed_arguments() {
    let mut client = Client::legacy();
    let read = client.request("resources/read", json!({"uri": "test://events"}));
    assert_eq!(contents(&read), json!({"got": {}}));
    let uri = "test://events?limit=5&pane=3%20x&all=true&unknown=1";
    let read = client.request("resources/read", json!({ "uri": uri }));
    assert_eq!(read["contents"][0]["uri"], uri);
    assert_eq!(
        contents(&read),
        json!({"got": {"limit": 5, "pane": "3 x", "all": true, "unknown": "1"}})
    );
    let modern = client.modern("resources/read", json!({"uri": "test://text?name=12"}));
    assert_eq!(contents(&modern["result"]), json!({"got": {"name": "12"}}));
    assert_eq!(modern["result"]["resultType"], "complete");
    assert_eq!(modern["result"]["ttlMs"], 0);
    client.close().unwrap();
}

#[test]
fn a_text_of_the_contract_is_read_as_it_is() {
    let mut client = Client::legacy();
    let uri = "ui://test/page.html";
    let expected = json!([{"uri": uri, "mimeType": "text/html+skybridge", "text": "<p>\n"}]);
    let read = client.request("resources/read", json!({ "uri": uri }));
    assert_eq!(read["contents"], expected);
    let modern = client.modern("resources/read", json!({ "uri": uri }));
    assert_eq!(modern["result"]["contents"], expected);
    assert_eq!(modern["result"]["cacheScope"], "public", "{modern}");
    let refused = client.exchange("resources/subscribe", json!({ "uri": uri }));
    assert_eq!(refused["error"]["code"], -32002);
    client.close().unwrap();
}

#[test]
fn a_failed_read_is_an_error_with_the_envelope_in_it() {
    let mut client = Client::legacy();
    let failed = client.exchange("resources/read", json!({"uri": "test://events?limit=many"}));
    assert_eq!(failed["error"]["code"], -32602);
    assert_eq!(failed["error"]["data"], json!({"code": "invalid_arguments"}));
    let unknown = json!({"uri": "test://nothing"});
    assert_eq!(client.exchange("resources/read", unknown.clone())["error"]["code"], -32002);
    assert_eq!(client.modern("resources/read", unknown)["error"]["code"], -32602);
    client.close().unwrap();
}

#[test]
fn bytes_of_the_contract_are_read_as_a_blob() {
    let mut client = Client::legacy();
    let uri = "test://dot.png";
    let expected = json!([{"uri": uri, "mimeType": "image/png", "blob": "iVBORw=="}]);
    assert_eq!(client.request("resources/read", json!({ "uri": uri }))["contents"], expected);
    let modern = client.modern("resources/read", json!({ "uri": uri }));
    assert_eq!(modern["result"]["contents"], expected);
    client.close().unwrap();
}

#[test]
fn a_member_of_the_answer_is_the_content_as_json_or_as_bytes() {
    let mut client = Client::legacy();
    let read = client.request("resources/read", json!({"uri": "test://names/ada"}));
    assert_eq!(contents(&read), json!({"name": "ada"}));
    let read = client.request("resources/read", json!({"uri": "test://client"}));
    let expected =
        json!([{"uri": "test://client", "mimeType": "application/octet-stream", "blob": "tests"}]);
    assert_eq!(read["contents"], expected);
    client.close().unwrap();
}

#[test]
fn variables_of_the_path_are_arguments_of_the_tool() {
    let mut client = Client::legacy();
    let read = |client: &mut Client, uri: &str| {
        contents(&client.request("resources/read", json!({ "uri": uri })))["got"].take()
    };
    assert_eq!(
        read(&mut client, "test://panes/3%20x/events?all=1"),
        json!({"pane": "3 x", "limit": 1, "all": true})
    );
    // Part of the value, not a separator.
    assert_eq!(read(&mut client, "test://panes/a%2Fb/events")["pane"], "a/b");
    assert_eq!(
        client.request("resources/subscribe", json!({"uri": "test://panes/3/events"})),
        json!({})
    );
    client.close().unwrap();
}

#[test]
fn a_uri_that_no_template_matches_is_not_found_in_the_words_of_its_revision() {
    let mut client = Client::legacy();
    let unlike = [
        "test://panes//events",
        "test://panes/3",
        "test://panes/3/events/",
        "test://panes/3/4/events",
        "test://panes/3%2Fevents",
        "test://panes/%ff/events",
        "test://panes/{paneId",
        "test://Panes/3/events",
        "other://panes/3/events",
    ];
    for uri in unlike {
        let params = json!({ "uri": uri });
        let error = client.exchange("resources/read", params.clone())["error"].take();
        assert_eq!(error["code"], -32002, "{uri}: {error}");
        let error = client.modern("resources/read", params)["error"].take();
        assert_eq!(error["code"], -32602, "{uri}: {error}");
    }
    // As the tool says that it is not there.
    let params = json!({"uri": "test://missing/x"});
    let error = client.exchange("resources/read", params.clone())["error"].take();
    assert_eq!((&error["code"], &error["data"]["code"]), (&json!(-32002), &json!("nope")));
    assert!(error["message"].as_str().unwrap().contains("resource not found"), "{error}");
    assert_eq!(client.modern("resources/read", params)["error"]["code"], -32602);
    client.close().unwrap();
}

#[test]
fn the_query_cannot_replace_what_the_path_and_the_contract_give() {
    let mut client = Client::legacy();
    for (name, query) in [("pane", "pane=4"), ("limit", "limit=100")] {
        let uri = format!("test://panes/3/events?{query}");
        let error = client.exchange("resources/read", json!({ "uri": uri }))["error"].take();
        assert_eq!(error["code"], -32602, "{error}");
        assert!(error["message"].as_str().unwrap().contains(&format!("`{name}`")), "{error}");
    }
    client.close().unwrap();
}

fn with_notifier() -> (Client, Notifier) {
    let notifier = Notifier::default();
    let options = ServeOptions { notifier: notifier.clone(), ..patient() };
    (Client::raw(options), notifier)
}

#[test]
fn subscribers_in_a_session_hear_of_changes() {
    let (mut client, notifier) = with_notifier();
    client.initialize("2025-06-18", "tests");
    let uri = json!({"uri": "test://events?pane=3"});
    notifier.updated("test://events");
    assert_eq!(client.request("resources/subscribe", uri.clone()), json!({}));
    notifier.updated("test://text");
    notifier.updated("test://events");
    let updated = client.receive();
    assert_eq!(updated["method"], "notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], uri["uri"]);
    client.request("resources/unsubscribe", uri);
    notifier.updated("test://events");
    assert_eq!(client.exchange("ping", json!({}))["result"], json!({}));
    let other = client.exchange("resources/subscribe", json!({"uri": "test://text"}));
    assert_eq!(other["error"]["code"], -32002);
    client.close().unwrap();
}

#[test]
fn listeners_without_a_session_hear_of_changes() {
    let (mut client, notifier) = with_notifier();
    let id = client.start(
        "subscriptions/listen",
        json!({"_meta": modern_meta(), "notifications": {
            "resourceSubscriptions": ["test://events", "test://text"]}}),
    );
    let accepted = client.receive();
    assert_eq!(accepted["method"], "notifications/subscriptions/acknowledged");
    assert_eq!(
        accepted["params"]["notifications"]["resourceSubscriptions"],
        json!(["test://events"])
    );
    // Answered after the listener has begun, because it was read after it.
    client.modern("tools/call", json!({"name": "test.slow"}));
    notifier.updated("test://text");
    notifier.updated("test://events");
    let updated = client.receive();
    assert_eq!(updated["method"], "notifications/resources/updated");
    assert_eq!(updated["params"]["uri"], "test://events");
    assert_eq!(updated["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    // The end of the input ends the subscription properly.
    client.to_server = None;
    let ended = client.receive();
    assert_eq!((&ended["id"], &ended["result"]["resultType"]), (&json!(id), &json!("complete")));
    client.join().unwrap();
}

#[test]
fn a_resource_goes_with_the_tool_that_it_mirrors() {
    let mut client = Client::legacy_with("2025-11-25", "tests", without("events"));
    let list = client.request("resources/list", json!({}));
    assert_eq!(list["resources"].as_array().unwrap().len(), 3, "{list}");
    let templates = client.request("resources/templates/list", json!({}));
    assert_eq!(templates["resourceTemplates"].as_array().unwrap().len(), 3, "{templates}");
    for (method, uri) in
        [("resources/read", "test://events?limit=1"), ("resources/subscribe", "test://events")]
    {
        let error = client.exchange(method, json!({"uri": uri}))["error"].take();
        assert_eq!(error["code"], -32002, "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("its tool is left out by `--exclude-tools`"), "{message}");
    }
    client.close().unwrap();
}
