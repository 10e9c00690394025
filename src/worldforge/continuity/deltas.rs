//! Changes: they work with what is there, and do not contradict each other.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::DeltaOp;
use crate::story::paths::KeyId;
use crate::story::values::Fault;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let steps = &scope.scene.steps;
    for &(at, fault, share) in &scope.around.faults {
        let step = steps[at];
        let code = match fault {
            Fault::WrongType => Code::DeltaTypeMismatch,
            Fault::NothingToRemove => Code::DeltaRemoveMissing,
        };
        let finding = Finding::new(code).on(share).about(about(scope, step.key));
        let op = format!("{:?}", step.op).to_uppercase();
        let finding = finding.say(scope.shown_key(step.key)).say(op);
        found.push(finding.say(scope.shown(step.value)));
    }
    for (at, step) in steps.iter().enumerate() {
        if step.op != DeltaOp::Set {
            continue;
        }
        let mut earlier = steps[..at].iter().filter(|one| one.op == DeltaOp::Set);
        if let Some(earlier) = earlier.find(|one| one.key == step.key && one.value != step.value) {
            let finding = Finding::new(Code::DeltaContradictory).about(about(scope, step.key));
            let finding = finding.say(scope.shown_key(step.key)).say(scope.shown(earlier.value));
            found.push(finding.say(scope.shown(step.value)));
        }
    }
}

fn about(scope: &Scope<'_>, key: KeyId) -> Option<usize> {
    scope.story.index.keys[key as usize].about.map(|(_, who)| who)
}
