//! Which spelling of a tool's name a client is shown.
//!
//! Contracts use dots (`wink.list_overrides`), which MCP allows and several hosts do not: one
//! dotted name can hide every tool of a server. The portable spelling has underscores instead.
//! Both are always accepted in a call; this decides only what `tools/list` says.

use std::fmt;
use std::str::FromStr;

/// Policy for the names in `tools/list`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ToolNames {
    /// As in the contract, with dots.
    #[default]
    Canonical,
    /// With underscores instead of dots.
    Portable,
    /// Canonical for clients known to cope with dots, portable for everybody else.
    ///
    /// Revision 2026-07-28 forbids a list that differs between connections, so there `Auto`
    /// means portable.
    Auto,
}

impl ToolNames {
    /// Spellings that the command line takes.
    pub const CHOICES: [&'static str; 3] = ["canonical", "portable", "auto"];
}

impl fmt::Display for ToolNames {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Canonical => "canonical",
            Self::Portable => "portable",
            Self::Auto => "auto",
        })
    }
}

impl FromStr for ToolNames {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "canonical" | "dotted" => Ok(Self::Canonical),
            "portable" | "underscore" => Ok(Self::Portable),
            "auto" => Ok(Self::Auto),
            other => Err(format!(
                "`{other}` is no naming policy: use one of {}",
                Self::CHOICES.join(", ")
            )),
        }
    }
}

/// The policy, applied to one client.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Naming {
    /// With dots.
    Canonical,
    /// With underscores.
    Portable,
}

impl ToolNames {
    /// For a client that introduced itself in a handshake.
    pub(super) fn after_handshake(self, client: &str) -> Naming {
        match self {
            Self::Canonical => Naming::Canonical,
            Self::Portable => Naming::Portable,
            Self::Auto if takes_dots(client) => Naming::Canonical,
            Self::Auto => Naming::Portable,
        }
    }

    /// For a request without a handshake; must not depend on who asks.
    pub(super) fn without_handshake(self) -> Naming {
        match self {
            Self::Canonical => Naming::Canonical,
            Self::Portable | Self::Auto => Naming::Portable,
        }
    }
}

/// Hosts and tools that either accept dots or rewrite them on their own.
fn takes_dots(client: &str) -> bool {
    let client = client.to_ascii_lowercase();
    client == "mcp"
        || client.starts_with("claude-code")
        || client.starts_with("codex")
        || client.contains("inspector")
        || client.contains("conformance")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_shows_dots_only_to_clients_known_to_take_them() {
        for name in ["claude-code", "codex-mcp-client", "mcp", "mcp-inspector"] {
            assert_eq!(ToolNames::Auto.after_handshake(name), Naming::Canonical, "{name}");
        }
        for name in ["claude-ai", "local-agent-mode-x", "cursor-vscode", "windsurf", "", "new"] {
            assert_eq!(ToolNames::Auto.after_handshake(name), Naming::Portable, "{name}");
        }
        assert_eq!(ToolNames::Auto.without_handshake(), Naming::Portable);
    }

    #[test]
    fn reads_what_it_prints() {
        for policy in [ToolNames::Canonical, ToolNames::Portable, ToolNames::Auto] {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        assert!("dots".parse::<ToolNames>().is_err());
    }
}
