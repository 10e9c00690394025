//! What of the contract a client is shown: which profile's schemas, and which spelling of names.
//!
//! Both spellings of a name are always accepted in a call, and arguments are always validated
//! against the canonical schema; this decides only what `tools/list` says.

use super::names::ToolNames;
use crate::contract::Profile;

/// One of the lists that can be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    /// Whose schemas.
    pub(super) profile: Profile,
    /// Names as in the contract, with dots.
    pub(super) dots: bool,
}

impl View {
    /// How many there are.
    pub(super) const COUNT: usize = 10;

    /// Its number, below [`View::COUNT`].
    pub(super) fn index(self) -> usize {
        let profile = match self.profile {
            Profile::Canonical => 0,
            Profile::Portable => 1,
            Profile::Openai => 2,
            Profile::Gemini => 3,
            Profile::Claude => 4,
        };
        profile * 2 + usize::from(self.dots)
    }
}

/// How a view is chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Views {
    /// `None`: by the client's name.
    pub(super) profile: Option<Profile>,
    /// Names only; stronger than the profile.
    pub(super) tool_names: ToolNames,
}

impl Views {
    /// For a client that introduced itself in a handshake.
    pub(super) fn after_handshake(self, client: &str) -> View {
        let client = client.to_ascii_lowercase();
        let known = if client.contains("gemini") { Profile::Gemini } else { Profile::Canonical };
        let profile = self.profile.unwrap_or(known);
        View { profile, dots: self.dots(takes_dots(&client)) }
    }

    /// For a request without a handshake; must not depend on who asks.
    pub(super) fn without_handshake(self) -> View {
        let profile = self.profile.unwrap_or(Profile::Portable);
        View { profile, dots: self.dots(false) }
    }

    fn dots(self, taken: bool) -> bool {
        match (self.tool_names, self.profile) {
            (ToolNames::Canonical, _) | (ToolNames::Auto, Some(Profile::Canonical)) => true,
            (ToolNames::Portable, _) | (ToolNames::Auto, Some(_)) => false,
            (ToolNames::Auto, None) => taken,
        }
    }
}

/// Hosts and tools that either accept dots or rewrite them on their own.
fn takes_dots(client: &str) -> bool {
    client == "mcp"
        || client.starts_with("claude-code")
        || client.starts_with("codex")
        || client.contains("inspector")
        || client.contains("conformance")
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTO: Views = Views { profile: None, tool_names: ToolNames::Auto };

    #[test]
    fn auto_shows_dots_only_to_clients_known_to_take_them() {
        for name in ["claude-code", "codex-mcp-client", "mcp", "mcp-inspector"] {
            assert!(AUTO.after_handshake(name).dots, "{name}");
        }
        for name in ["claude-ai", "local-agent-mode-x", "cursor-vscode", "windsurf", "", "new"] {
            assert!(!AUTO.after_handshake(name).dots, "{name}");
        }
        assert!(!AUTO.without_handshake().dots);
    }

    #[test]
    fn auto_serves_gemini_what_it_takes() {
        assert_eq!(AUTO.after_handshake("gemini-cli-mcp-client").profile, Profile::Gemini);
        assert_eq!(AUTO.after_handshake("claude-ai").profile, Profile::Canonical);
    }

    #[test]
    fn a_chosen_profile_is_served_to_everybody() {
        let chosen = Views { profile: Some(Profile::Openai), ..AUTO };
        let view = View { profile: Profile::Openai, dots: false };
        assert_eq!(chosen.after_handshake("claude-code"), view);
        assert_eq!(chosen.without_handshake(), view);
    }

    #[test]
    fn a_chosen_spelling_wins_over_the_profile() {
        let chosen = Views { profile: Some(Profile::Claude), tool_names: ToolNames::Canonical };
        assert_eq!(chosen.after_handshake("any"), View { profile: Profile::Claude, dots: true });
    }
}
