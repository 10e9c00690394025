//! `get_substrate`: searches memory by words, meaning, anchors and basket, and reads raw dumps.
//!
//! Returns only approved entries; those awaiting approval are counted.

mod entries;
mod matches;
mod question;

use serde_json::{Map, Value};

use super::{Caller, Engine, Error, Result, keys};
use crate::inference::{Decision, Selection};
use crate::model::Fingerprint;
use crate::records::baskets::{self, Totals};
use crate::records::substrate::{Filter, Kind};
pub use entries::DumpPart;
use entries::recalled;
use matches::{Page, Sought, matching};
use question::SearchTerms;

/// What keywords are compared with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Match {
    /// The words of a text.
    Words,
    /// What a block means.
    Meaning,
    /// Either.
    #[default]
    Both,
}

impl Match {
    /// The contract's word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Meaning => "meaning",
            Self::Both => "both",
        }
    }
}

/// A search.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct RecallQuery {
    /// Only this basket.
    pub basket_id: Option<String>,
    /// With any of these words, or about them.
    pub keywords: Vec<String>,
    /// What they are compared with.
    pub matching: Match,
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
    /// What the keywords were compared with, if there are any: words, where no model can tell what
    /// they mean.
    pub matched: Option<Match>,
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
        let question = SearchTerms::new(&query.keywords);
        // May be slow: not inside the transaction.
        let meaning = match query.matching {
            Match::Words => None,
            Match::Meaning | Match::Both if question.is_empty() => None,
            Match::Meaning | Match::Both => self.meaning_of(&question.text, &question.parts),
        };
        let matched = match meaning {
            None => Match::Words,
            Some(_) => query.matching,
        };
        let anchors: Vec<String> = query.anchors.iter().map(|anchor| anchor_key(anchor)).collect();
        self.store.read(|tx| {
            let selection = match &session {
                Some(fingerprint) => Some(self.choose(tx, caller, fingerprint, "", vectors)?),
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
            let totals = baskets::totals(tx, caller.workspace_id(), basket)?;
            let mut vectors_there = 0;
            let page = match question.is_empty() && !query.keywords.is_empty() {
                // The keywords hold nothing but stop words: nothing can match.
                true => Page::default(),
                false => {
                    let near = match &meaning {
                        None => Vec::new(),
                        Some(meaning) => {
                            let nearest = question.nearest(basket, &anchors);
                            let workspace = caller.workspace_id();
                            let (near, there) = self.nearest(tx, workspace, meaning, nearest)?;
                            vectors_there = there;
                            near
                        }
                    };
                    let words = &question.words;
                    let filter = Filter { basket, words, anchors: &anchors, kind: None };
                    let says = |texts: &[String]| self.said(&question.text, texts);
                    let sought = Sought { filter: &filter, near, says: &says, matched, totals };
                    matching(tx, caller.index_scope(), &sought, query.limit, query.offset)?
                }
            };
            let mut entries = Vec::with_capacity(page.entries.len());
            for entry in &page.entries {
                entries.extend(recalled(tx, caller, entry)?);
            }
            Ok(Recalled {
                entries,
                total: page.total,
                hidden: totals.count.proposed,
                snapshot_id: snapshot(caller, basket, query, totals, vectors_there),
                matched: (!query.keywords.is_empty()).then_some(matched),
                narrowed_to,
                selection: selection.clone(),
            })
        })
    }
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
fn snapshot(
    caller: &Caller,
    basket: Option<&str>,
    query: &RecallQuery,
    totals: Totals,
    vectors: i64,
) -> String {
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
        &format!("{} {vectors}", query.matching.as_str()),
        &format!("{} {}", query.limit, query.offset),
        &format!("{} {}", totals.revision.0, totals.revision.1),
    ])
}
