//! Guards as data; the runtime implements them.

use serde::Serialize;

/// A guard that the surface declares.
#[derive(Debug)]
pub struct GuardInfo {
    /// Name in the spec.
    pub name: &'static str,
    /// What it checks.
    pub doc: &'static str,
    /// Who can satisfy it.
    pub strength: Strength,
}

/// A guard bound to a tool.
#[derive(Debug)]
pub struct GuardUse {
    /// Its name, built-in or own.
    pub name: &'static str,
    /// Who can satisfy it.
    pub strength: Strength,
    /// The bound parameters, JSON text, for docs.
    pub params: &'static str,
}

/// Who can satisfy a guard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Strength {
    /// The model itself, by sending the right argument.
    ModelSatisfiable,
    /// The client, on the user's behalf.
    ClientAttested,
    /// Decided outside the conversation.
    OutOfBand,
}

impl Strength {
    /// All of them, the weakest first.
    pub const ALL: [Self; 3] = [Self::ModelSatisfiable, Self::ClientAttested, Self::OutOfBand];

    /// Name in specs.
    pub const fn name(self) -> &'static str {
        match self {
            Self::ModelSatisfiable => "model_satisfiable",
            Self::ClientAttested => "client_attested",
            Self::OutOfBand => "out_of_band",
        }
    }
}
