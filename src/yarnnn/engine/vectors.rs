//! An in-process cache of basket vectors: comparing a session with thousands of baskets is one
//! pass over packed numbers.
//!
//! Every lookup first reads the changes since the last one, so several servers
//! on one database agree. Holds no words and no names.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use crate::inference::{BadEmbedding, Packed};
use crate::model::Millis;
use crate::records::Tx;
use crate::records::signatures::{self, Live};
use crate::sql;

/// Workspaces whose vectors are cached; the least recently used is evicted.
const WORKSPACES: usize = 32;
/// More changes than this are read in one query rather than one by one.
const ONE_BY_ONE: usize = 64;

/// The cached vectors, by workspace.
#[derive(Default)]
pub(super) struct Vectors {
    copies: Mutex<Copies>,
}

#[derive(Default)]
struct Copies {
    by_workspace: BTreeMap<String, (u64, Arc<RwLock<Copy>>)>,
    uses: u64,
}

/// The vectors of one workspace.
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
    /// The similarity of all baskets of the workspace to a session.
    pub(super) fn similarities(
        &self,
        tx: &mut Tx<'_>,
        workspace: &str,
        embedding: &[f32],
    ) -> sql::Result<Result<Vec<Near>, BadEmbedding>> {
        let copy = self.copy(workspace);
        let state = signatures::state(tx, workspace)?;
        let is_fresh = |copy: &Copy| copy.state == Some(state) && copy.fits(embedding);
        let fresh = is_fresh(&copy.read().unwrap_or_else(PoisonError::into_inner));
        if !fresh {
            let mut copy = copy.write().unwrap_or_else(PoisonError::into_inner);
            if !is_fresh(&copy) {
                copy.catch_up(tx, workspace, embedding.len())?;
                copy.state = Some(state);
            }
        }
        let copy = copy.read().unwrap_or_else(PoisonError::into_inner);
        Ok(copy.similarities(embedding))
    }

    fn copy(&self, workspace: &str) -> Arc<RwLock<Copy>> {
        let mut copies = self.copies.lock().unwrap_or_else(PoisonError::into_inner);
        copies.uses += 1;
        let uses = copies.uses;
        let entry = copies.by_workspace.entry(workspace.to_owned()).or_default();
        entry.0 = uses;
        let copy = Arc::clone(&entry.1);
        if copies.by_workspace.len() > WORKSPACES {
            let oldest = copies.by_workspace.iter().min_by_key(|(_, (used, _))| *used);
            if let Some(oldest) = oldest.map(|(workspace, _)| workspace.clone()) {
                copies.by_workspace.remove(&oldest);
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
    fn catch_up(&mut self, tx: &mut Tx<'_>, workspace: &str, dims: usize) -> sql::Result<()> {
        if self.packed.as_ref().is_none_or(|packed| packed.dims() != dims) {
            *self = Self { packed: Some(Packed::new(dims)), ..Self::default() };
        }
        let known = |(basket, revision): &(String, i64)| {
            let row = self.by_basket.get(basket).and_then(|row| self.rows.get(*row));
            row.is_some_and(|row| row.revision == *revision)
        };
        let mut changed = signatures::revisions(tx, workspace)?;
        changed.retain(|one| !known(one));
        if changed.len() > ONE_BY_ONE {
            for live in signatures::all(tx, workspace)? {
                self.put(&live);
            }
            return Ok(());
        }
        for (basket, _) in changed {
            if let Some(live) = signatures::one(tx, workspace, &basket)? {
                self.put(&live);
            }
        }
        Ok(())
    }

    fn put(&mut self, live: &Live) {
        let Some(packed) = &mut self.packed else { return };
        let basket_id = live.signature.basket_id.clone();
        let row = Row {
            basket_id: basket_id.clone(),
            revision: live.revision,
            active: live.active,
            last_refreshed: live.signature.last_refreshed,
        };
        let at = *self.by_basket.entry(basket_id).or_insert_with(|| packed.push_blank());
        // A vector of another length, or none, leaves the row blank: its similarity is 0.
        let _ = packed.set(at, &live.signature.embedding);
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
