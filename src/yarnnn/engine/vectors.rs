//! An in-process cache of basket vectors, by workspace and model: comparing a session with thousands
//! of baskets is one pass over packed numbers.
//!
//! Every lookup first reads the changes since the last one, so several servers
//! on one database agree. Holds no words and no names.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::inference::{BadEmbedding, Packed};
use crate::model::{Fingerprint, Millis};
use crate::records::Tx;
use crate::records::basket_vectors::{self, Live};
use crate::sql;

/// Copies that are cached; the least recently used is evicted.
const COPIES: usize = 32;
/// More changes than this are read in one query rather than one by one.
const ONE_BY_ONE: usize = 64;

/// The cached vectors.
#[derive(Default)]
pub(super) struct Vectors {
    copies: Mutex<Copies>,
}

#[derive(Default)]
struct Copies {
    /// By workspace and model, with when it was last used.
    by_model: BTreeMap<(String, String), (u64, SharedCopy)>,
    uses: u64,
}

type SharedCopy = Arc<RwLock<Copy>>;

/// The vectors of one workspace in one model.
#[derive(Default)]
struct Copy {
    state: Option<(i64, i64)>,
    rows: Vec<Row>,
    by_basket: HashMap<String, usize>,
    packed: Option<Packed>,
}

struct Row {
    basket_id: String,
    revision: i64,
    active: bool,
    last_refreshed: Option<Millis>,
}

/// A basket and its similarity to a session, accurate to about 1e-5.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Near {
    pub(super) basket_id: String,
    pub(super) similarity: f64,
    pub(super) last_refreshed: Option<Millis>,
}

impl Vectors {
    /// The similarity to a session of all baskets of the workspace that have a vector of its model.
    pub(super) fn similarities(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        session: &Fingerprint,
    ) -> sql::Result<Result<Vec<Near>, BadEmbedding>> {
        let Fingerprint { embedding, model, .. } = session;
        let copy = self.copy(workspace, model);
        let state = basket_vectors::state(tx, workspace, model)?;
        let is_fresh = |copy: &Copy| copy.state == Some(state) && copy.fits(embedding);
        let fresh = is_fresh(&copy.read().unwrap_or_else(PoisonError::into_inner));
        if !fresh {
            let mut copy = copy.write().unwrap_or_else(PoisonError::into_inner);
            if !is_fresh(&copy) {
                copy.catch_up(tx, workspace, model, embedding.len())?;
                copy.state = Some(state);
            }
        }
        let copy = copy.read().unwrap_or_else(PoisonError::into_inner);
        Ok(copy.similarities(embedding))
    }

    fn copy(&self, workspace: &str, model: &str) -> SharedCopy {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        copies.uses += 1;
        let uses = copies.uses;
        let entry = copies.by_model.entry((workspace.to_owned(), model.to_owned())).or_default();
        entry.0 = uses;
        let copy = Arc::clone(&entry.1);
        if copies.by_model.len() > COPIES {
            let oldest = copies.by_model.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(of, _)| of.clone()) {
                copies.by_model.remove(&oldest);
            }
        }
        copy
    }
}

impl Copy {
    fn fits(&self, embedding: &[f32]) -> bool {
        self.packed.as_ref().is_some_and(|packed| packed.dims() == embedding.len())
    }

    /// Reads the changes since the last time.
    fn catch_up(
        &mut self,
        tx: &mut Tx<'_>,
        workspace: &str,
        model: &str,
        dims: usize,
    ) -> sql::Result<()> {
        let mut changed = basket_vectors::revisions(tx, workspace, model)?;
        let still =
            changed.iter().filter(|(basket, _)| self.by_basket.contains_key(basket)).count();
        let is_whole = still == self.rows.len();
        if !is_whole || self.packed.as_ref().is_none_or(|packed| packed.dims() != dims) {
            *self = Self { packed: Some(Packed::new(dims)), ..Self::default() };
        }
        changed.retain(|(basket, revision)| {
            let row = self.by_basket.get(basket).and_then(|row| self.rows.get(*row));
            row.is_none_or(|row| row.revision != *revision)
        });
        if changed.len() > ONE_BY_ONE {
            for live in basket_vectors::all(tx, workspace, model)? {
                self.put(&live);
            }
            return Ok(());
        }
        for (basket, _) in changed {
            if let Some(live) = basket_vectors::one(tx, workspace, model, &basket)? {
                self.put(&live);
            }
        }
        Ok(())
    }

    fn put(&mut self, live: &Live) {
        let Some(packed) = &mut self.packed else { return };
        let basket_id = live.basket_id.clone();
        let row = Row {
            basket_id: basket_id.clone(),
            revision: live.revision,
            active: live.active,
            last_refreshed: live.last_refreshed,
        };
        let at = *self.by_basket.entry(basket_id).or_insert_with(|| packed.push_blank());
        // A vector of another length, or none, leaves the row blank: its similarity is 0.
        let _ = packed.set(at, &live.embedding);
        match self.rows.get_mut(at) {
            Some(known) => *known = row,
            None => self.rows.push(row),
        }
    }

    fn similarities(&self, embedding: &[f32]) -> Result<Vec<Near>, BadEmbedding> {
        let Some(packed) = &self.packed else { return Ok(Vec::new()) };
        let all = packed.similarities(embedding)?;
        Ok(self
            .rows
            .iter()
            .zip(all)
            .filter(|(row, _)| row.active)
            .map(|(row, similarity)| Near {
                basket_id: row.basket_id.clone(),
                similarity: f64::from(similarity),
                last_refreshed: row.last_refreshed,
            })
            .collect())
    }
}
