//! Order: the telling goes forward, and dates go with it.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::EdgeType;
use crate::story::scene::At;

/// So many nodes of one place in the telling are looked at.
const MAX_TWINS: usize = 32;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let (story, node) = (scope.story, &scope.scene.node);
    for link in &story.flow.entering[scope.at] {
        let from = &story.scenes[link.from];
        let dates = from.when.zip(scope.scene.when);
        let say = |code| Finding::new(code).say(&*from.node.title).say(&*node.title);
        if link.straight() {
            // A way that closes a circle is told as that.
            if story.flow.closing.contains(&link.way) {
                continue;
            }
            if from.node.time.order >= node.time.order {
                let orders = [from.node.time.order, node.time.order].map(|order| order.to_string());
                let [one, other] = orders;
                found.push(say(Code::TimeOrderInversion).say(one).say(other));
            }
            if dates.is_some_and(|(then, now)| now.before(&then)) {
                found.push(dated(scope, link.from, say(Code::InworldDateRegression)));
            }
        } else if link.kind == EdgeType::Flashback {
            let not_earlier = dates.is_some_and(|(remembering, then)| {
                remembering.calendar == then.calendar && then.from >= remembering.from
            });
            if not_earlier {
                found.push(dated(scope, link.from, say(Code::FlashbackNotEarlier)));
            }
        }
    }
    if let Some(twin) = twin(scope) {
        let finding = Finding::new(Code::TimeOrderDuplicate);
        found.push(finding.say(scope.title(twin)).say(node.time.order.to_string()));
    }
}

fn dated(scope: &Scope<'_>, from: At, finding: Finding) -> Finding {
    let date = |at: At| scope.story.scenes[at].node.time.in_world_date.clone().unwrap_or_default();
    finding.say(date(from)).say(date(scope.at))
}

/// A node on the way here that has the same place in the telling.
fn twin(scope: &Scope<'_>) -> Option<At> {
    let story = scope.story;
    let order = |at: At| story.scenes[at].node.time.order;
    let rank = story.rank[scope.at];
    let same = |at: &At| order(*at) == order(scope.at);
    let before = story.order[..rank].iter().rev().copied().take_while(same).take(MAX_TWINS);
    let after = story.order[rank + 1..].iter().copied().take_while(same).take(MAX_TWINS);
    // A straight edge between twins is told as an inversion.
    let linked = |one: At, other: At| {
        story.flow.leaving[one].iter().any(|link| link.to == other && link.straight())
    };
    before.chain(after).find(|&twin| {
        !linked(twin, scope.at) && !linked(scope.at, twin) && story.flow.reaches(twin, &[scope.at])
    })
}
