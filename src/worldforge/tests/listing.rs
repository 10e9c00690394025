//! The tool list holds what its caller may call, where the caller is known: by the token over HTTP, by
//! the settings over stdio.

use serde_json::{Value, json};
use toolwright_testing::StdioSession;
use worldforge::generated::SURFACE;
use worldforge::model::Role;

use crate::instance::{Instance, text};

/// What section 5 of the product's specification gives to an EDITOR.
const EDITOR: [&str; 8] = [
    "continuity.check",
    "entity.get",
    "entity.search",
    "export.shotPromptPack",
    "export.storyBible",
    "project.get",
    "prompt.compose",
    "storyGraph.get",
];

/// Tools that only an ADMIN may call, or an EDITOR; a WRITER may call all others.
const NOT_WRITER: [&str; 5] = [
    "export.shotPromptPack",
    "export.storyBible",
    "project.create",
    "prompt.compose",
    "version.publish",
];

/// The tools under the names of the contract, whatever spelling the list has.
fn canonical(listed: &[String]) -> Vec<&'static str> {
    let all = SURFACE.tools.iter();
    let is_listed =
        |tool: &&str| listed.iter().any(|name| name == tool || *name == tool.replace('.', "_"));
    let tools: Vec<&str> = all.map(|tool| tool.canonical).filter(is_listed).collect();
    assert_eq!(tools.len(), listed.len(), "{listed:?}");
    tools
}

fn names(tools: &[Value]) -> Vec<String> {
    tools.iter().map(|tool| text(&tool["name"])).collect()
}

#[test]
fn a_token_lists_what_its_user_may_call() {
    let instance = Instance::sqlite();
    let fixture = instance.fixture.clone();
    let server = instance.serve(&[
        ("t-admin", &fixture.admin),
        ("t-writer", &fixture.writer),
        ("t-editor", &fixture.editor),
        ("t-nobody", &fixture.nobody),
        ("t-stranger", "b0000000000000000000000f"),
    ]);
    let listed = |token: &str| canonical(&names(&server.user(token).tools()));
    assert_eq!(listed("t-editor"), EDITOR);
    assert_eq!(listed("t-admin").len(), SURFACE.tools.len());
    let all = SURFACE.tools.iter().map(|tool| tool.canonical);
    assert_eq!(
        listed("t-writer"),
        all.filter(|tool| !NOT_WRITER.contains(tool)).collect::<Vec<_>>()
    );
    assert!(listed("t-nobody").is_empty() && listed("t-stranger").is_empty());
    // What is not listed is refused as before.
    let publish = json!({"objectType": "ENTITY", "objectId": fixture.project});
    let publish = instance.user(&fixture.editor).with_scope("version.publish", &publish);
    let refused = server.connect().call(Some("t-editor"), "version.publish", &publish);
    assert_eq!(refused.body["code"], "FORBIDDEN", "{}", refused.body);
}

#[test]
fn a_running_server_tells_its_client_when_a_user_may_call_more() {
    let instance = Instance::sqlite();
    let mut command = instance.command(&["mcp"]);
    let late = "late@example.com";
    command.env("WORLDFORGE_USERS", format!("{},{late}", instance.fixture.editor));
    let mut session = StdioSession::start(command, "worldforge-test");
    assert_eq!(names(&session.tools()), EDITOR);
    instance.engine.add_user(&instance.fixture.tenant, late, &[Role::Writer]).unwrap();
    let told = session.receive();
    assert_eq!(told["method"], "notifications/tools/list_changed", "{told}");
    assert!(names(&session.tools()).contains(&"entity.upsert".to_owned()));
}

#[test]
fn the_settings_list_what_their_users_may_call() {
    let instance = Instance::sqlite();
    let listed = |users: &str, flags: &[&str]| {
        let mut command = instance.command(&["mcp"]);
        command.args(flags).env("WORLDFORGE_USERS", users);
        canonical(&names(&instance.session_of(command).tools()))
    };
    assert_eq!(listed(&instance.fixture.editor, &[]), EDITOR);
    // A call may name either of them.
    let two = format!("{},{}", instance.fixture.editor, instance.fixture.writer);
    let missing = ["project.create", "version.publish"];
    assert_eq!(listed(&two, &[]).len(), SURFACE.tools.len() - missing.len());
    // `prompt.compose` writes.
    assert_eq!(listed(&instance.fixture.editor, &["--read-only"]).len(), EDITOR.len() - 1);
    // Of nobody nothing is known: every call is refused, and says what to set.
    assert_eq!(listed("", &[]).len(), SURFACE.tools.len());
}
