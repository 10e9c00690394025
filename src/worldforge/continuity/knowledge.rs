//! Knowledge: characters know only what they have learned on the way.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::DeltaOp;
use crate::story::index::{EntityIndex, Field};
use crate::story::paths::Share;
use crate::story::values::{UNKNOWN, ValueId};

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    if !scope.around.pre.possible {
        return;
    }
    for &(who, fact) in &scope.scene.needs {
        if learns(scope, who, fact) {
            continue;
        }
        let ignorant = match scope.key(who, Field::Knows) {
            None => Share::All,
            Some(key) => {
                let known = scope.world.paths.values_of(scope.around.pre, key);
                Share::of(known.flat_map(|value| match scope.values().contains(value, fact) {
                    Some(knows) => vec![!knows],
                    // Of many sets some have it and some have not; unknown values stay unknown.
                    None if value == UNKNOWN => vec![false],
                    None => vec![true, false],
                }))
            }
        };
        if ignorant != Share::None {
            let finding = Finding::new(Code::KnowledgeLeak).on(ignorant).about([who]);
            found.push(finding.with_arg(scope.name(who)).with_arg(scope.shown(fact)));
        }
    }
}

/// Whether a character learns a fact in the node itself.
fn learns(scope: &Scope<'_>, who: EntityIndex, fact: ValueId) -> bool {
    scope.steps(Field::Knows).any(|(other, step)| {
        let it = step.value == fact || scope.values().elements(step.value).contains(&fact);
        other == who && it && matches!(step.op, DeltaOp::Add | DeltaOp::Set)
    })
}
