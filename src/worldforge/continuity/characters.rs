//! Characters: their location, and whether they are alive.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::{DeltaOp, EntityType};
use crate::story::index::{EntityIndex, Field};
use crate::story::paths::Share;
use crate::story::values::{ABSENT, UNKNOWN, Values};

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    for who in scope.cast(EntityType::Character) {
        location(scope, who, found);
        let dead = scope.before(who, Field::Alive, Values::is_false);
        if dead != Share::None && !revived(scope, who) {
            let finding = Finding::new(Code::CharDeadActive).on(dead).about([who]);
            found.push(finding.with_arg(scope.name(who)));
        }
    }
    for (who, step) in scope.steps(Field::Alive) {
        if step.op != DeltaOp::Set || scope.values().is_false(step.value) {
            continue;
        }
        let dead = scope.before(who, Field::Alive, Values::is_false);
        if dead != Share::None && !scope.permitted(Code::CharResurrected) {
            let finding = Finding::new(Code::CharResurrected).on(dead).about([who]);
            found.push(finding.with_arg(scope.name(who)));
        }
    }
    for (who, step) in scope.steps(Field::Knows) {
        if step.op != DeltaOp::Add || revived(scope, who) {
            continue;
        }
        let dead = match dies_before(scope, who, step.key) {
            true => Share::All,
            false => scope.before(who, Field::Alive, Values::is_false),
        };
        if dead != Share::None {
            let finding = Finding::new(Code::CharPosthumousLearning).on(dead).about([who]);
            found.push(finding.with_arg(scope.name(who)).with_arg(scope.shown(step.value)));
        }
    }
}

fn location(scope: &Scope<'_>, who: EntityIndex, found: &mut Vec<Finding>) {
    let Some(key) = scope.key(who, Field::Location) else { return };
    if scope.scene.places.is_empty() {
        return;
    }
    let mut elsewhere = None;
    let share = scope.world.paths.share(scope.around.post, key, |_, value| {
        let away = !matches!(value, ABSENT | UNKNOWN) && !scope.is_here(value);
        if away {
            elsewhere.get_or_insert(value);
        }
        away
    });
    if let Some(value) = elsewhere {
        let finding = Finding::new(Code::CharLocationMismatch).on(share).about([who]);
        found.push(
            finding.with_arg(scope.name(who)).with_arg(scope.shown(value)).with_arg(scope.places()),
        );
    }
}

/// Whether the node revives a character.
fn revived(scope: &Scope<'_>, who: EntityIndex) -> bool {
    scope.steps(Field::Alive).any(|(other, step)| {
        other == who && step.op == DeltaOp::Set && !scope.values().is_false(step.value)
    })
}

/// Whether the node kills a character before it changes a key.
fn dies_before(scope: &Scope<'_>, who: EntityIndex, key: u32) -> bool {
    let alive = scope.key(who, Field::Alive);
    let earlier = scope.scene.steps.iter().take_while(|step| step.key != key);
    earlier
        .filter(|step| Some(step.key) == alive && step.op == DeltaOp::Set)
        .any(|step| scope.values().is_false(step.value))
}
