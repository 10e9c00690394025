//! Random stories: compared with an evaluation of every single path, and after random edits.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::super::testing::{With, edge, entity, id, node};
use super::super::*;
use crate::continuity;
use crate::messages::Language;
use crate::model::{DeltaOp, EdgeType, EntityType, Participant, ParticipantRole};

/// Numbers that are the same in every run.
struct TestRandom(u32);

impl TestRandom {
    fn below(&mut self, limit: u32) -> u32 {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) % limit
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u32) as usize]
    }
}

const KEYS: [&str; 5] = ["a", "b", "c", "d", "e"];

fn condition(random: &mut TestRandom) -> String {
    // Only some keys are asked for, so that the others are free.
    let key = random.one(&KEYS[..2]);
    match random.below(4) {
        0 => key.to_owned(),
        1 => format!("!{key}"),
        2 => format!("{key} == {}", random.below(3)),
        _ => format!("{key} != {}", random.below(3)),
    }
}

type Plain = BTreeMap<String, Value>;

fn holds(condition: &str, world: &Plain) -> bool {
    let value = |key: &str| world.get(key).cloned().unwrap_or(Value::Null);
    let truthy = |key: &str| !matches!(value(key).as_i64(), None | Some(0));
    if let Some((key, literal)) = condition.split_once(" == ") {
        return value(key) == json!(literal.parse::<i64>().unwrap());
    }
    if let Some((key, literal)) = condition.split_once(" != ") {
        return value(key) != json!(literal.parse::<i64>().unwrap());
    }
    condition.strip_prefix('!').map_or_else(|| truthy(condition), |key| !truthy(key))
}

fn happen(node: &StoryNode, world: &mut Plain) {
    for delta in &node.world_state_delta {
        let change = delta.value.as_i64().unwrap();
        let value = match delta.op {
            DeltaOp::Set => change,
            _ => world.get(&delta.key).and_then(Value::as_i64).unwrap_or(0) + change,
        };
        world.insert(delta.key.clone(), json!(value));
    }
}

/// A graph without flashbacks and circles.
fn forward(random: &mut TestRandom, count: u32) -> (Vec<StoryNode>, Vec<StoryEdge>) {
    let mut nodes = Vec::new();
    let mut edges: Vec<StoryEdge> = Vec::new();
    for number in 1..=count {
        let mut made = node(number);
        for _ in 0..random.below(3) {
            let op = random.one(&[DeltaOp::Set, DeltaOp::Set, DeltaOp::Inc]);
            made = made.does(random.one(&KEYS), op, random.below(3));
        }
        nodes.push(made);
        let before = number - 1;
        for _ in 0..before.min(1 + random.below(2)) {
            let from = before - random.below(before.min(4));
            let mut way = edge(from, number, EdgeType::Branch);
            if random.below(4) == 0 {
                way.conditions.push(condition(random));
            }
            if edges.iter().all(|edge| edge.id != way.id) {
                edges.push(way);
            }
        }
    }
    (nodes, edges)
}

#[test]
fn states_agree_with_every_single_path() {
    let mut random = TestRandom(11);
    for _ in 0..60 {
        let (mut nodes, edges) = forward(&mut random, 14);
        // Every key is written, so that every condition counts.
        nodes[0].world_state_delta.clear();
        nodes[0] = KEYS.iter().fold(nodes[0].clone(), |node, key| node.sets(key, 0));
        let story = Story::new(&nodes, &edges, &[]);
        let mut worlds: BTreeMap<&str, BTreeSet<String>> = BTreeMap::new();
        for node in &nodes {
            let mut incoming: BTreeSet<String> = BTreeSet::new();
            if node.time.order == 1 {
                incoming.insert("{}".to_owned());
            }
            for edge in edges.iter().filter(|edge| edge.to_node_id == node.id) {
                let from = worlds.get(edge.from_node_id.as_str()).into_iter().flatten();
                let open = from.filter(|world| {
                    let world: Plain = serde_json::from_str(world).unwrap();
                    edge.conditions.iter().all(|condition| holds(condition, &world))
                });
                incoming.extend(open.cloned());
            }
            let moment = story.pre_state(&node.id).unwrap();
            assert_eq!(moment.reachable, !incoming.is_empty());
            let plain: Vec<Plain> =
                incoming.iter().map(|world| serde_json::from_str(world).unwrap()).collect();
            for key in KEYS {
                let expected: BTreeSet<String> = plain
                    .iter()
                    .map(|world| world.get(key).unwrap_or(&Value::Null).to_string())
                    .collect();
                let found: BTreeSet<String> = match (moment.disagree.get(key), moment.reachable) {
                    (_, false) => BTreeSet::new(),
                    (Some(values), _) => values.iter().map(Value::to_string).collect(),
                    (None, _) => [moment.state.get(key).unwrap_or(&Value::Null).to_string()].into(),
                };
                assert_eq!(found, expected, "{key} before {}", node.title);
            }
            // What is shown is what happened on some path.
            if moment.reachable {
                let bound = |world: &Plain| {
                    KEYS[..2].iter().all(|key| world.get(*key) == moment.state.get(*key))
                };
                assert!(plain.iter().any(bound));
            }
            let leaving = plain.into_iter().map(|mut world| {
                happen(node, &mut world);
                json!(world).to_string()
            });
            worlds.insert(&node.id, leaving.collect());
        }
    }
}

