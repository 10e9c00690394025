//! Tests of the story's public interface: order, chapters, the world around nodes, edits.

mod random_worlds;

use serde_json::{Value, json};

use super::testing::{With, edge, entity, id, line, node, when};
use super::*;
use crate::model::{DeltaOp, EdgeType, EntityType};

fn before(story: &Story, number: u32) -> Value {
    json!(story.pre_state(&id(number)).unwrap().state)
}

fn after(story: &Story, number: u32) -> Value {
    json!(story.post_state(&id(number)).unwrap().state)
}

/// 1 → {2, 3} → 4
fn diamond() -> (Vec<StoryNode>, Vec<StoryEdge>) {
    let nodes = vec![
        node(1).sets("gate", "shut"),
        node(2).sets("gate", "open").does("alarm", DeltaOp::Inc, 2),
        node(3).sets("gate", "broken"),
        node(4).does("alarm", DeltaOp::Inc, json!(null)),
    ];
    let edges = [(1, 2), (1, 3), (2, 4), (3, 4)];
    (nodes, edges.map(|(from, to)| edge(from, to, EdgeType::Branch)).to_vec())
}

#[test]
fn nodes_are_told_by_order_and_then_by_id() {
    let nodes = [node(3).order(1), node(1).order(2), node(2).order(1)];
    let story = Story::new(&nodes, &[], &[]);
    let ordered: Vec<&str> = story.in_order().map(|node| node.id.as_str()).collect();
    assert_eq!(ordered, [id(2), id(3), id(1)]);
}

#[test]
fn a_chapter_owns_what_follows_and_what_names_it() {
    let mut named = node(2);
    named.chapter_node_id = Some(id(5));
    let mut astray = node(6);
    astray.chapter_node_id = Some(id(4));
    let nodes = [node(1), node(3).chapter(), node(4), node(5).chapter(), named, astray];
    let story = Story::new(&nodes, &[], &[]);
    let chapter = |number| story.chapter_of(&id(number)).map(|node| node.id.clone());
    assert_eq!(chapter(1), None);
    assert_eq!(chapter(2), Some(id(5)));
    assert_eq!(chapter(3), None);
    assert_eq!(chapter(4), Some(id(3)));
    assert_eq!(chapter(6), Some(id(5)));
    let owned = |number| -> Vec<String> {
        story.nodes_of(&id(number)).map(|node| node.id.clone()).collect()
    };
    assert_eq!(owned(3), [id(4)]);
    assert_eq!(owned(5), [id(2), id(6)]);
    assert!(owned(1).is_empty());
    assert!(owned(99).is_empty());
}

#[test]
fn the_world_flows_along_edges() {
    let (nodes, edges) = diamond();
    let story = Story::new(&nodes, &edges, &[]);
    assert_eq!(before(&story, 1), json!({}));
    assert_eq!(before(&story, 3), json!({"gate": "shut"}));
    assert_eq!(after(&story, 3), json!({"gate": "broken"}));
    let merged = story.post_state(&id(4)).unwrap();
    assert_eq!(json!(merged.state), json!({"gate": "open", "alarm": 3}));
    assert_eq!(json!(merged.disagree), json!({"gate": ["open", "broken"], "alarm": [3, 1]}));
    assert!(merged.reachable && !merged.widened);
    assert_eq!(story.pre_state(&id(9)), None);
}

#[test]
fn conditions_choose_among_paths() {
    let (mut nodes, mut edges) = diamond();
    nodes.extend([node(5), node(6)]);
    edges.push(when(4, 5, EdgeType::Choice, "gate == \"broken\""));
    edges.push(when(4, 6, EdgeType::Choice, "gate == \"melted\""));
    let story = Story::new(&nodes, &edges, &[]);
    assert_eq!(before(&story, 5), json!({"gate": "broken", "alarm": 1}));
    assert!(story.pre_state(&id(5)).unwrap().disagree.is_empty());
    assert!(!story.pre_state(&id(6)).unwrap().reachable);
}

#[test]
fn a_condition_on_a_key_that_no_node_writes_closes_nothing() {
    let story = Story::new(
        &[node(1).sets("a", 1), node(2)],
        &[when(1, 2, EdgeType::Linear, "weather == \"rain\"")],
        &[],
    );
    assert_eq!(before(&story, 2), json!({"a": 1}));
}

#[test]
fn a_flashback_starts_from_its_own_time_and_does_not_flow_on() {
    let nodes = [
        node(1).on("Day 1").sets("ship", "afloat"),
        node(2).on("Day 5").sets("ship", "sunk"),
        node(3).on("Day 9").sets("hero", "old"),
        node(4).on("Day 3").sets("hero", "young"),
        node(5).on("Day 9"),
    ];
    let mut edges = line(&[1, 2, 3]);
    edges.push(edge(3, 4, EdgeType::Flashback));
    edges.push(edge(4, 5, EdgeType::Timejump));
    let story = Story::new(&nodes, &edges, &[]);
    assert_eq!(before(&story, 4), json!({"ship": "afloat"}));
    assert_eq!(after(&story, 4), json!({"ship": "afloat", "hero": "young"}));
    assert_eq!(before(&story, 5), json!({"ship": "sunk", "hero": "old"}));
}

#[test]
fn an_undated_flashback_starts_from_nothing() {
    let nodes = [node(1).on("Day 1").sets("a", 1), node(2).on("once"), node(3)];
    let edges = [edge(1, 2, EdgeType::Flashback), edge(2, 3, EdgeType::Timejump)];
    let story = Story::new(&nodes, &edges, &[]);
    assert_eq!(before(&story, 2), json!({}));
    assert_eq!(before(&story, 3), json!({"a": 1}));
}

