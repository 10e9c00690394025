//! For whom a server acts: those that it was set up for, or whose token a call brings. Everybody
//! else is UNAUTHORIZED, and learns nothing.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolwright_runtime::dispatch::Rejected;
use worldforge::Identity;

use crate::harness::{Manner, Stage, identity, on_both};

on_both! {
    strangers_are_unauthorized
    a_tenant_can_be_named
    a_token_stands_for_one_user
    nobody_is_served_without_a_setup
    a_server_that_only_reads_refuses_writes
}

fn strangers_are_unauthorized(stage: &Stage) {
    let other = stage.settle("Other Studio");
    let before = stage.picture();
    let admin = stage.admin();
    // All of these look the same.
    let mut told = Vec::new();
    for arguments in [
        // Nobody has this id.
        json!({"userId": "b0000000000000000000000f"}),
        // Somebody of another tenant, here and there, and one of ours there.
        json!({"userId": other.admin}),
        json!({"userId": other.admin, "tenantId": other.tenant, "projectId": other.project}),
        json!({"tenantId": other.tenant, "projectId": other.project}),
        json!({"tenantId": "a0000000000000000000000f"}),
    ] {
        told.push(nameless(&admin.fails("project.get", arguments.clone(), "UNAUTHORIZED")));
        admin.fails("storyGraph.get", arguments.clone(), "UNAUTHORIZED");
        let mut write = arguments;
        write["entity"] = json!({"type": "ITEM", "name": "x"});
        admin.fails("entity.upsert", write, "UNAUTHORIZED");
    }
    // A user of the tenant whom the settings do not name.
    let narrow = Identity { users: vec![stage.home.writer.clone()], ..identity(&stage.home) };
    let writer = stage.guest_under(narrow.clone(), &stage.home.writer);
    writer.ok("project.get", json!({}));
    let left_out = stage.guest_under(narrow, &stage.home.admin);
    told.push(nameless(&left_out.fails("project.get", json!({}), "UNAUTHORIZED")));
    told.dedup();
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(stage.picture(), before);
}

/// A refusal without the ids that its caller has written.
fn nameless(failure: &Value) -> String {
    failure.to_string().split('`').step_by(2).collect()
}

fn a_tenant_can_be_named(stage: &Stage) {
    let by_name = Identity {
        tenant: Some(stage.home.name.clone()),
        users: vec!["ANA@example.org".to_owned()],
        ..Identity::default()
    };
    let ana = stage.guest_under(by_name.clone(), &stage.home.admin);
    ana.ok("project.get", json!({}));
    let will = stage.guest_under(by_name.clone(), &stage.home.writer);
    will.fails("project.get", json!({}), "UNAUTHORIZED");
    // The e-mail is one of each tenant's; only that of ours counts.
    let other = stage.settle("Other Studio");
    ana.fails(
        "project.get",
        json!({"tenantId": other.tenant, "userId": other.admin, "projectId": other.project}),
        "UNAUTHORIZED",
    );
    let unknown = Identity { tenant: Some("No Studio".to_owned()), ..by_name };
    stage.guest_under(unknown, &stage.home.admin).fails("project.get", json!({}), "UNAUTHORIZED");
}

fn a_token_stands_for_one_user(stage: &Stage) {
    let home = &stage.home;
    let tokens: BTreeMap<String, String> = [
        ("ana-token".to_owned(), home.admin.clone()),
        ("will-token".to_owned(), home.writer.clone()),
    ]
    .into();
    let identity = Identity { tokens: tokens.clone(), ..Identity::default() };
    let admin = stage.guest_under(identity.clone(), &home.admin);
    admin.clone().with_token("ana-token").ok("project.get", json!({}));
    admin.clone().with_token("will-token").fails("project.get", json!({}), "UNAUTHORIZED");
    assert!(matches!(admin.clone().try_token("ana-tokem"), Err(Rejected::Refused(_))));
    admin.fails("project.get", json!({}), "UNAUTHORIZED");
    // Whoever brings a token is not one of those that the settings name.
    let both = Identity { tokens, ..crate::harness::identity(home) };
    let editor = stage.guest_under(both, &home.editor);
    editor.ok("project.get", json!({}));
    editor.with_token("will-token").fails("project.get", json!({}), "UNAUTHORIZED");
    // Where the settings name a tenant, no token leads to another.
    let other = stage.settle("Other Studio");
    let tokens: BTreeMap<String, String> = [("olga-token".to_owned(), other.admin.clone())].into();
    let there =
        json!({"tenantId": other.tenant, "userId": other.admin, "projectId": other.project});
    for (tenant, is_let_in) in [(None, true), (Some(&other.name), true), (Some(&home.name), false)]
    {
        let identity =
            Identity { tenant: tenant.cloned(), tokens: tokens.clone(), ..Identity::default() };
        let olga = stage.guest_under(identity, &other.admin).with_token("olga-token");
        let told = olga.call("project.get", &there);
        assert_eq!(!told.is_error, is_let_in, "{tenant:?}: {}", told.text);
    }
}