const EDGES: [EdgeType; 5] =
    [EdgeType::Linear, EdgeType::Branch, EdgeType::Choice, EdgeType::Flashback, EdgeType::Timejump];

fn any_node(random: &mut TestRandom, count: u32) -> StoryNode {
    let number = 1 + random.below(count);
    let mut made = node(number).order(u64::from(random.below(count)));
    let (who, place, thing) = (0xa0 + random.below(3), 0xb0 + random.below(2), 0xc0);
    let character = |field: &str| format!("character.{}.{field}", id(who));
    let item = |field: &str| format!("item.{}.{field}", id(thing));
    for _ in 0..random.below(4) {
        made = match random.below(9) {
            0 => made.sets(&character("location"), id(place)),
            1 => made.sets(&character("alive"), random.below(3) > 0),
            2 => made.does(&character("knows"), DeltaOp::Add, format!("fact {}", random.below(4))),
            3 => made.does(&character("injuries"), DeltaOp::Remove, "cut"),
            4 => made.does(&character("inventory"), DeltaOp::Add, id(thing)),
            5 => made.sets(&item("holder"), id(who)),
            6 => made.sets(&item("status"), random.one(&["DESTROYED", "PRESENT"])),
            7 => made.does(random.one(&KEYS), DeltaOp::Inc, 1),
            _ => made.sets(random.one(&KEYS), random.below(3)),
        };
    }
    if random.below(2) == 0 {
        made = made.on(&format!("Day {}", random.below(9)));
    }
    if random.below(6) == 0 {
        made = made.chapter();
    }
    if random.below(3) == 0 {
        made.hooks.foreshadow.push("gun".to_owned());
    }
    if random.below(3) == 0 {
        made.hooks.payoff_targets.push("gun".to_owned());
    }
    let role = ParticipantRole::Protagonist;
    made.participants.push(Participant { entity_id: id(who), role });
    made.participants.push(Participant { entity_id: id(thing), role });
    made.locations.push(id(place));
    made
}

fn any_edge(random: &mut TestRandom, count: u32) -> StoryEdge {
    let (from, to) = (1 + random.below(count), 1 + random.below(count));
    let mut made = edge(from, to, random.one(&EDGES));
    if random.below(3) == 0 {
        made.conditions.push(condition(random));
    }
    made
}

fn cast() -> Vec<Entity> {
    vec![
        entity(0xa0, EntityType::Character, "Ana"),
        entity(0xa1, EntityType::Character, "Bia"),
        entity(0xb0, EntityType::Location, "Dock"),
        entity(0xb1, EntityType::Location, "Mill"),
        entity(0xc0, EntityType::Item, "Ring"),
    ]
}

/// The story as if it had been read anew, backwards.
fn anew(story: &Story) -> Story {
    let nodes: Vec<StoryNode> = story.in_order().rev().cloned().collect();
    let mut edges: Vec<StoryEdge> = story.edges().cloned().collect();
    edges.reverse();
    let mut entities: Vec<Entity> = story.entities().cloned().collect();
    entities.reverse();
    Story::owning(nodes, edges, entities)
}

#[test]
fn random_edits_leave_nothing_stale_in_any_order() {
    let mut random = TestRandom(23);
    for _ in 0..25 {
        let count = 4 + random.below(12);
        let mut story = Story::owning(Vec::new(), Vec::new(), cast());
        for _ in 0..40 {
            match random.below(10) {
                0..5 => story.put_node(any_node(&mut random, count)),
                5..9 => story.put_edge(any_edge(&mut random, count)),
                _ => {
                    let mut bia = entity(0xa1, EntityType::Character, "Bia");
                    bia.summary = random.below(9).to_string();
                    story.put_entity(bia);
                }
            }
            let anew = anew(&story);
            for node in story.in_order() {
                let check = |story| continuity::check(story, &node.id, Language::English);
                assert_eq!(check(&story), check(&anew));
            }
            for node in story.in_order() {
                assert_eq!(story.pre_state(&node.id), anew.pre_state(&node.id));
                assert_eq!(story.post_state(&node.id), anew.post_state(&node.id));
            }
        }
    }
}

#[test]
fn long_chains_are_handled() {
    let mut random = TestRandom(5);
    let count = 3000;
    let nodes: Vec<StoryNode> = (0..count).map(|_| any_node(&mut random, count)).collect();
    let edges: Vec<StoryEdge> = (0..2 * count).map(|_| any_edge(&mut random, count)).collect();
    let story = Story::owning(nodes, edges, cast());
    let issues = continuity::check_all(&story, Language::Portuguese);
    assert!(!issues.is_empty());
    assert!(!story.endings().is_empty());
}
