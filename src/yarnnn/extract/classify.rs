//! Classifies a sentence as decision, constraint, goal and so on, with a confidence.
//!
//! Kinds are tried in the order of [`SemanticType::ALL`]; the first whose cue occurs in the
//! sentence wins. Cues inside quotations do not count. Confidence is counted in
//! hundredths, so that it is the same on every machine.

use super::cues::{Hit, Mark, hits};
use super::details::{date, deed, measure, owner};
use super::language::{Language, language};
use super::noise::opening;
use super::sentences::Form;
use super::words::{Word, denies, stop, words};
use crate::model::{SemanticType, Speaker};

/// What a model says with less confidence is not proposed; what people say has at least this.
pub(super) const LEAST: i32 = 40;
const HIGHEST: i32 = 95;

/// The classification of a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Reading {
    pub(super) kind: SemanticType,
    /// Hundredths.
    pub(super) confidence: i32,
    /// Where in the sentence the statement begins.
    pub(super) start: usize,
    marks: Vec<Mark>,
}

impl Reading {
    /// The classification of a statement that a model classified; none when its confidence
    /// is too low to be proposed.
    pub(super) fn of_statement(
        kind: SemanticType,
        confidence: i32,
        content: &str,
        speaker: Speaker,
    ) -> Option<Self> {
        let words = words(content);
        let hits = hits(&words, language(content)).into_iter().filter(|hit| counts(*hit, &words));
        let marks = hits.map(|hit| hit.mark).collect();
        let confidence = confidence.min(HIGHEST) + by(speaker);
        (confidence >= LEAST).then_some(Self { kind, confidence, start: 0, marks })
    }

    pub(super) fn has(&self, mark: Mark) -> bool {
        self.marks.contains(&mark)
    }
}

/// The context of a sentence.
#[derive(Debug, Clone, Copy)]
pub(super) struct Setting {
    pub(super) form: Form,
    /// The kind that the heading above announces.
    pub(super) under: Option<SemanticType>,
    pub(super) speaker: Speaker,
    pub(super) language: Language,
}

/// Classifies a sentence; whether it is worth storing is decided elsewhere.
pub(super) fn read(text: &str, setting: Setting) -> Reading {
    let all = words(text);
    let (skipped, told) = opening(text, &all);
    let words = all.get(skipped..).filter(|rest| !rest.is_empty()).unwrap_or(&all);
    let start = if skipped == 0 { 0 } else { words.first().map_or(0, |word| word.start) };
    let quoted = quotation(text);
    let hits: Vec<Hit> = hits(words, setting.language)
        .into_iter()
        .filter(|hit| {
            let at = words[hit.at].start;
            !quoted.is_some_and(|(from, to)| (from..to).contains(&at)) && counts(*hit, words)
        })
        .collect();
    let marks: Vec<Mark> = hits.iter().map(|hit| hit.mark).collect();
    let said = quoted.is_some() && marks.contains(&Mark::Said) || setting.form == Form::Quoted;
    let kind = kind(text, words, setting, &marks, said);
    let hedges = marks.iter().filter(|mark| **mark == Mark::Hedge).count().min(3) as i32;
    let doubt = if hedges == 0 { 0 } else { 10 + 5 * hedges };
    let confidence = base(kind) + specific(text, words) + by(setting.speaker) - doubt
        + if told { 10 } else { 0 };
    Reading { kind, confidence: confidence.min(HIGHEST), start, marks }
}

