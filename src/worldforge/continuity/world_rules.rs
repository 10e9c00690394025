//! World rules: what they forbid must not happen, what they require must.
//!
//! A rule is checked where a node changes a key that the rule names, and, if the rule refers to the
//! scene, at every node.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::story::paths::{KeyId, Share};
use crate::story::values::ValueId;
use crate::story::world_rule::{Clause, WorldRule, holds_in};

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    if !scope.around.post.possible {
        return;
    }
    for rule in &scope.story.world_rules {
        let concerned = rule.clauses().any(|clause| match clause {
            Clause::Scene(_) => true,
            Clause::World(atom) => scope.scene.steps.iter().any(|step| step.key == atom.key),
        });
        if !concerned {
            continue;
        }
        let broken = broken(scope, rule);
        if broken != Share::None {
            let finding = Finding::new(Code::RuleViolation).weighing(rule.severity).on(broken);
            let summary = scope.known(rule.who).entity.as_ref().map_or("", |rule| &rule.summary);
            found.push(
                finding.about([rule.who]).with_arg(scope.name(rule.who)).with_arg(summary.trim()),
            );
        }
    }
}

fn broken(scope: &Scope<'_>, rule: &WorldRule) -> Share {
    if rule.then.is_empty() {
        return Share::None;
    }
    let keys: Vec<KeyId> = rule.keys().collect();
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
        holds(&rule.when) == Some(true) && holds(&rule.then) == Some(rule.forbids)
    };
    if keys.is_empty() {
        return Share::of([breaks(&[])]);
    }
    let rows = scope.world.paths.together(scope.around.post, &keys);
    Share::of(rows.chunks(keys.len()).map(breaks))
}
