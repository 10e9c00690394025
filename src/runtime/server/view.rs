//! The view of the contract that a client is served: the profile's schemas and the spelling of names.
//!
//! It affects `tools/list`, and how texts spell the names of tools. Calls accept both spellings, and
//! arguments are always validated against the canonical schema.

use super::hosts;
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
    /// For a client by the name that it sends, in the handshake or with each request.
    pub(super) fn of(self, client: Option<&str>) -> View {
        let client = client.unwrap_or_default();
        let gemini = client.to_ascii_lowercase().contains("gemini");
        let known = if gemini { Profile::Gemini } else { Profile::Canonical };
        let profile = self.profile.unwrap_or(known);
        View { profile, dots: self.dots(!hosts::refuses_dots(client)) }
    }

    /// Whether clients that send different names may be served different views.
    pub(super) fn differ(self) -> bool {
        self.profile.is_none()
    }

    /// Whether they may know tools by different names.
    pub(super) fn names_differ(self) -> bool {
        self.differ() && self.tool_names == ToolNames::Auto
    }

    fn dots(self, taken: bool) -> bool {
        match (self.tool_names, self.profile) {
            (ToolNames::Canonical, _) | (ToolNames::Auto, Some(Profile::Canonical)) => true,
            (ToolNames::Portable, _) | (ToolNames::Auto, Some(_)) => false,
            (ToolNames::Auto, None) => taken,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUTO: Views = Views { profile: None, tool_names: ToolNames::Auto };

    #[test]
    fn only_hosts_known_to_refuse_dots_are_served_other_names_than_the_contract_has() {
        for name in [Some("claude-ai"), Some("cursor-vscode"), Some("windsurf-client")] {
            assert!(!AUTO.of(name).dots, "{name:?}");
        }
        for name in [Some("claude-code"), Some("codex-mcp-client"), Some("mcp"), Some("new"), None]
        {
            assert_eq!(AUTO.of(name), View { profile: Profile::Canonical, dots: true }, "{name:?}");
        }
    }

    #[test]
    fn auto_serves_gemini_its_profile() {
        let view = View { profile: Profile::Gemini, dots: true };
        assert_eq!(AUTO.of(Some("gemini-cli-mcp-client")), view);
    }

    #[test]
    fn a_configured_profile_is_served_to_every_client() {
        let chosen = Views { profile: Some(Profile::Openai), ..AUTO };
        let view = View { profile: Profile::Openai, dots: false };
        assert_eq!(chosen.of(Some("claude-code")), view);
        assert_eq!(chosen.of(None), view);
    }

    #[test]
    fn a_configured_spelling_overrides_the_profile() {
        let chosen = Views { profile: Some(Profile::Claude), tool_names: ToolNames::Canonical };
        assert_eq!(chosen.of(Some("cursor")), View { profile: Profile::Claude, dots: true });
    }
}
