//! Promises: setups come before payoffs, and have one.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::model::Severity;
use crate::story::Shared;
use crate::story::paths::Share;
use crate::story::scene::NodeIndex;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let (story, hooks) = (scope.story, &scope.scene.node.hooks);
    for target in &hooks.payoff_targets {
        let node = story.at(target);
        let mut setups: Vec<NodeIndex> =
            Shared::of(&story.shared.setups, target).iter().copied().chain(node).collect();
        setups.sort_by_key(|at| story.rank[*at]);
        let label = node.map_or(target.as_str(), |node| scope.title(node));
        if setups.is_empty() {
            found.push(Finding::new(Code::PayoffTargetMissing).with_arg(label));
            continue;
        }
        let early = story.flow.untold(&setups, scope.at);
        if early != Share::None {
            let setup = setups.first().map_or("", |setup| scope.title(*setup));
            found.push(
                Finding::new(Code::PayoffBeforeSetup).on(early).with_arg(label).with_arg(setup),
            );
        }
    }
    for label in &hooks.foreshadow {
        let payoffs = [label, &scope.scene.node.id];
        let payoffs = payoffs.map(|name| Shared::of(&story.shared.payoffs, name)).concat();
        let paid = story.flow.reaches(scope.at, &payoffs);
        if !paid {
            let finding = Finding::new(Code::ForeshadowUnpaid).with_arg(label);
            found.push(match story.drafts {
                0 => finding,
                _ => finding.weighing(Severity::Info),
            });
        }
    }
}
