//! Copies of block vectors in this process, one for each workspace: a search is one exact pass over
//! packed numbers.
//!
//! Every search first reads what was added or erased since the last one, so several servers on one
//! database agree. Together they keep within [`ROOM`]; a workspace that is larger by itself is read
//! from the database each time. Holds no words.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::int8::{Rows, Sought};
use crate::records::Tx;
use crate::records::block_vectors::{self, State, Stored};
use crate::sql;

/// Bytes of all copies.
const ROOM: usize = 512 << 20;
/// Bytes of a row besides its numbers.
const AROUND: usize = 16;
/// Vectors that are read at a time.
const PAGE: usize = 4_096;

/// A number of a vector and its similarity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Scored {
    pub(super) number: i64,
    pub(super) similarity: f32,
}

/// What is searched.
#[derive(Clone, Copy)]
pub(super) struct Scope<'a> {
    pub(super) workspace: &'a str,
    pub(super) model: &'a str,
    pub(super) basket: Option<&'a str>,
    /// What the workspace's baskets count up with every change.
    pub(super) revision: (i64, i64),
    /// Less similar ones are left out.
    pub(super) least: f32,
}

/// The copies, by workspace and model.
pub(super) struct Copies {
    by_model: Mutex<BTreeMap<(String, String), Kept>>,
    room: usize,
}

struct Kept {
    used: u64,
    bytes: usize,
    copy: Arc<RwLock<Copy>>,
}

impl Default for Copies {
    fn default() -> Self {
        Self::within(ROOM)
    }
}

impl Copies {
    /// Copies that keep within so many bytes.
    pub(super) fn within(room: usize) -> Self {
        Self { by_model: Mutex::default(), room }
    }

    /// All vectors in the scope that are similar enough, the most similar first; and how many
    /// vectors the model has in the workspace.
    pub(super) fn search(
        &self,
        tx: &mut Tx<'_>,
        scope: Scope<'_>,
        sought: &Sought,
    ) -> sql::Result<(Vec<Scored>, i64)> {
        let copy = self.copy(scope);
        let fresh = |copy: &Copy| {
            copy.revision == Some(scope.revision) && copy.rows.dims() == sought.dims()
        };
        let known = {
            let copy = copy.read().unwrap_or_else(PoisonError::into_inner);
            fresh(&copy).then(|| (copy.similar(scope, sought), copy.state.0))
        };
        let (mut found, vectors) = match known {
            Some(known) => known,
            None => {
                let state = block_vectors::state(tx, scope.workspace, scope.model)?;
                let bytes = usize::try_from(state.0).unwrap_or(0) * (sought.dims() + AROUND);
                if bytes > self.room {
                    (stored(tx, scope, sought)?, state.0)
                } else {
                    self.make_room(scope, bytes);
                    let mut copy = copy.write().unwrap_or_else(PoisonError::into_inner);
                    copy.catch_up(tx, scope, sought.dims(), state)?;
                    (copy.similar(scope, sought), state.0)
                }
            }
        };
        found.sort_unstable_by(|a, b| {
            b.similarity.total_cmp(&a.similarity).then(a.number.cmp(&b.number))
        });
        Ok((found, vectors))
    }

    fn copy(&self, scope: Scope<'_>) -> Arc<RwLock<Copy>> {
        let mut by_model = self.by_model.lock().unwrap_or_else(PoisonError::into_inner);
        let used = by_model.values().map(|kept| kept.used).max().unwrap_or(0) + 1;
        let key = (scope.workspace.to_owned(), scope.model.to_owned());
        let kept =
            by_model.entry(key).or_insert_with(|| Kept { used, bytes: 0, copy: Arc::default() });
        kept.used = used;
        Arc::clone(&kept.copy)
    }

    /// Forgets the copies that were not used for longest, until so many bytes fit.
    fn make_room(&self, scope: Scope<'_>, bytes: usize) {
        let mut by_model = self.by_model.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(kept) =
            by_model.get_mut(&(scope.workspace.to_owned(), scope.model.to_owned()))
        {
            kept.bytes = bytes;
        }
        while by_model.len() > 1
            && by_model.values().map(|kept| kept.bytes).sum::<usize>() > self.room
        {
            let oldest = by_model.iter().min_by_key(|(_, kept)| kept.used);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else { return };
            by_model.remove(&oldest);
        }
    }
}

