//! The shot prompts of a world by chapter: the latest pack of every scene and beat.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::content::{Renaming, content, ranks};
use super::{FORMAT_VERSION, SHOT_PROMPT_PACK};
use crate::canonical;
use crate::model::{Id, Millis, NodeType, Project, PromptPack, StoryNode};
use crate::story::Story;

/// Why there is no export of one chapter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum NotAChapter {
    /// The story has no such node.
    Unknown(Id),
    /// The node is a scene or a beat.
    Other(Id, NodeType),
}

type Latest<'a> = BTreeMap<&'a str, &'a PromptPack>;

/// The packs of all chapters, or of one. Scenes before the first chapter are in a chapter without
/// id.
pub(crate) fn shot_prompt_pack(
    project: &Project,
    story: &Story,
    packs: &[PromptPack],
    chapter: Option<&str>,
    exported_at: Millis,
) -> Result<Value, NotAChapter> {
    if let Some(id) = chapter {
        let node = story.node(id).ok_or_else(|| NotAChapter::Unknown(id.to_owned()))?;
        if node.node_type != NodeType::Chapter {
            return Err(NotAChapter::Other(id.to_owned(), node.node_type));
        }
    }
    let latest = latest(packs);
    let mut missing = Vec::new();
    let mut hashed = Vec::new();
    let entities = story.entities().map(|entity| entity.id.as_str());
    let names = ranks(story.in_order().map(|node| node.id.as_str()).chain(entities));
    let mut chapters = Vec::new();
    for (head, scenes) in by_chapter(story) {
        if chapter.is_some() && head.map(|head| head.id.as_str()) != chapter {
            continue;
        }
        let scenes: Vec<Value> = scenes
            .into_iter()
            .map(|node| {
                let pack = latest.get(node.id.as_str());
                if pack.is_none() {
                    missing.push(node.id.clone());
                }
                json!({
                    "nodeId": node.id,
                    "title": node.title,
                    "nodeType": node.node_type,
                    "promptPack": pack,
                })
            })
            .collect();
        let own = head.and_then(|head| latest.get(head.id.as_str()));
        let mut value = json!({
            "chapterNodeId": head.map(|head| &head.id),
            "title": head.map(|head| &head.title),
            "scenes": scenes,
        });
        // Few compose a whole chapter.
        if let (Some(own), Some(members)) = (own, value.as_object_mut()) {
            members.insert("promptPack".to_owned(), json!(own));
        }
        hashed.push(chapter_content(&value, &names));
        chapters.push(value);
    }
    Ok(json!({
        "format": SHOT_PROMPT_PACK,
        "formatVersion": FORMAT_VERSION,
        "exportedAt": exported_at,
        "project": {"_id": project.id, "title": project.title},
        "chapters": chapters,
        "missing": missing,
        "contentHash": canonical::hash(&json!({"title": project.title, "chapters": hashed})),
    }))
}

/// The newest pack of every node; of two of one moment, the one with the greater id.
fn latest(packs: &[PromptPack]) -> Latest<'_> {
    let mut latest = Latest::new();
    for pack in packs {
        let known = latest.entry(&pack.node_id).or_insert(pack);
        if (pack.created_at, &pack.id) > (known.created_at, &known.id) {
            *known = pack;
        }
    }
    latest
}

/// Chapters in the order of the telling, each with what belongs to it.
fn by_chapter(story: &Story) -> Vec<(Option<&StoryNode>, Vec<&StoryNode>)> {
    let mut scenes: BTreeMap<Option<&str>, Vec<&StoryNode>> = BTreeMap::new();
    for node in story.in_order().filter(|node| node.node_type != NodeType::Chapter) {
        let chapter = story.chapter_of(&node.id).map(|chapter| chapter.id.as_str());
        scenes.entry(chapter).or_default().push(node);
    }
    let mut chapters = Vec::new();
    if let Some(first) = scenes.remove(&None) {
        chapters.push((None, first));
    }
    for node in story.in_order().filter(|node| node.node_type == NodeType::Chapter) {
        let own = scenes.remove(&Some(node.id.as_str())).unwrap_or_default();
        chapters.push((Some(node), own));
    }
    chapters
}

/// The content of a chapter: packs without their ids and input hashes.
fn chapter_content(chapter: &Value, names: &Renaming) -> Value {
    fn bare(value: &mut Value, names: &Renaming) {
        if let Some(pack) = value.get_mut("promptPack").filter(|pack| !pack.is_null()) {
            *pack = content(pack, names);
            if let Some(members) = pack.as_object_mut() {
                members.retain(|name, _| name != "_id" && name != "inputHash");
            }
        }
    }
    let mut chapter = chapter.clone();
    bare(&mut chapter, names);
    if let Some(scenes) = chapter.get_mut("scenes").and_then(Value::as_array_mut) {
        scenes.iter_mut().for_each(|scene| bare(scene, names));
    }
    content(&chapter, names)
}
