//! Items: destroyed or lost items stay so.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::{DeltaOp, EntityType};
use crate::story::index::{EntityIndex, Field};
use crate::story::paths::Share;
use crate::story::values::{ABSENT, ValueId, Values};

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    for (who, step) in scope.steps(Field::Status) {
        if step.op != DeltaOp::Set || destroyed(scope.values(), step.value) {
            continue;
        }
        let gone = scope.before(who, Field::Status, destroyed);
        if gone != Share::None && !scope.permitted(Code::ItemResurrected) {
            let finding = Finding::new(Code::ItemResurrected).on(gone).about([who]);
            found.push(finding.with_arg(scope.name(who)).with_arg(scope.shown(step.value)));
        }
    }
    for who in present(scope) {
        let gone = scope.before(who, Field::Status, |values, value| {
            destroyed(values, value) || is(values, value, "LOST")
        });
        // A new status means that it was found, or is reported by the rule above.
        if gone != Share::None && !scope.sets(who, Field::Status) {
            let finding = Finding::new(Code::ItemDestroyedPresent).on(gone).about([who]);
            found.push(finding.with_arg(scope.name(who)));
        }
    }
}

/// Items that take part, are taken up or are changed.
pub(super) fn present(scope: &Scope<'_>) -> Vec<EntityIndex> {
    let mut items: Vec<EntityIndex> = scope.cast(EntityType::Item).collect();
    for step in &scope.scene.steps {
        let key = &scope.story.index.keys[step.key as usize];
        let cleared = step.op == DeltaOp::Set && step.value == ABSENT;
        if let Some((EntityType::Item, who)) = key.about
            && !cleared
        {
            items.push(who);
        }
    }
    items.extend(scope.scene.gains.iter().map(|gain| gain.item));
    items.sort_unstable();
    items.dedup();
    items
}

/// Whether a status means that an item is gone.
pub(super) fn destroyed(values: &Values, value: ValueId) -> bool {
    is(values, value, "DESTROYED")
}

fn is(values: &Values, value: ValueId, status: &str) -> bool {
    values.text(value).is_some_and(|text| text.eq_ignore_ascii_case(status))
}
