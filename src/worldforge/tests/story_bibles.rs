//! Story bibles: a round trip preserves the content, edited bibles are recognized, broken ones are
//! refused as a whole.

use serde_json::{Value, json};
use worldforge::engine::{Actor, EngineError};

use crate::instance::{Instance, TestTenant, list, on_both, text, without_transactions};
use crate::random_worlds::build;
use toolwright_testing::random::Random;
use toolwright_testing::run_reading;

on_both! {
    an_imported_world_has_the_same_content_hash
    the_command_line_does_the_same
    an_edited_bible_is_reported
    a_broken_bible_is_refused_with_all_problems
    prompts_are_exported_by_chapter
}
without_transactions! { an_imported_world_has_the_same_content_hash }

fn bible(instance: &Instance) -> Value {
    instance.admin().ok("export.storyBible", json!({}))["json"].clone()
}

fn importer(fixture: &TestTenant) -> Actor {
    Actor {
        tenant: fixture.tenant.clone(),
        user: fixture.admin.clone(),
        action: "import".to_owned(),
    }
}

fn an_imported_world_has_the_same_content_hash(instance: &Instance) {
    let random = &mut Random::seeded();
    build(&instance.admin(), random, "origin");
    let exported = bible(instance);
    assert_eq!(exported["format"], "worldforge.storyBible");
    assert!(!list(&exported["versions"]).is_empty());
    // Exporting again gives the same, except for the time.
    let mut again = bible(instance);
    again["exportedAt"] = exported["exportedAt"].clone();
    assert_eq!(again, exported);

    let other = instance.create_tenant("Empty Studio");
    let (project, unchanged) = instance.engine.import(&importer(&other), &exported).unwrap();
    assert!(unchanged);
    let there = instance.user_of(&other, &other.admin).in_project(&project.id);
    let imported = there.ok("export.storyBible", json!({}))["json"].clone();
    assert_eq!(imported["contentHash"], exported["contentHash"]);
    assert_eq!(imported["stats"], exported["stats"]);
    for part in ["entities", "storyNodes", "storyEdges", "versions", "relationships"] {
        assert_eq!(list(&imported[part]).len(), list(&exported[part]).len(), "{part}");
    }
    // Nothing of the old tenant came along, and the old world stays what it was.
    for id in [&instance.fixture.tenant, &instance.fixture.project, &instance.fixture.admin] {
        assert!(!imported.to_string().contains(id.as_str()), "{id}");
    }
    for entity in list(&exported["entities"]) {
        assert!(!imported.to_string().contains(&text(&entity["_id"])));
    }
    assert_eq!(bible(instance)["contentHash"], exported["contentHash"]);
    // It behaves the same: every node has the same findings.
    let codes = |user: &crate::user::TestUser, bible: &Value| -> Vec<Vec<Value>> {
        let check = |node: &Value| {
            let issues =
                user.ok("continuity.check", json!({"nodeId": node["_id"]}))["issues"].clone();
            list(&issues)
                .iter()
                .map(|issue| json!([issue["code"], issue["severity"], issue["message"]]))
                .collect()
        };
        list(&bible["storyNodes"]).iter().map(check).collect()
    };
    assert_eq!(codes(&instance.admin(), &exported), codes(&there, &imported));
    // And once more around.
    let third = instance.create_tenant("Third Studio");
    let (project, unchanged) = instance.engine.import(&importer(&third), &imported).unwrap();
    assert!(unchanged);
    let there = instance.user_of(&third, &third.admin).in_project(&project.id);
    let imported = there.ok("export.storyBible", json!({}))["json"].clone();
    assert_eq!(imported["contentHash"], exported["contentHash"]);
    // A change of content is a change of the hash.
    there.ok("storyNode.create", json!({"node": {"nodeType": "BEAT", "title": "A gull"}}));
    let changed = there.ok("export.storyBible", json!({}))["json"].clone();
    assert_ne!(changed["contentHash"], exported["contentHash"]);
}

fn the_command_line_does_the_same(instance: &Instance) {
    build(&instance.admin(), &mut Random::seeded(), "origin");
    let name = instance.fixture.name.as_str();
    let out = instance.run(&["export", "--in", name, "Salt Road"]).ok().stdout;
    let exported: Value = serde_json::from_str(&out).unwrap();
    let mut reply = bible(instance);
    reply["exportedAt"] = exported["exportedAt"].clone();
    assert_eq!(exported, reply, "the same as by the tool");
    std::fs::write(instance.path("bible.json"), &out).unwrap();
    instance.create_tenant("Empty Studio");
    let project = instance.run(&["import", "--in", "Empty Studio", "bible.json"]).into_line();
    let again = instance.run(&["export", "--in", "Empty Studio", &project]).ok().stdout;
    let again: Value = serde_json::from_str(&again).unwrap();
    assert_eq!(again["contentHash"], exported["contentHash"]);
    // From standard input, as another user.
    let command =
        instance.command(&["import", "--in", "Empty Studio", "--as", "will@example.org", "-"]);
    let ran = run_reading(command, std::fs::File::open(instance.path("bible.json")).unwrap());
    assert!(ran.stderr.is_empty(), "{ran:?}");
    assert_ne!(ran.into_line(), project);
}

fn an_edited_bible_is_reported(instance: &Instance) {
    build(&instance.admin(), &mut Random::seeded(), "origin");
    let mut edited = bible(instance);
    edited["storyNodes"][0]["title"] = json!("Another title");
    std::fs::write(instance.path("edited.json"), edited.to_string()).unwrap();
    let ran = instance.run(&["import", "--in", &instance.fixture.name, "edited.json"]);
    assert!(ran.stderr.contains("edited after its export"), "{ran:?}");
    let project = ran.into_line();
    let there = instance.admin().in_project(&project);
    let graph = there.ok("storyGraph.get", json!({})).to_string();
    assert!(graph.contains("Another title"));
}

