//! The spelling of tool names in `tools/list` and in texts.
//!
//! Contracts use dots (`wink.list_overrides`), which MCP allows but several hosts do not: one dotted
//! name can hide every tool of a server. The portable spelling, with underscores instead, is for
//! them. Calls accept both spellings.

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
    /// Portable for hosts that are known to refuse dots, canonical for all others.
    Auto,
}

impl ToolNames {
    /// Values that the command line accepts.
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
                "unknown naming policy `{other}`: use one of {}",
                Self::CHOICES.join(", ")
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_what_it_prints() {
        for policy in [ToolNames::Canonical, ToolNames::Portable, ToolNames::Auto] {
            assert_eq!(policy.to_string().parse(), Ok(policy));
        }
        assert!("dots".parse::<ToolNames>().is_err());
    }
}
