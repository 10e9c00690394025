//! Where paths meet: tables are joined, and split where they grow too large.

use std::collections::HashSet;

use super::{KeyId, MAX_DRAFT, MAX_ROWS, PART, Part, Paths, State};
use crate::story::values::{UNKNOWN, ValueId};

/// How many sets are kept for one key before only their least and most are.
const MAX_SETS: usize = 2;
/// Fewer rows are compared one by one.
const FEW: usize = 16;

/// Where two states differ: the keys, and their numbers in both.
#[derive(Default)]
struct Difference {
    keys: Vec<KeyId>,
    ones: Vec<u32>,
    others: Vec<u32>,
}

impl Paths {
    /// All paths of both, and whether more had to be mixed than can be kept apart.
    pub(crate) fn join(&mut self, one: State, other: State) -> (State, bool) {
        if !one.possible || !other.possible {
            return (if one.possible { one } else { other }, false);
        }
        self.tries.seal();
        let mut difference = Difference::default();
        self.tries.differing(one.root, other.root, |key, a, b| {
            difference.keys.push(key);
            difference.ones.push(a);
            difference.others.push(b);
        });
        let bound = |key: &KeyId| self.bound.get(*key as usize).is_some_and(|bound| *bound);
        let table = match difference.keys.iter().any(bound) {
            true => self.table(&difference),
            // No key distinguishes the paths: every key on its own.
            false => None,
        };
        let (root, lost) = match table {
            Some(Some(rows)) => (self.place(one.root, &difference.keys, rows), false),
            Some(None) => (self.mix(one.root, &difference).0, true),
            None => self.mix(one.root, &difference),
        };
        let widened = one.widened || other.widened || lost;
        (State { root, possible: true, widened }, lost)
    }

    /// Every way in which the differing keys go together; inside, `None` where they are too many.
    fn table(&self, difference: &Difference) -> Option<Option<Vec<ValueId>>> {
        let Difference { keys, ones, others } = difference;
        let drafted = self.drafted(ones).saturating_add(self.drafted(others));
        if drafted > MAX_DRAFT {
            return Some(None);
        }
        let mut rows = self.product(keys, ones);
        rows.extend(self.product(keys, others));
        let rows = distinct(rows, keys.len());
        Some((rows.len() <= MAX_ROWS * keys.len()).then_some(rows))
    }

    /// How many rows the product of the parts among these numbers has.
    pub(super) fn drafted(&self, numbers: &[u32]) -> usize {
        let parts = parts_of(numbers).into_iter();
        parts.fold(1, |product, part| product.saturating_mul(self.parts[part].count))
    }

    /// Every way in which these numbers' values go together.
    pub(super) fn product(&self, keys: &[KeyId], numbers: &[u32]) -> Vec<ValueId> {
        let parts = parts_of(numbers);
        // For each key its plain value, or which part it is in and where.
        let cells: Vec<Result<ValueId, (usize, usize)>> = keys
            .iter()
            .zip(numbers)
            .map(|(&key, &number)| match self.part(number) {
                None => Ok(number),
                Some(part) => {
                    let index = (number & !PART) as usize;
                    let at = parts.iter().position(|each| *each == index).unwrap_or_default();
                    Err((at, self.place_of(part, key)))
                }
            })
            .collect();
        let parts: Vec<Part> = parts.into_iter().map(|part| self.parts[part]).collect();
        let mut chosen = vec![0; parts.len()];
        let mut rows = Vec::new();
        loop {
            rows.extend(cells.iter().map(|cell| match *cell {
                Ok(value) => value,
                Err((at, column)) => self.rows(parts[at])[chosen[at] * parts[at].width + column],
            }));
            // Counts on, the last part fastest.
            let Some(at) = (0..parts.len()).rev().find(|&at| chosen[at] + 1 < parts[at].count)
            else {
                return rows;
            };
            chosen[at] += 1;
            chosen[at + 1..].fill(0);
        }
    }

    /// One set of values per key, whatever goes together; whether values were lost.
    fn mix(&mut self, root: u32, difference: &Difference) -> (u32, bool) {
        let Difference { keys, ones, others } = difference;
        let (mut root, mut lost) = (root, false);
        let mut values: Vec<ValueId> = Vec::new();
        for ((&key, &one), &other) in keys.iter().zip(ones).zip(others) {
            values.clear();
            for value in self.column(one, key).chain(self.column(other, key)) {
                if !values.contains(&value) {
                    values.push(value);
                }
            }
            if values.len() > MAX_SETS
                && let Some(some) = self.values.between(&values)
            {
                values = vec![some];
            } else if values.len() > MAX_ROWS || values.contains(&UNKNOWN) {
                lost |= values.len() > MAX_ROWS;
                values = vec![UNKNOWN];
            }
            root = match values[..] {
                [value] => self.tries.set(root, key, value),
                _ => self.write(root, &[key], &values),
            };
        }
        (root, lost)
    }

    /// Writes a table: columns of one value as plain values, the rest as one part.
    pub(super) fn place(&mut self, root: u32, keys: &[KeyId], rows: Vec<ValueId>) -> u32 {
        let (mut root, width) = (root, keys.len());
        let Some(first) = rows.get(..width) else { return root };
        let varying: Vec<usize> = (0..width)
            .filter(|&column| rows.chunks(width).any(|row| row[column] != first[column]))
            .collect();
        if varying.len() == width {
            return self.write(root, keys, &distinct(rows, width));
        }
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
        self.write(root, &keys, &distinct(rows.collect(), keys.len()))
    }

    fn write(&mut self, root: u32, keys: &[KeyId], rows: &[ValueId]) -> u32 {
        let part =
            Part { start: self.cells.len(), width: keys.len(), count: rows.len() / keys.len() };
        self.cells.extend(keys.iter().chain(rows));
        let number = PART | self.parts.len() as u32;
        self.parts.push(part);
        keys.iter().fold(root, |root, &key| self.tries.set(root, key, number))
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
pub(super) fn distinct(rows: Vec<ValueId>, width: usize) -> Vec<ValueId> {
    if rows.len() == width {
        return rows;
    }
    if rows.len() <= FEW * width {
        let mut kept: Vec<ValueId> = Vec::with_capacity(rows.len());
        for row in rows.chunks(width) {
            if !kept.chunks(width).any(|other| other == row) {
                kept.extend(row);
            }
        }
        return kept;
    }
    let mut seen = HashSet::new();
    rows.chunks(width).filter(|row| seen.insert(*row)).flatten().copied().collect()
}
