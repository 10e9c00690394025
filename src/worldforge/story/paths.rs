//! The world state along every path to a moment, without enumerating the paths.
//!
//! Values on which all paths agree are plain. The others are in *parts*: a part is a small table whose
//! rows are the combinations that its keys can have. Parts are independent of each other, so that ten
//! choices in a row are ten tables of two rows and not a thousand states. Equal rows are one row. The
//! first row is always that of the first path in the telling. A table of more than [`MAX_ROWS`] rows is
//! split into one set of values per key, and the state records that.
//!
//! Combinations matter only for *bound* keys, which a condition, a world rule or another key reads
//! together with others. Nothing can tell paths apart by the other keys, so each of those has its own
//! part, and nothing is lost.
//!
//! States are as small as a number and share what they have in common; see `trie`. Knows no nodes.

mod join;

use super::condition::Test;
use super::trie::{EMPTY, Tries};
use super::values::{DeltaError, ValueId, Values};
use crate::model::DeltaOp;
use join::distinct;

/// The number of a key of the world.
pub(crate) type KeyId = u32;

/// How many ways of going together are kept for keys that paths disagree on.
pub(crate) const MAX_ROWS: usize = 256;
/// How many are written down before equal ones are found.
const MAX_DRAFT: usize = 4 * MAX_ROWS;

/// Marks the number of a part among those of values.
const PART: u32 = 1 << 31;

/// On how many of the paths something is so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Share {
    /// On none.
    None,
    /// On some.
    Some,
    /// On every one.
    All,
}

impl Share {
    /// The share of the cases that are so.
    pub(crate) fn of(cases: impl IntoIterator<Item = bool>) -> Self {
        let (mut yes, mut no) = (false, false);
        for case in cases {
            yes |= case;
            no |= !case;
        }
        match (yes, no) {
            (false, _) => Self::None,
            (true, true) => Self::Some,
            (true, false) => Self::All,
        }
    }
}

/// The world along every path to a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct State {
    root: u32,
    /// Whether any path leads here.
    pub(crate) possible: bool,
    /// Whether values that do not go together may have been mixed.
    pub(crate) widened: bool,
}

impl State {
    /// Nothing happened yet.
    pub(crate) const START: Self = Self { root: EMPTY, possible: true, widened: false };
    /// No path leads here.
    pub(crate) const CLOSED: Self = Self { root: EMPTY, possible: false, widened: false };
}

/// One change of the world, by numbers.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Step {
    pub(crate) key: KeyId,
    pub(crate) op: DeltaOp,
    pub(crate) value: ValueId,
}

/// One condition, by numbers.
#[derive(Debug, Clone)]
pub(crate) struct Atom {
    pub(crate) key: KeyId,
    pub(crate) test: Test,
    pub(crate) literal: ValueId,
}

/// A table: its keys, and then one row after the other, all in one arena.
#[derive(Debug, Clone, Copy)]
struct Part {
    start: usize,
    width: usize,
    count: usize,
}

/// Every state that was asked for so far.
#[derive(Debug)]
pub(crate) struct Paths {
    pub(crate) values: Values,
    tries: Tries,
    parts: Vec<Part>,
    cells: Vec<u32>,
    bound: Vec<bool>,
}

impl Paths {
    pub(crate) fn new(values: Values, keys: usize) -> Self {
        let tries = Tries::new(keys);
        Self { values, tries, parts: Vec::new(), cells: Vec::new(), bound: Vec::new() }
    }

    /// Drops every state.
    pub(crate) fn start_again(&mut self) {
        self.tries = Tries::new(self.tries.capacity());
        self.parts.clear();
        self.cells.clear();
    }

    /// Says which keys are bound. Where that is news every state is dropped; whether it was.
    pub(crate) fn bind(&mut self, bound: Vec<bool>) -> bool {
        let news = self.bound != bound;
        if news {
            self.bound = bound;
            self.start_again();
        }
        news
    }

    /// Reserves space for so many changes.
    pub(crate) fn reserve(&mut self, changes: usize) {
        self.tries.reserve(changes);
    }

    /// How many keys fit.
    pub(crate) fn capacity(&self) -> usize {
        self.tries.capacity()
    }

    /// A measure of the memory that is held.
    pub(crate) fn size(&self) -> usize {
        self.tries.len()
    }

    /// The values of a key, one for every row that has it; more than one only where paths disagree.
    pub(crate) fn values_of(&self, state: State, key: KeyId) -> impl Iterator<Item = ValueId> {
        self.column(self.tries.get(state.root, key), key)
    }

    /// The value that all paths agree on.
    pub(crate) fn agreed(&self, state: State, key: KeyId) -> Option<ValueId> {
        let number = self.tries.get(state.root, key);
        (number & PART == 0).then_some(number)
    }

