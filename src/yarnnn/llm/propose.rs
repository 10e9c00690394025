//! Turns an answer into the statements and names that the dump supports, and counts the others.

use super::answer::{Answer, AnsweredName, AnsweredStatement};
use super::quotes::{Haystack, Passage};
use crate::extract::{Gist, Source, Statement, clean, folded, item, pluralise, title};
use crate::model::{ByteSpan, Operation};

/// Most quotes that are looked up per statement, and most places that are kept.
const PLACES: usize = 8;
/// Longest statement, in bytes.
const LONGEST: usize = 1_000;
/// Longest name, in bytes.
const LONGEST_LABEL: usize = 49;
/// A name with less confidence is not proposed.
const LEAST_SURE: f64 = 0.8;

/// The usable part of an answer.
#[derive(Debug, Clone, Default)]
pub(super) struct Findings {
    pub(super) statements: Vec<Statement>,
    /// Context items, the most frequent first.
    pub(super) items: Vec<Operation>,
    pub(super) warnings: Vec<String>,
}

/// Looks up the whole answer in the dump.
pub(super) fn findings(answer: Answer, sources: &[Source<'_>]) -> Findings {
    let dump = Haystack::new(sources);
    let told = answer.statements.len();
    let mut rewritten = 0;
    let statements: Vec<Statement> = answer
        .statements
        .into_iter()
        .filter_map(|told| statement(told, &dump, &mut rewritten))
        .collect();
    let unquoted = told - statements.len();
    let (items, unnamed) = items(answer.entities, &dump);
    let mut warnings = Vec::new();
    let mut warn = |count: usize, what: &str, why: &str| {
        if count > 0 {
            warnings.push(format!("{} of the model {why}.", pluralise(count, what)));
        }
    };
    warn(unquoted, "statement", "left out, because the text does not have the quoted words");
    let strayed = "kept in the words of the text, because its own stray from them";
    warn(rewritten, "statement", strayed);
    warn(unnamed, "name", "left out, because the text does not have it");
    Findings { statements, items, warnings }
}

fn statement(
    told: AnsweredStatement,
    dump: &Haystack<'_>,
    rewritten: &mut usize,
) -> Option<Statement> {
    let passages: Vec<Passage> =
        told.quotes.iter().take(PLACES).filter_map(|quote| dump.quote(quote)).collect();
    let speaker = passages.first()?.speaker;
    let mut content = shown(&told.content);
    let quoted = passages.iter().map(|passage| passage.text.as_str()).collect::<Vec<_>>().join(" ");
    let borne_out = Gist::of(&quoted).bears_out(&Gist::of(&content));
    if content.is_empty() || content.len() > LONGEST || !borne_out {
        content = passages.first()?.text.clone();
        *rewritten += 1;
    }
    let named = title(&shown(&told.title));
    let title = if named.is_empty() || !borne_out { title(&content) } else { named };
    let spans: Vec<ByteSpan> = passages.iter().map(|passage| passage.span).collect();
    let (kind, confidence) = (told.semantic_type, told.confidence);
    Some(Statement { kind, title, content, confidence, speaker, spans })
}

/// Names that occur in the dump, and how many do not.
fn items(entities: Vec<AnsweredName>, dump: &Haystack<'_>) -> (Vec<Operation>, usize) {
    let mut found: Vec<(usize, String, Operation)> = Vec::new();
    let mut missing = 0;
    for AnsweredName { label, kind, synonyms, confidence } in entities {
        if confidence < LEAST_SURE {
            continue;
        }
        let mut spellings: Vec<String> = Vec::new();
        let mut spans: Vec<ByteSpan> = Vec::new();
        let mut count = 0;
        for spelled in std::iter::once(label).chain(synonyms).take(PLACES) {
            let spelled = shown(&spelled);
            let usable = (2..=LONGEST_LABEL).contains(&spelled.len());
            if !usable || spellings.contains(&spelled) {
                continue;
            }
            let (places, times) = dump.name(&spelled, PLACES - spans.len());
            if times > 0 {
                spellings.push(spelled);
                spans.extend(places);
                count += times;
            }
        }
        let mut spellings = spellings.into_iter();
        let Some(label) = spellings.next() else {
            missing += 1;
            continue;
        };
        let key = label.to_lowercase();
        if found.iter().any(|(_, known, _)| *known == key) {
            continue;
        }
        let confidence = confidence.min(item(&label));
        let (kind, synonyms) = (kind.as_str().to_owned(), spellings.collect());
        let item = Operation::CreateContextItem { label, kind, synonyms, confidence, spans };
        found.push((count, key, item));
    }
    found.sort_by(|one, other| other.0.cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    (found.into_iter().map(|(_, _, item)| item).collect(), missing)
}

/// A text as reviewers see it: all of it, with single spaces.
fn shown(text: &str) -> String {
    folded(&clean(text).text)
}