#[test]
fn an_unlinked_node_sees_the_world_of_the_telling() {
    let nodes = [node(1).sets("a", 1), node(2).sets("a", 2), node(3)];
    let story = Story::new(&nodes, &line(&[1, 2]), &[]);
    assert_eq!(before(&story, 3), json!({"a": 2}));
    let alone = Story::new(&nodes, &[], &[]);
    assert_eq!(before(&alone, 3), json!({"a": 2}));
}

#[test]
fn a_cycle_is_traversed_once() {
    let nodes = [node(1), node(2).does("n", DeltaOp::Inc, 1), node(3), node(4)];
    let mut edges = line(&[1, 2, 3, 4]);
    edges.push(edge(3, 2, EdgeType::Linear));
    let story = Story::new(&nodes, &edges, &[]);
    assert_eq!(before(&story, 4), json!({"n": 1}));
}

#[test]
fn the_world_can_be_asked_about_some_entities_only() {
    let (ana, key) = (id(0xa), |field: &str| format!("character.{}.{field}", id(0xa)));
    let nodes = [
        node(1).sets(&key("location"), "x").sets("flag", true),
        node(2).sets(&key("location"), "y"),
        node(3),
    ];
    let edges = [(1, 2), (1, 3), (2, 3)].map(|(a, b)| edge(a, b, EdgeType::Branch));
    let story = Story::new(&nodes, &edges, &[entity(0xa, EntityType::Character, "Ana")]);
    let moment = story.pre_state_about(&id(3), &[&ana, &id(77)]).unwrap();
    assert_eq!(json!(moment.state), json!({key("location"): "x"}));
    assert_eq!(json!(moment.disagree), json!({key("location"): ["x", "y"]}));
    assert!(story.pre_state_about(&id(3), &[]).unwrap().state.is_empty());
}

#[test]
fn every_ending_has_its_world() {
    let (nodes, mut edges) = diamond();
    edges.truncate(3);
    let story = Story::new(&nodes, &edges, &[]);
    let endings = story.endings();
    let named: Vec<(&str, &Value)> =
        endings.iter().map(|(node, at)| (node.title.as_str(), &at.state["gate"])).collect();
    assert_eq!(named, [("Node 3", &json!("broken")), ("Node 4", &json!("open"))]);
}

#[test]
fn too_many_paths_are_reported() {
    // One fan of 300 nodes, each with its own pair of values.
    let mut nodes = vec![node(1), node(1000)];
    let mut edges = Vec::new();
    for number in 2..302 {
        nodes.push(node(number).sets("a", number % 7).sets("b", number % 5).sets("c", number));
        edges.push(edge(1, number, EdgeType::Branch));
        edges.push(edge(number, 1000, EdgeType::Linear));
    }
    let story = Story::new(&nodes, &edges, &[]);
    let moment = story.pre_state(&id(1000)).unwrap();
    assert!(moment.widened);
    assert_eq!(moment.disagree["a"].len(), 7);
    assert_eq!(moment.state.get("c"), None);
    assert!(moment.disagree["c"].is_empty());
}

/// After an edit, the engine answers as for the edited story.
#[test]
fn edits_leave_no_stale_world() {
    let fresh = |story: &Story| {
        let (nodes, edges): (Vec<_>, Vec<_>) =
            (story.in_order().cloned().collect(), story.edges().cloned().collect());
        Story::new(&nodes, &edges, &story.entities().cloned().collect::<Vec<_>>())
    };
    let same = |story: &Story, step: &str| {
        let fresh = fresh(story);
        for node in story.in_order() {
            assert_eq!(story.pre_state(&node.id), fresh.pre_state(&node.id), "{step}");
            assert_eq!(story.post_state(&node.id), fresh.post_state(&node.id), "{step}");
        }
    };
    let (nodes, edges) = diamond();
    let mut story = Story::new(&nodes, &edges, &[]);
    same(&story, "as it was");
    story.put_node(node(2).sets("gate", "ajar"));
    same(&story, "a node changed");
    story.put_edge(when(2, 4, EdgeType::Branch, "gate == \"open\""));
    same(&story, "a condition changed");
    story.put_node(node(5).sets("tower", 1));
    same(&story, "a node came");
    story.put_edge(edge(4, 5, EdgeType::Linear));
    same(&story, "an edge came");
    story.put_edge(when(3, 4, EdgeType::Branch, "moon == \"full\""));
    same(&story, "a key that nobody writes");
    story.put_node(node(1).sets("moon", "new"));
    same(&story, "a key that somebody writes now");
    story.put_node(node(4).order(0));
    same(&story, "a node moved");
    story.put_edge(edge(5, 1, EdgeType::Timejump));
    same(&story, "a loop");
    story.put_entity(entity(7, EntityType::Character, "Ana"));
    same(&story, "an entity came");
    assert!(story.remove_edge(&edge(5, 1, EdgeType::Timejump).id));
    same(&story, "an edge went");
    assert!(story.remove_node(&id(2)));
    same(&story, "a node went");
    assert!(story.remove_entity(&id(7)));
    assert!(!story.remove_entity(&id(7)) && !story.remove_node(&id(2)));
    assert_eq!(story.entities().count(), 0);
    for number in 10..60 {
        story.put_node(node(number).sets(&format!("key.{number}"), number));
    }
    same(&story, "many keys");
}
