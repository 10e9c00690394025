//! The world along every path to a moment, without listing the paths.
//!
//! What all paths agree on is a plain value. What they disagree on lies in *parts*: a part is a
//! small table whose rows are the ways in which its keys go together, and parts are independent of
//! each other, so that ten choices in a row are ten tables of two rows and not a thousand states.
//! Equal rows are one row. The first row is always that of the path told first. A table of more
//! than [`MAX_ROWS`] rows falls apart into one set of values per key, and the state says so.
//!
//! States are as small as a number and share what they have in common; see `trie`. Knows no nodes.

use std::collections::HashSet;

use super::condition::Test;
use super::trie::{EMPTY, Tries};
use super::values::{Fault, UNKNOWN, ValueId, Values};
use crate::worldforge::model::DeltaOp;

/// The number of a key of the world.
pub(crate) type KeyId = u32;

/// How many ways of going together are kept for keys that paths disagree on.
pub const MAX_ROWS: usize = 256;
/// How many are written down before equal ones are found.
const MAX_DRAFT: usize = 8 * MAX_ROWS;

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

#[derive(Debug)]
struct Part {
    keys: Vec<KeyId>,
    /// One row after the other.
    rows: Vec<ValueId>,
}

impl Part {
    fn count(&self) -> usize {
        self.rows.len() / self.keys.len()
    }

    fn column(&self, key: KeyId) -> usize {
        self.keys.binary_search(&key).unwrap_or_default()
    }

    fn values(&self, key: KeyId) -> impl Iterator<Item = ValueId> {
        self.rows.iter().skip(self.column(key)).step_by(self.keys.len()).copied()
    }
}

/// Every state that was asked for so far.
#[derive(Debug)]
pub(crate) struct Paths {
    pub(crate) values: Values,
    tries: Tries,
    parts: Vec<Part>,
}

impl Paths {
    pub(crate) fn new(values: Values, keys: usize) -> Self {
        Self { values, tries: Tries::new(keys), parts: Vec::new() }
    }

    /// Drops every state.
    pub(crate) fn start_again(&mut self) {
        self.tries = Tries::new(self.tries.capacity());
        self.parts.clear();
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
        let (plain, part) = match self.part(self.tries.get(state.root, key)) {
            Ok(part) => (None, Some(part.values(key))),
            Err(plain) => (Some(plain), None),
        };
        plain.into_iter().chain(part.into_iter().flatten())
    }

