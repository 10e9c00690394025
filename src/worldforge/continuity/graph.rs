//! The shape of the graph around a node, and the notes of the engine.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::EdgeType;
use crate::story::flow::{Anchor, FlowKind, Place};

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let flow = &scope.story.flow;
    let leaving = &flow.leaving[scope.at];
    if let Some(link) = leaving.iter().find(|link| flow.closing.contains(&link.way)) {
        found.push(Finding::new(Code::GraphCycle).with_arg(scope.title(link.to)));
    }
    let closed_here = scope.incoming.iter().any(|incoming| incoming.closed_by.is_some());
    match flow.place[scope.at] {
        Place::Lost => found.push(Finding::new(Code::GraphUnreachable)),
        // If a condition closes the way, that is reported.
        _ if !scope.around.pre.possible && !closed_here => {
            found.push(Finding::new(Code::GraphUnreachable).text(1));
        }
        _ => {}
    }
    if flow.place[scope.at] == Place::Main && flow.exit_less(scope.at) && !ending(scope) {
        found.push(Finding::new(Code::GraphDeadEnd));
    }
    let choices = leaving.iter().filter(|link| link.kind == EdgeType::Choice);
    if let [only] = choices.collect::<Vec<_>>()[..] {
        found.push(Finding::new(Code::ChoiceSingleOption).with_arg(scope.title(only.to)));
    }
    if flow.unlinked[scope.at] {
        found.push(Finding::new(Code::NodeUnlinked));
    }
    if scope.around.widens {
        found.push(Finding::new(Code::StateWidened));
    }
    let unanchored = scope.incoming.iter().any(|incoming| {
        let predecessor = incoming.predecessor;
        predecessor.by == FlowKind::Memory
            && flow.anchor(predecessor.from, scope.scene.when) == Anchor::Unknown
    });
    if unanchored {
        found.push(Finding::new(Code::FlashbackUnanchored));
    }
}

/// Whether a story may end here: at the last node of the telling, or anywhere in its chapter.
fn ending(scope: &Scope<'_>) -> bool {
    let story = scope.story;
    let Some(&last) = story.order.last() else { return true };
    let chapter = story.chapter_at(last);
    last == scope.at || chapter.is_some() && story.chapter_at(scope.at) == chapter
}
