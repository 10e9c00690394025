//! The story bible: everything of a world in one document.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::content::{Renaming, content, ranks};
use super::{FORMAT_VERSION, STORY_BIBLE};
use crate::worldforge::canonical;
use crate::worldforge::model::{Entity, Millis, StoryNode, VersionStatus};
use crate::worldforge::store::World;
use crate::worldforge::story::Story;

/// The world as one document. `story` is the story of the same world.
pub fn story_bible(world: &World, story: &Story, exported_at: Millis) -> Value {
    let mut entities: Vec<&Entity> = world.entities.iter().collect();
    entities.sort_by_key(|entity| (entity.kind, &entity.name, &entity.id));
    let mut edges: Vec<_> = world.edges.iter().collect();
    edges.sort_by_key(|edge| &edge.id);
    let mut snapshots: Vec<_> = world.snapshots.iter().collect();
    snapshots.sort_by_key(|one| (one.object_type, &one.object_id, one.number));
    json!({
        "format": STORY_BIBLE,
        "formatVersion": FORMAT_VERSION,
        "exportedAt": exported_at,
        "project": world.project,
        "entities": entities,
        "relationships": relationships(&entities),
        "storyNodes": story.in_order().map(|node| told(story, node)).collect::<Vec<_>>(),
        "storyEdges": edges,
        "worldState": {"endings": endings(story)},
        "versions": snapshots,
        "canon": canon(world),
        "stats": stats(world),
        "contentHash": content_hash(world),
    })
}

/// The same for two worlds that say the same, whoever keeps them and under whatever ids.
pub fn content_hash(world: &World) -> String {
    let ids = world.entities.iter().map(|entity| entity.id.as_str());
    let ids = ids.chain(world.nodes.iter().map(|node| node.id.as_str()));
    let ids = ids.chain(world.edges.iter().map(|edge| edge.id.as_str()));
    let mut names = ranks(ids);
    for (id, name) in [(&world.project.id, "#project"), (&world.project.tenant_id, "#tenant")] {
        names.entry(id.clone()).or_insert_with(|| name.to_owned());
    }
    let versions = sorted(&world.snapshots, &names, |one| {
        (one.object_type, one.object_id.clone(), one.number)
    });
    let versions: Vec<Value> = versions
        .into_iter()
        .map(|mut version| {
            if let Some(snapshot) = version.get_mut("snapshot") {
                *snapshot = content(snapshot, &names);
            }
            version
        })
        .collect();
    let mut project = content(&world.project, &names);
    if let Some(members) = project.as_object_mut() {
        members.remove("_id");
    }
    canonical::hash(&json!({
        "project": project,
        "entities": sorted(&world.entities, &names, |entity| entity.id.clone()),
        "storyNodes": sorted(&world.nodes, &names, |node| node.id.clone()),
        "storyEdges": sorted(&world.edges, &names, |edge| edge.id.clone()),
        "versions": versions,
    }))
}

fn sorted<T: Serialize, K: Ord>(
    documents: &[T],
    names: &Renaming,
    key: impl Fn(&T) -> K,
) -> Vec<Value> {
    let mut documents: Vec<&T> = documents.iter().collect();
    documents.sort_by_key(|document| key(document));
    documents.into_iter().map(|document| content(document, names)).collect()
}

/// A node, and the chapter that it belongs to, also where only the order says so.
fn told(story: &Story, node: &StoryNode) -> Value {
    let mut value = json!(node);
    if let (Some(members), Some(chapter)) = (value.as_object_mut(), story.chapter_of(&node.id)) {
        members.insert("resolvedChapterNodeId".to_owned(), json!(chapter.id));
    }
    value
}

/// All relationships in one list, with names.
fn relationships(entities: &[&Entity]) -> Vec<Value> {
    let names: BTreeMap<&str, &str> =
        entities.iter().map(|entity| (entity.id.as_str(), entity.name.as_str())).collect();
    let mut all = Vec::new();
    for entity in entities {
        for relationship in &entity.relationships {
            let mut value = json!({
                "fromEntityId": entity.id,
                "fromName": entity.name,
                "relType": relationship.rel_type,
                "toEntityId": relationship.to_entity_id,
                "toName": names.get(relationship.to_entity_id.as_str()),
            });
            if let (Some(note), Some(members)) = (&relationship.note, value.as_object_mut()) {
                members.insert("note".to_owned(), json!(note));
            }
            all.push(value);
        }
    }
    all
}

/// The world after each ending.
fn endings(story: &Story) -> Vec<Value> {
    let ending = |(node, moment): (&StoryNode, crate::worldforge::story::Moment)| {
        json!({
            "nodeId": node.id,
            "title": node.title,
            "state": moment.state,
            "disagree": moment.disagree,
        })
    };
    story.endings().into_iter().map(ending).collect()
}

/// Number of the last publication of every object that was ever published.
fn canon(world: &World) -> Value {
    let mut canon: BTreeMap<&str, u64> = BTreeMap::new();
    for snapshot in &world.snapshots {
        let number = canon.entry(&snapshot.object_id).or_default();
        *number = snapshot.number.max(*number);
    }
    json!(canon)
}

fn stats(world: &World) -> Value {
    fn count<K: Serialize>(kinds: impl Iterator<Item = K>) -> Map<String, Value> {
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for kind in kinds {
            let name = json!(kind).as_str().unwrap_or_default().to_owned();
            *counts.entry(name).or_default() += 1;
        }
        counts.into_iter().map(|(name, count)| (name, json!(count))).collect()
    }
    let published = |status| u64::from(status == VersionStatus::Published);
    let entities = world.entities.iter().map(|entity| published(entity.version.status));
    let nodes = world.nodes.iter().map(|node| published(node.version.status));
    json!({
        "entities": count(world.entities.iter().map(|entity| entity.kind)),
        "storyNodes": count(world.nodes.iter().map(|node| node.node_type)),
        "storyEdges": count(world.edges.iter().map(|edge| edge.edge_type)),
        "published": entities.chain(nodes).sum::<u64>(),
    })
}
