//! The command line: operator commands, a tool command for every tool, exit statuses.

use serde_json::{Value, json};

use crate::instance::{Instance, list, on_both, text};
use toolwright_testing::{Finished, run};

on_both! {
    tenants_users_and_projects_are_created_and_listed
    the_story_is_drawn_in_three_formats
    every_tool_has_a_tool_command
    the_sample_world_can_be_registered
    tools_answer_to_both_spellings
    shells_complete_existing_ids
}

fn json_of(ran: Finished) -> Value {
    ran.ok().json()
}

fn tenants_users_and_projects_are_created_and_listed(instance: &Instance) {
    let tenant = instance.run(&["tenant", "create", "Second Studio"]).into_line();
    let listed = json_of(instance.run(&["tenant", "list", "--json"]));
    let names: Vec<String> = list(&listed).iter().map(|one| text(&one["name"])).collect();
    assert_eq!(names, ["Harbour Studio", "Second Studio"]);
    assert!(instance.run(&["tenant", "list"]).ok().stdout.contains(&tenant));
    let add = [
        "user",
        "add",
        "--in",
        "Second Studio",
        "Zoe@Example.org",
        "--role",
        "WRITER",
        "--role",
        "EDITOR",
    ];
    let zoe = instance.run(&add).into_line();
    let listed = json_of(instance.run(&["user", "list", "--json", "--in", &tenant]));
    assert_eq!(listed[0]["id"], json!(zoe));
    assert_eq!(
        (&listed[0]["email"], &listed[0]["roles"]),
        (&json!("zoe@example.org"), &json!(["WRITER", "EDITOR"]))
    );
    assert_eq!(json_of(instance.run(&["project", "list", "--json", "--in", &tenant])), json!([]));
    let projects = json_of(instance.run(&["project", "list", "--json", "--in", "Harbour Studio"]));
    assert_eq!(projects[0]["title"], "Salt Road");

    let before = instance.store_contents();
    for (arguments, status, word) in [
        // Taken, unknown, and missing.
        (&["tenant", "create", "Second Studio"][..], 1, "already"),
        (
            &["user", "add", "--in", "Second Studio", "zoe@example.org", "--role", "ADMIN"],
            1,
            "already",
        ),
        (&["user", "list", "--in", "No Studio"], 1, "tenant does not exist"),
        (&["project", "list"], 2, "--in"),
        (&["tenant", "create", "  "], 2, "blank"),
        (&["user", "add", "--in", "Second Studio", "x@example.org", "--role", "CLOWN"], 2, "CLOWN"),
        (&["user", "add", "--in", "Second Studio", "x@example.org"], 2, "--role"),
        (&["export", "--in", "Harbour Studio", "No Road"], 1, "project does not exist"),
        (
            &["history", "--in", "Harbour Studio", "Salt Road", "d0000000000000000000000f"],
            1,
            "does not exist",
        ),
        (&["history", "--in", "Harbour Studio", "Salt Road", "--number", "2"], 2, "ID"),
        (&["export", "--in", "Harbour Studio", "Salt Road", "--chapter", "x"], 2, "--prompts"),
        (&["graph", "--in", "Harbour Studio", "Salt Road", "--format", "png"], 2, "png"),
        (&["tenant"], 2, "Usage"),
        (&["nonsense"], 2, "nonsense"),
    ] {
        let ran = instance.run(arguments);
        assert_eq!((ran.code, ran.stdout.as_str()), (status, ""), "{arguments:?}: {ran:?}");
        assert!(ran.stderr.contains(word), "{arguments:?}: {ran:?}");
        assert!(!ran.stderr.contains("constraint failed"), "{arguments:?}: {ran:?}");
    }
    assert_eq!(instance.store_contents(), before);
    // What happened in a project.
    let ana = instance.writer().entity("CHARACTER", "Ana");
    let events =
        json_of(instance.run(&["history", "--json", "--in", "Harbour Studio", "Salt Road"]));
    let reply: Vec<(String, String)> =
        list(&events).iter().map(|one| (text(&one["action"]), text(&one["user"]))).collect();
    assert_eq!(reply[0], ("entity.upsert".to_owned(), instance.fixture.writer.clone()));
    assert_eq!(events[0]["object"], json!(ana));
    assert_eq!(reply.last().unwrap().0, "project.create");
}