fn kind(
    text: &str,
    words: &[Word<'_>],
    setting: Setting,
    marks: &[Mark],
    said: bool,
) -> SemanticType {
    use SemanticType::{Action, Constraint, Decision, Fact, Goal, Insight, Metric, Problem, Quote};
    let has = |mark| marks.contains(&mark);
    let listed = matches!(setting.form, Form::Bullet | Form::Task);
    let first = words.first().map_or("", |word| word.text.as_ref());
    let named = owner(text, words, Speaker::Unknown).is_some();
    // A request to the tool is not worth storing; in notes it is a task.
    let imperative = deed(first) && (listed || setting.speaker == Speaker::Unknown);
    let digit = text.bytes().any(|byte| byte.is_ascii_digit());
    let priced = digit && text.contains(['€', '$', '£', '¥']);
    let measured = priced || digit && setting.form == Form::Row || measure(text, words).is_some();
    // `No assignment without consent`
    let banned = words.len() >= 4 && matches!(first, "no" | "nothing" | "nobody");
    let dated = has(Mark::Milestone) && date(text, words).is_some();
    let found = SemanticType::ALL.into_iter().find(|kind| match kind {
        Decision => has(Mark::Decided),
        Constraint => has(Mark::Hard) || has(Mark::Soft) || banned,
        Goal => has(Mark::Wanted),
        Metric => {
            (measured || dated)
                && !has(Mark::Todo)
                && !named
                && !imperative
                && !has(Mark::Trouble)
                && !has(Mark::Reason)
                && !said
                && setting.form != Form::Task
        }
        Action => setting.form == Form::Task || has(Mark::Todo) || named || imperative,
        Problem => has(Mark::Trouble),
        Insight => has(Mark::Reason),
        Quote => said,
        Fact => false,
    });
    match (found, setting.under) {
        (Some(Problem | Insight | Quote) | None, Some(under)) if listed => under,
        (Some(kind), _) => kind,
        (None, _) => Fact,
    }
}

/// Whether a phrase counts where it stands.
fn counts(hit: Hit, words: &[Word<'_>]) -> bool {
    let before = |back: usize| hit.at.checked_sub(back).and_then(|at| words.get(at));
    let denied = (1..=2).filter_map(before).any(|word| denies(&word.text));
    let after = words.get(hit.at + hit.len).map_or("", |word| word.text.as_ref());
    let previous = before(1).map_or("", |word| word.text.as_ref());
    match hit.mark {
        Mark::Decided => {
            let later = words.get(hit.at + hit.len + 1).map_or("", |word| word.text.as_ref());
            !denied && !matches!((after, later), ("need" | "see", _) | ("have", "to"))
        }
        Mark::Trouble | Mark::Said => !denied,
        Mark::Wanted => !denied && !matches!(previous, "you"),
        // `The team must have left`: a guess, not a rule.
        Mark::Hard => !(words[hit.at].text == "must" && after == "have"),
        _ => true,
    }
}

/// The first passage of at least four words between quotation marks.
fn quotation(text: &str) -> Option<(usize, usize)> {
    for (open, close) in [('“', '”'), ('"', '"'), ('«', '»')] {
        if let Some(from) = text.find(open) {
            let inside = &text[from + open.len_utf8()..];
            if let Some(length) = inside.find(close)
                && inside[..length].split_whitespace().count() >= 4
            {
                return Some((from, from + open.len_utf8() + length));
            }
        }
    }
    None
}

fn base(kind: SemanticType) -> i32 {
    match kind {
        SemanticType::Decision => 75,
        SemanticType::Constraint | SemanticType::Metric => 72,
        SemanticType::Goal | SemanticType::Action => 68,
        SemanticType::Problem | SemanticType::Quote => 66,
        SemanticType::Insight => 64,
        SemanticType::Fact => 60,
    }
}

/// What raises the confidence: a number, a name, a suitable length.
fn specific(text: &str, words: &[Word<'_>]) -> i32 {
    let number = words.iter().any(|word| word.text.bytes().any(|byte| byte.is_ascii_digit()));
    let name = words.iter().skip(1).any(|word| {
        let capital = text[word.start..].chars().next().is_some_and(char::is_uppercase);
        capital && !stop(&word.text)
    });
    let length = (8..=40).contains(&words.len());
    // Words that refer elsewhere mean less out of context.
    let dangling = words.first().is_some_and(|word| {
        matches!(word.text.as_ref(), "it" | "it's" | "this" | "that" | "that's" | "they" | "these")
    });
    5 * (i32::from(number) + i32::from(name) + i32::from(length) - i32::from(dangling))
}

/// A user's statement counts for more than a model's.
fn by(speaker: Speaker) -> i32 {
    if speaker == Speaker::Assistant { -10 } else { 0 }
}
