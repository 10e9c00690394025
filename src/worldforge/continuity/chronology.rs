//! Chronology: telling order and in-world dates go forward.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::EdgeType;
use crate::story::scene::NodeIndex;

/// Maximum number of nodes with the same order that are inspected.
const MAX_TWINS: usize = 32;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let (story, node) = (scope.story, &scope.scene.node);
    for link in &story.flow.entering[scope.at] {
        let from = &story.scenes[link.from];
        let dates = from.when.zip(scope.scene.when);
        let finding = |code| Finding::new(code).with_arg(&*from.node.title).with_arg(&*node.title);
        if link.straight() {
            // An edge that closes a cycle is reported as that.
            if story.flow.closing.contains(&link.way) {
                continue;
            }
            if from.node.time.order >= node.time.order {
                let orders = [from.node.time.order, node.time.order].map(|order| order.to_string());
                let [one, other] = orders;
                found.push(finding(Code::TimeOrderInversion).with_arg(one).with_arg(other));
            }
            if dates.is_some_and(|(then, now)| now.before(&then)) {
                found.push(dated(scope, link.from, finding(Code::InworldDateRegression)));
            }
        } else if link.kind == EdgeType::Flashback {
            let not_earlier = dates.is_some_and(|(remembering, then)| {
                remembering.calendar == then.calendar && then.from >= remembering.from
            });
            if not_earlier {
                found.push(dated(scope, link.from, finding(Code::FlashbackNotEarlier)));
            }
        }
    }
    if let Some(twin) = twin(scope) {
        let finding = Finding::new(Code::TimeOrderDuplicate);
        found.push(finding.with_arg(scope.title(twin)).with_arg(node.time.order.to_string()));
    }
}

fn dated(scope: &Scope<'_>, from: NodeIndex, finding: Finding) -> Finding {
    let date =
        |at: NodeIndex| scope.story.scenes[at].node.time.in_world_date.clone().unwrap_or_default();
    finding.with_arg(date(from)).with_arg(date(scope.at))
}

/// A node on the way here that has the same place in the telling.
fn twin(scope: &Scope<'_>) -> Option<NodeIndex> {
    let story = scope.story;
    let order = |at: NodeIndex| story.scenes[at].node.time.order;
    let rank = story.rank[scope.at];
    let same = |at: &NodeIndex| order(*at) == order(scope.at);
    let before = story.order[..rank].iter().rev().copied().take_while(same).take(MAX_TWINS);
    let after = story.order[rank + 1..].iter().copied().take_while(same).take(MAX_TWINS);
    // A straight edge between twins is reported as an inversion.
    let linked = |one: NodeIndex, other: NodeIndex| {
        story.flow.leaving[one].iter().any(|link| link.to == other && link.straight())
    };
    before.chain(after).find(|&twin| {
        !linked(twin, scope.at) && !linked(scope.at, twin) && story.flow.reaches(twin, &[scope.at])
    })
}
