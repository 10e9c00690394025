//! Families of clients and what each is served.

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

    /// Its word in settings and flags.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Canonical => "canonical",
            Self::Portable => "portable",
            Self::Openai => "openai",
            Self::Gemini => "gemini",
            Self::Claude => "claude",
        }
    }

    /// How a tool is called there.
    pub fn tool_name(self, canonical: &str) -> String {
        match self {
            Self::Canonical => canonical.to_owned(),
            _ => portable(canonical),
        }
    }
}

/// An input schema as one family of clients is served it. It accepts whatever the canonical one
/// accepts, which is the one that decides.
#[derive(Debug)]
pub struct Projection {
    /// The family.
    pub profile: Profile,
    /// JSON text.
    pub input: &'static str,
}
