//! Transcripts as yarnnn reads them: what is proposed quotes the text exactly, and the same text
//! says the same twice.

use serde_json::Value;
use yarnnn::conflict::{Idea, Known, compare};
use yarnnn::embed::Embedder;
use yarnnn::extract::{Options, clean, extract, link, turns};
use yarnnn::inference::fingerprint_words;
use yarnnn::model::{Block, BlockState, ByteSpan, Operation, SemanticType};

const KNOWN: [&str; 3] = [
    "We decided to use PostgreSQL. The budget is $15,000.",
    "Maria will send the contract by 2026-03-01.",
    "The office is in Lisbon, and latency must stay below 200ms.",
];

/// Longer texts have no vector here: making one takes long.
const EMBEDDED: usize = 200;

/// Reads `data` as a transcript and compares it with what is known.
pub fn run(data: &[u8]) {
    let text = &*String::from_utf8_lossy(data);
    let existing: Vec<Block> = KNOWN.iter().map(|content| block(content)).collect();
    hides_nothing(text);
    speaks_in_turns(text);
    quotes_exactly(text, &existing);
    rests_on_words(text, &existing);
    assert_eq!(fingerprint_words(text), fingerprint_words(text), "read twice");
    if text.len() <= EMBEDDED {
        has_a_vector(text);
    }
}

fn has_a_vector(text: &str) {
    let embedder = Embedder::builtin().expect("the built-in embedder");
    let Some(made) = embedder.embed(text).expect("an embedder that is not damaged") else { return };
    let length: f64 = made.vector.iter().map(|x| f64::from(*x).powi(2)).sum();
    assert!((length - 1.0).abs() < 1e-3, "a vector of length {length}");
}

fn block(content: &str) -> Block {
    Block {
        id: content[..4].to_owned(),
        semantic_type: SemanticType::Fact,
        title: content.to_owned(),
        content: content.to_owned(),
        confidence: 0.8,
        state: BlockState::Accepted,
        anchor: None,
    }
}

/// One cleaning is enough, and every byte that is left is found in the original.
fn hides_nothing(text: &str) {
    let cleaned = clean(text);
    let again = clean(&cleaned.text);
    assert_eq!((again.removed, &*again.text), (0, &*cleaned.text));
    for (start, found) in cleaned.text.char_indices() {
        let span = cleaned.original(ByteSpan { start, end: start + found.len_utf8() });
        let original = text.get(span.start..span.end).expect("a place in the original");
        let same = original.chars().eq([found]);
        assert!(same || found == '\n' && original.len() == 1, "{original:?} became {found:?}");
    }
}

fn speaks_in_turns(text: &str) {
    let mut end = 0;
    for turn in turns(text) {
        let said = text.get(turn.span.start..turn.span.end).expect("a place in the text");
        assert!(turn.span.start >= end && !said.trim().is_empty(), "{turn:?}");
        end = turn.span.end;
    }
}

fn quotes_exactly(text: &str, existing: &[Block]) {
    let options = Options { max_blocks: 40, max_items: 40 };
    let found = extract(text, existing, &options);
    assert_eq!(extract(text, existing, &options), found, "read twice");
    let mut blocks = existing.to_vec();
    for operation in &found.operations {
        match operation {
            Operation::CreateBlock { content, spans, .. } => {
                says(text, &spans[..1], |said| said == content);
                blocks.push(Block { id: blocks.len().to_string(), ..block("made") });
                blocks.last_mut().expect("a block").content.clone_from(content);
            }
            Operation::ReviseBlock { content, spans, block_id, .. } => {
                says(text, &spans[..1], |said| said == content);
                assert!(existing.iter().any(|block| block.id == *block_id));
            }
            Operation::CreateContextItem { label, synonyms, spans, .. } => {
                says(text, spans, |said| said == label || synonyms.iter().any(|one| one == said));
            }
        }
    }
    let relations = link(&blocks, &[]);
    assert!(relations.iter().all(|relation| (0.0..=1.0).contains(&relation.strength)));
}

/// The words at each span, as a person sees them, pass the test: as they stand, or as the JSON
/// string that they are part of spells them.
fn says(text: &str, spans: &[ByteSpan], is_it: impl Fn(&str) -> bool) {
    for span in spans {
        let raw = text.get(span.start..span.end).expect("a place in the text");
        assert!(!raw.is_empty());
        let plain = is_it(&seen(raw));
        // Half a surrogate pair is no JSON string; what stands for it is not compared.
        let spelled = || match serde_json::from_str::<Value>(&format!("\"{raw}\"")) {
            Ok(Value::String(spelled)) => is_it(&seen(&spelled)),
            _ => raw.contains("\\u"),
        };
        assert!(plain || spelled(), "{raw:?} is something else");
    }
}

fn seen(text: &str) -> String {
    clean(text).text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The words that a finding rests on stand where it says.
fn rests_on_words(text: &str, existing: &[Block]) {
    let known: Vec<Known<'_>> =
        existing.iter().map(|block| Known { block, similarity: None }).collect();
    let analysis = compare(&Idea { text, focus: &[] }, &known);
    assert!((0.0..=1.0).contains(&analysis.alignment_score));
    for conflict in &analysis.conflicts {
        let evidence = &conflict.evidence;
        let block = existing.iter().find(|block| block.id == conflict.block_id).expect("a block");
        for (text, span, quote) in [
            (text, evidence.idea_span, &evidence.idea_quote),
            (&block.content, evidence.block_span, &evidence.block_quote),
        ] {
            assert!(!quote.is_empty() && text.get(span.start..span.end) == Some(quote));
        }
    }
    assert_eq!(compare(&Idea { text, focus: &[] }, &known), analysis, "compared twice");
}
