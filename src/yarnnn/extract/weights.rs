//! How much each feature counts for or against a sentence being a statement.
//!
//! Fitted to the dev half of the labelled transcripts by the test `fit` (logistic regression, in
//! hundredths), which prints this table.

use super::features::{Feature, Features};

/// From this sum on, a sentence states something.
pub(super) const THRESHOLD: i32 = 232;

pub(super) const WEIGHTS: [(Feature, i32); 46] = [
    (Feature::One, 39),
    (Feature::Two, 64),
    (Feature::Three, 63),
    (Feature::Four, 101),
    (Feature::Six, 96),
    (Feature::Nine, -8),
    (Feature::Fourteen, 4),
    (Feature::Dense, 17),
    (Feature::Long, 25),
    (Feature::Tiny, -52),
    (Feature::Digit, 100),
    (Feature::Digits, 81),
    (Feature::Unit, 23),
    (Feature::ShortDigit, 26),
    (Feature::Number, 35),
    (Feature::Time, 109),
    (Feature::Capital, 14),
    (Feature::You, -58),
    (Feature::Me, -75),
    (Feature::Duty, -3),
    (Feature::Connective, 50),
    (Feature::Future, 55),
    (Feature::State, 25),
    (Feature::Negation, 91),
    (Feature::Mood, -35),
    (Feature::Courtesy, -95),
    (Feature::Question, -93),
    (Feature::Asking, -92),
    (Feature::Noise, -151),
    (Feature::Exclamation, -99),
    (Feature::Emoji, -31),
    (Feature::Trailing, -20),
    (Feature::Announces, -30),
    (Feature::Caption, 51),
    (Feature::Headline, -57),
    (Feature::Bullet, 93),
    (Feature::Row, 94),
    (Feature::Code, 25),
    (Feature::Assistant, -65),
    (Feature::AssistantYou, -18),
    (Feature::AssistantMe, 3),
    (Feature::Answer, 4),
    (Feature::Edge, -112),
    (Feature::Fragment, -41),
    (Feature::Cue, 30),
    (Feature::Cause, 30),
];

/// The sum of the weights of what is so.
pub(super) fn score(features: Features) -> i32 {
    WEIGHTS.iter().filter(|(feature, _)| features.has(*feature)).map(|(_, weight)| weight).sum()
}
