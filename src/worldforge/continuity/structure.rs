//! What a scene should have, and which entities canon may refer to.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::{NodeType, ParticipantRole, VersionStatus};
use crate::story::index::EntityIndex;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let node = &scope.scene.node;
    if node.node_type == NodeType::Scene {
        if node.locations.is_empty() {
            found.push(Finding::new(Code::SceneNoLocation));
        }
        let mut roles = node.participants.iter().map(|one| one.role);
        if !roles.any(|role| role == ParticipantRole::Protagonist) {
            found.push(Finding::new(Code::SceneNoProtagonist));
        }
        let goals = &node.goals;
        let fields = [
            ("dramaticGoal", &goals.dramatic_goal),
            ("conflict", &goals.conflict),
            ("turn", &goals.turn),
        ];
        let empty = fields.into_iter().filter(|(_, text)| text.trim().is_empty());
        let empty: Vec<&str> = empty.map(|(name, _)| name).collect();
        if !empty.is_empty() {
            found.push(Finding::new(Code::SceneGoalsEmpty).with_arg(empty.join(", ")));
        }
    }
    if node.version.status == VersionStatus::Published {
        drafts(scope, found);
    }
}

fn drafts(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let scene = scope.scene;
    let changed = scene
        .steps
        .iter()
        .filter_map(|step| scope.story.index.keys[step.key as usize].about.map(|(_, who)| who));
    let named = scene.cast.iter().chain(&scene.places).copied();
    let all = named.chain(changed).chain(scene.mentions.iter().map(|mention| mention.who));
    let mut seen: Vec<EntityIndex> = Vec::new();
    for who in all {
        let Some(entity) = &scope.known(who).entity else { continue };
        if entity.version.status == VersionStatus::Draft && !seen.contains(&who) {
            seen.push(who);
            // A higher number means that it was canon once.
            let text = usize::from(entity.version.number > 1);
            let finding = Finding::new(Code::PublishedUsesDraft).text(text).about([who]);
            found.push(finding.with_arg(scope.name(who)));
        }
    }
}
