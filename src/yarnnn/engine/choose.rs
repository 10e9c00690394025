//! Selects the basket of a session, with the data of the records.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

use super::fingerprint::session_text;
use super::vectors::Near;
use super::{Caller, Engine, Result};
use crate::extract::{Language, language};
use crate::index;
use crate::inference::{
    Candidate, ENGLISH_MODEL, Known, Selection, Session, Signature, Wording, affinities, combine,
    moved_away, recency, select, select_by_words, shortlist_rows, similarities,
};
use crate::model::{Fingerprint, Millis};
use crate::records::signals::{self, Signals};
use crate::records::substrate::{self, Filter, Kind};
use crate::records::{Tx, basket_vectors, signatures};

const DAY: Millis = 86_400_000;
/// A confirmation of this age counts less than 1/4000 and is not read.
const SIGNALS_FOR: Millis = 365 * DAY;
/// As many baskets as an answer can name are candidates, with or without a vector of the model.
const LEAST: usize = 7;

/// Baskets that are compared in full: those nearest by their centroid.
const COMPARED: usize = 12;
/// Texts that share words with a session whose vector says nothing; their baskets are compared too.
const SHARING: i64 = 100;
/// Words of a session that texts are searched by, the longest first.
const WORDS: usize = 40;

impl Engine {
    /// Scores the baskets of the caller's workspace and decides. Only vectors of the session's own
    /// model are compared; other baskets are candidates while there are few. `text` is what the
    /// session's vector stands for, besides its summary.
    pub(super) fn choose(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        fingerprint: &Fingerprint,
        text: &str,
        vectors: bool,
    ) -> Result<Selection> {
        let workspace = caller.workspace_id();
        let model = &fingerprint.model;
        self.vectors.check_dims(tx, workspace, fingerprint)??;
        let now = self.now();
        let said = signals::since(tx, workspace, &caller.source.user_id, now - SIGNALS_FOR)?;
        let liked = affinities(&said.by_basket, now);
        let mut near = match vectors {
            true => by_pgvector(tx, workspace, fingerprint)?,
            false => self.vectors.similarities(tx, workspace, fingerprint)??,
        };
        if near.len() < LEAST {
            near.extend(without_vector(tx, workspace, model)?);
        }
        let text = session_text(fingerprint, text);
        let by_words = model == ENGLISH_MODEL && language(&text) != Language::English;
        let scorer = BasketScorer { said: &said, liked: &liked, fingerprint, now };
        let mut rows = scorer.nearest(&near);
        if by_words {
            rows.extend(sharing_words(tx, caller, &text, &near)?);
        }
        let mut best = Vec::new();
        for row in rows {
            let Some(basket) = near.get(row) else { continue };
            if let Some(signature) = signatures::one(tx, workspace, model, &basket.basket_id)? {
                let profile = self.profiles.of(tx, workspace, model, &signature)?;
                best.push((signature, profile));
            }
        }
        let known: Vec<Known<'_>> = best
            .iter()
            .map(|(signature, profile)| Known {
                centroid: &signature.embedding,
                members: &profile.members,
                wording: &profile.wording,
            })
            .collect();
        let wording = Wording::of([text.as_str()]);
        let session =
            Session { embedding: &fingerprint.embedding, model, wording: &wording, by_words };
        let candidates: Vec<Candidate<'_>> = best
            .iter()
            .zip(similarities(&session, &known))
            .map(|((signature, _), similarity)| scorer.candidate(signature, similarity))
            .collect();
        Ok(match by_words {
            true => select_by_words(fingerprint, &candidates, now),
            false => select(fingerprint, &candidates, now),
        })
    }
}

/// The rows of baskets with texts that share words with a session.
fn sharing_words(
    tx: &mut Tx<'_>,
    caller: &Caller,
    text: &str,
    near: &[Near],
) -> Result<BTreeSet<usize>> {
    let rows: BTreeMap<&str, usize> =
        near.iter().enumerate().map(|(row, basket)| (basket.basket_id.as_str(), row)).collect();
    let mut words: Vec<String> = index::words(text).into_iter().collect();
    words.sort_by_key(|word| (Reverse(word.chars().count()), word.clone()));
    words.truncate(WORDS);
    if words.is_empty() {
        return Ok(BTreeSet::new());
    }
    let filter = Filter { words: &words, kind: Some(Kind::Dump), ..Filter::default() };
    let found = substrate::find(tx, caller.index_scope(), &filter, SHARING, 0)?;
    let rows = found.iter().filter_map(|entry| rows.get(entry.basket_id.as_str()).copied());
    Ok(rows.take(COMPARED * 2).collect())
}

fn by_pgvector(tx: &mut Tx<'_>, workspace: &str, session: &Fingerprint) -> Result<Vec<Near>> {
    let Fingerprint { embedding, model, .. } = session;
    let found = basket_vectors::similarities(tx, workspace, model, embedding)?;
    Ok(found
        .into_iter()
        .map(|(basket_id, similarity, last_refreshed)| Near {
            basket_id,
            similarity,
            last_refreshed,
        })
        .collect())
}

fn without_vector(tx: &mut Tx<'_>, workspace: &str, model: &str) -> Result<Vec<Near>> {
    let found = signatures::without_vector(tx, workspace, model, LEAST as i64)?;
    Ok(found
        .into_iter()
        .map(|signature| Near {
            basket_id: signature.basket_id,
            similarity: 0.0,
            last_refreshed: signature.last_refreshed,
        })
        .collect())
}

/// Scores baskets with the user's own signals.
struct BasketScorer<'a> {
    said: &'a Signals,
    liked: &'a BTreeMap<String, f64>,
    fingerprint: &'a Fingerprint,
    now: Millis,
}

impl BasketScorer<'_> {
    fn affinity(&self, basket: &str) -> f64 {
        self.liked.get(basket).copied().unwrap_or(0.0)
    }

    fn conflict(&self, basket: &str) -> bool {
        let Some(moved) = self.said.moved.get(basket) else { return false };
        let moved: Vec<(Millis, &[f32])> = moved
            .iter()
            .filter(|(_, moved)| moved.model == self.fingerprint.model)
            .map(|(at, moved)| (*at, moved.vector.as_slice()))
            .collect();
        moved_away(&self.fingerprint.embedding, &moved, self.now)
    }

    fn score(&self, near: &Near) -> f64 {
        let basket = &near.basket_id;
        let recency = recency(near.last_refreshed, self.now);
        combine(near.similarity, recency, self.affinity(basket), self.conflict(basket))
    }

    /// The rows that are compared in full: the best by centroid, with and without the user's signals.
    fn nearest(&self, near: &[Near]) -> BTreeSet<usize> {
        let scores: Vec<f64> = near.iter().map(|basket| self.score(basket)).collect();
        let mut rows: BTreeSet<usize> = shortlist_rows(&scores).into_iter().collect();
        let mut order: Vec<usize> = (0..near.len()).collect();
        let by_similarity = |one: &usize, other: &usize| {
            let of = |row: &usize| near.get(*row).map_or(0.0, |basket| basket.similarity);
            of(other).total_cmp(&of(one)).then(one.cmp(other))
        };
        if order.len() > COMPARED {
            order.select_nth_unstable_by(COMPARED, by_similarity);
            order.truncate(COMPARED);
        }
        rows.extend(order);
        rows
    }

    fn candidate<'s>(&self, signature: &'s Signature, similarity: Option<f64>) -> Candidate<'s> {
        let basket = &signature.basket_id;
        let (affinity, conflict) = (self.affinity(basket), self.conflict(basket));
        Candidate { signature, similarity, affinity, conflict }
    }
}
