//! Decides which changes need review, and who may change the review settings.
//!
//! Pure rules: settings, request and the validator's assessment in, a ruling with its reasons
//! out. Knows nothing of databases, proposals' contents or tools. When a value is
//! missing, damaged or contradictory, the stricter outcome applies.

mod decide;
mod flags;
mod settings;
#[cfg(test)]
mod tests;

pub(crate) use decide::{Assessment, Origin, Review, ReviewRequest, decide};
pub(crate) use flags::change;
pub use flags::{Change, Changed, Flags, FlagsError, Role};
pub use settings::{BlastRadius, Mode, Settings};
