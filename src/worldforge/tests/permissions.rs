//! The permission matrix of the contract, cell by cell: allowed calls work, others are FORBIDDEN and
//! change nothing.

use serde_json::{Value, json};

use crate::instance::{Instance, on_both, without_transactions};
use crate::user::TestUser;
use toolwright_testing::ToolReply;

on_both! { every_cell two_roles_unite }
without_transactions! { every_cell }

/// Tool, and whether ADMIN, WRITER and EDITOR may call it.
const MATRIX: [(&str, [bool; 3]); 16] = [
    ("project.create", [true, false, false]),
    ("project.get", [true, true, true]),
    ("entity.upsert", [true, true, false]),
    ("entity.get", [true, true, true]),
    ("entity.search", [true, true, true]),
    ("entity.link", [true, true, false]),
    ("storyNode.create", [true, true, false]),
    ("storyNode.update", [true, true, false]),
    ("storyNode.get", [true, true, false]),
    ("storyEdge.create", [true, true, false]),
    ("storyGraph.get", [true, true, true]),
    ("continuity.check", [true, true, true]),
    ("prompt.compose", [true, false, true]),
    ("version.publish", [true, false, false]),
    ("export.storyBible", [true, false, true]),
    ("export.shotPromptPack", [true, false, true]),
];

/// Tools that leave the store as it is.
const READS: [&str; 8] = [
    "project.get",
    "entity.get",
    "entity.search",
    "storyNode.get",
    "storyGraph.get",
    "continuity.check",
    "export.storyBible",
    "export.shotPromptPack",
];

/// Arguments that work, on objects of their own.
fn arguments(admin: &TestUser, tool: &str) -> Value {
    let (ana, pier) = (admin.entity("CHARACTER", "Ana"), admin.entity("LOCATION", "Old Pier"));
    let (low, high) = (admin.scene("Low tide", 1), admin.scene("High tide", 2));
    match tool {
        "project.create" => json!({"title": "Another world"}),
        "project.get" | "storyGraph.get" | "export.storyBible" | "export.shotPromptPack" => {
            json!({})
        }
        "entity.upsert" => json!({"entity": {"entityId": ana, "summary": "A pilot."}}),
        "entity.get" => json!({"entityId": ana}),
        "entity.search" => json!({"query": "ana"}),
        "entity.link" => json!({"fromEntityId": ana, "toEntityId": pier, "relType": "lives_at"}),
        "storyNode.create" => json!({"node": {"nodeType": "BEAT", "title": "A gull"}}),
        "storyNode.update" => json!({"nodeId": low, "patch": {"title": "Ebb"}}),
        "storyNode.get" | "continuity.check" | "prompt.compose" => json!({"nodeId": low}),
        "storyEdge.create" => {
            json!({"edge": {"fromNodeId": low, "toNodeId": high, "edgeType": "LINEAR"}})
        }
        "version.publish" => json!({"objectType": "ENTITY", "objectId": ana}),
        other => panic!("{other} is no tool"),
    }
}

/// Calls a tool, and checks the cell of the matrix.
fn cell(
    instance: &Instance,
    tool: &str,
    who: &str,
    allowed: bool,
    call: impl Fn(&Value) -> ToolReply,
) {
    let arguments = arguments(&instance.admin(), tool);
    let before = instance.store_contents();
    let reply = call(&arguments);
    let body = reply.body;
    let changed = instance.store_contents() != before;
    if allowed {
        assert!(!reply.is_error, "{who} may call {tool}: {body}");
        assert_eq!(changed, !READS.contains(&tool), "{who} calls {tool}");
        return;
    }
    assert_eq!(
        (reply.is_error, &body["code"]),
        (true, &json!("FORBIDDEN")),
        "{who}, {tool}: {body}"
    );
    assert!(!changed, "{who} changed something by {tool}");
    let allowed: Vec<&str> =
        body["details"]["allowed"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let row = MATRIX.iter().find(|(name, _)| *name == tool).unwrap().1;
    let mut expected: Vec<&str> = ["ADMIN", "WRITER", "EDITOR"]
        .into_iter()
        .zip(row)
        .filter_map(|(role, may)| may.then_some(role))
        .collect();
    expected.sort_unstable();
    let mut reply = allowed;
    reply.sort_unstable();
    assert_eq!(reply, expected, "{tool}");
}

fn every_cell(instance: &Instance) {
    let fixture = &instance.fixture;
    for (tool, row) in MATRIX {
        for (user, allowed) in
            [&fixture.admin, &fixture.writer, &fixture.editor].into_iter().zip(row)
        {
            cell(instance, tool, user, allowed, |arguments| {
                instance.user(user).call(tool, arguments)
            });
        }
        // A user without a role may do nothing.
        let nobody = instance.user(&fixture.nobody);
        cell(instance, tool, "nobody", false, |arguments| nobody.call(tool, arguments));
    }
}

fn two_roles_unite(instance: &Instance) {
    let both = instance.user(&instance.fixture.both);
    for (tool, [_, writer, editor]) in MATRIX {
        cell(instance, tool, "both", writer || editor, |arguments| both.call(tool, arguments));
    }
}

#[test]
fn the_matrix_has_every_tool() {
    let tools = worldforge::generated::SURFACE.tools;
    assert_eq!(tools.len(), MATRIX.len());
    assert!(tools.iter().all(|tool| MATRIX.iter().any(|(name, _)| *name == tool.name)));
}

#[test]
fn every_cell_over_http() {
    let instance = Instance::sqlite();
    let fixture = instance.fixture.clone();
    let people = [&fixture.admin, &fixture.writer, &fixture.editor, &fixture.nobody];
    let tokens = ["t-admin", "t-writer", "t-editor", "t-nobody"];
    let pairs: Vec<(&str, &str)> =
        tokens.into_iter().zip(people.iter().map(|user| user.as_str())).collect();
    let server = instance.serve(&pairs);
    for (tool, [admin, writer, editor]) in MATRIX {
        for ((token, user), allowed) in pairs.iter().zip([admin, writer, editor, false]) {
            let user = instance.user(user);
            let call = |arguments: &Value| {
                server.connect().call(Some(token), tool, &user.with_scope(tool, arguments))
            };
            cell(&instance, tool, token, allowed, call);
        }
    }
}

#[test]
fn every_cell_over_stdio() {
    let instance = Instance::sqlite();
    let fixture = instance.fixture.clone();
    let mut session = instance.session();
    for (tool, row) in MATRIX {
        for (user, allowed) in
            [&fixture.admin, &fixture.writer, &fixture.editor].into_iter().zip(row)
        {
            let arguments = session.with_scope(tool, user, &arguments(&instance.admin(), tool));
            let id = session.begin_call(tool, &arguments);
            let answer = session.reply(id);
            assert_eq!(answer.is_error, !allowed, "{tool}: {}", answer.body);
            assert!(allowed || answer.body["code"] == "FORBIDDEN", "{}", answer.body);
        }
    }
}
