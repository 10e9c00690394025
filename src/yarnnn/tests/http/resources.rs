//! Resources over HTTP: components, which hosts find by the tools' metadata, and baskets.

use serde_json::json;

use crate::instance::{Instance, list};

#[test]
fn components_are_named_by_tools_listed_with_their_type_and_read() {
    let instance = Instance::on_sqlite();
    let server = instance.serve(&[]);
    let mut user = server.user(&instance.tenant.token);
    let tools = user.send("tools/list", json!({})).json();
    let template = |name: &str| {
        let tool = list(&tools["result"]["tools"]).iter().find(|tool| tool["name"] == name);
        tool.expect("the tool is listed")["_meta"]["openai/outputTemplate"].clone()
    };
    assert_eq!(template("config_settings"), "ui://yarnnn/settings.html");
    assert_eq!(template("add_to_substrate"), "ui://yarnnn/capture.html");
    assert_eq!(template("create_memory_from_chat"), "ui://yarnnn/capture.html");

    let resources = user.send("resources/list", json!({})).json();
    for uri in ["ui://yarnnn/settings.html", "ui://yarnnn/capture.html"] {
        let listed = list(&resources["result"]["resources"]).iter().find(|one| one["uri"] == uri);
        assert_eq!(listed.expect("it is listed")["mimeType"], "text/html+skybridge");
        let read = user.send("resources/read", json!({"uri": uri})).json();
        let contents = &read["result"]["contents"][0];
        assert_eq!(contents["uri"], uri, "{read}");
        assert_eq!(contents["mimeType"], "text/html+skybridge");
        let page = contents["text"].as_str().expect("a page");
        assert!(page.contains("<script") && page.contains("window.openai"), "{page}");
    }
    let unknown = user.send("resources/read", json!({"uri": "ui://yarnnn/other.html"})).json();
    assert!(unknown["error"]["code"].is_i64(), "{unknown}");
    // Nobody reads them without a token.
    let stranger = server.user("yit_bad").send("resources/list", json!({}));
    assert_eq!(stranger.status, 401);
}

#[test]
fn a_basket_is_read_by_its_id_with_the_token_of_its_owner() {
    let instance = Instance::on_sqlite();
    let basket = instance.basket("Billing", 0);
    let server = instance.serve(&[]);
    let mut user = server.user(&instance.tenant.token);
    let listed = user.send("resources/templates/list", json!({})).json();
    let template = &listed["result"]["resourceTemplates"][0]["uriTemplate"];
    let expected =
        "yarnnn://baskets/{basketId}{?anchors,format,keywords,limit,match,offset,raw_dump_id}";
    assert_eq!(template, expected, "{listed}");
    let uri = format!("yarnnn://baskets/{basket}?limit=5");
    let read = user.send("resources/read", json!({ "uri": uri })).json();
    let text = read["result"]["contents"][0]["text"].as_str().expect("a text");
    let answer: serde_json::Value = serde_json::from_str(text).expect("JSON");
    assert_eq!(answer["substrate"][0]["metadata"]["basket_id"], basket, "{answer}");
    let unknown = json!({"uri": "yarnnn://baskets/none"});
    let unknown = user.send("resources/read", unknown).json()["error"].take();
    assert_eq!(unknown["data"]["code"], "BASKET_NOT_FOUND", "{unknown}");
    let stranger = server.user("yit_bad").send("resources/read", json!({ "uri": uri }));
    assert_eq!(stranger.status, 401);
}
