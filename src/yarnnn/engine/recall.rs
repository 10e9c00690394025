//! `get_substrate`: searches memory by words, anchors and basket.
//!
//! Returns only approved entries; those awaiting approval are counted.

use serde_json::{Map, Value, json};

use super::{Caller, Engine, Error, Result, keys};
use crate::extract::clean;
use crate::index;
use crate::inference::{Decision, Selection};
use crate::model::Fingerprint;
use crate::records::baskets::{self, Totals};
use crate::records::substrate::{self, Entry, Filter, Kind};
use crate::records::{Tx, blocks, dumps, items};

/// Characters of a text that are returned.
const SHOWN: usize = 4_000;

/// A search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecallQuery {
    /// Only this basket.
    pub basket_id: Option<String>,
    /// With any of these words.
    pub keywords: Vec<String>,
    /// With any of these anchors.
    pub anchors: Vec<String>,
    /// Maximum number of entries.
    pub limit: i64,
    /// Entries to skip.
    pub offset: i64,
    /// The session's fingerprint: narrows to its basket if that is a sure match.
    pub fingerprint: Option<Fingerprint>,
}

/// A found entry.
#[derive(Debug, Clone, PartialEq)]
pub struct RecalledEntry {
    /// Block, item or dump.
    pub kind: Kind,
    /// Its id.
    pub id: String,
    /// Its text.
    pub content: String,
    /// The semantic type of a block, or the kind of a name.
    pub semantic_type: Option<String>,
    /// Its anchor.
    pub anchor: Option<String>,
    /// 0 to 1.
    pub confidence: Option<f64>,
    /// More data.
    pub metadata: Map<String, Value>,
}

/// The result of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct Recalled {
    /// The entries of this page, in order.
    pub entries: Vec<RecalledEntry>,
    /// Number of all matches.
    pub total: i64,
    /// Blocks and names awaiting approval, not returned.
    pub hidden: i64,
    /// Unchanged as long as the same search returns the same result.
    pub snapshot_id: String,
    /// The searched basket, if it was inferred.
    pub narrowed_to: Option<String>,
    /// The result of inference, if a session was given.
    pub selection: Option<Selection>,
}

impl Engine {
    /// Searches memory.
    pub fn recall(&self, caller: &Caller, query: &RecallQuery) -> Result<Recalled> {
        let session = self.complete_read(query.fingerprint.as_ref())?;
        let vectors = self.store.opened()?.vectors;
        let said = words(&query.keywords);
        let anchors: Vec<String> = query.anchors.iter().map(|anchor| anchor_key(anchor)).collect();
        self.store.read(|tx| {
            let selection = match &session {
                Some(fingerprint) => Some(self.choose(tx, caller, fingerprint, vectors)?),
                None => None,
            };
            let narrowed_to = match (&query.basket_id, &selection) {
                (None, Some(Selection { decision: Decision::Auto, primary: Some(best), .. })) => {
                    Some(best.basket_id.clone())
                }
                _ => None,
            };
            let basket = query.basket_id.as_deref().or(narrowed_to.as_deref());
            if let Some(id) = basket
                && baskets::find(tx, caller.workspace_id(), id)?.is_none()
            {
                return Err(Error::NoBasket(id.to_owned()));
            }
            let filter = Filter { basket, words: &said, anchors: &anchors, kind: None };
            let totals = baskets::totals(tx, caller.workspace_id(), basket)?;
            let everything = said.is_empty() && anchors.is_empty();
            // The keywords hold nothing but stop words: nothing can match.
            let nothing = said.is_empty() && !query.keywords.is_empty();
            let total = match everything {
                _ if nothing => 0,
                true => totals.count.blocks + totals.count.items + totals.count.dumps,
                false => substrate::count(tx, caller.index_scope(), &filter)?,
            };
            let index_entries = match nothing || query.offset >= total {
                true => Vec::new(),
                false => {
                    let (limit, offset) = (query.limit, query.offset);
                    substrate::find(tx, caller.index_scope(), &filter, limit, offset)?
                }
            };
            let mut entries = Vec::with_capacity(index_entries.len());
            for entry in &index_entries {
                entries.extend(recalled(tx, caller, entry)?);
            }
            Ok(Recalled {
                entries,
                total,
                hidden: totals.count.proposed,
                snapshot_id: snapshot(caller, basket, query, totals),
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

/// `Metrics` and `metric` are the same anchor.
fn anchor_key(anchor: &str) -> String {
    let key = anchor.trim().to_lowercase();
    match key.as_str() {
        "metrics" => "metric".to_owned(),
        _ => key,
    }
}

/// A digest of workspace, search and the state of the searched baskets.
fn snapshot(caller: &Caller, basket: Option<&str>, query: &RecallQuery, totals: Totals) -> String {
    let list = |words: &[String]| {
        let mut words = words.to_vec();
        words.sort();
        words.join("\u{0}")
    };
    keys::digest(&[
        caller.workspace_id(),
        basket.unwrap_or_default(),
        &list(&query.keywords),
        &list(&query.anchors),
        &format!("{} {}", query.limit, query.offset),
        &format!("{} {}", totals.revision.0, totals.revision.1),
    ])
}

fn recalled(tx: &mut Tx<'_>, caller: &Caller, entry: &Entry) -> Result<Option<RecalledEntry>> {
    let workspace = caller.workspace_id();
    let mut metadata = Map::new();
    metadata.insert("basket_id".to_owned(), json!(entry.basket_id));
    let mut recalled = RecalledEntry {
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
            recalled.content = block.content;
            recalled.semantic_type = Some(block.semantic_type.as_str().to_owned());
            recalled.anchor = block.anchor;
            recalled.confidence = Some(block.confidence);
        }
        Kind::Item => {
            let Some(item) = items::find(tx, workspace, &entry.id)? else { return Ok(None) };
            metadata.insert("synonyms".to_owned(), json!(item.synonyms));
            metadata.insert("raw_dump_id".to_owned(), json!(item.dump_id));
            metadata.insert("source_host".to_owned(), json!(item.host));
            recalled.content = item.label;
            recalled.semantic_type = Some(item.kind);
            recalled.confidence = Some(item.confidence);
        }
        Kind::Dump => {
            let Some(dump) = dumps::find(tx, workspace, &entry.id)? else { return Ok(None) };
            metadata.insert("content_hash".to_owned(), json!(dump.content_hash));
            metadata.insert("source_host".to_owned(), json!(dump.source.host));
            metadata.insert("characters".to_owned(), json!(dump.body.chars().count()));
            let text = clean(&dump.body).text;
            recalled.content = text.chars().take(SHOWN).collect();
            if recalled.content.len() < text.len() {
                metadata.insert("cut".to_owned(), json!(true));
            }
        }
    }
    recalled.metadata = metadata;
    Ok(Some(recalled))
}