fn a_broken_bible_is_refused_with_all_problems(instance: &Instance) {
    build(&instance.admin(), &mut Random::seeded(), "origin");
    let good = bible(instance);
    let before = instance.store_contents();
    let refused = |bible: &Value| -> Vec<String> {
        match instance.engine.import(&importer(&instance.fixture), bible) {
            Err(EngineError::Invalid(problems)) => {
                problems.into_iter().map(|one| one.pointer).collect()
            }
            other => panic!("{other:?}"),
        }
    };
    let mut broken = good.clone();
    broken["storyEdges"][0]["toNodeId"] = json!("e0000000000000000000000f");
    broken["storyEdges"][1]["fromNodeId"] = json!(7);
    broken["entities"][2]["_id"] = json!("short");
    broken["entities"][1]["_id"] = broken["entities"][0]["_id"].clone();
    let mut double = broken["storyEdges"][2].clone();
    double["_id"] = json!("f0000000000000000000000f");
    broken["storyEdges"].as_array_mut().unwrap().push(double);
    let last = format!("/storyEdges/{}", list(&broken["storyEdges"]).len() - 1);
    let pointers = refused(&broken);
    for pointer in [
        "/storyEdges/0/toNodeId",
        "/storyEdges/1/fromNodeId",
        "/entities/1/_id",
        "/entities/2/_id",
        &last,
    ] {
        assert!(pointers.contains(&pointer.to_owned()), "{pointer} is not in {pointers:?}");
    }
    let mut broken = good.clone();
    broken["entities"][0]["type"] = json!("GHOST");
    broken["storyNodes"][1]["time"]["order"] = json!(-1);
    broken["storyNodes"][2]["title"] = json!("  ");
    let pointers = refused(&broken);
    for start in ["/entities/0", "/storyNodes/1", "/storyNodes/2/title"] {
        assert!(pointers.iter().any(|pointer| pointer.starts_with(start)), "{start}: {pointers:?}");
    }
    for (broken, pointer) in [
        (json!({}), "/format"),
        (json!([]), "/format"),
        (json!({"format": "worldforge.storyBible", "formatVersion": 99}), "/formatVersion"),
        (json!({"format": "worldforge.storyBible", "formatVersion": 1}), "/project"),
    ] {
        assert!(refused(&broken).contains(&pointer.to_owned()), "{broken}");
    }
    assert_eq!(instance.store_contents(), before, "nothing was written");
    // At the command line, too, with every problem in a line and the status of bad input.
    std::fs::write(instance.path("broken.json"), broken.to_string()).unwrap();
    let ran = instance.run(&["import", "--in", &instance.fixture.name, "broken.json"]);
    assert_eq!(ran.code, 2, "{ran:?}");
    assert!(ran.stderr.contains("/storyNodes/1") && ran.stderr.contains("/entities/0"), "{ran:?}");
    std::fs::write(instance.path("text.json"), "{no json").unwrap();
    for file in ["text.json", "nowhere.json", "."] {
        let ran = instance.run(&["import", "--in", &instance.fixture.name, file]);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{file}: {ran:?}");
    }
    assert_eq!(instance.store_contents(), before, "nothing was written");
}

fn prompts_are_exported_by_chapter(instance: &Instance) {
    let admin = instance.admin();
    let node = |kind: &str, title: &str, order: u64| {
        admin.node(json!({"nodeType": kind, "title": title, "time": {"order": order}}))
    };
    let (one, a, b) = (node("CHAPTER", "One", 1), node("SCENE", "A", 2), node("SCENE", "B", 3));
    let (two, c) = (node("CHAPTER", "Two", 4), node("SCENE", "C", 5));
    let pack = admin.ok("prompt.compose", json!({"nodeId": a}))["promptPack"].clone();
    admin.ok("prompt.compose", json!({"nodeId": c}));
    let all = admin.ok("export.shotPromptPack", json!({}))["json"].clone();
    let chapters: Vec<&Value> =
        list(&all["chapters"]).iter().map(|one| &one["chapterNodeId"]).collect();
    assert_eq!(chapters, [&json!(one), &json!(two)]);
    assert_eq!(all["chapters"][0]["scenes"][0]["promptPack"]["inputHash"], pack["inputHash"]);
    assert_eq!(all["missing"], json!([b]));
    let only = admin.ok("export.shotPromptPack", json!({"chapterNodeId": two}))["json"].clone();
    assert_eq!(list(&only["chapters"]).len(), 1);
    assert_eq!(only["missing"], json!([]));
    let refused =
        admin.fails("export.shotPromptPack", json!({"chapterNodeId": a}), "VALIDATION_ERROR");
    assert_eq!(crate::user::pointers(&refused), ["/chapterNodeId"]);
    // The latest pack counts.
    admin.ok("storyNode.update", json!({"nodeId": a, "patch": {"synopsis": "Fog."}}));
    let later = admin.ok("prompt.compose", json!({"nodeId": a}))["promptPack"].clone();
    assert_ne!(later["inputHash"], pack["inputHash"]);
    let all = admin.ok("export.shotPromptPack", json!({}))["json"].clone();
    assert_eq!(all["chapters"][0]["scenes"][0]["promptPack"]["inputHash"], later["inputHash"]);
}