fn nobody_is_served_without_a_setup(stage: &Stage) {
    let home = &stage.home;
    for identity in [
        Identity::default(),
        Identity { tenant: Some(home.tenant.clone()), ..Identity::default() },
        Identity { users: home.users(), ..Identity::default() },
    ] {
        let guest = stage.guest_under(identity, &home.admin);
        for (tool, arguments) in [
            ("project.get", json!({})),
            ("project.create", json!({"title": "x"})),
            ("entity.search", json!({})),
            ("export.storyBible", json!({})),
        ] {
            guest.fails(tool, arguments, "UNAUTHORIZED");
        }
    }
    // So does the program.
    let mut command = stage.bare(&["mcp"]);
    command.env_remove("WORLDFORGE_TENANT");
    let told = stage.session_of(command).call("project.get", &json!({}));
    assert_eq!(told.body()["code"], "UNAUTHORIZED", "{}", told.text);
}

fn a_server_that_only_reads_refuses_writes(stage: &Stage) {
    let admin = stage.admin();
    let (ana, node) = (admin.entity("CHARACTER", "Ana"), admin.scene("Low tide", 1));
    let before = stage.picture();
    let reader =
        stage.elsewhere(&stage.home.admin, Manner { read_only: true, ..Manner::default() });
    for (tool, arguments) in [
        ("project.create", json!({"title": "x"})),
        ("entity.upsert", json!({"entity": {"type": "ITEM", "name": "x"}})),
        ("entity.link", json!({"fromEntityId": ana, "toEntityId": ana, "relType": "x"})),
        ("storyNode.create", json!({"node": {"nodeType": "BEAT", "title": "x"}})),
        ("storyNode.update", json!({"nodeId": node, "patch": {"title": "x"}})),
        (
            "storyEdge.create",
            json!({"edge": {"fromNodeId": node, "toNodeId": node, "edgeType": "LINEAR"}}),
        ),
        ("prompt.compose", json!({"nodeId": node})),
        ("version.publish", json!({"objectType": "ENTITY", "objectId": ana})),
    ] {
        reader.fails(tool, arguments, "FORBIDDEN");
    }
    for (tool, arguments) in [
        ("project.get", json!({})),
        ("entity.get", json!({"entityId": ana})),
        ("continuity.check", json!({"nodeId": node})),
        ("export.storyBible", json!({})),
    ] {
        reader.ok(tool, arguments);
    }
    assert_eq!(stage.picture(), before);
}

#[test]
fn only_known_tokens_come_in_over_http() {
    let stage = Stage::sqlite();
    let home = stage.home.clone();
    let other = stage.settle("Other Studio");
    let server = stage.serve(&[("ana-token", &home.admin), ("olga-token", &other.admin)]);
    let arguments = stage.admin().whole("project.get", &json!({}));
    for token in [None, Some("bad"), Some(""), Some("ana-token ana-token")] {
        let response = server.send(token, "project.get", &arguments);
        assert_eq!(response.status, 401, "{token:?}: {response:?}");
        assert!(response.header("www-authenticate").is_some(), "{response:?}");
    }
    let told = server.call("ana-token", "project.get", &arguments);
    assert_eq!(told.body()["project"]["_id"], json!(home.project), "{}", told.text);
    // Another's id with one's own token.
    for (token, tenant, user) in [
        ("ana-token", &home.tenant, &home.writer),
        ("ana-token", &other.tenant, &other.admin),
        ("ana-token", &other.tenant, &home.admin),
        ("olga-token", &home.tenant, &home.admin),
        ("olga-token", &home.tenant, &other.admin),
    ] {
        let arguments = json!({"tenantId": tenant, "userId": user, "projectId": home.project});
        let told = server.call(token, "project.get", &arguments);
        assert_eq!(told.body()["code"], "UNAUTHORIZED", "{}", told.text);
    }
    assert_eq!(server.status("/healthz"), 200);
    // Tokens and users do not show up in the log.
    assert!(!server.log().contains("ana-token"), "{}", server.log());
}

#[test]
fn tokens_are_the_only_way_in_over_http() {
    let stage = Stage::sqlite();
    let server = stage.serve_with(stage.worldforge(&["mcp"]));
    let arguments = stage.admin().whole("project.get", &json!({}));
    let response = server.send(None, "project.get", &arguments);
    assert_eq!(response.status, 401, "{response:?}");
}
