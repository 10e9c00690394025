//! Client families and the definitions that each is served.

use crate::portable;

/// A family of clients that are served the same definitions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// As in the contract.
    Canonical,
    /// Names without dots.
    Portable,
    /// Function tools of OpenAI models.
    Openai,
    /// Function declarations of Gemini models.
    Gemini,
    /// Tools of Claude models.
    Claude,
}

impl Profile {
    /// All of them, in the order of tables.
    pub const ALL: [Self; 5] =
        [Self::Canonical, Self::Portable, Self::Openai, Self::Gemini, Self::Claude];

    /// Name in settings and flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Canonical => "canonical",
            Self::Portable => "portable",
            Self::Openai => "openai",
            Self::Gemini => "gemini",
            Self::Claude => "claude",
        }
    }

    /// Name of a tool in this profile.
    pub fn tool_name(self, canonical: &str) -> String {
        match self {
            Self::Canonical => canonical.to_owned(),
            _ => portable(canonical),
        }
    }
}

/// An input schema for one family of clients. It accepts everything that the canonical schema accepts;
/// calls are validated against the canonical one.
#[derive(Debug)]
pub struct Projection {
    /// The family.
    pub profile: Profile,
    /// JSON text.
    pub input: &'static str,
}
