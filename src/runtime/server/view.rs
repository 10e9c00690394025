//! The view of the contract that a client is served: the profile's schemas and the spelling of names.
//!
//! It affects only `tools/list`: calls accept both spellings, and arguments are always validated
//! against the canonical schema.

use super::names::ToolNames;
use crate::contract::Profile;

/// One of the tool lists that can be served.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct View {
    /// The profile whose schemas are served.
    pub(super) profile: Profile,
    /// Names as in the contract, with dots.
    pub(super) dots: bool,
}

impl View {
    /// Number of views.
    pub(super) const COUNT: usize = Profile::ALL.len() * 2;

    /// Index of the view, below [`View::COUNT`].
    pub(super) fn index(self) -> usize {
        self.profile as usize * 2 + usize::from(self.dots)
    }
}

/// How a view is chosen.
#[derive(Debug, Clone, Copy)]
pub(super) struct Views {
    /// `None`: by the client's name.
    pub(super) profile: Option<Profile>,
    /// Spelling of names; overrides the profile.
    pub(super) tool_names: ToolNames,
}

impl Views {
    /// For a client after a handshake.
    pub(super) fn after_handshake(self, client: &str) -> View {
        let client = client.to_ascii_lowercase();
        let known = if client.contains("gemini") { Profile::Gemini } else { Profile::Canonical };
        let profile = self.profile.unwrap_or(known);
        View { profile, dots: self.dots(takes_dots(&client)) }
    }

    /// For a request without a handshake; must not depend on the client.
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

/// Whether the client accepts dots or rewrites them.
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
    fn auto_serves_gemini_its_profile() {
        assert_eq!(AUTO.after_handshake("gemini-cli-mcp-client").profile, Profile::Gemini);
        assert_eq!(AUTO.after_handshake("claude-ai").profile, Profile::Canonical);
    }

    #[test]
    fn a_configured_profile_is_served_to_every_client() {
        let chosen = Views { profile: Some(Profile::Openai), ..AUTO };
        let view = View { profile: Profile::Openai, dots: false };
        assert_eq!(chosen.after_handshake("claude-code"), view);
        assert_eq!(chosen.without_handshake(), view);
    }

    #[test]
    fn a_configured_spelling_overrides_the_profile() {
        let chosen = Views { profile: Some(Profile::Claude), tool_names: ToolNames::Canonical };
        assert_eq!(chosen.after_handshake("any"), View { profile: Profile::Claude, dots: true });
    }
}
