//! The table of rules: one row per kind of change, with its level, whether it breaks, why, and what
//! to do. Reports, the accepted breaks and the tests read it; ids are stable.

pub(super) mod policy;
pub(super) mod prompts;
pub(super) mod prose;
pub(super) mod schemas;
pub(super) mod settings;
pub(super) mod surface;
pub(super) mod tools;

use std::sync::LazyLock;

use serde::Serialize;

/// Who notices a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Calls that worked would fail or mean something else.
    Wire,
    /// Fields, codes or values that clients read vanish or change.
    Result,
    /// What is asked of whom before something happens.
    Policy,
    /// Texts for users and models.
    Prose,
}

impl Level {
    /// All levels in the order of reports.
    pub const ALL: [Self; 4] = [Self::Wire, Self::Result, Self::Policy, Self::Prose];

    /// Name in reports.
    pub fn word(self) -> &'static str {
        match self {
            Self::Wire => "wire",
            Self::Result => "result",
            Self::Policy => "policy",
            Self::Prose => "prose",
        }
    }

    /// What the level is about.
    pub fn about(self) -> &'static str {
        match self {
            Self::Wire => "what callers send",
            Self::Result => "what callers read",
            Self::Policy => "guards, roles, effects and settings",
            Self::Prose => "texts",
        }
    }
}

/// A kind of change.
#[derive(Debug, PartialEq, Eq)]
pub struct Rule {
    /// Stable name, such as `required-added`.
    pub id: &'static str,
    /// Who notices.
    pub level: Level,
    /// Somebody who relied on the old contract is let down.
    pub breaking: bool,
    /// Why it is judged so.
    pub doc: &'static str,
    /// What to do.
    pub hint: &'static str,
}

/// A change of a schema is judged by where the schema is used: what is sent and what is answered
/// have opposite variance.
#[derive(Debug, Clone, Copy)]
pub(super) struct ByUse {
    pub(super) input: &'static Rule,
    pub(super) output: &'static Rule,
}

/// Declares rules as constants and as a table.
macro_rules! rules {
    ($($name:ident $id:literal $level:ident $effect:ident $doc:literal $hint:literal)*) => {
        $(pub(crate) const $name: &crate::diff::rules::Rule = &crate::diff::rules::Rule {
            id: $id,
            level: crate::diff::rules::Level::$level,
            breaking: crate::diff::rules::effect::$effect,
            doc: $doc,
            hint: $hint,
        };)*

        pub(super) const TABLE: &[&crate::diff::rules::Rule] = &[$($name),*];
    };
}
use rules;

/// Words of the tables.
#[allow(non_upper_case_globals, reason = "they read as words in the tables")]
mod effect {
    pub(super) const Breaks: bool = true;
    pub(super) const Adds: bool = false;
    pub(super) const Says: bool = false;
}

/// All rules, sorted by id.
pub static RULES: LazyLock<Vec<&'static Rule>> = LazyLock::new(|| {
    let tables = [
        schemas::TABLE,
        tools::TABLE,
        surface::TABLE,
        policy::TABLE,
        prompts::TABLE,
        settings::TABLE,
        prose::TABLE,
    ];
    let mut rules = tables.concat();
    rules.sort_by_key(|rule| rule.id);
    rules
});

/// The rule of an id.
pub fn rule(id: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.id == id).copied()
}
