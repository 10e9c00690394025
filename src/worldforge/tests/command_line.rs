//! The command line: what people make and look at, a twin of every tool, exit statuses.

use serde_json::{Value, json};

use crate::harness::{Stage, list, on_both, text};
use crate::program::Ran;

on_both! {
    tenants_users_and_projects_are_made_and_listed
    the_story_is_drawn_in_three_formats
    every_tool_has_a_twin
    the_sample_world_can_be_registered
    tools_answer_to_both_spellings
    shells_are_offered_the_ids_that_there_are
}

fn json_of(ran: Ran) -> Value {
    serde_json::from_str(&ran.good()).expect("JSON")
}

fn tenants_users_and_projects_are_made_and_listed(stage: &Stage) {
    let tenant = stage.ran(&["tenant", "create", "Second Studio"]).line();
    let listed = json_of(stage.ran(&["tenant", "list", "--json"]));
    let names: Vec<String> = list(&listed).iter().map(|one| text(&one["name"])).collect();
    assert_eq!(names, ["Harbour Studio", "Second Studio"]);
    assert!(stage.ran(&["tenant", "list"]).good().contains(&tenant));
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
    let zoe = stage.ran(&add).line();
    let listed = json_of(stage.ran(&["user", "list", "--json", "--in", &tenant]));
    assert_eq!(listed[0]["id"], json!(zoe));
    assert_eq!(
        (&listed[0]["email"], &listed[0]["roles"]),
        (&json!("zoe@example.org"), &json!(["WRITER", "EDITOR"]))
    );
    assert_eq!(json_of(stage.ran(&["project", "list", "--json", "--in", &tenant])), json!([]));
    let projects = json_of(stage.ran(&["project", "list", "--json", "--in", "Harbour Studio"]));
    assert_eq!(projects[0]["title"], "Salt Road");

    let before = stage.picture();
    for (arguments, status, word) in [
        // Taken, unknown, and not said.
        (&["tenant", "create", "Second Studio"][..], 1, "already"),
        (
            &["user", "add", "--in", "Second Studio", "zoe@example.org", "--role", "ADMIN"],
            1,
            "already",
        ),
        (&["user", "list", "--in", "No Studio"], 1, "no such tenant"),
        (&["project", "list"], 2, "--in"),
        (&["tenant", "create", "  "], 2, "blank"),
        (&["user", "add", "--in", "Second Studio", "x@example.org", "--role", "CLOWN"], 2, "CLOWN"),
        (&["user", "add", "--in", "Second Studio", "x@example.org"], 2, "--role"),
        (&["export", "--in", "Harbour Studio", "No Road"], 1, "no such project"),
        (
            &["history", "--in", "Harbour Studio", "Salt Road", "d0000000000000000000000f"],
            1,
            "no such",
        ),
        (&["history", "--in", "Harbour Studio", "Salt Road", "--number", "2"], 2, "ID"),
        (&["export", "--in", "Harbour Studio", "Salt Road", "--chapter", "x"], 2, "--prompts"),
        (&["graph", "--in", "Harbour Studio", "Salt Road", "--format", "png"], 2, "png"),
        (&["tenant"], 2, "Usage"),
        (&["nonsense"], 2, "nonsense"),
    ] {
        let ran = stage.ran(arguments);
        assert_eq!((ran.status, ran.out.as_str()), (status, ""), "{arguments:?}: {ran:?}");
        assert!(ran.talk.contains(word), "{arguments:?}: {ran:?}");
        assert!(!ran.talk.contains("constraint failed"), "{arguments:?}: {ran:?}");
    }
    assert_eq!(stage.picture(), before);
    // What happened in a project.
    let ana = stage.writer().entity("CHARACTER", "Ana");
    let events = json_of(stage.ran(&["history", "--json", "--in", "Harbour Studio", "Salt Road"]));
    let told: Vec<(String, String)> =
        list(&events).iter().map(|one| (text(&one["action"]), text(&one["user"]))).collect();
    assert_eq!(told[0], ("entity.upsert".to_owned(), stage.home.writer.clone()));
    assert_eq!(events[0]["object"], json!(ana));
    assert_eq!(told.last().unwrap().0, "project.create");
}

