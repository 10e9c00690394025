//! Candidate statements: duplicates are merged, and those with the highest confidence are kept.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use super::classify::Reading;
use super::details::metadata;
use super::existing::{ExistingBlocks, NEAR, Verdict};
use super::words::{Gist, key, words};
use super::{folded, title, witness};
use crate::model::{Block, ByteSpan, Operation, Speaker};

/// Places that are stored per statement.
const PLACES: usize = 8;

#[derive(Debug)]
struct Candidate {
    /// None: the first words of the content.
    title: Option<String>,
    content: String,
    reading: Reading,
    speaker: Speaker,
    /// The first is the one that `content` quotes.
    spans: Vec<ByteSpan>,
}

/// All statements of a dump.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    found: Vec<Candidate>,
    /// Where each is, by its words.
    by_key: HashMap<String, usize>,
}

impl Candidates {
    /// Adds a statement found at `span` of the dump.
    pub(super) fn add(
        &mut self,
        text: &str,
        title: Option<&str>,
        reading: Reading,
        speaker: Speaker,
        span: ByteSpan,
    ) {
        let content = folded(text);
        let title = title.map(str::to_owned);
        let key = key(&words(&content));
        let index = *self.by_key.entry(key).or_insert(self.found.len());
        let Some(known) = self.found.get_mut(index) else {
            self.found.push(Candidate { title, content, reading, speaker, spans: vec![span] });
            return;
        };
        let surer = reading.confidence > known.reading.confidence;
        if known.spans.len() < PLACES || surer {
            known.spans.truncate(PLACES - 1);
            known.spans.insert(if surer { 0 } else { known.spans.len() }, span);
        }
        if surer {
            let spans = std::mem::take(&mut known.spans);
            *known = Candidate { title, content, reading, speaker, spans };
        }
    }

    /// The statements as operations in parts of at most `most`: the surest first, each part in the
    /// order of the text. Also how many did not fit, because `most` is 0.
    pub(super) fn parts(self, existing: &[Block], most: usize) -> (Vec<Vec<Operation>>, usize) {
        let chosen = self.chosen(existing);
        if most == 0 {
            return (Vec::new(), chosen.len());
        }
        let mut parts = Vec::new();
        let mut chosen = chosen.into_iter().peekable();
        while chosen.peek().is_some() {
            let mut part: Vec<_> = chosen.by_ref().take(most).collect();
            part.sort_by_key(|(one, _)| one.spans.first().copied());
            parts.push(part.into_iter().map(|(one, block)| operation(one, block)).collect());
        }
        (parts, 0)
    }

    /// The new statements, the surest first, each with the block that it revises.
    fn chosen(self, existing: &[Block]) -> Vec<(Candidate, Option<String>)> {
        let known = ExistingBlocks::new(existing);
        let mut ranked = self.found;
        ranked.sort_by_key(|one| {
            (Reverse(one.reading.confidence), witness(one.speaker), one.spans.first().copied())
        });
        let gists: Vec<Gist> =
            ranked.iter().map(|one| Gist::from_words(&words(&one.content))).collect();
        let mut seen = Seen::new(&gists);
        let mut chosen = Vec::new();
        let mut revised: HashSet<String> = HashSet::new();
        for (candidate, gist) in ranked.into_iter().zip(&gists) {
            if known.has(&key(&words(&candidate.content))) || seen.again(gist) {
                continue;
            }
            let block = match known.verdict(gist) {
                Verdict::Same => continue,
                // A block is revised once; a second similar statement becomes a block of its own.
                Verdict::Near(block) if revised.insert(block.id.clone()) => Some(block.id.clone()),
                Verdict::Near(_) | Verdict::New => None,
            };
            seen.add(gist);
            chosen.push((candidate, block));
        }
        chosen
    }
}

/// The statements that were chosen before, by their rarest words: two that are near duplicates
/// share one of them.
struct Seen<'a> {
    counts: HashMap<&'a str, usize>,
    by_word: HashMap<&'a str, Vec<&'a Gist>>,
}

impl<'a> Seen<'a> {
    fn new(gists: &'a [Gist]) -> Self {
        let mut counts = HashMap::new();
        for word in gists.iter().flat_map(|gist| &gist.words) {
            *counts.entry(word.as_str()).or_default() += 1;
        }
        Self { counts, by_word: HashMap::new() }
    }

    fn rarest(&self, gist: &'a Gist) -> Vec<&'a str> {
        let mut words: Vec<&str> = gist.words.iter().map(String::as_str).collect();
        words.sort_by_key(|word| (self.counts.get(word).copied(), *word));
        let needed = words.len() - (NEAR * words.len() as f64).ceil() as usize + 1;
        words.truncate(needed);
        words
    }

    /// Whether a near duplicate was chosen before.
    fn again(&self, gist: &'a Gist) -> bool {
        self.rarest(gist)
            .into_iter()
            .filter_map(|word| self.by_word.get(word))
            .flatten()
            .any(|other| gist.jaccard(other) > NEAR && gist.agrees(other))
    }

    fn add(&mut self, gist: &'a Gist) {
        for word in self.rarest(gist) {
            self.by_word.entry(word).or_default().push(gist);
        }
    }
}

fn operation(candidate: Candidate, block: Option<String>) -> Operation {
    let Candidate { title: given, content, reading, speaker, spans } = candidate;
    let confidence = f64::from(reading.confidence) / 100.0;
    match block {
        Some(block_id) => Operation::ReviseBlock { block_id, content, confidence, spans },
        None => Operation::CreateBlock {
            semantic_type: reading.kind,
            title: given.unwrap_or_else(|| title(&content)),
            metadata: metadata(&reading, &content, &words(&content), speaker),
            content,
            confidence,
            spans,
        },
    }
}
