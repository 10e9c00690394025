//! How much each feature counts for or against a sentence being a statement.
//!
//! Fitted to the dev half of the labelled transcripts by the test `fit` (logistic regression, in
//! hundredths), which prints this table.

use super::features::{Feature, Features};

/// From this sum on, a sentence states something.
pub(super) const THRESHOLD: i32 = 307;

pub(super) const WEIGHTS: [(Feature, i32); 51] = [
    (Feature::One, 46),
    (Feature::Two, 30),
    (Feature::Three, 59),
    (Feature::Four, 91),
    (Feature::Six, 79),
    (Feature::Nine, -21),
    (Feature::Fourteen, -16),
    (Feature::Dense, 17),
    (Feature::Long, 33),
    (Feature::Tiny, -54),
    (Feature::Digit, 132),
    (Feature::Digits, 2),
    (Feature::Unit, 54),
    (Feature::ShortDigit, 16),
    (Feature::Number, 58),
    (Feature::Time, 117),
    (Feature::Capital, 10),
    (Feature::You, -52),
    (Feature::Me, -62),
    (Feature::Duty, 0),
    (Feature::Connective, 40),
    (Feature::Future, 56),
    (Feature::State, 55),
    (Feature::Negation, 56),
    (Feature::Mood, -63),
    (Feature::Courtesy, -96),
    (Feature::Question, -57),
    (Feature::Asking, -108),
    (Feature::Noise, -150),
    (Feature::Exclamation, -103),
    (Feature::Emoji, -52),
    (Feature::Trailing, -11),
    (Feature::Announces, -27),
    (Feature::Caption, -5),
    (Feature::Headline, -69),
    (Feature::Bullet, 109),
    (Feature::Row, 121),
    (Feature::Code, 32),
    (Feature::Assistant, -18),
    (Feature::AssistantYou, -18),
    (Feature::AssistantMe, -7),
    (Feature::Answer, 16),
    (Feature::Edge, -164),
    (Feature::Fragment, -11),
    (Feature::Cue, 130),
    (Feature::Cause, 78),
    (Feature::Notice, -252),
    (Feature::Musing, -160),
    (Feature::Scene, -153),
    (Feature::Aside, -59),
    (Feature::Bare, -41),
];

/// The sum of the weights of what is so.
pub(super) fn score(features: Features) -> i32 {
    WEIGHTS.iter().filter(|(feature, _)| features.has(*feature)).map(|(_, weight)| weight).sum()
}