fn the_story_is_drawn_in_three_formats(stage: &Stage) {
    let writer = stage.writer();
    let bento = writer.entity("CHARACTER", "Bento");
    let hostile = "<script>alert(1)</script> \"quoted\" ]]> -->";
    let dies = writer.node(json!({"nodeType": "SCENE", "title": hostile, "time": {"order": 1},
        "worldStateDelta": [{"key": format!("character.{bento}.alive"), "op": "SET", "value": false}]}));
    let acts = writer.node(json!({"nodeType": "SCENE", "title": "Ashore", "time": {"order": 2},
        "participants": [{"entityId": bento, "role": "PROTAGONIST"}]}));
    writer.edge(&dies, &acts, "LINEAR");
    let draw = |format: &str| stage.ran(&["graph", "--format", format, "Salt Road"]).good();
    let dot = draw("dot");
    assert!(dot.starts_with("digraph") && dot.contains("Ashore") && dot.contains("->"), "{dot}");
    let mermaid = draw("mermaid");
    assert!(mermaid.starts_with("flowchart") && mermaid.contains("Ashore"), "{mermaid}");
    assert_eq!(stage.ran(&["graph", "Salt Road"]).good(), mermaid, "it is the default");
    let html = draw("html");
    assert!(html.to_lowercase().starts_with("<!doctype html") && html.contains("<svg"), "{html}");
    assert!(!html.contains("<script>alert"), "titles are words");
    for picture in [&dot, &mermaid, &html] {
        assert!(picture.contains("1 error"), "findings are marked: {picture}");
    }
    assert!(html.contains("CHAR_DEAD_ACTIVE") && mermaid.contains("class n1 error"));
    assert_eq!(draw("html"), html, "the same story gives the same picture");
}

fn every_tool_has_a_twin(stage: &Stage) {
    let who = json!({"tenantId": stage.home.tenant, "userId": stage.home.admin});
    let (entity, scene) =
        (stage.admin().entity("CHARACTER", "Ana"), stage.admin().scene("Low tide", 1));
    let within = |more: Value| {
        let mut all = who.clone();
        all["projectId"] = json!(stage.home.project);
        for (name, value) in more.as_object().unwrap() {
            all[name] = value.clone();
        }
        all
    };
    for (tool, arguments) in [
        ("project.get", within(json!({}))),
        ("entity.get", within(json!({"entityId": entity}))),
        ("entity.search", within(json!({"query": "an"}))),
        ("storyNode.get", within(json!({"nodeId": scene}))),
        ("storyGraph.get", within(json!({}))),
        ("continuity.check", within(json!({"nodeId": scene}))),
        ("entity.get", within(json!({"entityId": scene}))),
        ("project.get", within(json!({"userId": entity}))),
        ("entity.search", within(json!({"limit": 0}))),
    ] {
        let info =
            worldforge::generated::SURFACE.tools.iter().find(|info| info.name == tool).unwrap();
        let text = arguments.to_string();
        let words: Vec<&str> =
            info.command.iter().copied().chain(["--json", "--json-args", &text]).collect();
        let ran = stage.ran(&words);
        let told = stage.admin().call_raw(tool, &text);
        let expected = match told.body()["code"].as_str() {
            None => 0,
            Some("VALIDATION_ERROR") => 2,
            Some(_) => 1,
        };
        assert_eq!(ran.status, expected, "{tool}: {ran:?}");
        assert_eq!(serde_json::from_str::<Value>(&ran.out).unwrap(), told.body(), "{tool}");
    }
    // With flags.
    let home = &stage.home;
    let ran = stage.ran(&[
        "call",
        "entity-get",
        "--json",
        "--tenant-id",
        &home.tenant,
        "--user-id",
        &home.editor,
        "--project-id",
        &home.project,
        "--entity-id",
        &entity,
    ]);
    assert_eq!(json_of(ran)["entity"]["name"], "Ana");
    // Nobody is trusted because of sitting there: the settings say for whom tools act.
    let text = within(json!({})).to_string();
    let ran = Ran::of(stage.bare(&["call", "project-get", "--json", "--json-args", &text]));
    assert_eq!(ran.status, 1, "{ran:?}");
    assert!(ran.out.contains("UNAUTHORIZED"), "{ran:?}");
}

