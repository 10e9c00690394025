//! References: their targets exist and are of the right type.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::{EntityType, NodeType};
use crate::story::index::EntityIndex;

/// Which text applies to a reference.
const PARTICIPANT: usize = 0;
const LOCATION: usize = 1;
const CHANGE: usize = 2;
const REQUIREMENT: usize = 3;
const CHAPTER: usize = 4;
const EDGE: usize = 5;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let scene = scope.scene;
    let mut seen: Vec<(usize, EntityIndex)> = Vec::new();
    let mut refer = |text: usize, who: EntityIndex, fits: &dyn Fn(EntityType) -> bool| {
        let entity = scope.known(who).entity.as_ref();
        if entity.is_some_and(|entity| fits(entity.kind)) || seen.contains(&(text, who)) {
            return;
        }
        seen.push((text, who));
        let code = if entity.is_some() { Code::RefWrongType } else { Code::RefMissing };
        found.push(Finding::new(code).text(text).about([who]).with_arg(scope.name(who)));
    };
    for &who in &scene.cast {
        refer(PARTICIPANT, who, &|kind| !matches!(kind, EntityType::Rule | EntityType::Lore));
    }
    for &who in &scene.places {
        refer(LOCATION, who, &|kind| kind == EntityType::Location);
    }
    for step in &scene.steps {
        if let Some((kind, who)) = scope.story.index.keys[step.key as usize].about {
            refer(CHANGE, who, &|found| found == kind);
        }
    }
    for mention in &scene.mentions {
        refer(CHANGE, mention.who, &|kind| mention.fits(kind));
    }
    for &(who, _) in &scene.needs {
        refer(REQUIREMENT, who, &|kind| kind == EntityType::Character);
    }
    if let Some(chapter) = &scene.node.chapter_node_id {
        match scope.story.node(chapter) {
            None => found.push(Finding::new(Code::RefMissing).text(CHAPTER).with_arg(chapter)),
            Some(node) if node.node_type != NodeType::Chapter => {
                found.push(Finding::new(Code::RefWrongType).text(CHAPTER).with_arg(&*node.title));
            }
            Some(_) => {}
        }
    }
    for &way in scope.story.dangling.get(&scope.at).into_iter().flatten() {
        let edge = &scope.story.ways[way].edge;
        let ends = [&edge.from_node_id, &edge.to_node_id];
        for missing in ends.into_iter().filter(|end| scope.story.at(end).is_none()) {
            found.push(Finding::new(Code::RefMissing).text(EDGE).with_arg(missing));
        }
    }
}
