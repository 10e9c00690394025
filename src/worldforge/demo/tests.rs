//! The sample world is clean, and each planted contradiction is found exactly where it is.

use std::collections::BTreeSet;

use super::*;
use crate::continuity::{self, CODES, Code};
use crate::messages::Language;
use crate::model::{EdgeType, EntityType, Issue, NodeType, Severity};
use crate::story::Story;

const TENANT: &str = "a00000000000000000000001";
const USER: &str = "b00000000000000000000001";

fn story(demo: &Demo) -> Story {
    Story::new(&demo.nodes, &demo.edges, &demo.entities)
}

fn issues(demo: &Demo) -> Vec<Issue> {
    continuity::check_all(&story(demo), Language::English)
}

#[test]
fn the_sample_world_is_rich() {
    let demo = sample(TENANT, USER, 7);
    assert!(demo.nodes.len() >= 20 && demo.entities.len() >= 15);
    let kinds: BTreeSet<EntityType> = demo.entities.iter().map(|entity| entity.kind).collect();
    assert_eq!(kinds.len(), 6);
    let edges: BTreeSet<EdgeType> = demo.edges.iter().map(|edge| edge.edge_type).collect();
    assert_eq!(edges.len(), 5);
    let nodes: BTreeSet<NodeType> = demo.nodes.iter().map(|node| node.node_type).collect();
    assert_eq!(nodes.len(), 3);
    let ids: BTreeSet<&str> = demo
        .nodes
        .iter()
        .map(|node| node.id.as_str())
        .chain(demo.edges.iter().map(|edge| edge.id.as_str()))
        .chain(demo.entities.iter().map(|entity| entity.id.as_str()))
        .collect();
    assert_eq!(ids.len(), demo.nodes.len() + demo.edges.len() + demo.entities.len());
    assert!(ids.iter().all(|id| crate::story::is_id(id)), "{ids:?}");
    assert_eq!(demo, sample(TENANT, USER, 7));
}

#[test]
fn the_sample_world_does_not_contradict_itself() {
    let found = issues(&sample(TENANT, USER, 0));
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn the_sample_world_has_two_endings() {
    let demo = sample(TENANT, USER, 0);
    let story = story(&demo);
    let endings = story.endings();
    let clock = format!("item.{}.status", entities::RELOGIO);
    let ends: Vec<(&str, &str)> = endings
        .iter()
        .map(|(node, moment)| (node.title.as_str(), moment.state[&clock].as_str().unwrap()))
        .collect();
    assert_eq!(ends, [("A ilha volta", "FUNCIONANDO"), ("O porto sem relógio", "DESTROYED")]);
    assert!(endings.iter().all(|(_, moment)| moment.disagree["rota"].len() == 2));
}

#[test]
fn every_contradiction_is_found_exactly_where_it_was_planted() {
    for info in CODES {
        let planted = planted(info.code, TENANT, USER, 0);
        let found = issues(&planted.demo);
        let codes: BTreeSet<&str> = found.iter().map(|issue| issue.code.as_str()).collect();
        assert_eq!(codes, BTreeSet::from([info.name]), "{found:#?}");
        let nodes: BTreeSet<&String> = found.iter().map(|issue| &issue.node_id).collect();
        assert_eq!(nodes, planted.node_ids.iter().collect(), "{}: {found:#?}", info.name);
        let expected = match info.code {
            // The sample world is a draft.
            Code::ForeshadowUnpaid => Severity::Info,
            _ => info.severity,
        };
        for issue in &found {
            assert_eq!(issue.severity, expected, "{issue:?}");
            assert!(issue.suggestion.as_ref().is_some_and(|text| !text.is_empty()));
        }
    }
}

#[test]
fn checking_one_node_agrees_with_checking_all() {
    for info in CODES {
        let planted = planted(info.code, TENANT, USER, 0);
        let all = issues(&planted.demo);
        let story = story(&planted.demo);
        // From the last to the first, so that no node finds the world before it folded.
        for node in story.in_order().rev() {
            let alone = continuity::check(&story, &node.id, Language::English);
            let among: Vec<&Issue> = all.iter().filter(|issue| issue.node_id == node.id).collect();
            assert_eq!(alone.iter().collect::<Vec<_>>(), among, "{}", info.name);
        }
    }
}

#[test]
fn every_contradiction_can_be_planted_into_a_cached_story() {
    for info in CODES {
        let clean = sample(TENANT, USER, 0);
        let mut kept = story(&clean);
        assert!(continuity::check_all(&kept, Language::English).is_empty());
        let planted = planted(info.code, TENANT, USER, 0).demo;
        for node in planted.nodes.iter().filter(|node| !clean.nodes.contains(node)) {
            kept.put_node(node.clone());
        }
        for edge in planted.edges.iter().filter(|edge| !clean.edges.contains(edge)) {
            kept.put_edge(edge.clone());
        }
        for gone in clean.edges.iter().filter(|edge| planted.edges.iter().all(|e| e.id != edge.id))
        {
            assert!(kept.remove_edge(&gone.id));
        }
        for entity in planted.entities.iter().filter(|entity| !clean.entities.contains(entity)) {
            kept.put_entity(entity.clone());
        }
        assert_eq!(
            continuity::check_all(&kept, Language::English),
            issues(&planted),
            "{}",
            info.name
        );
    }
}

#[test]
fn messages_name_entities_and_never_ids_that_have_a_name() {
    for info in CODES {
        let planted = planted(info.code, TENANT, USER, 0);
        let story = story(&planted.demo);
        for language in [Language::English, Language::Portuguese] {
            for issue in continuity::check_all(&story, language) {
                let text = format!("{} {}", issue.message, issue.suggestion.unwrap_or_default());
                assert!(!text.contains('{'), "{text}");
                for entity in &planted.demo.entities {
                    assert!(!text.contains(&entity.id), "{text}");
                }
            }
        }
    }
}
