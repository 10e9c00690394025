//! Relationships between participants: no contradiction, and a counterpart.

use super::code::Code;
use super::finding::Finding;
use super::scope::Scope;
use crate::story::index::EntityIndex;

/// What the other side of a relationship may be called. Other relationships need no counterpart.
const COUNTERPARTS: &[(&str, &[&str])] = &[
    ("ally_of", &["ally_of"]),
    ("enemy_of", &["enemy_of"]),
    ("friend_of", &["friend_of"]),
    ("rival_of", &["rival_of"]),
    ("colleague_of", &["colleague_of"]),
    ("online_ally", &["online_ally"]),
    ("cousin_of", &["cousin_of"]),
    ("sibling_of", &["sibling_of", "brother_of", "sister_of"]),
    ("brother_of", &["sibling_of", "brother_of", "sister_of"]),
    ("sister_of", &["sibling_of", "brother_of", "sister_of"]),
    ("spouse_of", &["spouse_of", "husband_of", "wife_of"]),
    ("husband_of", &["spouse_of", "husband_of", "wife_of"]),
    ("wife_of", &["spouse_of", "husband_of", "wife_of"]),
    ("parent_of", &["child_of", "son_of", "daughter_of"]),
    ("mother_of", &["child_of", "son_of", "daughter_of"]),
    ("father_of", &["child_of", "son_of", "daughter_of"]),
    ("child_of", &["parent_of", "mother_of", "father_of"]),
    ("son_of", &["parent_of", "mother_of", "father_of"]),
    ("daughter_of", &["parent_of", "mother_of", "father_of"]),
    ("aunt_of", &["nephew_of", "niece_of"]),
    ("uncle_of", &["nephew_of", "niece_of"]),
    ("nephew_of", &["aunt_of", "uncle_of"]),
    ("niece_of", &["aunt_of", "uncle_of"]),
    ("mentor_of", &["student_of", "apprentice_of", "mentored_by"]),
    ("student_of", &["mentor_of", "teacher_of"]),
    ("apprentice_of", &["mentor_of", "teacher_of"]),
    ("teacher_of", &["student_of", "apprentice_of"]),
    ("commands", &["reports_to"]),
    ("reports_to", &["commands"]),
];

const ALLY: &str = "ally_of";
const ENEMY: &str = "enemy_of";

pub(super) fn check(scope: &Scope<'_>, found: &mut Vec<Finding>) {
    let cast = &scope.scene.cast;
    for (at, &one) in cast.iter().enumerate() {
        for &other in &cast[at + 1..] {
            if one != other {
                pair(scope, one, other, found);
            }
        }
    }
}

fn pair(scope: &Scope<'_>, one: EntityIndex, other: EntityIndex, found: &mut Vec<Finding>) {
    let either = |relation| has(scope, one, other, relation) || has(scope, other, one, relation);
    let torn = either(ALLY) && either(ENEMY);
    if torn {
        let finding = Finding::new(Code::RelationContradiction).about([one, other]);
        found.push(finding.with_arg(scope.name(one)).with_arg(scope.name(other)));
    }
    for (from, to) in [(one, other), (other, one)] {
        for (_, relation) in scope.known(from).relations.iter().filter(|(who, _)| *who == to) {
            let reported = torn && (relation == ALLY || relation == ENEMY);
            if !reported && lacks_counterpart(scope, from, to, relation) {
                let finding = Finding::new(Code::RelationAsymmetric).about([from, to]);
                found.push(
                    finding.with_arg(scope.name(from)).with_arg(relation).with_arg(scope.name(to)),
                );
            }
        }
    }
}

fn has(scope: &Scope<'_>, one: EntityIndex, other: EntityIndex, relation: &str) -> bool {
    let mut relations = scope.known(one).relations.iter();
    relations.any(|(to, called)| *to == other && called == relation)
}

fn lacks_counterpart(
    scope: &Scope<'_>,
    one: EntityIndex,
    other: EntityIndex,
    relation: &str,
) -> bool {
    let counterparts = COUNTERPARTS.iter().find(|(called, _)| *called == relation);
    counterparts.is_some_and(|(_, back)| !back.iter().any(|back| has(scope, other, one, back)))
}
