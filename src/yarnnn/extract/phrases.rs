//! Phrases by which one statement refers to another, and words that identify its theme.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use super::cues::starts;
use super::link::RelationKind;
use super::words::{stop, words};
use crate::text::stem;

/// Words of a clause that are compared.
const CLAUSE: usize = 12;

/// A phrase in a block and what comes after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Phrase {
    pub(super) words: String,
    pub(super) kind: RelationKind,
    /// Whether what comes after the phrase is the cause, the earlier, the condition.
    pub(super) points_back: bool,
    /// Stems of meaningful words after the phrase, sorted.
    pub(super) clause: Vec<String>,
}

use RelationKind::{
    CausalRelationship as Causal, ConditionalLogic as Conditional, EnablementChain as Enabling,
    ImpactRelationship as Impact, TemporalSequence as Temporal,
};

const PHRASES: &[(&[&str], RelationKind, bool)] = &[
    (&["because", "of"], Causal, true),
    (&["because"], Causal, true),
    (&["due", "to"], Causal, true),
    (&["caused", "by"], Causal, true),
    (&["thanks", "to"], Causal, true),
    (&["as", "a", "result", "of"], Causal, true),
    (&["leads", "to"], Causal, false),
    (&["led", "to"], Causal, false),
    (&["results", "in"], Causal, false),
    (&["resulted", "in"], Causal, false),
    (&["causes"], Causal, false),
    (&["caused"], Causal, false),
    (&["therefore"], Causal, false),
    (&["after"], Temporal, true),
    (&["once"], Temporal, true),
    (&["following"], Temporal, true),
    (&["before"], Temporal, false),
    (&["followed", "by"], Temporal, false),
    (&["and", "then"], Temporal, false),
    (&["until"], Temporal, false),
    (&["depends", "on"], Enabling, true),
    (&["depend", "on"], Enabling, true),
    (&["relies", "on"], Enabling, true),
    (&["requires"], Enabling, true),
    (&["blocked", "by"], Enabling, true),
    (&["enables"], Enabling, false),
    (&["enable"], Enabling, false),
    (&["allows"], Enabling, false),
    (&["unlocks"], Enabling, false),
    (&["makes", "possible"], Enabling, false),
    (&["lets"], Enabling, false),
    (&["affects"], Impact, false),
    (&["affected"], Impact, false),
    (&["impacts"], Impact, false),
    (&["improves"], Impact, false),
    (&["improved"], Impact, false),
    (&["reduces"], Impact, false),
    (&["reduced"], Impact, false),
    (&["increases"], Impact, false),
    (&["increased"], Impact, false),
    (&["hurts"], Impact, false),
    (&["slows"], Impact, false),
    (&["if"], Conditional, true),
    (&["unless"], Conditional, true),
    (&["provided", "that"], Conditional, true),
    (&["as", "long", "as"], Conditional, true),
    (&["in", "case"], Conditional, true),
    (&["when"], Conditional, true),
];

/// Themes and their words.
pub(super) const THEMES: [(&str, &str); 7] = [
    (
        "customers",
        "account buyer churn client customer feedback interview onboarding retention segment \
         subscriber support survey user visitor",
    ),
    (
        "money",
        "budget cash cost discount fee funding invoice margin payment price pricing profit revenue \
         runway salary spend subscription",
    ),
    (
        "people",
        "candidate designer employee engineer founder hire hiring manager office onboarding people \
         recruiting role salary team vacation",
    ),
    (
        "product",
        "backlog beta design experience feature launch mobile onboarding prototype release roadmap \
         screen story usability workflow",
    ),
    (
        "risk",
        "attack audit bug compliance error failure fraud gdpr incident legal outage privacy \
         regression risk security vulnerability",
    ),
    (
        "schedule",
        "deadline delay friday milestone month quarter schedule sprint start timeline week year",
    ),
    (
        "technology",
        "api backup cache cloud cluster code database deploy deployment latency migration network \
         postgres queue request schema server service storage test throughput",
    ),
];

/// The phrases of a text, in order, with what comes after each up to the end of the clause.
pub(super) fn phrases(text: &str) -> Vec<Phrase> {
    let all = words(text);
    let mut found = Vec::new();
    let mut at = 0;
    while at < all.len() {
        let Some((phrase, kind, points_back)) =
            PHRASES.iter().find(|(phrase, ..)| starts(&all[at..], phrase))
        else {
            at += 1;
            continue;
        };
        at += phrase.len();
        let mut clause = Vec::new();
        let mut last = at.checked_sub(1).and_then(|last| all.get(last)).map_or(0, |word| word.end);
        for word in all[at..].iter().take(CLAUSE) {
            if text[last..word.start].contains(['.', ';', '!', '?', ',', ':']) && !clause.is_empty()
            {
                break;
            }
            if !stop(&word.text) {
                clause.extend(stem_of(&word.text));
            }
            last = word.end;
        }
        clause.sort_unstable();
        clause.dedup();
        if !clause.is_empty() {
            let (words, kind, points_back) = (phrase.join(" "), *kind, *points_back);
            found.push(Phrase { words, kind, points_back, clause });
        }
    }
    found
}

/// The stems of each theme, sorted; a stem counts once in a theme.
static FIELDS: LazyLock<[BTreeSet<String>; THEMES.len()]> = LazyLock::new(|| {
    THEMES.map(|(_, words)| words.split_whitespace().filter_map(stem_of).collect())
});

/// How many of the stems (sorted) belong to each theme.
pub(super) fn themes(stems: &[String]) -> [usize; THEMES.len()] {
    std::array::from_fn(|field| {
        FIELDS[field].iter().filter(|stem| stems.binary_search(stem).is_ok()).count()
    })
}

/// The stem of a word of more than three letters.
pub(super) fn stem_of(word: &str) -> Option<String> {
    let bare = word.strip_suffix("'s").unwrap_or(word);
    (bare.chars().count() > 3).then(|| stem(bare).into_owned())
}
