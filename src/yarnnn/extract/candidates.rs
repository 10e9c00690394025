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

    /// The statements with the highest confidence as operations, in the order of the text, and how
    /// many did not fit.
    pub(super) fn operations(self, existing: &[Block], most: usize) -> (Vec<Operation>, usize) {
        let known = ExistingBlocks::new(existing);
        let mut ranked = self.found;
        ranked.sort_by_key(|one| {
            (Reverse(one.reading.confidence), witness(one.speaker), one.spans.first().copied())
        });
        let mut chosen: Vec<(Gist, Candidate, Option<String>)> = Vec::new();
        let mut revised: HashSet<String> = HashSet::new();
        let mut left = 0;
        for candidate in ranked {
            let all = words(&candidate.content);
            if known.has(&key(&all)) {
                continue;
            }
            if chosen.len() >= most {
                left += 1;
                continue;
            }
            let gist = Gist::from_words(&all);
            let again =
                chosen.iter().any(|(other, ..)| gist.jaccard(other) > NEAR && gist.agrees(other));
            if again {
                continue;
            }
            match known.verdict(&gist) {
                Verdict::Same => {}
                // A block is revised once; a second similar statement becomes a block of its own.
                Verdict::Near(block) if revised.insert(block.id.clone()) => {
                    chosen.push((gist, candidate, Some(block.id.clone())));
                }
                Verdict::Near(_) | Verdict::New => chosen.push((gist, candidate, None)),
            }
        }
        chosen.sort_by_key(|(_, one, _)| one.spans.first().copied());
        (chosen.into_iter().map(|(_, one, block)| operation(one, block)).collect(), left)
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
