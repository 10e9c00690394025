//! Copies of vectors in this process, one for each workspace: a search is one exact pass over
//! packed numbers.
//!
//! Every search first reads what was added or erased since the last one, so several servers on one
//! database agree. Together they keep within [`ROOM`]; a workspace that is larger by itself is read
//! from the database each time. Holds no words.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use super::int8::{Rows, Sought};
use crate::records::Tx;
use crate::records::substrate_vectors::{self, State, Stored};
use crate::sql;

/// Bytes of all copies.
const ROOM: usize = 512 << 20;
/// Bytes of a row besides its numbers.
const AROUND: usize = 16;
/// What a similarity to a part of a text counts less than one to the whole.
const PART: f32 = 0.05;
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
    /// What the workspace's baskets count up with every change of an entry.
    pub(super) revision: (i64, i64),
    /// How many texts can have a vector.
    pub(super) texts: i64,
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

    /// All vectors in the scope that are similar enough to the first of `sought`, which is a whole
    /// text, or to one of the others, which are its parts; the most similar first; and how many
    /// vectors the model has in the workspace.
    pub(super) fn search(
        &self,
        tx: &mut Tx<'_>,
        scope: Scope<'_>,
        sought: &[Sought],
    ) -> sql::Result<(Vec<Scored>, i64)> {
        let dims = sought.first().map_or(0, Sought::dims);
        let copy = self.copy(scope);
        let fresh = |copy: &Copy| {
            // What is missing can be added without any other change.
            let complete = copy.state.0 == scope.texts;
            copy.revision == Some(scope.revision) && complete && copy.rows.dims() == dims
        };
        let known = {
            let copy = copy.read().unwrap_or_else(PoisonError::into_inner);
            fresh(&copy).then(|| (copy.similar(scope, sought), copy.state.0))
        };
        let (mut found, vectors) = match known {
            Some(known) => known,
            None => {
                let state = substrate_vectors::state(tx, scope.workspace, scope.model)?;
                let bytes = usize::try_from(state.0).unwrap_or(0) * (dims + AROUND);
                if bytes > self.room {
                    (stored(tx, scope, sought)?, state.0)
                } else {
                    self.make_room(scope, bytes);
                    let mut copy = copy.write().unwrap_or_else(PoisonError::into_inner);
                    copy.catch_up(tx, scope, dims, state)?;
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
        if let Some(kept) = by_model.get_mut(&(scope.workspace.to_owned(), scope.model.to_owned()))
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
                let page = substrate_vectors::after(tx, scope.workspace, scope.model, last, PAGE)?;
                let Some(newest) = page.last() else { break };
                last = newest.number;
                page.iter().for_each(|one| self.push(one));
            }
        }
        // Some were erased, or committed later than others with greater numbers.
        if self.state != state {
            let all = substrate_vectors::numbers(tx, scope.workspace, scope.model)?;
            let there: HashSet<i64> = all.iter().copied().collect();
            self.retain(|number| there.contains(&number));
            let known: HashSet<i64> = self.numbers.iter().copied().collect();
            let late: Vec<i64> = all.into_iter().filter(|one| !known.contains(one)).collect();
            substrate_vectors::numbered(tx, &late)?.iter().for_each(|one| self.push(one));
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
        self.state = self
            .numbers
            .iter()
            .fold((0, 0), |(count, sum): State, number| (count + 1, sum.saturating_add(*number)));
    }

    fn similar(&self, scope: Scope<'_>, sought: &[Sought]) -> Vec<Scored> {
        let only = match scope.basket {
            None => None,
            Some(basket) => match self.names.get(basket) {
                Some(place) => Some(*place),
                None => return Vec::new(),
            },
        };
        let mut best: Vec<f32> = vec![-1.0; self.numbers.len()];
        for (part, sought) in sought.iter().enumerate() {
            let less = if part == 0 { 0.0 } else { PART };
            for (best, similarity) in best.iter_mut().zip(self.rows.similarities(sought)) {
                *best = best.max(similarity - less);
            }
        }
        best.into_iter()
            .zip(self.numbers.iter().zip(&self.baskets))
            .filter(|(similarity, (_, basket))| {
                *similarity >= scope.least && only.is_none_or(|only| only == **basket)
            })
            .map(|(similarity, (number, _))| Scored { number: *number, similarity })
            .collect()
    }
}

/// The same page by page, without a copy.
fn stored(tx: &mut Tx<'_>, scope: Scope<'_>, sought: &[Sought]) -> sql::Result<Vec<Scored>> {
    let dims = sought.first().map_or(0, Sought::dims);
    let (mut found, mut last) = (Vec::new(), 0);
    loop {
        let page = substrate_vectors::after(tx, scope.workspace, scope.model, last, PAGE)?;
        let Some(newest) = page.last() else { return Ok(found) };
        last = newest.number;
        let mut copy = Copy { rows: Rows::new(dims), ..Copy::default() };
        page.iter().for_each(|one| copy.push(one));
        found.extend(copy.similar(scope, sought));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::meaning::int8::packed;
    use crate::records::MIGRATIONS;
    use crate::records::substrate::{self, Kind};
    use crate::sql::{Database, Error, Options};

    fn vector(seed: usize) -> Vec<f32> {
        (0..32).map(|n| (((n + 1) * (seed + 3)) as f32 * 0.618).sin()).collect()
    }

    fn add(database: &Database, seeds: std::ops::Range<usize>) {
        let added = database.write::<_, Error>(|tx| {
            for seed in seeds.clone() {
                let (id, basket) = (format!("block {seed}"), format!("basket {}", seed % 3));
                let place = ("ours", 1);
                substrate::add(tx, place, &basket, Kind::Block, &id, None, "text", 1)?;
                let numbers = packed(&vector(seed));
                substrate_vectors::add(tx, "ours", &basket, &id, "model", &numbers)?;
            }
            Ok(())
        });
        added.unwrap();
    }

    #[test]
    fn copies_follow_every_change_and_small_room_finds_the_same() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite:{}", folder.path().join("test.db").display());
        let database = Database::open(&url, Options::default()).unwrap();
        database.migrate(MIGRATIONS).unwrap();
        let (roomy, tight) = (Copies::default(), Copies::within(0));
        let sought = [Sought::new(&vector(4)).unwrap()];
        let mut revision = 0;
        let mut found = |basket: Option<&str>| {
            revision += 1;
            let scope = Scope {
                workspace: "ours",
                model: "model",
                basket,
                revision: (1, revision),
                texts: 0,
                least: 0.1,
            };
            let both = [&roomy, &tight].map(|copies| {
                database.read::<_, Error>(|tx| copies.search(tx, scope, &sought)).unwrap()
            });
            assert_eq!(both[0], both[1]);
            let [(scored, all), _] = both;
            (scored.iter().map(|one| one.number).collect::<Vec<_>>(), all)
        };
        assert_eq!(found(None), (Vec::new(), 0));
        add(&database, 0..5_000);
        let (near, all) = found(None);
        assert_eq!((near[0], all), (5, 5_000));
        assert!(found(Some("basket 1")).0.len() < near.len());
        assert_eq!(found(Some("basket 9")).0, [0_i64; 0]);
        // Erased and added at once, so that their number stays.
        let gone = database.write::<_, Error>(|tx| substrate::remove(tx, "block 4"));
        gone.unwrap();
        add(&database, 5_000..5_001);
        let (after, all) = found(None);
        assert_eq!(all, 5_000);
        assert!(!after.contains(&5), "{after:?}");
        assert_eq!(near.iter().filter(|number| **number != 5).count(), {
            after.iter().filter(|number| **number != 5_001).count()
        });
    }

    #[test]
    fn the_copies_that_were_not_used_for_longest_make_room() {
        let copies = Copies::within(1_000);
        let scope = |workspace| Scope {
            workspace,
            model: "model",
            basket: None,
            revision: (1, 1),
            texts: 0,
            least: 0.0,
        };
        for workspace in ["a", "b", "a", "c"] {
            copies.copy(scope(workspace));
            copies.make_room(scope(workspace), 400);
        }
        let kept: Vec<String> =
            copies.by_model.lock().unwrap().keys().map(|(name, _)| name.clone()).collect();
        assert_eq!(kept, ["a", "c"]);
    }
}