fn the_story_is_drawn_in_three_formats(instance: &Instance) {
    let writer = instance.writer();
    let bento = writer.entity("CHARACTER", "Bento");
    let hostile = "<script>alert(1)</script> \"quoted\" ]]> -->";
    let dies = writer.node(json!({"nodeType": "SCENE", "title": hostile, "time": {"order": 1},
        "worldStateDelta": [{"key": format!("character.{bento}.alive"), "op": "SET", "value": false}]}));
    let acts = writer.node(json!({"nodeType": "SCENE", "title": "Ashore", "time": {"order": 2},
        "participants": [{"entityId": bento, "role": "PROTAGONIST"}]}));
    writer.edge(&dies, &acts, "LINEAR");
    let draw = |format: &str| instance.run(&["graph", "--format", format, "Salt Road"]).ok().stdout;
    let dot = draw("dot");
    assert!(dot.starts_with("digraph") && dot.contains("Ashore") && dot.contains("->"), "{dot}");
    let mermaid = draw("mermaid");
    assert!(mermaid.starts_with("flowchart") && mermaid.contains("Ashore"), "{mermaid}");
    assert_eq!(instance.run(&["graph", "Salt Road"]).ok().stdout, mermaid, "it is the default");
    let html = draw("html");
    assert!(html.to_lowercase().starts_with("<!doctype html") && html.contains("<svg"), "{html}");
    assert!(!html.contains("<script>alert"), "titles are words");
    for picture in [&dot, &mermaid, &html] {
        assert!(picture.contains("1 error"), "findings are marked: {picture}");
    }
    assert!(html.contains("CHAR_DEAD_ACTIVE") && mermaid.contains("class n1 error"));
    assert_eq!(draw("html"), html, "the same story gives the same picture");
}

fn every_tool_has_a_tool_command(instance: &Instance) {
    let who = json!({"tenantId": instance.fixture.tenant, "userId": instance.fixture.admin});
    let (entity, scene) =
        (instance.admin().entity("CHARACTER", "Ana"), instance.admin().scene("Low tide", 1));
    let in_project = |more: Value| {
        let mut all = who.clone();
        all["projectId"] = json!(instance.fixture.project);
        for (name, value) in more.as_object().unwrap() {
            all[name] = value.clone();
        }
        all
    };
    for (tool, arguments) in [
        ("project.get", in_project(json!({}))),
        ("entity.get", in_project(json!({"entityId": entity}))),
        ("entity.search", in_project(json!({"query": "an"}))),
        ("storyNode.get", in_project(json!({"nodeId": scene}))),
        ("storyGraph.get", in_project(json!({}))),
        ("continuity.check", in_project(json!({"nodeId": scene}))),
        ("entity.get", in_project(json!({"entityId": scene}))),
        ("project.get", in_project(json!({"userId": entity}))),
        ("entity.search", in_project(json!({"limit": 0}))),
    ] {
        let info =
            worldforge::generated::SURFACE.tools.iter().find(|info| info.name == tool).unwrap();
        let text = arguments.to_string();
        let words: Vec<&str> =
            info.command.iter().copied().chain(["--json", "--json-args", &text]).collect();
        let ran = instance.run(&words);
        let reply = instance.admin().call_raw(tool, &text);
        let expected = match reply.body["code"].as_str() {
            None => 0,
            Some("VALIDATION_ERROR") => 2,
            Some(_) => 1,
        };
        assert_eq!(ran.code, expected, "{tool}: {ran:?}");
        assert_eq!(serde_json::from_str::<Value>(&ran.stdout).unwrap(), reply.body, "{tool}");
    }
    // With flags.
    let fixture = &instance.fixture;
    let ran = instance.run(&[
        "call",
        "entity-get",
        "--json",
        "--tenant-id",
        &fixture.tenant,
        "--user-id",
        &fixture.editor,
        "--project-id",
        &fixture.project,
        "--entity-id",
        &entity,
    ]);
    assert_eq!(json_of(ran)["entity"]["name"], "Ana");
    // The command line grants no trust by itself: the settings define whom tools act for.
    let text = in_project(json!({})).to_string();
    let ran = run(instance.bare.command(&["call", "project-get", "--json", "--json-args", &text]));
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stdout.contains("UNAUTHORIZED"), "{ran:?}");
}

