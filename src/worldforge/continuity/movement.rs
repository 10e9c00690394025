//! Movement: nobody is in two places at once, or travels faster than possible.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::{DeltaOp, EntityType};
use crate::story::index::{EntityIndex, Field};
use crate::story::paths::{KeyId, Share};
use crate::story::scene::{NodeIndex, Scene};
use crate::story::travel;
use crate::story::values::{ABSENT, UNKNOWN, ValueId};

/// Maximum number of other nodes of one minute that are inspected.
const MAX_MEETINGS: usize = 32;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let Some(when) = scope.scene.when else { return };
    let mut booked = Vec::new();
    if when.exact() {
        for who in scope.cast(EntityType::Character) {
            if let Some(other) = double_booked(scope, who) {
                booked.push(who);
                let finding = Finding::new(Code::CharDoubleBooked).about([who]);
                found.push(
                    finding
                        .with_arg(scope.name(who))
                        .with_arg(scope.title(other))
                        .with_arg(date(scope)),
                );
            }
        }
    }
    for (who, step) in scope.steps(Field::Location) {
        let moves = step.op == DeltaOp::Set && step.value != ABSENT && !booked.contains(&who);
        if moves && scope.known(who).is(EntityType::Character) {
            moved(scope, who, step.key, step.value, found);
        }
    }
}

fn double_booked(scope: &Scope<'_>, who: EntityIndex) -> Option<NodeIndex> {
    let (story, Scene { when, places, .. }) = (scope.story, scope.scene);
    let meetings = story.shared.meetings.get(&(who, (*when)?))?;
    let mut elsewhere: Vec<NodeIndex> = meetings
        .iter()
        .copied()
        .filter(|&other| {
            let others = &story.scenes[other].places;
            let apart = !places.iter().any(|place| others.contains(place));
            other != scope.at && apart && !places.is_empty() && !others.is_empty()
        })
        .collect();
    let rank = |at: NodeIndex| story.rank[at];
    elsewhere.sort_by_key(|other| rank(*other).abs_diff(rank(scope.at)));
    let mut near = elsewhere.into_iter().take(MAX_MEETINGS);
    near.find(|other| story.flow.reaches(*other, &[scope.at]))
}

/// A character changes place here.
fn moved(scope: &Scope<'_>, who: EntityIndex, key: KeyId, to: ValueId, found: &mut Vec<Finding>) {
    let Some(now) = scope.scene.when else { return };
    let leaves = |from: ValueId| {
        // What the scene itself spans is no leap.
        from != to && !matches!(from, ABSENT | UNKNOWN) && !scope.is_here(from)
    };
    // Only a short way back to the previous node makes it worth searching further back.
    let before = || {
        scope.incoming.iter().map(|incoming| {
            let when = scope.story.scenes[incoming.predecessor.from].when;
            (when, incoming.predecessor.jumps())
        })
    };
    let still =
        before().any(|(then, jumps)| !jumps && then.is_some_and(|then| then.same_moment(&now)));
    let shortest = before().map(|(then, _)| then.and_then(|then| then.at_most_until(&now)));
    let shortest = shortest.map(|seconds| seconds.unwrap_or(0)).min().unwrap_or(i64::MAX);
    let short_for = |hours: f64| (shortest as f64) < hours * 3600.0;
    if !still && !short_for(scope.story.index.longest_way) {
        return;
    }
    let hurried = |from: ValueId| hours(scope, from, to).is_some_and(short_for);
    let mut origins = scope.world.paths.values_of(scope.around.pre, key);
    let Some(from) = origins.find(|from| leaves(*from) && (still || hurried(*from))) else {
        return;
    };

    let (mut too_fast, mut at_once) = (Vec::new(), Vec::new());
    let located =
        |scene: &Scene| scene.cast.contains(&who) || scene.steps.iter().any(|step| step.key == key);
    for (node, jumped) in scope.last(located) {
        let then = scope.story.scenes[node].when;
        for from in scope.world.paths.values_of(scope.after(node), key) {
            // A date that goes back has a rule of its own.
            let onward = then.filter(|then| !now.before(then));
            let seconds = onward.and_then(|then| then.at_most_until(&now));
            let needed = hours(scope, from, to).filter(|_| leaves(from));
            too_fast.push(match (seconds, needed) {
                (Some(seconds), Some(hours)) => (seconds as f64) < hours * 3600.0,
                _ => false,
            });
            let same = then.is_some_and(|then| then.same_moment(&now));
            at_once.push(leaves(from) && same && !jumped);
        }
    }
    let (too_fast, at_once) = (Share::of(too_fast), Share::of(at_once));
    let finding = |code, share| {
        let finding = Finding::new(code).on(share).about([who]).with_arg(scope.name(who));
        finding.with_arg(scope.shown(from)).with_arg(scope.shown(to))
    };
    if too_fast != Share::None {
        let hours = hours(scope, from, to).unwrap_or_default();
        found.push(finding(Code::TravelTooFast, too_fast).with_arg(hours.to_string()));
    } else if at_once != Share::None {
        found.push(finding(Code::CharTeleport, at_once));
    }
}

fn date(scope: &Scope<'_>) -> String {
    scope.scene.node.time.in_world_date.clone().unwrap_or_default()
}

/// The travel time between two places, if one of them defines it.
fn hours(scope: &Scope<'_>, from: ValueId, to: ValueId) -> Option<f64> {
    let place = |value| scope.named(value).and_then(|who| scope.known(who).entity.as_ref());
    travel::hours(place(from)?, place(to)?)
}
