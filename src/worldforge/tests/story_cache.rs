//! The story that a server keeps in memory follows every edit, its own and those of others: after
//! any edits it says what a server says that has just read everything.

use serde_json::{Value, json};

use crate::harness::{Guest, Manner, Stage, on_both};
use crate::worlds::{Made, build, entity, node};
use toolwright_testing::random::Random;

on_both! { the_kept_story_is_the_stored_story }

const EDITS: usize = 60;

/// One random edit; refusals are none.
fn edit(guest: &Guest, random: &mut Random, made: &mut Made, round: usize) {
    let mark = format!("edit{round}");
    let told = match random.below(7) {
        0 => {
            let (id, kind) = random.pick(&made.entities).clone();
            let mut fields = entity(random, &mark, kind);
            fields["entityId"] = json!(id);
            guest.call("entity.upsert", &json!({"entity": fields}))
        }
        1 => {
            let order = random.below(15) as u64;
            let fields = node(random, &mark, made, order);
            let told = guest.call("storyNode.create", &json!({"node": fields}));
            made.nodes.push(crate::harness::text(&told.body()["node"]["_id"]));
            told
        }
        2 | 3 => {
            let (id, order) = (random.pick(&made.nodes).clone(), random.below(15) as u64);
            let patch = node(random, &mark, made, order);
            guest.call("storyNode.update", &json!({"nodeId": id, "patch": patch}))
        }
        4 => {
            let (from, to) = (random.pick(&made.nodes), random.below(made.nodes.len()));
            let kind = *random.pick(&["LINEAR", "BRANCH", "CHOICE", "FLASHBACK", "TIMEJUMP"]);
            let edge = json!({"fromNodeId": from, "toNodeId": made.nodes[to], "edgeType": kind});
            guest.call("storyEdge.create", &json!({"edge": edge}))
        }
        5 => {
            let id = random.pick(&made.nodes).clone();
            guest.call("version.publish", &json!({"objectType": "STORY_NODE", "objectId": id}))
        }
        _ => {
            let (from, to) = (&random.pick(&made.entities).0, &made.entities[round % 18].0);
            let link = json!({"fromEntityId": from, "toEntityId": to, "relType": "enemy_of"});
            guest.call("entity.link", &link)
        }
    };
    let code = told.body()["code"].clone();
    assert!(!told.is_error || code == "VALIDATION_ERROR" || code == "CONFLICT", "{}", told.text);
}

/// All that can be asked of the story.
fn says(guest: &Guest, made: &Made) -> Vec<Value> {
    let check =
        |node: &String| guest.ok("continuity.check", json!({"nodeId": node, "states": "all"}));
    let mut said: Vec<Value> = made.nodes.iter().map(check).collect();
    said.push(guest.ok("storyGraph.get", json!({"projection": "compact"})));
    said
}

fn the_kept_story_is_the_stored_story(stage: &Stage) {
    let random = &mut Random::seeded();
    let mut made = build(&stage.admin(), random, "world");
    // Two that go on for long.
    let kept = [stage.admin(), stage.elsewhere(&stage.home.admin, Manner::default())];
    for round in 0..EDITS {
        let guest = &kept[random.below(2)];
        edit(guest, random, &mut made, round);
        // Often only one of them looks between edits.
        if random.yes() {
            says(random.pick(&kept), &made);
        }
        if round % 6 == 5 {
            let fresh = says(&stage.elsewhere(&stage.home.admin, Manner::default()), &made);
            for guest in &kept {
                assert_eq!(says(guest, &made), fresh, "round {round}");
            }
        }
    }
}
