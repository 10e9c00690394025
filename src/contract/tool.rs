//! One tool: names, schemas, guards and effects.

use serde::Serialize;

use crate::{ExampleInfo, GuardUse, Profile, Projection};

/// One tool.
#[derive(Debug)]
pub struct ToolInfo {
    /// Name in the spec, `list_overrides`.
    pub name: &'static str,
    /// Name on the wire, `wink.list_overrides`.
    pub canonical: &'static str,
    /// Name for clients that do not accept dots, `wink_list_overrides`.
    pub portable: &'static str,
    /// Human-readable title.
    pub title: &'static str,
    /// Description for the model.
    pub description: &'static str,
    /// What a call may change.
    pub effects: Effects,
    /// A second identical call has no further effect.
    pub idempotent: bool,
    /// Accesses systems beyond the surface's own store.
    pub open_world: bool,
    /// The handler never waits, so its calls need not queue behind calls that do.
    pub immediate: bool,
    /// It is in the tool list; otherwise it is there for the resource that it answers.
    pub listed: bool,
    /// Contract version that introduced it.
    pub since: &'static str,
    /// Present if the tool is deprecated.
    pub deprecated: Option<Deprecation>,
    /// Words of the tool command. The last may be a flag (`--apply`) or stand for an argument
    /// (`$kind`).
    pub command: &'static [&'static str],
    /// Canonical input schema, JSON text.
    pub input: &'static str,
    /// Input schemas of other profiles, where they differ.
    pub projections: &'static [Projection],
    /// What `decode` validates against: `input` with guard-owned fields left to their guards.
    pub accepted: &'static str,
    /// Schema of what the handler returns.
    pub data: &'static str,
    /// Served output schema: success and failure envelope.
    pub output: &'static str,
    /// Other names of arguments: `(alias, name)`.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Rules that portable JSON Schema cannot express.
    pub constraints: &'static [Constraint],
    /// Error kinds that this tool may return, builtin ones included, sorted.
    pub errors: &'static [&'static str],
    /// Guards in the order they run.
    pub guards: &'static [GuardUse],
    /// Limits in tokens.
    pub budget: Budget,
    /// Smallest arguments that validate, JSON text.
    pub minimal_call: &'static str,
    /// Examples, as in the spec.
    pub examples: &'static [ExampleInfo],
    /// Served in the definition's `_meta`, a JSON object as text.
    pub meta: &'static str,
}

impl ToolInfo {
    /// The input schema for a profile.
    pub fn input_for(&self, profile: Profile) -> &'static str {
        let projected = self.projections.iter().find(|projection| projection.profile == profile);
        projected.map_or(self.input, |projection| projection.input)
    }
}

/// What a call may change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Effects {
    /// Changes nothing.
    Read,
    /// Adds or changes.
    Write,
    /// May irreversibly remove or overwrite data.
    Destructive,
}

impl Effects {
    /// All of them, the mildest first.
    pub const ALL: [Self; 3] = [Self::Read, Self::Write, Self::Destructive];

    /// Name in specs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Destructive => "destructive",
        }
    }
}

/// A rule over several arguments. Names are owned in the compiler, borrowed in tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Constraint<Name = &'static str, Names = &'static [&'static str]> {
    /// One or more of these must be given (`false` and null do not count).
    AtLeastOneOf(Names),
    /// Not more than one of these may be given.
    AtMostOneOf(Names),
    /// Exactly one of these must be given.
    ExactlyOneOf(Names),
    /// If `field` is given, `needs` must be given too.
    Requires {
        /// The dependent argument.
        field: Name,
        /// The argument that it needs.
        needs: Name,
    },
}

/// Limits in tokens, estimated as bytes / 4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Budget {
    /// Of the served definition.
    pub definition_tokens: u32,
    /// Of one answer's body.
    pub result_tokens: u32,
}

/// The deprecation of a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Deprecation<Text = &'static str> {
    /// Contract version that deprecated it.
    pub since: Text,
    /// What to call instead.
    pub replaced_by: Option<Text>,
    /// Date of its removal.
    pub sunset: Option<Text>,
}