/// The vectors of one workspace and model.
#[derive(Default)]
struct Copy {
    /// As of this state of the baskets.
    revision: Option<(i64, i64)>,
    state: State,
    numbers: Vec<i64>,
    /// The basket of each, by its place in `names`.
    baskets: Vec<u32>,
    names: HashMap<String, u32>,
    rows: Rows,
}

impl Copy {
    /// Reads what was added and erased since the last time.
    fn catch_up(
        &mut self,
        tx: &mut Tx<'_>,
        scope: Scope<'_>,
        dims: usize,
        state: State,
    ) -> sql::Result<()> {
        if self.rows.dims() != dims {
            *self = Self { rows: Rows::new(dims), ..Self::default() };
        }
        self.revision = None;
        if self.state != state {
            let mut last = self.numbers.iter().copied().max().unwrap_or(0);
            loop {
                let page = block_vectors::after(tx, scope.workspace, scope.model, last, PAGE)?;
                let Some(newest) = page.last() else { break };
                last = newest.number;
                page.iter().for_each(|one| self.push(one));
            }
        }
        // Some were erased, or committed later than others with greater numbers.
        if self.state != state {
            let all = block_vectors::numbers(tx, scope.workspace, scope.model)?;
            let there: HashSet<i64> = all.iter().copied().collect();
            self.retain(|number| there.contains(&number));
            let known: HashSet<i64> = self.numbers.iter().copied().collect();
            let late: Vec<i64> = all.into_iter().filter(|one| !known.contains(one)).collect();
            block_vectors::numbered(tx, &late)?.iter().for_each(|one| self.push(one));
        }
        self.revision = Some(scope.revision);
        Ok(())
    }

    fn push(&mut self, stored: &Stored) {
        let next = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        let basket = *self.names.entry(stored.basket_id.clone()).or_insert(next);
        self.baskets.push(basket);
        self.numbers.push(stored.number);
        self.rows.push(&stored.vector);
        self.state = (self.state.0 + 1, self.state.1.saturating_add(stored.number));
    }

    fn retain(&mut self, keep: impl Fn(i64) -> bool) {
        let kept: Vec<bool> = self.numbers.iter().map(|number| keep(*number)).collect();
        let is_kept = |row: usize| kept.get(row) == Some(&true);
        self.rows.retain(is_kept);
        let mut row = 0..;
        self.baskets.retain(|_| row.next().is_some_and(is_kept));
        self.numbers.retain(|number| keep(*number));
        self.state = self.numbers.iter().fold((0, 0), |(count, sum): State, number| {
            (count + 1, sum.saturating_add(*number))
        });
    }

    fn similar(&self, scope: Scope<'_>, sought: &Sought) -> Vec<Scored> {
        let only = match scope.basket {
            None => None,
            Some(basket) => match self.names.get(basket) {
                Some(place) => Some(*place),
                None => return Vec::new(),
            },
        };
        self.rows
            .similarities(sought)
            .zip(self.numbers.iter().zip(&self.baskets))
            .filter(|(similarity, (_, basket))| {
                *similarity >= scope.least && only.is_none_or(|only| only == **basket)
            })
            .map(|(similarity, (number, _))| Scored { number: *number, similarity })
            .collect()
    }
}

/// The same page by page, without a copy.
fn stored(tx: &mut Tx<'_>, scope: Scope<'_>, sought: &Sought) -> sql::Result<Vec<Scored>> {
    let (mut found, mut last) = (Vec::new(), 0);
    loop {
        let page = block_vectors::after(tx, scope.workspace, scope.model, last, PAGE)?;
        let Some(newest) = page.last() else { return Ok(found) };
        last = newest.number;
        let mut copy = Copy { rows: Rows::new(sought.dims()), ..Copy::default() };
        page.iter().for_each(|one| copy.push(one));
        found.extend(copy.similar(scope, sought));
    }
}
