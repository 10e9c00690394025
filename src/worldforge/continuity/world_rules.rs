//! The rules of the world: what they forbid does not happen, what they require does.
//!
//! A rule is asked where a node changes something that it speaks of, and where it speaks of the
//! scene itself.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::story::law::{Clause, Law, holds_in};
use crate::story::paths::{KeyId, Share};
use crate::story::values::ValueId;

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    if !scope.around.post.possible {
        return;
    }
    for law in &scope.story.laws {
        let concerned = law.clauses().any(|clause| match clause {
            Clause::Scene(_) => true,
            Clause::World(atom) => scope.scene.steps.iter().any(|step| step.key == atom.key),
        });
        if !concerned {
            continue;
        }
        let broken = broken(scope, law);
        if broken != Share::None {
            let finding = Finding::new(Code::RuleViolation).weighing(law.severity).on(broken);
            let summary = scope.known(law.who).entity.as_ref().map_or("", |rule| &rule.summary);
            found.push(finding.about([law.who]).say(scope.name(law.who)).say(summary.trim()));
        }
    }
}

fn broken(scope: &Scope<'_>, law: &Law) -> Share {
    if law.then.is_empty() {
        return Share::None;
    }
    let keys: Vec<KeyId> = law.keys().collect();
    let breaks = |row: &[ValueId]| {
        let mut row = row.iter();
        let mut holds = |clauses: &[Clause]| -> Option<bool> {
            let each = clauses.iter().map(|clause| match clause {
                Clause::Scene(condition) => Some(holds_in(condition, scope.scene)),
                Clause::World(atom) => {
                    scope.values().passes(*row.next()?, &atom.test, atom.literal)
                }
            });
            // Every clause takes its value from the row, so none may be skipped.
            let each: Vec<Option<bool>> = each.collect();
            if each.contains(&Some(false)) {
                return Some(false);
            }
            each.into_iter().collect::<Option<Vec<bool>>>().map(|_| true)
        };
        holds(&law.when) == Some(true) && holds(&law.then) == Some(law.forbids)
    };
    if keys.is_empty() {
        return Share::of([breaks(&[])]);
    }
    let rows = scope.world.paths.together(scope.around.post, &keys);
    Share::of(rows.chunks(keys.len()).map(breaks))
}
