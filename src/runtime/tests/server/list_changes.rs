//! Clients are told when the lists of tools and of resources become others while the server runs.

use serde_json::{Value, json};
use toolwright_runtime::server::{HttpOptions, OfferedTools, ServeOptions};
use toolwright_testing::http_client::event;

use crate::client::{Client, patient};
use crate::http::Server;
use crate::surface::{excluding, modern_meta};

fn offering() -> (ServeOptions, OfferedTools) {
    let tools = OfferedTools::default();
    (ServeOptions { tools: tools.clone(), ..patient() }, tools)
}

fn lists(client: &mut Client, tool: &str) -> bool {
    let list = client.request("tools/list", json!({}));
    list["tools"].as_array().unwrap().iter().any(|listed| listed["name"] == tool)
}

#[test]
fn a_session_hears_of_every_other_choice_and_of_nothing_else() {
    let (options, tools) = offering();
    let mut client = Client::raw(options);
    let opened = client.initialize("2025-11-25", "tests");
    assert_eq!(opened["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(opened["capabilities"]["resources"]["listChanged"], true);
    assert!(lists(&mut client, "test.lazy"));

    assert!(tools.replace(excluding("lazy")));
    assert_eq!(client.receive()["method"], "notifications/tools/list_changed");
    assert!(!lists(&mut client, "test.lazy"));
    let refused = client.exchange("tools/call", json!({"name": "test.lazy"}));
    assert_eq!(refused["error"]["data"]["left_out_by"], "`--exclude-tools`");

    assert!(!tools.replace(excluding("lazy")), "nothing changes");
    assert!(tools.replace(excluding("events")));
    // A resource mirrors the tool, and a prompt runs it.
    for list in ["tools", "resources", "prompts"] {
        assert_eq!(client.receive()["method"], format!("notifications/{list}/list_changed"));
    }
    assert!(lists(&mut client, "test.lazy") && !lists(&mut client, "test.events"));
    client.close().unwrap();
}

#[test]
fn a_listener_hears_of_the_lists_that_it_asked_for() {
    let (options, tools) = offering();
    let mut client = Client::raw(options);
    let listen = |lists: Value| json!({"_meta": modern_meta(), "notifications": lists});
    let both = json!({"toolsListChanged": true, "resourcesListChanged": true});
    let id = client.start("subscriptions/listen", listen(both.clone()));
    let accepted = client.receive();
    assert_eq!(accepted["params"]["notifications"], both, "{accepted}");
    tools.replace(excluding("events"));
    for method in ["notifications/tools/list_changed", "notifications/resources/list_changed"] {
        let told = client.receive();
        assert_eq!(told["method"], method, "{told}");
        assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id);
    }

    let mut other = client;
    other.start("subscriptions/listen", listen(json!({"resourcesListChanged": true})));
    other.receive();
    tools.replace(excluding("events,lazy"));
    // The first listener hears of the tools; no list of resources is another one.
    let told = other.receive();
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], id, "{told}");
    assert_eq!(other.modern("tools/list", json!({}))["error"], Value::Null);
    other.to_server = None;
    let ended = [other.receive(), other.receive()];
    assert!(ended.iter().all(|end| end["result"]["resultType"] == "complete"), "{ended:?}");
    other.join().unwrap();
}

#[test]
fn over_http_only_a_stream_can_carry_the_news() {
    let (options, tools) = offering();
    let server = Server::start(HttpOptions::default(), options);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
        "clientInfo": {"name": "tests", "version": "1"}});
    let opened = server.connect().legacy(&[], "initialize", hello);
    assert_eq!(opened["result"]["capabilities"]["tools"], json!({}), "{opened}");

    let mut web = server.connect();
    let filter = json!({"notifications": {"toolsListChanged": true}});
    web.start_modern(&[], "subscriptions/listen", filter);
    assert_eq!(web.head().status, 200);
    let mut next = || loop {
        if let Some(event) = event(&web.line()) {
            return event;
        }
    };
    assert_eq!(next()["params"]["notifications"]["toolsListChanged"], true);
    tools.replace(excluding("lazy"));
    assert_eq!(next()["method"], "notifications/tools/list_changed");
}
