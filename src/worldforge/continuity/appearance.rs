//! Appearance: injuries and outfits change for a reason.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::{DeltaOp, EntityType};
use crate::story::flow::FlowKind;
use crate::story::index::{EntityIndex, Field};
use crate::story::paths::{KeyId, Share, Step};
use crate::story::scene::Scene;
use crate::story::values::{ABSENT, UNKNOWN, ValueId};

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    for (who, step) in scope.steps(Field::Injuries) {
        for injury in healed(scope, step) {
            injury_vanished(scope, who, step.key, injury, found);
        }
    }
    for (who, step) in scope.steps(Field::Outfit) {
        if step.op == DeltaOp::Set && step.value != ABSENT && scope.plays(who) {
            outfit_changed(scope, who, step, found);
        }
    }
}

/// The injuries that a change takes away.
fn healed(scope: &Scope<'_>, step: &Step) -> Vec<ValueId> {
    let values = scope.values();
    let before = scope.world.paths.values_of(scope.around.pre, step.key);
    let mut had: Vec<ValueId> =
        before.flat_map(|value| values.elements(value).iter().copied()).collect();
    had.sort_unstable();
    had.dedup();
    let named =
        |injury: &ValueId| *injury == step.value || values.elements(step.value).contains(injury);
    match step.op {
        DeltaOp::Remove => had.retain(named),
        DeltaOp::Set => had.retain(|injury| !named(injury)),
        DeltaOp::Inc | DeltaOp::Dec | DeltaOp::Add => had.clear(),
    }
    had
}

fn injury_vanished(
    scope: &Scope<'_>,
    who: EntityIndex,
    key: KeyId,
    injury: ValueId,
    found: &mut Vec<Finding>,
) {
    let values = scope.values();
    let inflicts = |scene: &Scene| {
        scene.steps.iter().any(|step| {
            let gives = matches!(step.op, DeltaOp::Add | DeltaOp::Set);
            let it = step.value == injury || values.elements(step.value).contains(&injury);
            step.key == key && gives && it
        })
    };
    let share = Share::of(scope.last(inflicts).into_iter().map(|(node, jumped)| {
        let then = scope.story.scenes[node].when;
        let passed = then.zip(scope.scene.when).is_some_and(|(then, now)| then.before(&now));
        !jumped && !passed
    }));
    if share != Share::None {
        let finding = Finding::new(Code::InjuryVanished).on(share).about([who]);
        found.push(finding.with_arg(scope.name(who)).with_arg(scope.shown(injury)));
    }
}

fn outfit_changed(scope: &Scope<'_>, who: EntityIndex, step: &Step, found: &mut Vec<Finding>) {
    if !scope.known(who).is(EntityType::Character) {
        return;
    }
    let mut worn = None;
    let mut cases = Vec::new();
    for incoming in scope.incoming.iter().filter(|incoming| incoming.state.possible) {
        let from = &scope.story.scenes[incoming.predecessor.from];
        let passed = from.when.zip(scope.scene.when).is_some_and(|(then, now)| then.before(&now));
        let direct = incoming.predecessor.by == FlowKind::Edge
            && !incoming.predecessor.jumps()
            && !passed
            && from.cast.contains(&who)
            && from.places.iter().any(|place| scope.scene.places.contains(place));
        for value in scope.world.paths.values_of(incoming.state, step.key) {
            let other = !matches!(value, ABSENT | UNKNOWN) && value != step.value;
            cases.push(direct && other);
            if direct && other {
                worn.get_or_insert(value);
            }
        }
    }
    if let Some(worn) = worn {
        let finding = Finding::new(Code::OutfitChangeUnmotivated).on(Share::of(cases)).about([who]);
        let finding = finding.with_arg(scope.name(who)).with_arg(scope.shown(worn));
        found.push(finding.with_arg(scope.shown(step.value)));
    }
}