    /// The value that all paths agree on.
    pub(crate) fn agreed(&self, state: State, key: KeyId) -> Option<ValueId> {
        self.part(self.tries.get(state.root, key)).err()
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

    fn part(&self, number: u32) -> Result<&Part, ValueId> {
        if number & PART == 0 { Err(number) } else { Ok(&self.parts[(number & !PART) as usize]) }
    }

    /// Applies the changes of a node in their order. Says which met a fault, and on how many paths.
    pub(crate) fn advance(
        &mut self,
        state: State,
        steps: &[Step],
    ) -> (State, Vec<(usize, Fault, Share)>) {
        self.tries.seal();
        let (mut state, mut faults) = (state, Vec::new());
        for (at, step) in steps.iter().enumerate() {
            let (next, fault) = self.apply(state, *step);
            state = next;
            faults.extend(fault.map(|(fault, share)| (at, fault, share)));
        }
        (state, faults)
    }

    fn apply(&mut self, state: State, step: Step) -> (State, Option<(Fault, Share)>) {
        let number = self.tries.get(state.root, step.key);
        let Ok(part) = self.part(number) else {
            return match self.values.apply(number, step.op, step.value) {
                Ok(value) => {
                    let root = self.tries.set(state.root, step.key, value);
                    (State { root, ..state }, None)
                }
                Err(fault) => (state, Some((fault, Share::All))),
            };
        };
        let (column, width) = (part.column(step.key), part.keys.len());
        let (keys, mut rows) = (part.keys.clone(), part.rows.clone());
        let mut faults = Vec::new();
        for row in rows.chunks_mut(width) {
            match self.values.apply(row[column], step.op, step.value) {
                Ok(value) => row[column] = value,
                Err(fault) => faults.push(fault),
            }
        }
        let share = if faults.len() == rows.len() / width { Share::All } else { Share::Some };
        let fault = faults.first().map(|fault| (*fault, share));
        let root = self.place(state.root, &keys, rows);
        (State { root, ..state }, fault)
    }

    /// The paths on which a condition holds, or may hold.
    pub(crate) fn filter(&mut self, state: State, atom: &Atom) -> State {
        self.tries.seal();
        let holds =
            |values: &Values, value| values.passes(value, &atom.test, atom.literal) != Some(false);
        let part = match self.part(self.tries.get(state.root, atom.key)) {
            Ok(part) => part,
            Err(value) if holds(&self.values, value) => return state,
            Err(_) => return State::CLOSED,
        };
        let column = part.column(atom.key);
        let rows: Vec<ValueId> = part
            .rows
            .chunks(part.keys.len())
            .filter(|row| holds(&self.values, row[column]))
            .flatten()
            .copied()
            .collect();
        if rows.is_empty() {
            return State::CLOSED;
        }
        if rows.len() == part.rows.len() {
            return state;
        }
        let keys = part.keys.clone();
        State { root: self.place(state.root, &keys, rows), ..state }
    }

    /// All paths of both; says whether more had to be mixed than can be kept apart.
    pub(crate) fn join(&mut self, one: State, other: State) -> (State, bool) {
        if !one.possible || !other.possible {
            return (if one.possible { one } else { other }, false);
        }
        self.tries.seal();
        let mut keys = Vec::new();
        let (mut ones, mut others) = (Vec::new(), Vec::new());
        self.tries.differing(one.root, other.root, |key, a, b| {
            keys.push(key);
            ones.push(a);
            others.push(b);
        });
        let mut widened = one.widened || other.widened;
        if keys.is_empty() {
            return (State { widened, ..one }, false);
        }
        let drafted = self.drafted(&ones).saturating_add(self.drafted(&others));
        let rows = if drafted <= MAX_DRAFT {
            let mut rows = self.product(&keys, &ones);
            rows.extend(self.product(&keys, &others));
            Some(distinct(rows, keys.len()))
        } else {
            None
        };
        match rows.filter(|rows| rows.len() <= MAX_ROWS * keys.len()) {
            Some(rows) => {
                let root = self.place(one.root, &keys, rows);
                (State { root, possible: true, widened }, false)
            }
            None => {
                widened = true;
                let root = self.mix(one.root, &keys, &ones, &others);
                (State { root, possible: true, widened }, true)
            }
        }
    }

    /// How many rows the parts among these numbers make together.
    fn drafted(&self, numbers: &[u32]) -> usize {
        let parts = parts_of(numbers).into_iter();
        parts.fold(1, |product, part| product.saturating_mul(self.parts[part].count()))
    }

    /// Every way in which these numbers' values go together.
    fn product(&self, keys: &[KeyId], numbers: &[u32]) -> Vec<ValueId> {
        let parts = parts_of(numbers);
        let mut chosen = vec![0; parts.len()];
        let mut rows = Vec::new();
        loop {
            for (&key, &number) in keys.iter().zip(numbers) {
                rows.push(match self.part(number) {
                    Err(value) => value,
                    Ok(part) => {
                        let index = (number & !PART) as usize;
                        let at = parts.iter().position(|each| *each == index).unwrap_or_default();
                        part.rows[chosen[at] * part.keys.len() + part.column(key)]
                    }
                });
            }
            // Counts on, the last part fastest.
            let Some(at) =
                (0..parts.len()).rev().find(|&at| chosen[at] + 1 < self.parts[parts[at]].count())
            else {
                return rows;
            };
            chosen[at] += 1;
            chosen[at + 1..].fill(0);
        }
    }

    /// One set of values per key, whatever goes together.
    fn mix(&mut self, root: u32, keys: &[KeyId], ones: &[u32], others: &[u32]) -> u32 {
        let mut root = root;
        for ((&key, &one), &other) in keys.iter().zip(ones).zip(others) {
            let mut values = Vec::new();
            for number in [one, other] {
                match self.part(number) {
                    Err(value) => values.push(value),
                    Ok(part) => values.extend(part.values(key)),
                }
            }
            let mut values = distinct(values, 1);
            if values.len() > MAX_ROWS || values.contains(&UNKNOWN) {
                values = vec![UNKNOWN];
            }
            root = self.place(root, &[key], values);
        }
        root
    }

    /// Writes a table: columns of one value as plain values, the rest as one part.
    fn place(&mut self, mut root: u32, keys: &[KeyId], rows: Vec<ValueId>) -> u32 {
        let width = keys.len();
        let Some(first) = rows.get(..width) else { return root };
        let varying: Vec<usize> = (0..width)
            .filter(|&column| rows.chunks(width).any(|row| row[column] != first[column]))
            .collect();
        for (column, &key) in keys.iter().enumerate() {
            if !varying.contains(&column) {
                root = self.tries.set(root, key, rows[column]);
            }
        }
        if varying.is_empty() {
            return root;
        }
        let keys: Vec<KeyId> = varying.iter().map(|&column| keys[column]).collect();
        let rows = rows.chunks(width).flat_map(|row| varying.iter().map(|&column| row[column]));
        let rows = distinct(rows.collect(), keys.len());
        let number = PART | self.parts.len() as u32;
        for &key in &keys {
            root = self.tries.set(root, key, number);
        }
        self.parts.push(Part { keys, rows });
        root
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
        self.tries.each(state.root, |key, _| {
            found(key, distinct(self.values_of(state, key).collect(), 1));
        });
    }
}

/// The parts among numbers, in order, each once.
fn parts_of(numbers: &[u32]) -> Vec<usize> {
    let mut parts = Vec::new();
    for number in numbers.iter().filter(|number| **number & PART != 0) {
        let part = (number & !PART) as usize;
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts
}

/// The rows without repetition, in the order of their first occurrence.
fn distinct(rows: Vec<ValueId>, width: usize) -> Vec<ValueId> {
    if rows.len() == width {
        return rows;
    }
    let mut seen = HashSet::new();
    rows.chunks(width).filter(|row| seen.insert(*row)).flatten().copied().collect()
}

#[cfg(test)]
mod tests;
