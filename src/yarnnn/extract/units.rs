//! The sentences of a dump with what is known of each, and the choice of those that state
//! something.

use super::classify::{LEAST, Reading, Setting, read};
use super::clean::Cleaned;
use super::entities::Names;
use super::features::{Feature, Features, Place, features};
use super::language::{Language, decided};
use super::sentences::{Form, sentences};
use super::source::sources;
use super::weights::{THRESHOLD, score};
use crate::model::{ByteSpan, Speaker};

/// From so many sentences on, the first and the last two are probably greetings.
const LONG: usize = 12;
/// Up to so many sentences a text is a finding of its own: whatever is about something counts.
const SHORT: usize = 5;
/// How much less a sentence of such a text needs.
const FINDING: i32 = 75;

/// A sentence of a dump.
#[derive(Debug)]
pub(super) struct Unit {
    pub(super) content: String,
    pub(super) reading: Reading,
    pub(super) speaker: Speaker,
    /// Its bytes in the dump.
    pub(super) span: ByteSpan,
    pub(super) features: Features,
    form: Form,
    /// An item of a list whose heading says what its items are.
    announced: bool,
}

/// All sentences of a dump, and how many invisible characters its strings had. `names` reads them
/// too.
pub(super) fn units(cleaned: &Cleaned<'_>, names: &mut Names) -> (Vec<Unit>, usize) {
    let usual = decided(&cleaned.text);
    let mut found: Vec<Unit> = Vec::new();
    let mut removed = 0;
    let mut answers = false;
    for source in sources(cleaned) {
        removed += source.removed();
        let (text, speaker) = (source.text(), source.speaker());
        if let Some((label, span)) = source.name() {
            names.speaker(label, span);
        }
        let language = decided(text).or(usual).unwrap_or(Language::English);
        for sentence in sentences(text) {
            let said = &text[sentence.span.start..sentence.span.end];
            let place = |span: ByteSpan| {
                let base = sentence.span.start;
                source.dump(ByteSpan { start: base + span.start, end: base + span.end })
            };
            if sentence.form == Form::Heading {
                continue;
            }
            names.read(said, language, place);
            if sentence.form == Form::Header {
                continue;
            }
            let (form, under) = (sentence.form, sentence.under);
            let mut reading = read(said, Setting { form, under, speaker, language });
            if form == Form::Comment {
                reading.start = 0;
            }
            let core = sentence.core.start.max(sentence.span.start + reading.start);
            let core = &text[core..sentence.core.end];
            let features = features(core, &sentence, Place { speaker, answers }, &reading);
            answers = features.has(Feature::Question);
            let span = place(ByteSpan { start: reading.start, end: said.len() });
            let announced = form == Form::Task || form == Form::Bullet && under.is_some();
            let content = said[reading.start..].to_owned();
            found.push(Unit { content, reading, speaker, span, features, form, announced });
        }
    }
    edges(&mut found);
    (found, removed)
}

/// Marks the sentences that open and close a longer text.
fn edges(units: &mut [Unit]) {
    let count = units.len();
    if count < LONG {
        return;
    }
    for (at, unit) in units.iter_mut().enumerate() {
        unit.features.set(Feature::Edge, at < 2 || at + 2 >= count);
    }
}

/// The sentences that state something.
pub(super) fn stated(units: Vec<Unit>) -> Vec<Unit> {
    // Who adds one sentence means it, so less will do.
    let short = units.len() <= SHORT;
    let least = if short { THRESHOLD - FINDING } else { THRESHOLD };
    let (mut chosen, rest): (Vec<Unit>, Vec<Unit>) = units.into_iter().partition(|unit| {
        unit.form == Form::Row
            || unit.announced
            || score(unit.features) >= least
            || short && unit.features.has(Feature::Cue) && about_something(unit.features)
    });
    if chosen.is_empty() && short {
        chosen.extend(rest.into_iter().filter(|unit| about_something(unit.features)));
    }
    chosen.retain(|unit| unit.speaker != Speaker::Assistant || unit.reading.confidence >= LEAST);
    for unit in &mut chosen {
        unit.reading.confidence = unit.reading.confidence.max(LEAST);
    }
    chosen
}

/// Whether a sentence is no talk, however little it says.
fn about_something(features: Features) -> bool {
    let exact = features.has(Feature::Digit) || features.has(Feature::Negation);
    (features.has(Feature::Two) || features.has(Feature::One) && exact)
        && ![Feature::Noise, Feature::Question, Feature::Announces]
            .into_iter()
            .any(|talk| features.has(talk))
}
