//! Selects the basket of a session, with the data of the records.

use std::collections::BTreeMap;

use super::vectors::Near;
use super::{Caller, Engine, Result};
use crate::inference::{
    Candidate, Selection, Signature, affinities, combine, moved_away, recency, same_dims, select,
    shortlist_rows,
};
use crate::model::{Fingerprint, Millis};
use crate::records::signals::{self, Signals};
use crate::records::{Tx, basket_vectors, signatures};

const DAY: Millis = 86_400_000;
/// A confirmation of this age counts less than 1/4000 and is not read.
const SIGNALS_FOR: Millis = 365 * DAY;
/// As many baskets as an answer can name are candidates, with or without a vector of the model.
const LEAST: usize = 7;

impl Engine {
    /// Scores the baskets of the caller's workspace and decides. Only vectors of the session's own
    /// model are compared; other baskets are candidates while there are few.
    pub(super) fn choose(
        &self,
        tx: &mut Tx<'_>,
        caller: &Caller,
        fingerprint: &Fingerprint,
        vectors: bool,
    ) -> Result<Selection> {
        let workspace = caller.workspace_id();
        let Fingerprint { embedding, model, .. } = fingerprint;
        if let Some(dims) = basket_vectors::dims(tx, workspace, model)? {
            same_dims(embedding.len(), dims)?;
        }
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
        let scorer = BasketScorer { said: &said, liked: &liked, fingerprint, now };
        let scores: Vec<f64> = near.iter().map(|basket| scorer.score(basket)).collect();
        let mut best = Vec::new();
        for row in shortlist_rows(&scores) {
            let Some(basket) = near.get(row) else { continue };
            best.extend(signatures::one(tx, workspace, model, &basket.basket_id)?);
        }
        let candidates: Vec<Candidate<'_>> =
            best.iter().map(|signature| scorer.candidate(signature)).collect();
        Ok(select(fingerprint, &candidates, now))
    }
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

    fn candidate<'s>(&self, signature: &'s Signature) -> Candidate<'s> {
        let basket = &signature.basket_id;
        Candidate { signature, affinity: self.affinity(basket), conflict: self.conflict(basket) }
    }
}
