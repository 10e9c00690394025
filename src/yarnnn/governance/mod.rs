//! Which changes of memory wait for a person, and who may change that.
//!
//! Pure rules: settings, the request and the validator's judgement come in, a ruling with its
//! reasons goes out. Knows nothing of databases, proposals' contents or tools. When a value is
//! missing, damaged or contradictory, the stricter answer is given.

mod decide;
mod flags;
mod settings;
#[cfg(test)]
mod tests;

pub use decide::{
    AUTO_CONFIDENCE, Assessment, HYBRID_COMPLEXITY, HYBRID_CONFIDENCE, HYBRID_CONFLICTS,
    HYBRID_OPERATIONS, Origin, Review, ReviewRequest, Rule, Ruling, decide, effective_confidence,
    rule,
};
pub use flags::{Change, Changed, Flags, FlagsError, Role, change};
pub use settings::{BlastRadius, Mode, Settings};
