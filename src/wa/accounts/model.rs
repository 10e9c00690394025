//! Services, accounts, and the results of listing and refreshing them. Plain data.

use serde::{Deserialize, Serialize};

use crate::model::Millis;

/// Who runs the agents' models.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Service {
    /// Codex.
    Openai,
    /// Claude Code.
    Anthropic,
    /// Gemini CLI.
    Google,
}

/// Whether an account can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AccountStatus {
    /// Yes.
    Available,
    /// Nothing is left until it resets.
    AtLimit,
    /// A sign-in is needed.
    AuthRequired,
    /// Switched off.
    Disabled,
    /// Its source did not say.
    Unknown,
}

impl Service {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Openai, Self::Anthropic, Self::Google];

    /// The contract's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Openai => "openai",
            Self::Anthropic => "anthropic",
            Self::Google => "google",
        }
    }

    /// Parses the contract's spelling, or the name of the service's agent.
    pub fn parse(word: &str) -> Option<Self> {
        match word.to_ascii_lowercase().as_str() {
            "openai" | "codex" => Some(Self::Openai),
            "anthropic" | "claude" | "claude_code" => Some(Self::Anthropic),
            "google" | "gemini" => Some(Self::Google),
            _ => None,
        }
    }

    /// What `caut usage --provider` calls it.
    pub fn provider(self) -> &'static str {
        match self {
            Self::Openai => "codex",
            Self::Anthropic => "claude",
            Self::Google => "gemini",
        }
    }
}

impl AccountStatus {
    /// The contract's spelling.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::AtLimit => "at_limit",
            Self::AuthRequired => "auth_required",
            Self::Disabled => "disabled",
            Self::Unknown => "unknown",
        }
    }

    /// Parses the contract's spelling.
    pub fn parse(word: &str) -> Option<Self> {
        let all =
            [Self::Available, Self::AtLimit, Self::AuthRequired, Self::Disabled, Self::Unknown];
        all.into_iter().find(|status| status.as_str() == word)
    }
}

/// An account.
#[derive(Debug, Clone, PartialEq)]
pub struct Account {
    /// Its source's name for it; unique within the service.
    pub id: String,
    /// The service.
    pub service: Service,
    /// For display.
    pub label: Option<String>,
    /// Whether it can be used.
    pub status: AccountStatus,
    /// 0 to 100: what is left in the tightest of its windows.
    pub percent_remaining: Option<f64>,
    /// That window, such as `5h` or `7d`.
    pub limit_type: Option<String>,
    /// When that window resets.
    pub resets_at: Option<Millis>,
    /// Usage as text, such as `1000 of 3000 tokens`.
    pub current_usage: Option<String>,
    /// When a workflow last chose it.
    pub last_used_at: Option<Millis>,
    /// When it has to be signed in again.
    pub auth_expires_at: Option<Millis>,
}

/// Known accounts.
#[derive(Debug, Clone, PartialEq)]
pub struct Listing {
    /// By service, then id.
    pub accounts: Vec<Account>,
    /// The last refresh that answered about one of the services asked for.
    pub last_refresh: Option<Millis>,
    /// The account to use next; only when one service was asked for.
    pub selected: Option<String>,
    /// Why that one, or why none.
    pub reason: Option<String>,
}

/// Result of a refresh.
#[derive(Debug, Clone, PartialEq)]
pub struct Refreshed {
    /// When.
    pub refreshed_at: Millis,
    /// Accounts that were read and stored.
    pub accounts_updated: u64,
    /// Accounts whose status is another now.
    pub changes: Vec<Change>,
    /// What `caut --version` said.
    pub caut_version: Option<String>,
    /// Accounts and services that could not be read. The others were.
    pub errors: Vec<Problem>,
}

/// A new status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which account.
    pub account_id: String,
    /// Before; `unknown` for one that is new.
    pub old_status: AccountStatus,
    /// Now; `unknown` for one that is gone.
    pub new_status: AccountStatus,
    /// As text.
    pub reason: Option<String>,
}

/// An account that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Which account, or `service:<name>` when it is not about one account.
    pub account_id: String,
    /// As text.
    pub error: String,
    /// The source's own code.
    pub error_code: Option<String>,
}
