//! Arguments with one random defect: every answer is one that the contract declares, never an internal
//! error, and refused calls write nothing.

use serde_json::{Value, json};

use crate::instance::{Instance, on_both};
use crate::random_worlds::{RandomWorld, build, entity, node};
use crate::user::TestUser;
use toolwright_testing::random::Random;

on_both! { nothing_is_a_defect_and_nothing_is_half_written }

const ROUNDS: usize = 300;

/// A call that may well work.
fn call(random: &mut Random, made: &RandomWorld) -> (&'static str, Value) {
    let (who, kind) = random.pick(&made.entities).clone();
    let (scene, other) = (random.pick(&made.nodes).clone(), random.pick(&made.nodes).clone());
    match random.below(10) {
        0 => {
            let mut fields = entity(random, "mutant", kind);
            fields["entityId"] = json!(who);
            fields["relationships"] =
                json!([{"toEntityId": made.entities[0].0, "relType": "of", "note": "x"}]);
            ("entity.upsert", json!({"entity": fields, "expectedRevision": random.below(4)}))
        }
        1 => ("storyNode.create", json!({"node": node(random, "mutant", made, 3)})),
        2 => {
            ("storyNode.update", json!({"nodeId": scene, "patch": node(random, "mutant", made, 4)}))
        }
        3 => {
            let edge = json!({"fromNodeId": scene, "toNodeId": other, "edgeType": "BRANCH",
                "conditions": ["storm", "count >= 3", "!x"], "notes": "x"});
            ("storyEdge.create", json!({"edge": edge}))
        }
        4 => ("entity.search", json!({"query": "mutant", "type": kind, "limit": 5, "offset": 2})),
        5 => ("storyGraph.get", json!({"projection": "compact", "limit": 3, "offset": 1})),
        6 => ("continuity.check", json!({"nodeId": scene, "states": "all"})),
        7 => (
            "prompt.compose",
            json!({"nodeId": scene, "template": "CINEMATIC_V1", "maxChars": 900}),
        ),
        8 => (
            "project.create",
            json!({"title": "x", "logline": "x", "styleBible": {"palette": ["x"], "fps": 24}}),
        ),
        _ => (
            "entity.link",
            json!({"fromEntityId": who, "toEntityId": made.entities[1].0, "relType": "of"}),
        ),
    }
}

/// Something that does not belong anywhere.
fn oddity(random: &mut Random) -> Value {
    let oddities = [
        json!(null),
        json!(true),
        json!(-1),
        json!(0),
        json!(1e308),
        json!(u64::MAX),
        json!(0.5),
        json!(""),
        json!("\u{0}"),
        json!("x".repeat(30_000)),
        json!("{\"$gt\": \"\"}"),
        json!({"$gt": ""}),
        json!([]),
        json!({}),
        json!([[[[null]]]]),
        json!("d0000000000000000000000f"),
        json!({"a.b": {"$": [1]}}),
        json!("character..location"),
        json!("\u{202e}\u{1f600}"),
        json!("count >= "),
        json!([1, "x", {}]),
    ];
    random.pick(&oddities).clone()
}

/// Puts an oddity somewhere, or takes something away, or adds something.
fn mutate(value: &mut Value, random: &mut Random) {
    let deeper = random.below(4) > 0;
    match value {
        Value::Object(members) if deeper && !members.is_empty() => {
            let names: Vec<String> = members.keys().cloned().collect();
            let name = random.pick(&names).clone();
            match random.below(12) {
                0 => drop(members.remove(&name)),
                1 => drop(members.insert(format!("{name}/~x"), oddity(random))),
                _ => mutate(members.get_mut(&name).unwrap(), random),
            }
        }
        Value::Array(items) if deeper && !items.is_empty() => {
            let at = random.below(items.len());
            match random.below(8) {
                0 => items.push(items[at].clone()),
                _ => mutate(&mut items[at], random),
            }
        }
        other => *other = oddity(random),
    }
}

fn nothing_is_a_defect_and_nothing_is_half_written(instance: &Instance) {
    let random = &mut Random::seeded();
    let admin: TestUser = instance.admin();
    let made = build(&admin, random, "world");
    let (mut refusals, mut before) = (0, instance.store_contents());
    for _ in 0..ROUNDS {
        let (tool, arguments) = call(random, &made);
        let mut arguments = admin.with_scope(tool, &arguments);
        mutate(&mut arguments, random);
        let reply = admin.call_raw(tool, &arguments.to_string());
        let body = reply.body;
        if !reply.is_error {
            before = instance.store_contents();
            continue;
        }
        refusals += 1;
        let code = body["code"].as_str().unwrap_or_default();
        let known = ["VALIDATION_ERROR", "NOT_FOUND", "CONFLICT", "UNAUTHORIZED", "FORBIDDEN"];
        assert!(known.contains(&code), "{tool} {arguments}: {body}");
        if code == "VALIDATION_ERROR" && body["details"].get("issues").is_none() {
            let problems = body["details"]["problems"].as_array().expect("problems");
            assert!(!problems.is_empty(), "{tool} {arguments}: {body}");
            for problem in problems {
                let pointer = problem["pointer"].as_str().expect("a pointer");
                assert!(pointer.is_empty() || pointer.starts_with('/'), "{body}");
            }
        }
        assert_eq!(instance.store_contents(), before, "{tool} {arguments}: {body}");
    }
    eprintln!("{refusals} of {ROUNDS} were refused");
    assert!(refusals > ROUNDS / 4);
    // What was taken can all be read, checked and exported.
    admin.ok("export.storyBible", json!({}));
    for node in &made.nodes {
        admin.ok("continuity.check", json!({"nodeId": node, "states": "all"}));
    }
}
