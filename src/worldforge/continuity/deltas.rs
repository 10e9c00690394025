//! Changes: they fit the existing value and do not contradict each other.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::DeltaOp;
use crate::story::paths::KeyId;
use crate::story::values::DeltaError;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let steps = &scope.scene.steps;
    for &(at, error, share) in &scope.around.errors {
        let step = steps[at];
        let code = match error {
            DeltaError::WrongType => Code::DeltaTypeMismatch,
            DeltaError::NothingToRemove => Code::DeltaRemoveMissing,
        };
        let finding = Finding::new(code).on(share).about(about(scope, step.key));
        let op = format!("{:?}", step.op).to_uppercase();
        let finding = finding.with_arg(scope.shown_key(step.key)).with_arg(op);
        found.push(finding.with_arg(scope.shown(step.value)));
    }
    for (at, step) in steps.iter().enumerate() {
        if step.op != DeltaOp::Set {
            continue;
        }
        let mut earlier = steps[..at].iter().filter(|one| one.op == DeltaOp::Set);
        if let Some(earlier) = earlier.find(|one| one.key == step.key && one.value != step.value) {
            let finding = Finding::new(Code::DeltaContradictory).about(about(scope, step.key));
            let finding =
                finding.with_arg(scope.shown_key(step.key)).with_arg(scope.shown(earlier.value));
            found.push(finding.with_arg(scope.shown(step.value)));
        }
    }
}

fn about(scope: &Scope<'_>, key: KeyId) -> Option<usize> {
    scope.story.index.keys[key as usize].about.map(|(_, who)| who)
}
