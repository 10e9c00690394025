//! Movement: nobody is at two places at once, or faster than the way allows.

use serde_json::Value;

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::worldforge::model::{DeltaOp, Entity, EntityType};
use crate::worldforge::story::index::{Field, Who};
use crate::worldforge::story::paths::{KeyId, Share};
use crate::worldforge::story::scene::{At, Scene};
use crate::worldforge::story::values::{ABSENT, UNKNOWN, ValueId};

/// So many other nodes of one minute are looked at.
const MAX_MEETINGS: usize = 32;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let Some(when) = scope.scene.when else { return };
    let mut booked = Vec::new();
    if when.exact() {
        for who in scope.cast(EntityType::Character) {
            if let Some(other) = double_booked(scope, who) {
                booked.push(who);
                let finding = Finding::new(Code::CharDoubleBooked).about([who]);
                found.push(finding.say(scope.name(who)).say(scope.title(other)).say(date(scope)));
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

fn double_booked(scope: &Scope<'_>, who: Who) -> Option<At> {
    let (story, Scene { when, places, .. }) = (scope.story, scope.scene);
    let meetings = story.shared.meetings.get(&(who, (*when)?))?;
    let mut elsewhere: Vec<At> = meetings
        .iter()
        .copied()
        .filter(|&other| {
            let others = &story.scenes[other].places;
            let apart = !places.iter().any(|place| others.contains(place));
            other != scope.at && apart && !places.is_empty() && !others.is_empty()
        })
        .collect();
    let told = |at: At| story.rank[at];
    elsewhere.sort_by_key(|other| told(*other).abs_diff(told(scope.at)));
    let mut near = elsewhere.into_iter().take(MAX_MEETINGS);
    near.find(|other| story.flow.reaches(*other, &[scope.at]))
}

/// Somebody is set to another place here.
fn moved(scope: &Scope<'_>, who: Who, key: KeyId, to: ValueId, found: &mut Vec<Finding>) {
    let Some(now) = scope.scene.when else { return };
    let leaves = |from: ValueId| {
        // What the scene itself spans is no leap.
        from != to && !matches!(from, ABSENT | UNKNOWN) && !scope.is_here(from)
    };
    // Only a short way back to the node before makes it worth to look further back.
    let before = || {
        scope.incoming.iter().map(|incoming| {
            let when = scope.story.scenes[incoming.arrival.from].when;
            (when, incoming.arrival.jumps())
        })
    };
    let still =
        before().any(|(then, jumps)| !jumps && then.is_some_and(|then| then.same_moment(&now)));
    let hurried = |from: ValueId| {
        hours(scope, from, to).is_some_and(|hours| {
            before().any(|(then, _)| {
                let seconds = then.and_then(|then| then.at_most_until(&now));
                seconds.is_none_or(|seconds| (seconds as f64) < hours * 3600.0)
            })
        })
    };
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
        let finding = Finding::new(code).on(share).about([who]).say(scope.name(who));
        finding.say(scope.shown(from)).say(scope.shown(to))
    };
    if too_fast != Share::None {
        let hours = hours(scope, from, to).unwrap_or_default();
        found.push(finding(Code::TravelTooFast, too_fast).say(hours.to_string()));
    } else if at_once != Share::None {
        found.push(finding(Code::CharTeleport, at_once));
    }
}

fn date(scope: &Scope<'_>) -> String {
    scope.scene.node.time.in_world_date.clone().unwrap_or_default()
}

/// How long the way between two places takes, where one of them says so.
fn hours(scope: &Scope<'_>, from: ValueId, to: ValueId) -> Option<f64> {
    if !scope.story.index.ways_are_long {
        return None;
    }
    let place = |value| scope.named(value).and_then(|who| scope.known(who).entity.as_ref());
    let (from, to) = (place(from)?, place(to)?);
    told(from, to).or_else(|| told(to, from))
}

/// `attributes.travelHours` by id or name, or a relationship `travel…` whose note begins with a
/// number of hours, or of days: `6`, `6 h`, `2 days`.
fn told(from: &Entity, to: &Entity) -> Option<f64> {
    let table = from.attributes.get("travelHours").and_then(Value::as_object);
    let listed = table.and_then(|table| table.get(&to.id).or_else(|| table.get(&to.name)));
    let related = || {
        let mut ways = from.relationships.iter().filter(|relation| relation.to_entity_id == to.id);
        let way = ways.find(|relation| relation.rel_type.starts_with("travel"))?;
        let note = way.note.as_deref()?.trim();
        let end = note.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(note.len());
        let number: f64 = note[..end].parse().ok()?;
        let days = note[end..].trim_start().starts_with(['d', 'D']);
        Some(if days { 24.0 * number } else { number })
    };
    listed.and_then(Value::as_f64).or_else(related)
}