fn the_sample_world_can_be_registered(instance: &Instance) {
    let ran = instance.run(&["demo"]);
    let out = ran.ok().stdout;
    let value = |name: &str| {
        let line = out.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.unwrap_or_else(|| panic!("{name} is not in {out}")).to_owned()
    };
    let (tenant, users) = (value("WORLDFORGE_TENANT"), value("WORLDFORGE_USERS"));
    let project = out.split_whitespace().skip_while(|word| *word != "projectId").nth(1).unwrap();
    // As printed.
    let mut command = instance.bare.command(&["mcp"]);
    command.env("WORLDFORGE_TENANT", &tenant).env("WORLDFORGE_USERS", &users);
    let mut session = instance.session_of(command);
    let admin = users.split(',').next().unwrap();
    let graph = session
        .ok("storyGraph.get", json!({"tenantId": tenant, "userId": admin, "projectId": project}));
    assert!(list(&graph["nodes"]).len() > 10 && list(&graph["edges"]).len() > 10);
    assert_eq!(users.split(',').count(), 3);
    // Once more under another name; the same name is taken.
    let again = instance.run(&["demo"]);
    assert_eq!(again.code, 1, "{again:?}");
    let other = instance.run(&["demo", "--tenant-name", "Another"]).ok().stdout;
    assert!(!other.contains(&tenant));
    // Out and in again.
    let out = instance.run(&["export", "--in", "Demo Studio", project]).ok().stdout;
    std::fs::write(instance.path("demo.json"), &out).unwrap();
    let copy = instance.run(&["import", "--in", "Harbour Studio", "demo.json"]).into_line();
    let copied = json_of(instance.run(&["export", "--in", "Harbour Studio", &copy]));
    assert_eq!(copied["contentHash"], serde_json::from_str::<Value>(&out).unwrap()["contentHash"]);
    assert!(
        instance.run(&["graph", "--in", "Demo Studio", project]).ok().stdout.contains("flowchart")
    );
}

fn tools_answer_to_both_spellings(instance: &Instance) {
    for (setting, dotted) in [("canonical", true), ("portable", false)] {
        let mut session = instance.session_of(instance.command(&["mcp", "--tool-names", setting]));
        let tools = session.tools();
        assert_eq!(tools.len(), 16);
        let mut names: Vec<String> = tools.iter().map(|tool| text(&tool["name"])).collect();
        assert!(names.iter().all(|name| name.contains('.') == dotted), "{names:?}");
        names.iter_mut().for_each(|name| *name = name.replace('.', "_"));
        assert!(names.contains(&"storyGraph_get".to_owned()), "{names:?}");
        assert_eq!(session.ok("project.get", json!({})), session.ok("project_get", json!({})));
    }
}

fn shells_complete_existing_ids(instance: &Instance) {
    let offered = |flag: &str| {
        let words = ["--", "worldforge", "call", "project-get", flag, ""];
        let mut command = instance.bare.command(&words);
        command.env("TOOLWRIGHT_COMPLETE", "fish");
        run(command).ok().stdout
    };
    let projects = json_of(instance.run(&["project", "list", "--json", "--in", "Harbour Studio"]));
    let project = format!("{}\tSalt Road", text(&projects[0]["id"]));
    assert!(offered("--project-id").lines().any(|line| line == project), "{project}");
    let tenant = format!("{}\tHarbour Studio", instance.fixture.tenant);
    assert!(offered("--tenant-id").lines().any(|line| line == tenant), "{tenant}");
}
