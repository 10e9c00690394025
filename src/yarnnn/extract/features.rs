//! What can be told of a sentence by its form and its closed-class words, whatever it is about.
//!
//! The features decide, with the weights of `weights`, whether a sentence states something.

use super::classify::Reading;
use super::cues::Mark;
use super::lexicon::{Classes, classes, is_content};
use super::noise::noise;
use super::sentences::{Form, Sentence};
use super::words::{Word, dated, words};
use crate::model::Speaker;

/// Something that is or is not so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Feature {
    /// At least so many words are about something.
    One,
    Two,
    Three,
    Four,
    Six,
    Nine,
    Fourteen,
    /// At least half of the words are.
    Dense,
    /// One is long.
    Long,
    /// At most three words in all.
    Tiny,
    Digit,
    Digits,
    /// A number with a unit, or a currency.
    Unit,
    /// A number in a short sentence.
    ShortDigit,
    /// A number as a word.
    Number,
    Time,
    /// A capital inside the sentence.
    Capital,
    You,
    Me,
    Duty,
    Connective,
    Future,
    State,
    Negation,
    Mood,
    /// It begins with a greeting, thanks or agreement.
    Courtesy,
    /// It ends like a question.
    Question,
    /// It begins like one.
    Asking,
    /// It asks, offers, or announces something.
    Noise,
    Exclamation,
    Emoji,
    Trailing,
    /// It ends with a colon.
    Announces,
    /// `Rent: 900`
    Caption,
    Headline,
    Bullet,
    Row,
    Code,
    Assistant,
    AssistantYou,
    AssistantMe,
    /// The sentence before is a question.
    Answer,
    /// It is among the first or last two.
    Edge,
    /// Few words and no verb of state.
    Fragment,
    /// A phrase that decides, demands or plans.
    Cue,
    /// A phrase that complains or explains.
    Cause,
}

/// The features of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Features(u64);

impl Features {
    pub(super) fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u8) != 0
    }

    pub(super) fn set(&mut self, feature: Feature, holds: bool) {
        self.0 |= u64::from(holds) << feature as u8;
    }
}

/// Where a sentence stands.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) speaker: Speaker,
    /// The sentence before is a question.
    pub(super) answers: bool,
}

const CUES: [Mark; 5] = [Mark::Decided, Mark::Hard, Mark::Soft, Mark::Wanted, Mark::Todo];
const CAUSES: [Mark; 2] = [Mark::Trouble, Mark::Reason];

/// Reads the features of a sentence; `said` is the part that says something.
pub(super) fn features(
    said: &str,
    sentence: &Sentence,
    place: Place,
    reading: &Reading,
) -> Features {
    let all = words(said);
    let content = all.iter().filter(|word| is_content(&word.text)).count();
    let any = |class| all.iter().any(|word| classes(&word.text).any(class));
    let first = |class| all.first().is_some_and(|word| classes(&word.text).any(class));
    let numbers = all.iter().filter(|word| word.text.bytes().any(|one| one.is_ascii_digit()));
    let numbers = numbers.count();
    let assistant = place.speaker == Speaker::Assistant;
    let end = said.trim_end_matches(|found: char| "*_\"'”’)] ".contains(found));
    let mut found = Features::default();
    let counts = [
        (Feature::One, 1),
        (Feature::Two, 2),
        (Feature::Three, 3),
        (Feature::Four, 4),
        (Feature::Six, 6),
        (Feature::Nine, 9),
        (Feature::Fourteen, 14),
    ];
    for (feature, least) in counts {
        found.set(feature, content >= least);
    }
    let long = |word: &Word<'_>| word.text.chars().count() >= 8 && is_content(&word.text);
    let rows = [
        (Feature::Dense, content * 2 >= all.len()),
        (Feature::Long, all.iter().any(long)),
        (Feature::Tiny, all.len() <= 3),
        (Feature::Digit, numbers > 0),
        (Feature::Digits, numbers > 1),
        (Feature::Unit, unit(said, &all)),
        (Feature::ShortDigit, numbers > 0 && content <= 3),
        (Feature::Number, any(Classes::NUMBER)),
        (Feature::Time, any(Classes::TIME) || all.iter().any(|word| dated(&word.text))),
        (Feature::Capital, capital(said, &all)),
        (Feature::You, any(Classes::YOU)),
        (Feature::Me, any(Classes::ME)),
        (Feature::Duty, any(Classes::DUTY)),
        (Feature::Connective, any(Classes::CONNECTIVE)),
        (Feature::Future, any(Classes::FUTURE)),
        (Feature::State, any(Classes::STATE)),
        (Feature::Negation, any(Classes::NEGATION)),
        (Feature::Mood, any(Classes::MOOD)),
        (Feature::Courtesy, first(Classes::COURTESY)),
        (Feature::Question, end.ends_with(['?', '？'])),
        (Feature::Asking, first(Classes::ASKING)),
        (Feature::Noise, noise(said, &all, place.speaker)),
        (Feature::Exclamation, said.contains('!')),
        (Feature::Emoji, said.chars().any(|one| one >= '\u{1f000}' || one == '❤')),
        (Feature::Trailing, end.ends_with("...") || end.ends_with('…')),
        (Feature::Announces, end.ends_with([':', '：'])),
        (Feature::Caption, caption(said)),
        (Feature::Headline, sentence.headline),
        (Feature::Bullet, matches!(sentence.form, Form::Bullet | Form::Task)),
        (Feature::Row, sentence.form == Form::Row),
        (Feature::Code, matches!(sentence.form, Form::Comment | Form::Changed)),
        (Feature::Assistant, assistant),
        (Feature::AssistantYou, assistant && any(Classes::YOU)),
        (Feature::AssistantMe, assistant && any(Classes::ME)),
        (Feature::Answer, place.answers),
        (Feature::Fragment, content <= 3 && !any(Classes::STATE)),
        (Feature::Cue, CUES.iter().any(|mark| reading.has(*mark))),
        (Feature::Cause, CAUSES.iter().any(|mark| reading.has(*mark))),
    ];
    for (feature, holds) in rows {
        found.set(feature, holds);
    }
    found
}

/// A number with a sign or a short word after it.
fn unit(said: &str, all: &[Word<'_>]) -> bool {
    said.contains(['€', '$', '£', '%', '°'])
        || all.windows(2).any(|pair| match pair {
            [number, unit] => {
                number.text.ends_with(|one: char| one.is_ascii_digit())
                    && (1..=4).contains(&unit.text.len())
                    && unit.text.chars().all(char::is_alphabetic)
                    && is_content(&unit.text)
            }
            _ => false,
        })
}

fn capital(said: &str, all: &[Word<'_>]) -> bool {
    all.iter().skip(1).any(|word| {
        let mut letters = said[word.start..word.end].chars();
        letters.next().is_some_and(char::is_uppercase)
            && letters.next().is_some_and(char::is_lowercase)
            && is_content(&word.text)
    })
}

fn caption(said: &str) -> bool {
    said.split_once(": ").is_some_and(|(name, rest)| {
        (2..=25).contains(&name.len())
            && !rest.is_empty()
            && name.chars().all(|one| one.is_alphanumeric() || matches!(one, ' ' | '/' | '-'))
    })
}
