//! Promises: made before they are kept, and kept at all.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::worldforge::model::Severity;
use crate::worldforge::story::Shared;
use crate::worldforge::story::paths::Share;
use crate::worldforge::story::scene::At;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let (story, hooks) = (scope.story, &scope.scene.node.hooks);
    for target in &hooks.payoff_targets {
        let node = story.at(target);
        let setups: Vec<At> =
            Shared::of(&story.shared.setups, target).iter().copied().chain(node).collect();
        let label = node.map_or(target.as_str(), |node| scope.title(node));
        if setups.is_empty() {
            found.push(Finding::new(Code::PayoffTargetMissing).say(label));
            continue;
        }
        let early = unprepared(scope, &setups);
        if early != Share::None {
            let setup = setups.first().map_or("", |setup| scope.title(*setup));
            found.push(Finding::new(Code::PayoffBeforeSetup).on(early).say(label).say(setup));
        }
    }
    for label in &hooks.foreshadow {
        let payoffs = [label, &scope.scene.node.id];
        let mut payoffs =
            payoffs.into_iter().flat_map(|name| Shared::of(&story.shared.payoffs, name));
        let paid = payoffs.any(|&at| at != scope.at && story.flow.reaches(scope.at, at));
        if !paid {
            let finding = Finding::new(Code::ForeshadowUnpaid).say(label);
            found.push(match story.drafts {
                0 => finding,
                _ => finding.rated(Severity::Info),
            });
        }
    }
}

/// On how many paths a promise is kept here that was not made before.
fn unprepared(scope: &Scope<'_>, setups: &[At]) -> Share {
    let flow = &scope.story.flow;
    let earlier: Vec<At> = setups
        .iter()
        .copied()
        .filter(|setup| *setup == scope.at || flow.reaches(*setup, scope.at))
        .collect();
    let always = |setup: &At| *setup == scope.at || flow.always_before(*setup, scope.at);
    if earlier.is_empty() {
        Share::All
    } else if earlier.iter().any(always) || !flow.avoidable(&earlier, scope.at) {
        Share::None
    } else {
        Share::Some
    }
}
