//! The two flags that users see, `auto_approve` and `manual_review`: two names for one state.
//!
//! They are read from the settings and written into them, never stored beside them, so that they
//! cannot disagree with what [`super::decide`] does.

use super::settings::{Mode, Settings};

/// A user's role in a workspace.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Role {
    /// Owns it.
    Owner,
    /// Administers it.
    Admin,
    /// Uses it.
    Member,
}

/// The state as users see it: one value, so that the two flags cannot be the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Flags {
    auto_approve: bool,
}

/// A requested change; with no flag set it only reads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Change {
    /// Apply small, high-confidence changes at once.
    pub auto_approve: Option<bool>,
    /// Review every change.
    pub manual_review: Option<bool>,
}

/// The result of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changed {
    /// The settings to store.
    pub settings: Settings,
    /// The flags that users see.
    pub flags: Flags,
    /// Whether there is anything to store.
    pub changed: bool,
}

/// Why settings were not changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FlagsError {
    /// Both flags were given the same value.
    #[error(
        "`auto_approve` and `manual_review` are both {both}, but one is always the opposite of the \
         other. Nothing was changed."
    )]
    Contradictory {
        /// The value.
        both: bool,
    },
    /// The caller's role may only read.
    #[error(
        "`auto_approve` and `manual_review` can be changed by owners and admins only; you are a {}. \
         Nothing was changed.",
        role.as_str()
    )]
    Forbidden {
        /// The role.
        role: Role,
    },
}

impl Flags {
    /// Reads the state: automatic approval is on if any change can be approved automatically.
    pub fn of(settings: &Settings) -> Self {
        let settings = settings.coerced();
        let smart = settings.manual_edit == Mode::Hybrid && !settings.validator_required;
        Self { auto_approve: !settings.governance_enabled || smart }
    }

    /// Whether small, high-confidence changes are applied at once.
    pub fn auto_approve(self) -> bool {
        self.auto_approve
    }

    /// Whether every change needs review; always the opposite of [`Self::auto_approve`].
    pub fn manual_review(self) -> bool {
        !self.auto_approve
    }

    /// Settings in this state. Those that are in it already stay as they are, so that writing what
    /// was read changes nothing.
    #[must_use]
    pub fn applied_to(self, settings: &Settings) -> Settings {
        if Self::of(settings) == self {
            return settings.clone();
        }
        let mut settings = settings.coerced();
        let mode = if self.auto_approve {
            settings.validator_required = false;
            Mode::Hybrid
        } else {
            settings.governance_enabled = true;
            Mode::Proposal
        };
        settings.manual_edit = mode;
        settings.graph_action = mode;
        settings
    }
}

impl Change {
    /// The wanted state; `None` for a read.
    ///
    /// # Errors
    /// [`FlagsError::Contradictory`] when both flags have the same value.
    pub fn wanted(self) -> Result<Option<Flags>, FlagsError> {
        match (self.auto_approve, self.manual_review) {
            (None, None) => Ok(None),
            (Some(auto_approve), None) => Ok(Some(Flags { auto_approve })),
            (None, Some(manual_review)) => Ok(Some(Flags { auto_approve: !manual_review })),
            (Some(both), Some(manual_review)) if both == manual_review => {
                Err(FlagsError::Contradictory { both })
            }
            (Some(auto_approve), Some(_)) => Ok(Some(Flags { auto_approve })),
        }
    }

    /// Whether nothing is to be changed.
    pub fn is_read(self) -> bool {
        self == Self::default()
    }
}

/// Reads or changes the state on behalf of a user. Every role may read.
///
/// # Errors
/// [`FlagsError::Forbidden`] when a member wants a change, even one that would change nothing or
/// cannot be done; then [`FlagsError::Contradictory`].
pub(crate) fn change(
    settings: &Settings,
    role: Role,
    change: Change,
) -> Result<Changed, FlagsError> {
    if !change.is_read() && !role.may_change_settings() {
        return Err(FlagsError::Forbidden { role });
    }
    let after = match change.wanted()? {
        Some(flags) => flags.applied_to(settings),
        None => settings.clone(),
    };
    Ok(Changed { flags: Flags::of(&after), changed: after != *settings, settings: after })
}

impl Role {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Owner, Self::Admin, Self::Member];

    /// Whether settings may be changed.
    pub fn may_change_settings(self) -> bool {
        matches!(self, Self::Owner | Self::Admin)
    }

    /// Whether proposals and captures may be decided about, and dumps moved or forgotten.
    pub fn may_review(self) -> bool {
        matches!(self, Self::Owner | Self::Admin)
    }

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Admin => "admin",
            Self::Member => "member",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.as_str() == word)
    }
}

impl FlagsError {
    /// A stable code for clients.
    pub fn code(self) -> &'static str {
        match self {
            Self::Contradictory { .. } => "SETTINGS_CONTRADICTORY",
            Self::Forbidden { .. } => "SETTINGS_FORBIDDEN",
        }
    }

    /// What to do about it.
    pub fn hint(self) -> &'static str {
        match self {
            Self::Contradictory { .. } => {
                "Send only one of `auto_approve` and `manual_review`, or opposite values."
            }
            Self::Forbidden { .. } => "Ask an owner or admin of the workspace to change it.",
        }
    }
}
