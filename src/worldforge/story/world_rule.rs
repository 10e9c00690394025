//! World rules: what the RULE entities forbid, require and permit.
//!
//! `attributes.constraint` is `{when, forbid | require, severity}` in the condition language, each one
//! text or a list. Beside keys of the world, `scene.locations`, `scene.participants` and
//! `scene.nodeType` refer to the node. `attributes.permits` lists continuity codes that this world
//! intends, such as `CHAR_RESURRECTED`. Knows no paths.

use serde_json::Value;

use super::condition::{Comparison, Condition, Test};
use super::index::{EntityIndex, Index};
use super::paths::{Atom, KeyId};
use super::scene::{Scene, atom};
use super::values::Values;
use crate::model::{Entity, EntityType, Severity};

/// One condition of a law.
#[derive(Debug)]
pub(crate) enum Clause {
    /// About the world.
    World(Atom),
    /// About the node.
    Scene(Condition),
}

/// A law in numbers.
#[derive(Debug)]
pub(crate) struct WorldRule {
    pub(crate) who: EntityIndex,
    pub(crate) severity: Severity,
    pub(crate) when: Vec<Clause>,
    /// What must not be so, all of it together, or what must be so, all of it.
    pub(crate) then: Vec<Clause>,
    pub(crate) forbids: bool,
    /// Codes that it permits.
    pub(crate) permits: Vec<String>,
}

impl WorldRule {
    /// The compiled rule of an entity; `None` if it is not a RULE or has nothing to check.
    pub(crate) fn new(
        who: EntityIndex,
        entity: &Entity,
        index: &mut Index,
        values: &mut Values,
    ) -> Option<Self> {
        if entity.kind != EntityType::Rule {
            return None;
        }
        let permits = match entity.attributes.get("permits") {
            Some(Value::Array(codes)) => {
                codes.iter().filter_map(Value::as_str).map(str::to_owned).collect()
            }
            _ => Vec::new(),
        };
        let mut clauses = |conditions: Vec<Condition>| -> Vec<Clause> {
            let clause = |condition: Condition| match condition.key.starts_with(SCENE) {
                true => Clause::Scene(condition),
                false => Clause::World(atom(condition, index, values)),
            };
            conditions.into_iter().map(clause).collect()
        };
        let constraint = read(entity).unwrap_or_default();
        let rule = Self {
            who,
            severity: constraint.severity,
            when: clauses(constraint.when),
            then: clauses(constraint.then),
            forbids: constraint.forbids,
            permits,
        };
        (!rule.then.is_empty() || !rule.permits.is_empty()).then_some(rule)
    }

    /// Every condition.
    pub(crate) fn clauses(&self) -> impl Iterator<Item = &Clause> {
        self.when.iter().chain(&self.then)
    }

    /// The keys of the world that it asks for.
    pub(crate) fn keys(&self) -> impl Iterator<Item = KeyId> {
        self.clauses().filter_map(|clause| match clause {
            Clause::World(atom) => Some(atom.key),
            Clause::Scene(_) => None,
        })
    }
}

/// Says what is wrong with the constraint of a RULE entity, if anything is.
pub(crate) fn constraint_error(entity: &Entity) -> Option<String> {
    (entity.kind == EntityType::Rule).then(|| read(entity).err()).flatten()
}

const SCENE: &str = "scene.";

struct Constraint {
    when: Vec<Condition>,
    then: Vec<Condition>,
    forbids: bool,
    severity: Severity,
}

impl Default for Constraint {
    fn default() -> Self {
        Self { when: Vec::new(), then: Vec::new(), forbids: true, severity: Severity::Error }
    }
}

