//! How much each feature counts for or against a sentence being a statement.
//!
//! Fitted to the dev half of the labelled transcripts by the test `fit` (logistic regression, in
//! hundredths), which prints this table.

use super::features::{Feature, Features};

/// From this sum on, a sentence states something.
pub(super) const THRESHOLD: i32 = 150;

const WEIGHTS: [(Feature, i32); 44] = [
    (Feature::One, 28),
    (Feature::Two, 3),
    (Feature::Three, 61),
    (Feature::Four, 84),
    (Feature::Six, 121),
    (Feature::Nine, -38),
    (Feature::Fourteen, 19),
    (Feature::Dense, 0),
    (Feature::Long, 44),
    (Feature::Tiny, -103),
    (Feature::Digit, 104),
    (Feature::Digits, -15),
    (Feature::Unit, 83),
    (Feature::ShortDigit, 55),
    (Feature::Number, 94),
    (Feature::Time, 110),
    (Feature::Capital, -23),
    (Feature::You, -75),
    (Feature::Me, -87),
    (Feature::Duty, 48),
    (Feature::Connective, 81),
    (Feature::Future, 64),
    (Feature::State, 25),
    (Feature::Negation, 79),
    (Feature::Mood, -67),
    (Feature::Courtesy, -41),
    (Feature::Question, -288),
    (Feature::Asking, 0),
    (Feature::Noise, -90),
    (Feature::Exclamation, -116),
    (Feature::Emoji, -35),
    (Feature::Trailing, -9),
    (Feature::Announces, -52),
    (Feature::Caption, 0),
    (Feature::Headline, -165),
    (Feature::Bullet, 200),
    (Feature::Row, 181),
    (Feature::Code, 52),
    (Feature::Assistant, -101),
    (Feature::AssistantYou, -32),
    (Feature::AssistantMe, -109),
    (Feature::Answer, 41),
    (Feature::Edge, -120),
    (Feature::Fragment, -63),
];

/// The sum of the weights of what is so.
pub(super) fn score(features: Features) -> i32 {
    WEIGHTS.iter().filter(|(feature, _)| features.has(*feature)).map(|(_, weight)| weight).sum()
}