fn the_sample_world_can_be_registered(stage: &Stage) {
    let ran = stage.ran(&["demo"]);
    let out = ran.good();
    let value = |name: &str| {
        let line = out.lines().find_map(|line| line.strip_prefix(&format!("{name}=")));
        line.unwrap_or_else(|| panic!("{name} is not in {out}")).to_owned()
    };
    let (tenant, users) = (value("WORLDFORGE_TENANT"), value("WORLDFORGE_USERS"));
    let project = out.split_whitespace().skip_while(|word| *word != "projectId").nth(1).unwrap();
    // As printed.
    let mut command = stage.bare(&["mcp"]);
    command.env("WORLDFORGE_TENANT", &tenant).env("WORLDFORGE_USERS", &users);
    let mut session = stage.session_of(command);
    let admin = users.split(',').next().unwrap();
    let graph = session
        .ok("storyGraph.get", json!({"tenantId": tenant, "userId": admin, "projectId": project}));
    assert!(list(&graph["nodes"]).len() > 10 && list(&graph["edges"]).len() > 10);
    assert_eq!(users.split(',').count(), 3);
    // Once more under another name; the same name is taken.
    let again = stage.ran(&["demo"]);
    assert_eq!(again.status, 1, "{again:?}");
    let other = stage.ran(&["demo", "--tenant-name", "Another"]).good();
    assert!(!other.contains(&tenant));
    // Out and in again.
    let out = stage.ran(&["export", "--in", "Demo Studio", project]).good();
    std::fs::write(stage.path("demo.json"), &out).unwrap();
    let copy = stage.ran(&["import", "--in", "Harbour Studio", "demo.json"]).line();
    let copied = json_of(stage.ran(&["export", "--in", "Harbour Studio", &copy]));
    assert_eq!(copied["contentHash"], serde_json::from_str::<Value>(&out).unwrap()["contentHash"]);
    assert!(stage.ran(&["graph", "--in", "Demo Studio", project]).good().contains("flowchart"));
}

fn tools_answer_to_both_spellings(stage: &Stage) {
    for (setting, dotted) in [("canonical", true), ("portable", false)] {
        let mut session = stage.session_of(stage.worldforge(&["mcp", "--tool-names", setting]));
        let tools = session.client.tools().unwrap();
        assert_eq!(tools.len(), 16);
        let mut names: Vec<String> = tools.iter().map(|tool| text(&tool["name"])).collect();
        assert!(names.iter().all(|name| name.contains('.') == dotted), "{names:?}");
        names.iter_mut().for_each(|name| *name = name.replace('.', "_"));
        assert!(names.contains(&"storyGraph_get".to_owned()), "{names:?}");
        assert_eq!(session.ok("project.get", json!({})), session.ok("project_get", json!({})));
    }
}

fn shells_are_offered_the_ids_that_there_are(stage: &Stage) {
    let offered = |flag: &str| {
        let words = ["--", "worldforge", "call", "project-get", flag, ""];
        let output =
            stage.bare(&words).env("TOOLWRIGHT_COMPLETE", "fish").output().expect("it runs");
        String::from_utf8(output.stdout).expect("text")
    };
    let projects = json_of(stage.ran(&["project", "list", "--json", "--in", "Harbour Studio"]));
    let project = format!("{}\tSalt Road", text(&projects[0]["id"]));
    assert!(offered("--project-id").lines().any(|line| line == project), "{project}");
    let tenant = format!("{}\tHarbour Studio", stage.home.tenant);
    assert!(offered("--tenant-id").lines().any(|line| line == tenant), "{tenant}");
}
