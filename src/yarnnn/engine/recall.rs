//! `get_substrate`: what the memory holds, by words, anchors and basket.
//!
//! Only what is part of the memory; what waits for approval is counted, not shown.

use serde_json::{Map, Value, json};

use super::{Caller, Engine, Fault, Result, keys};
use crate::extract::clean;
use crate::index;
use crate::inference::{Decision, Selection};
use crate::model::Fingerprint;
use crate::records::baskets::{self, Held};
use crate::records::substrate::{self, Entry, Filter, Kind};
use crate::records::{Tx, blocks, dumps, items};

/// Most of a text that is shown, in characters.
const SHOWN: usize = 4_000;

/// What somebody wants to know.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Question {
    /// Of one basket.
    pub basket_id: Option<String>,
    /// With any of these words.
    pub keywords: Vec<String>,
    /// With any of these anchors.
    pub anchors: Vec<String>,
    /// At most so many.
    pub limit: i64,
    /// After so many.
    pub offset: i64,
    /// What the session is about: narrows to its basket when that is sure.
    pub fingerprint: Option<Fingerprint>,
}

/// A piece of the memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Piece {
    /// What it is.
    pub kind: Kind,
    /// Which one.
    pub id: String,
    /// What it says.
    pub content: String,
    /// What a block is about, or what a name is.
    pub semantic_type: Option<String>,
    /// Its anchor.
    pub anchor: Option<String>,
    /// 0 to 1.
    pub confidence: Option<f64>,
    /// More about it.
    pub metadata: Map<String, Value>,
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    /// In order.
    pub pieces: Vec<Piece>,
    /// All there are.
    pub total: i64,
    /// Blocks and names that wait for approval and are not shown.
    pub hidden: i64,
    /// The same as long as the answer would be the same.
    pub snapshot_id: String,
    /// The basket that was looked into, where it was inferred.
    pub narrowed_to: Option<String>,
    /// What inference says, where the session came along.
    pub selection: Option<Selection>,
}

impl Engine {
    /// Looks something up.
    pub fn recall(&self, caller: &Caller, question: &Question) -> Result<Found> {
        let vectors = self.store.opened()?.vectors;
        let said = words(&question.keywords);
        let anchors: Vec<String> =
            question.anchors.iter().map(|anchor| anchor_key(anchor)).collect();
        self.store.read(|tx| {
            let selection = match &question.fingerprint {
                Some(fingerprint) => Some(self.choose(tx, caller, fingerprint, vectors)?),
                None => None,
            };
            let narrowed_to = match (&question.basket_id, &selection) {
                (None, Some(Selection { decision: Decision::Auto, primary: Some(best), .. })) => {
                    Some(best.basket_id.clone())
                }
                _ => None,
            };
            let basket = question.basket_id.as_deref().or(narrowed_to.as_deref());
            if let Some(id) = basket
                && baskets::find(tx, caller.workspace_id(), id)?.is_none()
            {
                return Err(Fault::NoBasket(id.to_owned()));
            }
            let filter = Filter { basket, words: &said, anchors: &anchors, kind: None };
            let held = baskets::held(tx, caller.workspace_id(), basket)?;
            let everything = said.is_empty() && anchors.is_empty();
            // Words were asked for, but none that says anything: nothing can match.
            let nothing = said.is_empty() && !question.keywords.is_empty();
            let total = match everything {
                _ if nothing => 0,
                true => held.count.blocks + held.count.items + held.count.dumps,
                false => substrate::count(tx, caller.place(), &filter)?,
            };
            let entries = match nothing || question.offset >= total {
                true => Vec::new(),
                false => {
                    let (limit, offset) = (question.limit, question.offset);
                    substrate::find(tx, caller.place(), &filter, limit, offset)?
                }
            };
            let mut pieces = Vec::with_capacity(entries.len());
            for entry in &entries {
                pieces.extend(piece(tx, caller, entry)?);
            }
            Ok(Found {
                pieces,
                total,
                hidden: held.count.proposed,
                snapshot_id: snapshot(caller, basket, question, held),
                narrowed_to,
                selection: selection.clone(),
            })
        })
    }
}

/// The words of all keywords, each once.
fn words(keywords: &[String]) -> Vec<String> {
    let all: std::collections::BTreeSet<String> =
        keywords.iter().flat_map(|keyword| index::words(keyword)).collect();
    all.into_iter().collect()
}

/// `Metrics` and `metric` are one anchor.
fn anchor_key(anchor: &str) -> String {
    let key = anchor.trim().to_lowercase();
    match key.as_str() {
        "metrics" => "metric".to_owned(),
        _ => key,
    }
}

/// Who asks what, and the state of what they ask about.
fn snapshot(caller: &Caller, basket: Option<&str>, question: &Question, held: Held) -> String {
    let list = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort();
        words.join("\u{0}")
    };
    keys::digest(&[
        caller.workspace_id(),
        basket.unwrap_or_default(),
        &list(&question.keywords),
        &list(&question.anchors),
        &format!("{} {}", question.limit, question.offset),
        &format!("{} {}", held.revision.0, held.revision.1),
    ])
}

fn piece(tx: &mut Tx<'_>, caller: &Caller, entry: &Entry) -> Result<Option<Piece>> {
    let workspace = caller.workspace_id();
    let mut metadata = Map::new();
    metadata.insert("basket_id".to_owned(), json!(entry.basket_id));
    let mut piece = Piece {
        kind: entry.kind,
        id: entry.id.clone(),
        content: String::new(),
        semantic_type: None,
        anchor: None,
        confidence: None,
        metadata: Map::new(),
    };
    match entry.kind {
        Kind::Block => {
            let Some(record) = blocks::find(tx, workspace, &entry.id)? else { return Ok(None) };
            let block = record.block;
            for (key, value) in record.metadata {
                metadata.insert(key, Value::from(value));
            }
            metadata.insert("title".to_owned(), json!(block.title));
            metadata.insert("state".to_owned(), json!(block.state.as_str()));
            metadata.insert("version".to_owned(), json!(record.version));
            metadata.insert("raw_dump_id".to_owned(), json!(record.dump_id));
            metadata.insert("spans".to_owned(), json!(record.spans));
            metadata.insert("source_host".to_owned(), json!(record.host));
            piece.content = block.content;
            piece.semantic_type = Some(block.semantic_type.as_str().to_owned());
            piece.anchor = block.anchor;
            piece.confidence = Some(block.confidence);
        }
        Kind::Item => {
            let Some(item) = items::find(tx, workspace, &entry.id)? else { return Ok(None) };
            metadata.insert("synonyms".to_owned(), json!(item.synonyms));
            metadata.insert("raw_dump_id".to_owned(), json!(item.dump_id));
            metadata.insert("source_host".to_owned(), json!(item.host));
            piece.content = item.label;
            piece.semantic_type = Some(item.kind);
            piece.confidence = Some(item.confidence);
        }
        Kind::Dump => {
            let Some(dump) = dumps::find(tx, workspace, &entry.id)? else { return Ok(None) };
            metadata.insert("content_hash".to_owned(), json!(dump.content_hash));
            metadata.insert("source_host".to_owned(), json!(dump.source.host));
            metadata.insert("characters".to_owned(), json!(dump.body.chars().count()));
            let text = clean(&dump.body).text;
            piece.content = text.chars().take(SHOWN).collect();
            if piece.content.len() < text.len() {
                metadata.insert("cut".to_owned(), json!(true));
            }
        }
    }
    piece.metadata = metadata;
    Ok(Some(piece))
}
