//! Decides whether a proposal is applied at once or needs review.
//!
//! Every rule that demands review is reported, not only the first, so that the answer explains
//! itself. The caller can ask for more review, never for less.

use super::settings::{BlastRadius, Mode, Settings};

/// Smart review approves above this confidence.
pub(super) const AUTO_CONFIDENCE: f64 = 0.7;
/// Smart review calls a confidence below this one low.
pub(super) const HYBRID_CONFIDENCE: f64 = 0.6;
/// Most operations of a small proposal.
pub(super) const HYBRID_OPERATIONS: usize = 3;
/// Most conflicts of a harmless proposal.
pub(super) const HYBRID_CONFLICTS: usize = 2;
/// Highest complexity of a simple proposal.
pub(super) const HYBRID_COMPLEXITY: f64 = 0.8;

/// Who made the proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Origin {
    /// A program on a user's behalf.
    Agent,
    /// A human.
    Human,
}

/// What the caller asks for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct ReviewRequest {
    /// A reviewer must approve.
    pub require_approval: bool,
    /// The caller's own confidence, which can only lower the validator's.
    pub confidence: Option<f64>,
    /// Who made the proposal.
    pub origin: Origin,
}

/// What is known about the proposal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Assessment {
    /// 0 to 1.
    pub validator_confidence: f64,
    /// How many operations it has.
    pub operations: usize,
    /// How many conflicts with the memory were found.
    pub conflicts: usize,
    /// 0 to 1.
    pub complexity: f64,
    /// A block would get a wider scope.
    pub scope_promotion: bool,
    /// How far it reaches.
    pub blast_radius: BlastRadius,
}

/// The two outcomes for a proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Review {
    /// Applied at once.
    Auto,
    /// Needs review.
    Manual,
}

/// What was decided, and why.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ruling {
    /// What happens with the proposal.
    pub mode: Review,
    /// Codes of all rules that led there, in the order of `Rule::ALL`; never empty.
    pub reasons: Vec<&'static str>,
    /// The validator's confidence, lowered by the caller's.
    pub effective_confidence: f64,
}

/// A rule with its condition, for the table in the README.
#[cfg(test)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Rule {
    /// Stable code.
    pub code: &'static str,
    /// Its outcome.
    pub leads_to: Review,
    /// When it applies.
    pub condition: &'static str,
}

#[cfg(test)]
impl Rule {
    /// All rules, in the order in which they are reported.
    pub(super) const ALL: &'static [Self] = &[
        Self::manual("require_approval", "The caller asked for approval."),
        Self::manual("review_all", "The workspace reviews everything."),
        Self::manual(
            "validator_required",
            "The workspace requires each validator report to be read.",
        ),
        Self::manual("human_origin", "Only proposals of agents are approved automatically."),
        Self::manual("low_confidence", "The confidence is below 0.6."),
        Self::manual("unsure_confidence", "The confidence is 0.6 to 0.7; approval needs more."),
        Self::manual("scope_promotion", "A block would count in a wider scope."),
        Self::manual("many_operations", "There are more than 3 operations."),
        Self::manual("many_conflicts", "There are more than 2 conflicts."),
        Self::manual("complex", "The complexity is above 0.8."),
        Self::manual("global_radius", "The change reaches the whole workspace."),
        Self::auto("governance_off", "The workspace has governance turned off."),
        Self::auto(
            "smart_review",
            "The change is small, has high confidence and comes from an agent.",
        ),
    ];

    const fn manual(code: &'static str, condition: &'static str) -> Self {
        Self { code, leads_to: Review::Manual, condition }
    }

    const fn auto(code: &'static str, condition: &'static str) -> Self {
        Self { code, leads_to: Review::Auto, condition }
    }
}

/// Finds a rule by its code.
#[cfg(test)]
pub(super) fn rule(code: &str) -> Option<&'static Rule> {
    Rule::ALL.iter().find(|rule| rule.code == code)
}

/// Decides about a proposal.
///
/// A request for approval always wins. Without governance no other rule applies. Otherwise the mode
/// of edits applies, after [`Settings::coerced`]: `proposal` reviews everything, `hybrid` approves
/// whatever no rule objects to.
pub(crate) fn decide(
    settings: &Settings,
    request: &ReviewRequest,
    assessment: &Assessment,
) -> Ruling {
    let settings = settings.coerced();
    let confidence = effective_confidence(request.confidence, assessment.validator_confidence);
    let governed = settings.governance_enabled;
    let hybrid = governed && settings.manual_edit == Mode::Hybrid;
    let low = confidence < HYBRID_CONFIDENCE;
    let objections = [
        ("require_approval", request.require_approval),
        ("review_all", governed && !hybrid),
        ("validator_required", governed && settings.validator_required),
        ("human_origin", hybrid && request.origin == Origin::Human),
        ("low_confidence", hybrid && low),
        ("unsure_confidence", hybrid && !low && confidence <= AUTO_CONFIDENCE),
        ("scope_promotion", hybrid && assessment.scope_promotion),
        ("many_operations", hybrid && assessment.operations > HYBRID_OPERATIONS),
        ("many_conflicts", hybrid && assessment.conflicts > HYBRID_CONFLICTS),
        ("complex", hybrid && unit_interval(assessment.complexity, 1.0) > HYBRID_COMPLEXITY),
        ("global_radius", hybrid && assessment.blast_radius == BlastRadius::Global),
    ];
    let mut reasons: Vec<_> =
        objections.into_iter().filter(|(_, speaks)| *speaks).map(|(code, _)| code).collect();
    let mode = if reasons.is_empty() { Review::Auto } else { Review::Manual };
    if mode == Review::Auto {
        reasons.push(if governed { "smart_review" } else { "governance_off" });
    }
    Ruling { mode, reasons, effective_confidence: confidence }
}

/// The lower of both confidences, within 0 to 1. NaN counts as 0.
pub(super) fn effective_confidence(caller: Option<f64>, validator: f64) -> f64 {
    let validator = unit_interval(validator, 0.0);
    caller.map_or(validator, |caller| unit_interval(caller, 0.0).min(validator))
}

/// Clamps to 0 to 1, rounded so that sums of tenths meet their thresholds; `strict` replaces
/// NaN.
fn unit_interval(value: f64, strict: f64) -> f64 {
    if value.is_finite() { (value.clamp(0.0, 1.0) * 1e9).round() / 1e9 } else { strict }
}

impl Review {
    /// The contract's word.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Manual => "manual",
        }
    }
}

#[cfg(test)]
impl Origin {
    /// All of them.
    pub(crate) const ALL: [Self; 2] = [Self::Agent, Self::Human];

    /// The stored word.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Human => "human",
        }
    }

    /// Reads the stored word.
    pub(crate) fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|origin| origin.as_str() == word)
    }
}