fn read(entity: &Entity) -> Result<Constraint, String> {
    let mut constraint = Constraint::default();
    let fields = match entity.attributes.get("constraint") {
        None | Some(Value::Null) => return Ok(constraint),
        Some(Value::Object(fields)) => fields,
        Some(_) => return Err("`constraint` must be an object".to_owned()),
    };
    constraint.when = conditions(fields.get("when"), "when")?;
    let forbid = conditions(fields.get("forbid"), "forbid")?;
    let require = conditions(fields.get("require"), "require")?;
    (constraint.forbids, constraint.then) = match (forbid.is_empty(), require.is_empty()) {
        (false, true) => (true, forbid),
        (true, false) => (false, require),
        _ => return Err("`constraint` needs either `forbid` or `require`".to_owned()),
    };
    constraint.severity = match fields.get("severity").map(Value::as_str) {
        None | Some(Some("ERROR")) => Severity::Error,
        Some(Some("WARN")) => Severity::Warn,
        Some(Some("INFO")) => Severity::Info,
        Some(_) => return Err("`constraint.severity` must be ERROR, WARN or INFO".to_owned()),
    };
    Ok(constraint)
}

fn conditions(value: Option<&Value>, field: &str) -> Result<Vec<Condition>, String> {
    let texts: Vec<Option<&str>> = match value {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(texts)) => texts.iter().map(Value::as_str).collect(),
        Some(one) => vec![one.as_str()],
    };
    let read = |text: Option<&str>| {
        text.and_then(Condition::parse).filter(askable).ok_or_else(|| {
            let text = text.unwrap_or("not a text");
            format!("`constraint.{field}` has a condition that cannot be read: {text}")
        })
    };
    texts.into_iter().map(read).collect()
}

fn askable(condition: &Condition) -> bool {
    let Some(asked) = condition.key.strip_prefix(SCENE) else { return true };
    match (asked, &condition.test) {
        ("locations" | "participants", Test::Compare(Comparison::Contains, literal)) => {
            literal.is_string()
        }
        ("nodeType", Test::Compare(Comparison::Equal | Comparison::Different, literal)) => {
            literal.is_string()
        }
        _ => false,
    }
}

/// Whether a condition about the node holds.
pub(crate) fn holds_in(condition: &Condition, scene: &Scene) -> bool {
    let Test::Compare(comparison, Value::String(literal)) = &condition.test else { return false };
    let node = &scene.node;
    match condition.key.as_str() {
        "scene.locations" => node.locations.contains(literal),
        "scene.participants" => node.participants.iter().any(|one| one.entity_id == *literal),
        "scene.nodeType" => {
            let kind = format!("{:?}", node.node_type).to_uppercase();
            (kind == *literal) == (*comparison == Comparison::Equal)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::story::testing;

    fn error(constraint: Value) -> Option<String> {
        let mut rule = testing::entity(1, EntityType::Rule, "Law");
        rule.attributes.insert("constraint".to_owned(), constraint);
        constraint_error(&rule)
    }

    #[test]
    fn a_valid_constraint_has_no_error() {
        for good in [
            json!(null),
            json!({"forbid": "gate.open"}),
            json!({"when": ["a", "!b"], "require": ["c == 1"], "severity": "WARN"}),
            json!({"when": "scene.locations contains \"x\"", "forbid": "c"}),
            json!({"when": "scene.nodeType == \"BEAT\"", "forbid": "c"}),
        ] {
            assert_eq!(error(good.clone()), None, "{good}");
        }
    }

    #[test]
    fn an_error_names_its_place() {
        for (bad, says) in [
            (json!("gate.open"), "must be an object"),
            (json!({}), "either `forbid` or `require`"),
            (json!({"forbid": "a", "require": "b"}), "either `forbid` or `require`"),
            (json!({"forbid": "nobody may"}), "`constraint.forbid`"),
            (json!({"forbid": "a", "when": [1]}), "`constraint.when`"),
            (json!({"forbid": "a", "severity": "BAD"}), "`constraint.severity`"),
            (json!({"forbid": "scene.mood == \"x\""}), "scene.mood"),
        ] {
            let error = error(bad.clone()).unwrap_or_else(|| panic!("{bad}"));
            assert!(error.contains(says), "{error}");
        }
    }

    #[test]
    fn only_rules_have_laws() {
        let mut lore = testing::entity(1, EntityType::Lore, "Tale");
        lore.attributes.insert("constraint".to_owned(), json!(1));
        assert_eq!(constraint_error(&lore), None);
        let rule = WorldRule::new(0, &lore, &mut Index::default(), &mut Values::new());
        assert!(rule.is_none());
    }
}
