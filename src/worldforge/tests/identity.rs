//! Whom a server acts for: users it is configured for, or whose token a call carries. Everybody else
//! is UNAUTHORIZED and learns nothing.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use toolwright_runtime::dispatch::Rejected;
use worldforge::Identity;

use crate::instance::{EngineOptions, Instance, identity, on_both};
use toolwright_testing::HttpServer;

on_both! {
    strangers_are_unauthorized
    a_tenant_can_be_named
    a_token_belongs_to_one_user
    nobody_is_served_without_a_setup
    a_server_that_only_reads_refuses_writes
}

fn strangers_are_unauthorized(instance: &Instance) {
    let other = instance.create_tenant("Other Studio");
    let before = instance.store_contents();
    let admin = instance.admin();
    // All of these look the same.
    let mut reply = Vec::new();
    for arguments in [
        // An unused id.
        json!({"userId": "b0000000000000000000000f"}),
        // A user of another tenant, here and there, and one of ours there.
        json!({"userId": other.admin}),
        json!({"userId": other.admin, "tenantId": other.tenant, "projectId": other.project}),
        json!({"tenantId": other.tenant, "projectId": other.project}),
        json!({"tenantId": "a0000000000000000000000f"}),
    ] {
        reply.push(nameless(&admin.fails("project.get", arguments.clone(), "UNAUTHORIZED")));
        admin.fails("storyGraph.get", arguments.clone(), "UNAUTHORIZED");
        let mut write = arguments;
        write["entity"] = json!({"type": "ITEM", "name": "x"});
        admin.fails("entity.upsert", write, "UNAUTHORIZED");
    }
    // A user of the tenant whom the settings do not name.
    let narrow =
        Identity { users: vec![instance.fixture.writer.clone()], ..identity(&instance.fixture) };
    let writer = instance.user_with_identity(narrow.clone(), &instance.fixture.writer);
    writer.ok("project.get", json!({}));
    let left_out = instance.user_with_identity(narrow, &instance.fixture.admin);
    reply.push(nameless(&left_out.fails("project.get", json!({}), "UNAUTHORIZED")));
    reply.dedup();
    assert_eq!(reply.len(), 1, "{reply:?}");
    assert_eq!(instance.store_contents(), before);
}

/// A refusal without the ids that its caller has written.
fn nameless(failure: &Value) -> String {
    failure.to_string().split('`').step_by(2).collect()
}

fn a_tenant_can_be_named(instance: &Instance) {
    let by_name = Identity {
        tenant: Some(instance.fixture.name.clone()),
        users: vec!["ANA@example.org".to_owned()],
        ..Identity::default()
    };
    let ana = instance.user_with_identity(by_name.clone(), &instance.fixture.admin);
    ana.ok("project.get", json!({}));
    let will = instance.user_with_identity(by_name.clone(), &instance.fixture.writer);
    will.fails("project.get", json!({}), "UNAUTHORIZED");
    // The e-mail is one of each tenant's; only that of ours counts.
    let other = instance.create_tenant("Other Studio");
    ana.fails(
        "project.get",
        json!({"tenantId": other.tenant, "userId": other.admin, "projectId": other.project}),
        "UNAUTHORIZED",
    );
    let unknown = Identity { tenant: Some("No Studio".to_owned()), ..by_name };
    instance.user_with_identity(unknown, &instance.fixture.admin).fails(
        "project.get",
        json!({}),
        "UNAUTHORIZED",
    );
}

fn a_token_belongs_to_one_user(instance: &Instance) {
    let fixture = &instance.fixture;
    let tokens: BTreeMap<String, String> = [
        ("ana-token".to_owned(), fixture.admin.clone()),
        ("will-token".to_owned(), fixture.writer.clone()),
    ]
    .into();
    let identity = Identity { tokens: tokens.clone(), ..Identity::default() };
    let admin = instance.user_with_identity(identity.clone(), &fixture.admin);
    admin.clone().with_token("ana-token").ok("project.get", json!({}));
    admin.clone().with_token("will-token").fails("project.get", json!({}), "UNAUTHORIZED");
    assert!(matches!(admin.clone().try_token("ana-tokem"), Err(Rejected::Refused(_))));
    admin.fails("project.get", json!({}), "UNAUTHORIZED");
    // A call with a token acts for the token's user, not for those in the settings.
    let both = Identity { tokens, ..crate::instance::identity(fixture) };
    let editor = instance.user_with_identity(both, &fixture.editor);
    editor.ok("project.get", json!({}));
    editor.with_token("will-token").fails("project.get", json!({}), "UNAUTHORIZED");
    // Where the settings name a tenant, no token leads to another.
    let other = instance.create_tenant("Other Studio");
    let tokens: BTreeMap<String, String> = [("olga-token".to_owned(), other.admin.clone())].into();
    let there =
        json!({"tenantId": other.tenant, "userId": other.admin, "projectId": other.project});
    for (tenant, is_let_in) in
        [(None, true), (Some(&other.name), true), (Some(&fixture.name), false)]
    {
        let identity =
            Identity { tenant: tenant.cloned(), tokens: tokens.clone(), ..Identity::default() };
        let olga = instance.user_with_identity(identity, &other.admin).with_token("olga-token");
        let reply = olga.call("project.get", &there);
        assert_eq!(!reply.is_error, is_let_in, "{tenant:?}: {}", reply.body);
    }
}

