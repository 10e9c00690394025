//! Edges into a node: their conditions, and where the paths that meet here disagree.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::EntityType;
use crate::story::index::{EntityIndex, Field};
use crate::story::values::ValueId;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let story = scope.story;
    for link in &story.flow.entering[scope.at] {
        let way = &story.ways[link.way];
        for &remark in &way.remarks {
            let finding = Finding::new(Code::EdgeConditionFreeform);
            found.push(
                finding.with_arg(scope.title(link.from)).with_arg(&way.edge.conditions[remark]),
            );
        }
        for (_, atom) in &way.atoms {
            if story.index.keys[atom.key as usize].writers == 0 {
                let finding = Finding::new(Code::EdgeConditionUnknownKey);
                found.push(
                    finding.with_arg(scope.title(link.from)).with_arg(scope.shown_key(atom.key)),
                );
            }
        }
    }
    for incoming in scope.incoming {
        if let (Some(link), Some(text)) = (incoming.predecessor.link, incoming.closed_by) {
            closed(scope, link.way, text, found);
        }
    }
    if scope.incoming.len() > 1 && scope.around.pre.possible {
        divergence(scope, found);
    }
}

fn closed(scope: &Scope<'_>, way: usize, text: usize, found: &mut Vec<Finding>) {
    let way = &scope.story.ways[way];
    let from = scope.story.node(&way.edge.from_node_id).map_or("", |node| &node.title);
    let condition = &way.edge.conditions[text];
    let atom = way.atoms.iter().find(|(at, _)| *at == text).map(|(_, atom)| atom);
    let key = atom.map(|atom| &scope.story.index.keys[atom.key as usize]);
    // An edge that requires knowledge is closed because a character has not learned something.
    if let (Some(atom), Some(key)) = (atom, key)
        && let Some((_, who)) = key.about.filter(|_| key.field == Some(Field::Knows))
    {
        let finding = Finding::new(Code::KnowledgeLeak).text(1).about([who]);
        let finding = finding.with_arg(scope.name(who)).with_arg(scope.shown(atom.literal));
        return found.push(finding.with_arg(from));
    }
    let who = key.and_then(|key| key.about).map(|(_, who)| who);
    let finding = Finding::new(Code::EdgeConditionUnsatisfiable).about(who);
    let shown = match atom {
        Some(atom) => {
            let key = &scope.story.index.keys[atom.key as usize].text;
            condition.replacen(key.as_str(), &scope.shown_key(atom.key), 1)
        }
        None => condition.clone(),
    };
    found.push(finding.with_arg(from).with_arg(shown));
}

/// What a scene shows of its participants, beside life and place, which have rules of their own.
fn divergence(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    const OF_PEOPLE: &[Field] = &[Field::Outfit, Field::Injuries, Field::Inventory];
    const OF_ITEMS: &[Field] = &[Field::Status, Field::Holder];
    for &who in &scope.scene.cast {
        let fields = match &scope.known(who).entity {
            Some(entity) if entity.kind == EntityType::Character => OF_PEOPLE,
            Some(entity) if entity.kind == EntityType::Item => OF_ITEMS,
            _ => continue,
        };
        let differing: Vec<String> = fields
            .iter()
            .filter(|field| disagree(scope, who, **field))
            .filter_map(|field| Some(scope.shown_key(scope.key(who, *field)?)))
            .collect();
        if !differing.is_empty() {
            let finding = Finding::new(Code::BranchStateDivergence).about([who]);
            found.push(finding.with_arg(differing.join(", ")));
        }
    }
}

/// Whether the ways that meet here bring different values along.
fn disagree(scope: &Scope<'_>, who: EntityIndex, field: Field) -> bool {
    let Some(key) = scope.key(who, field) else { return false };
    let paths = &scope.world.paths;
    if paths.agreed(scope.around.pre, key).is_some() || scope.sets(who, field) {
        return false;
    }
    let open = scope.incoming.iter().filter(|incoming| incoming.state.possible);
    let mut brought = open.map(|incoming| {
        let mut values: Vec<ValueId> = paths.values_of(incoming.state, key).collect();
        values.sort_unstable();
        values.dedup();
        values
    });
    let first = brought.next();
    brought.any(|values| Some(values) != first)
}
