//! The story bible: a whole world in one document.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::content::{Renaming, content, ranks};
use super::{FORMAT_VERSION, STORY_BIBLE};
use crate::canonical;
use crate::model::{Entity, Id, Millis, Snapshot, StoryNode, VersionStatus};
use crate::store::World;
use crate::story::Story;

/// The chapter of a node, set or by order. Derived: no import reads it.
pub(super) const RESOLVED: &str = "resolvedChapterNodeId";

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
        "project": world.whole(&world.project.id, &world.project),
        "entities": entities.iter().map(|one| world.whole(&one.id, one)).collect::<Vec<_>>(),
        "relationships": relationships(&entities),
        "storyNodes": story.in_order().map(|node| node_entry(world, story, node)).collect::<Vec<_>>(),
        "storyEdges": edges.iter().map(|one| world.whole(&one.id, one)).collect::<Vec<_>>(),
        "worldState": {"endings": endings(story)},
        "versions": snapshots,
        "canon": canon(world),
        "stats": stats(world),
        "contentHash": content_hash(world),
    })
}

/// Equal for two worlds with equal content, in any tenant and under any ids.
pub(crate) fn content_hash(world: &World) -> String {
    let ids = world.entities.iter().map(|entity| entity.id.as_str());
    let ids = ids.chain(world.nodes.iter().map(|node| node.id.as_str()));
    let ids = ids.chain(world.edges.iter().map(|edge| edge.id.as_str()));
    let mut names = ranks(ids);
    for (id, name) in [(&world.project.id, "#project"), (&world.project.tenant_id, "#tenant")] {
        names.entry(id.clone()).or_insert_with(|| name.to_owned());
    }
    let mut versions: Vec<&Snapshot> = world.snapshots.iter().collect();
    versions.sort_by_key(|one| (one.object_type, &one.object_id, one.number));
    let versions: Vec<Value> = versions
        .into_iter()
        .map(|version| {
            let mut version = content(version, &names);
            if let Some(snapshot) = version.get_mut("snapshot") {
                *snapshot = content(snapshot, &names);
            }
            version
        })
        .collect();
    let mut project = content(&world.whole(&world.project.id, &world.project), &names);
    if let Some(members) = project.as_object_mut() {
        members.remove("_id");
    }
    canonical::hash(&json!({
        "project": project,
        "entities": sorted(world, &world.entities, &names, |entity| &entity.id),
        "storyNodes": sorted(world, &world.nodes, &names, |node| &node.id),
        "storyEdges": sorted(world, &world.edges, &names, |edge| &edge.id),
        "versions": versions,
    }))
}

fn sorted<T: Serialize>(
    world: &World,
    documents: &[T],
    names: &Renaming,
    id: impl Fn(&T) -> &Id,
) -> Vec<Value> {
    let mut documents: Vec<&T> = documents.iter().collect();
    documents.sort_by_key(|document| id(document).clone());
    let whole = |document: &T| content(&world.whole(id(document), document), names);
    documents.into_iter().map(whole).collect()
}

/// A node, and the chapter it belongs to, set or by order.
fn node_entry(world: &World, story: &Story, node: &StoryNode) -> Value {
    let mut value = world.whole(&node.id, node);
    if let (Some(members), Some(chapter)) = (value.as_object_mut(), story.chapter_of(&node.id)) {
        members.insert(RESOLVED.to_owned(), json!(chapter.id));
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
    let ending = |(node, moment): (&StoryNode, crate::story::Moment)| {
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
