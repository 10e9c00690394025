//! How much each feature counts for or against a sentence being a statement.
//!
//! Fitted to the dev half of the labelled transcripts by the test `fit` (logistic regression, in
//! hundredths), which prints this table.

use super::features::{Feature, Features};

/// From this sum on, a sentence states something.
pub(super) const THRESHOLD: i32 = 248;

pub(super) const WEIGHTS: [(Feature, i32); 46] = [
    (Feature::One, 35),
    (Feature::Two, 61),
    (Feature::Three, 66),
    (Feature::Four, 95),
    (Feature::Six, 90),
    (Feature::Nine, -13),
    (Feature::Fourteen, 4),
    (Feature::Dense, 22),
    (Feature::Long, 27),
    (Feature::Tiny, -45),
    (Feature::Digit, 106),
    (Feature::Digits, 84),
    (Feature::Unit, 20),
    (Feature::ShortDigit, 25),
    (Feature::Number, 41),
    (Feature::Time, 103),
    (Feature::Capital, 16),
    (Feature::You, -62),
    (Feature::Me, -84),
    (Feature::Duty, -27),
    (Feature::Connective, 49),
    (Feature::Future, 22),
    (Feature::State, 31),
    (Feature::Negation, 78),
    (Feature::Mood, -35),
    (Feature::Courtesy, -94),
    (Feature::Question, -87),
    (Feature::Asking, -92),
    (Feature::Noise, -155),
    (Feature::Exclamation, -101),
    (Feature::Emoji, -30),
    (Feature::Trailing, -17),
    (Feature::Announces, -28),
    (Feature::Caption, 46),
    (Feature::Headline, -54),
    (Feature::Bullet, 91),
    (Feature::Row, 94),
    (Feature::Code, 23),
    (Feature::Assistant, -60),
    (Feature::AssistantYou, -17),
    (Feature::AssistantMe, -4),
    (Feature::Answer, 4),
    (Feature::Edge, -111),
    (Feature::Fragment, -35),
    (Feature::Cue, 111),
    (Feature::Cause, 49),
];

/// The sum of the weights of what is so.
pub(super) fn score(features: Features) -> i32 {
    WEIGHTS.iter().filter(|(feature, _)| features.has(*feature)).map(|(_, weight)| weight).sum()
}
