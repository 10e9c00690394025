//! A workspace's governance settings, and how forbidden ones are coerced.

/// How changes of one kind are handled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Mode {
    /// Each one needs review.
    Proposal,
    /// Each one is applied at once.
    Direct,
    /// Small, high-confidence ones are applied at once, others need review.
    Hybrid,
}

/// How far a change reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum BlastRadius {
    /// One basket.
    Local,
    /// Some baskets.
    Scoped,
    /// The whole workspace.
    Global,
}

/// A workspace's governance settings as they are stored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// Off: nothing is reviewed unless the caller asks for it.
    pub governance_enabled: bool,
    /// A reviewer always reads the validator's report, so nothing is approved automatically.
    pub validator_required: bool,
    /// Writes that bypass proposals. Forbidden.
    pub direct_substrate_writes: bool,
    /// Raw captures.
    pub onboarding_dump: Mode,
    /// Changes of memory: what P1 proposes and what users edit.
    pub manual_edit: Mode,
    /// Manual changes of relations.
    pub graph_action: Mode,
    /// Restores of an earlier state.
    pub timeline_restore: Mode,
    /// The default reach of a change.
    pub default_blast_radius: BlastRadius,
}

impl Default for Settings {
    /// New workspaces review everything; captures are direct.
    fn default() -> Self {
        Self {
            governance_enabled: true,
            validator_required: false,
            direct_substrate_writes: false,
            onboarding_dump: Mode::Direct,
            manual_edit: Mode::Proposal,
            graph_action: Mode::Proposal,
            timeline_restore: Mode::Proposal,
            default_blast_radius: BlastRadius::Local,
        }
    }
}

impl Settings {
    /// The effective settings: forbidden values are replaced by allowed ones.
    ///
    /// Captures are always direct and restores always proposals. `direct` for edits and relations
    /// becomes `proposal`, the stricter of the two that are left. The default reach is never
    /// global, and nothing is written around proposals.
    #[must_use]
    pub fn coerced(&self) -> Self {
        let governed = |mode| if mode == Mode::Direct { Mode::Proposal } else { mode };
        Self {
            governance_enabled: self.governance_enabled,
            validator_required: self.validator_required,
            direct_substrate_writes: false,
            onboarding_dump: Mode::Direct,
            manual_edit: governed(self.manual_edit),
            graph_action: governed(self.graph_action),
            timeline_restore: Mode::Proposal,
            default_blast_radius: self.default_blast_radius.min(BlastRadius::Scoped),
        }
    }
}

impl Mode {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Proposal, Self::Direct, Self::Hybrid];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proposal => "proposal",
            Self::Direct => "direct",
            Self::Hybrid => "hybrid",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|mode| mode.as_str() == word)
    }
}

impl BlastRadius {
    /// All of them, the smallest first.
    pub const ALL: [Self; 3] = [Self::Local, Self::Scoped, Self::Global];

    /// The stored word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Local => "Local",
            Self::Scoped => "Scoped",
            Self::Global => "Global",
        }
    }

    /// Reads the stored word.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|radius| radius.as_str() == word)
    }
}
