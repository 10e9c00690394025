//! Resources: a node and the story bible, read for whom the server acts.

use serde_json::{Value, json};
use toolwright_testing::StdioSession;
use worldforge::generated::SURFACE;

use crate::instance::{Instance, on_both, text};
use crate::session::Session;

on_both! {
    a_node_and_the_bible_are_read_by_their_uri
    a_reader_sees_only_what_the_role_may
}

#[test]
fn the_tool_behind_a_template_is_known() {
    let served = "worldforge://{projectId}/nodes/{nodeId}{?userId}";
    let (resource, tool) = SURFACE.resource_template(served).expect("a template");
    assert_eq!(tool.name, "storyNode.get");
    let variables: Vec<_> = resource.variables.iter().map(|it| (it.name, it.argument)).collect();
    assert_eq!(variables, [("projectId", "projectId"), ("nodeId", "nodeId")]);
    assert!(SURFACE.resource_template("worldforge://{project}/nodes/{node}").is_none());
}

/// A session that acts for these users.
fn session(instance: &Instance, users: &str) -> Session {
    let mut command = instance.bare.command(&["mcp"]);
    command.env("WORLDFORGE_TENANT", &instance.fixture.tenant).env("WORLDFORGE_USERS", users);
    instance.session_of(command)
}

fn node(instance: &Instance) -> String {
    let node = json!({"node": {"title": "Low tide", "nodeType": "SCENE"}});
    text(&instance.admin().ok("storyNode.create", node)["node"]["_id"])
}

fn read(session: &mut StdioSession, uri: &str) -> Value {
    session.exchange("resources/read", json!({ "uri": uri }))
}

/// What a resource holds.
fn content(response: &Value) -> Value {
    let content = &response["result"]["contents"][0];
    assert_eq!(content["mimeType"], "application/json", "{response}");
    serde_json::from_str(content["text"].as_str().expect("a text")).expect("JSON")
}

fn a_node_and_the_bible_are_read_by_their_uri(instance: &Instance) {
    let (fixture, node) = (&instance.fixture, node(instance));
    let project = &fixture.project;
    let mut session = session(instance, &fixture.admin);
    let listed = session.request("resources/templates/list", json!({}));
    let templates = listed["resourceTemplates"].as_array().expect("a list").iter();
    let templates: Vec<_> = templates.map(|one| text(&one["uriTemplate"])).collect();
    let expected =
        ["worldforge://{projectId}/nodes/{nodeId}", "worldforge://{projectId}/bible.json"];
    assert_eq!(templates, expected);
    let of_node = content(&read(&mut session, &format!("worldforge://{project}/nodes/{node}")));
    assert_eq!(
        (&of_node["node"]["_id"], &of_node["node"]["title"]),
        (&json!(node), &json!("Low tide"))
    );
    let bible = content(&read(&mut session, &format!("worldforge://{project}/bible.json")));
    assert_eq!(bible["json"]["storyNodes"][0]["_id"], json!(node), "{bible}");
    let nobody = "e0000000000000000000000f";
    for uri in [
        format!("worldforge://{project}/nodes/{nobody}"),
        format!("worldforge://{nobody}/bible.json"),
        format!("worldforge://{project}/nodes/"),
        format!("worldforge://{project}/bible.json/"),
    ] {
        let response = read(&mut session, &uri);
        assert_eq!(response["error"]["code"], -32002, "{uri}: {response}");
    }
}

fn a_reader_sees_only_what_the_role_may(instance: &Instance) {
    let (fixture, node) = (&instance.fixture, node(instance));
    let uri = format!("worldforge://{}/nodes/{node}", fixture.project);
    let mut editor = session(instance, &fixture.editor);
    let refused = read(&mut editor, &uri);
    assert_eq!(refused["error"]["data"]["code"], "FORBIDDEN", "{refused}");
    // With several users a call must say for whom it acts.
    let mut several = session(instance, &format!("{},{}", fixture.admin, fixture.editor));
    let refused = read(&mut several, &uri);
    assert_eq!(refused["error"]["code"], -32602, "{refused}");
    let admin = read(&mut several, &format!("{uri}?userId={}", fixture.admin));
    assert_eq!(content(&admin)["node"]["_id"], json!(node));
    let stranger = read(&mut several, &format!("{uri}?userId={}", fixture.writer));
    assert_eq!(stranger["error"]["data"]["code"], "UNAUTHORIZED", "{stranger}");
}