fn nobody_is_served_without_a_setup(instance: &Instance) {
    let fixture = &instance.fixture;
    for (identity, setting) in [
        (Identity::default(), "identity.users"),
        (
            Identity { tenant: Some(fixture.tenant.clone()), ..Identity::default() },
            "identity.users",
        ),
        (Identity { users: fixture.users(), ..Identity::default() }, "identity.tenant"),
    ] {
        let user = instance.user_with_identity(identity, &fixture.admin);
        for (tool, arguments) in [
            ("project.get", json!({})),
            ("project.create", json!({"title": "x"})),
            ("entity.search", json!({})),
            ("export.storyBible", json!({})),
        ] {
            let refused = user.fails(tool, arguments, "UNAUTHORIZED");
            assert_eq!(refused["details"]["setting"], setting, "{refused}");
        }
    }
    // So does the program, and it says what to set.
    let mut session = instance.session_of(instance.bare.command(&["mcp"]));
    let refused = session.call("project.get", &json!({})).body;
    assert_eq!(refused["code"], "UNAUTHORIZED", "{refused}");
    assert_eq!(
        refused["message"],
        "this server acts for nobody until its setting `identity.users` is set \
         (`WORLDFORGE_USERS` or `--users`)"
    );
    let mut command = instance.bare.command(&["mcp"]);
    command.env("WORLDFORGE_USERS", &fixture.admin);
    let refused = instance.session_of(command).call("project.get", &json!({})).body;
    assert_eq!(refused["details"]["setting"], "identity.tenant", "{refused}");
}

fn a_server_that_only_reads_refuses_writes(instance: &Instance) {
    let admin = instance.admin();
    let (ana, node) = (admin.entity("CHARACTER", "Ana"), admin.scene("Low tide", 1));
    let before = instance.store_contents();
    let reader = instance.user_on_other_server(
        &instance.fixture.admin,
        EngineOptions { read_only: true, ..EngineOptions::default() },
    );
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
    assert_eq!(instance.store_contents(), before);
}

#[test]
fn only_known_tokens_come_in_over_http() {
    let instance = Instance::sqlite();
    let fixture = instance.fixture.clone();
    let other = instance.create_tenant("Other Studio");
    let server = instance.serve(&[("ana-token", &fixture.admin), ("olga-token", &other.admin)]);
    let arguments = instance.admin().with_scope("project.get", &json!({}));
    for token in [None, Some("bad"), Some(""), Some("ana-token ana-token")] {
        let response = server.connect().send_call(token, "project.get", &arguments);
        assert_eq!(response.status, 401, "{token:?}: {response:?}");
        assert!(response.header("www-authenticate").is_some(), "{response:?}");
    }
    let reply = server.connect().call(Some("ana-token"), "project.get", &arguments);
    assert_eq!(reply.body["project"]["_id"], json!(fixture.project), "{}", reply.body);
    // Another's id with one's own token.
    for (token, tenant, user) in [
        ("ana-token", &fixture.tenant, &fixture.writer),
        ("ana-token", &other.tenant, &other.admin),
        ("ana-token", &other.tenant, &fixture.admin),
        ("olga-token", &fixture.tenant, &fixture.admin),
        ("olga-token", &fixture.tenant, &other.admin),
    ] {
        let arguments = json!({"tenantId": tenant, "userId": user, "projectId": fixture.project});
        let reply = server.connect().call(Some(token), "project.get", &arguments);
        assert_eq!(reply.body["code"], "UNAUTHORIZED", "{}", reply.body);
    }
    assert_eq!(server.status("/healthz"), 200);
    // Tokens and users do not show up in the log.
    assert!(!server.log().contains("ana-token"), "{}", server.log());
}

#[test]
fn tokens_are_the_only_way_in_over_http() {
    let instance = Instance::sqlite();
    let server = HttpServer::spawn(instance.command(&["mcp"]));
    let arguments = instance.admin().with_scope("project.get", &json!({}));
    let response = server.connect().send_call(None, "project.get", &arguments);
    assert_eq!(response.status, 401, "{response:?}");
}
