//! How much each feature counts for or against a sentence being a statement.
//!
//! Fitted to the dev half of the labelled transcripts by the test `fit` (logistic regression, in
//! hundredths), which prints this table.

use super::features::{Feature, Features};

/// From this sum on, a sentence states something.
pub(super) const THRESHOLD: i32 = 225;

pub(super) const WEIGHTS: [(Feature, i32); 44] = [
    (Feature::One, 46),
    (Feature::Two, 64),
    (Feature::Three, 64),
    (Feature::Four, 100),
    (Feature::Six, 95),
    (Feature::Nine, -8),
    (Feature::Fourteen, 4),
    (Feature::Dense, 18),
    (Feature::Long, 23),
    (Feature::Tiny, -53),
    (Feature::Digit, 100),
    (Feature::Digits, 81),
    (Feature::Unit, 24),
    (Feature::ShortDigit, 24),
    (Feature::Number, 35),
    (Feature::Time, 109),
    (Feature::Capital, 14),
    (Feature::You, -57),
    (Feature::Me, -74),
    (Feature::Duty, -2),
    (Feature::Connective, 51),
    (Feature::Future, 56),
    (Feature::State, 28),
    (Feature::Negation, 93),
    (Feature::Mood, -35),
    (Feature::Courtesy, -79),
    (Feature::Question, -92),
    (Feature::Asking, -92),
    (Feature::Noise, -155),
    (Feature::Exclamation, -101),
    (Feature::Emoji, -31),
    (Feature::Trailing, -19),
    (Feature::Announces, -29),
    (Feature::Caption, 51),
    (Feature::Headline, -57),
    (Feature::Bullet, 95),
    (Feature::Row, 96),
    (Feature::Code, 25),
    (Feature::Assistant, -64),
    (Feature::AssistantYou, -18),
    (Feature::AssistantMe, 3),
    (Feature::Answer, 3),
    (Feature::Edge, -108),
    (Feature::Fragment, -39),
];

/// The sum of the weights of what is so.
pub(super) fn score(features: Features) -> i32 {
    WEIGHTS.iter().filter(|(feature, _)| features.has(*feature)).map(|(_, weight)| weight).sum()
}