    /// On how many paths the value of a key is such.
    pub(crate) fn share(
        &self,
        state: State,
        key: KeyId,
        mut such: impl FnMut(&Values, ValueId) -> bool,
    ) -> Share {
        Share::of(self.values_of(state, key).map(|value| such(&self.values, value)))
    }

    fn part(&self, number: u32) -> Option<Part> {
        (number & PART != 0).then(|| self.parts[(number & !PART) as usize])
    }

    fn keys(&self, part: Part) -> &[KeyId] {
        &self.cells[part.start..part.start + part.width]
    }

    fn rows(&self, part: Part) -> &[ValueId] {
        let start = part.start + part.width;
        &self.cells[start..start + part.width * part.count]
    }

    /// The place of a key in the rows of its part.
    fn place_of(&self, part: Part, key: KeyId) -> usize {
        self.keys(part).binary_search(&key).unwrap_or_default()
    }

    /// The values of a key whose number is known.
    fn column(&self, number: u32, key: KeyId) -> impl Iterator<Item = ValueId> {
        let cells = match self.part(number) {
            None => Err(number),
            Some(part) => Ok((self.rows(part), self.place_of(part, key), part.width)),
        };
        let plain = cells.err();
        let rows = cells.ok().map(|(rows, at, width)| rows.iter().skip(at).step_by(width).copied());
        plain.into_iter().chain(rows.into_iter().flatten())
    }

    /// Applies the changes of a node in their order. Says which met a fault, and on how many paths.
    pub(crate) fn advance(
        &mut self,
        state: State,
        steps: &[Step],
    ) -> (State, Vec<(usize, DeltaError, Share)>) {
        self.tries.seal();
        let (mut state, mut errors) = (state, Vec::new());
        for (at, step) in steps.iter().enumerate() {
            let (root, error) = self.apply(state.root, *step);
            state.root = root;
            errors.extend(error.map(|(error, share)| (at, error, share)));
        }
        (state, errors)
    }

    fn apply(&mut self, root: u32, step: Step) -> (u32, Option<(DeltaError, Share)>) {
        let number = self.tries.get(root, step.key);
        let Some(part) = self.part(number) else {
            return match self.values.apply(number, step.op, step.value) {
                Ok(value) => (self.tries.set(root, step.key, value), None),
                Err(error) => (root, Some((error, Share::All))),
            };
        };
        if part.width == 1 && step.op == DeltaOp::Set {
            return (self.tries.set(root, step.key, step.value), None);
        }
        let column = self.place_of(part, step.key);
        let (keys, mut rows) = (self.keys(part).to_vec(), self.rows(part).to_vec());
        let (mut first, mut errors) = (None, 0);
        for row in rows.chunks_mut(part.width) {
            match self.values.apply(row[column], step.op, step.value) {
                Ok(value) => row[column] = value,
                Err(error) => {
                    first.get_or_insert(error);
                    errors += 1;
                }
            }
        }
        let share = if errors == part.count { Share::All } else { Share::Some };
        (self.place(root, &keys, rows), first.map(|error| (error, share)))
    }

    /// The paths on which a condition holds, or may hold.
    pub(crate) fn filter(&mut self, state: State, atom: &Atom) -> State {
        self.tries.seal();
        let number = self.tries.get(state.root, atom.key);
        let holds = |value| self.values.passes(value, &atom.test, atom.literal) != Some(false);
        let Some(part) = self.part(number) else {
            return if holds(number) { state } else { State::CLOSED };
        };
        let column = self.place_of(part, atom.key);
        let all = self.rows(part);
        let rows: Vec<ValueId> =
            all.chunks(part.width).filter(|row| holds(row[column])).flatten().copied().collect();
        if rows.is_empty() {
            return State::CLOSED;
        }
        if rows.len() == all.len() {
            return state;
        }
        let keys = self.keys(part).to_vec();
        State { root: self.place(state.root, &keys, rows), ..state }
    }

    /// The ways in which the values of some keys go together.
    pub(crate) fn together(&self, state: State, keys: &[KeyId]) -> Vec<ValueId> {
        let numbers: Vec<u32> = keys.iter().map(|key| self.tries.get(state.root, *key)).collect();
        if self.drafted(&numbers) > MAX_DRAFT {
            return Vec::new();
        }
        distinct(self.product(keys, &numbers), keys.len().max(1))
    }

    /// Calls with every key that is set on some path, and its values, the first of the path told
    /// first.
    pub(crate) fn each(&self, state: State, mut found: impl FnMut(KeyId, Vec<ValueId>)) {
        self.tries.each(state.root, |key, number| {
            found(key, distinct(self.column(number, key).collect(), 1));
        });
    }
}

#[cfg(test)]
mod tests;
