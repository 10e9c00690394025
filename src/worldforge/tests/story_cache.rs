//! The story cache of a server follows every edit, its own and those of others: after any edits it
//! answers like a server that has just started.

use serde_json::{Value, json};

use crate::instance::{EngineOptions, Instance, on_both};
use crate::random_worlds::{RandomWorld, build, entity, node};
use crate::user::TestUser;
use toolwright_testing::random::Random;

on_both! { the_cached_story_is_the_stored_story }

const EDITS: usize = 60;

/// One random edit; refusals are none.
fn edit(user: &TestUser, random: &mut Random, made: &mut RandomWorld, round: usize) {
    let mark = format!("edit{round}");
    let reply = match random.below(7) {
        0 => {
            let (id, kind) = random.pick(&made.entities).clone();
            let mut fields = entity(random, &mark, kind);
            fields["entityId"] = json!(id);
            user.call("entity.upsert", &json!({"entity": fields}))
        }
        1 => {
            let order = random.below(15) as u64;
            let fields = node(random, &mark, made, order);
            let reply = user.call("storyNode.create", &json!({"node": fields}));
            made.nodes.push(crate::instance::text(&reply.body["node"]["_id"]));
            reply
        }
        2 | 3 => {
            let (id, order) = (random.pick(&made.nodes).clone(), random.below(15) as u64);
            let patch = node(random, &mark, made, order);
            user.call("storyNode.update", &json!({"nodeId": id, "patch": patch}))
        }
        4 => {
            let (from, to) = (random.pick(&made.nodes), random.below(made.nodes.len()));
            let kind = *random.pick(&["LINEAR", "BRANCH", "CHOICE", "FLASHBACK", "TIMEJUMP"]);
            let edge = json!({"fromNodeId": from, "toNodeId": made.nodes[to], "edgeType": kind});
            user.call("storyEdge.create", &json!({"edge": edge}))
        }
        5 => {
            let id = random.pick(&made.nodes).clone();
            user.call("version.publish", &json!({"objectType": "STORY_NODE", "objectId": id}))
        }
        _ => {
            let (from, to) = (&random.pick(&made.entities).0, &made.entities[round % 18].0);
            let link = json!({"fromEntityId": from, "toEntityId": to, "relType": "enemy_of"});
            user.call("entity.link", &link)
        }
    };
    let code = reply.body["code"].clone();
    assert!(!reply.is_error || code == "VALIDATION_ERROR" || code == "CONFLICT", "{}", reply.body);
}

/// All that can be asked of the story.
fn says(user: &TestUser, made: &RandomWorld) -> Vec<Value> {
    let check =
        |node: &String| user.ok("continuity.check", json!({"nodeId": node, "states": "all"}));
    let mut said: Vec<Value> = made.nodes.iter().map(check).collect();
    said.push(user.ok("storyGraph.get", json!({"projection": "compact"})));
    said
}

fn the_cached_story_is_the_stored_story(instance: &Instance) {
    let random = &mut Random::seeded();
    let mut made = build(&instance.admin(), random, "world");
    // Two that go on for long.
    let kept = [
        instance.admin(),
        instance.user_on_other_server(&instance.fixture.admin, EngineOptions::default()),
    ];
    for round in 0..EDITS {
        let user = &kept[random.below(2)];
        edit(user, random, &mut made, round);
        // Often only one of them looks between edits.
        if random.yes() {
            says(random.pick(&kept), &made);
        }
        if round % 6 == 5 {
            let fresh = says(
                &instance.user_on_other_server(&instance.fixture.admin, EngineOptions::default()),
                &made,
            );
            for user in &kept {
                assert_eq!(says(user, &made), fresh, "round {round}");
            }
        }
    }
}
