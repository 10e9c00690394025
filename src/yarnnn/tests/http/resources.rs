//! Components over HTTP: hosts find them by the tools' metadata, list and read them.

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
