//! Persistent maps from keys to numbers, with structural sharing.
//!
//! Every map is a tree of sixteen branches. All trees are in one arena, and a change copies only the
//! path to the changed leaf. So storing the state before and after every node costs as much as the
//! nodes change, and comparing two states costs as much as they differ. Knows no meanings.

const BITS: u32 = 4;
const WIDTH: usize = 1 << BITS;

/// The empty map; in it and in every tree 0 means "nothing here".
pub(crate) const EMPTY: u32 = 0;

/// The arena.
#[derive(Debug)]
pub(crate) struct Tries {
    branches: Vec<[u32; WIDTH]>,
    levels: u32,
    /// Younger branches belong to the map being written and may be changed in place.
    sealed: usize,
}

impl Tries {
    /// An arena for maps of `keys` keys.
    pub(crate) fn new(keys: usize) -> Self {
        let mut levels = 1;
        while WIDTH.pow(levels) < keys {
            levels += 1;
        }
        Self { branches: vec![[0; WIDTH]], levels, sealed: 1 }
    }

    /// Reserves space for so many changes.
    pub(crate) fn reserve(&mut self, changes: usize) {
        self.branches.reserve(changes * self.levels as usize);
    }

    /// How many keys fit.
    pub(crate) fn capacity(&self) -> usize {
        WIDTH.pow(self.levels)
    }

    /// How many branches were created so far.
    pub(crate) fn len(&self) -> usize {
        self.branches.len()
    }

    /// From now on no map that exists changes.
    pub(crate) fn seal(&mut self) {
        self.sealed = self.branches.len();
    }

    /// What a map has for a key.
    pub(crate) fn get(&self, root: u32, key: u32) -> u32 {
        let mut at = root;
        for level in (0..self.levels).rev() {
            at = self.branches[at as usize][slot(key, level)];
            if at == 0 {
                return 0;
            }
        }
        at
    }

    /// The map with another value for a key.
    pub(crate) fn set(&mut self, root: u32, key: u32, value: u32) -> u32 {
        if self.get(root, key) == value {
            return root;
        }
        let top = self.owned(root);
        let mut at = top;
        for level in (1..self.levels).rev() {
            let slot = slot(key, level);
            let below = self.branches[at as usize][slot];
            let below = self.owned(below);
            self.branches[at as usize][slot] = below;
            at = below;
        }
        self.branches[at as usize][slot(key, 0)] = value;
        top
    }

    fn owned(&mut self, branch: u32) -> u32 {
        if branch as usize >= self.sealed {
            return branch;
        }
        let copy = self.branches[branch as usize];
        self.branches.push(copy);
        self.branches.len() as u32 - 1
    }

    /// Calls with every key and value of a map, by key.
    pub(crate) fn each(&self, root: u32, mut found: impl FnMut(u32, u32)) {
        self.differing(EMPTY, root, |key, _, value| found(key, value));
    }

    /// Calls with every key on which two maps differ, and both values, by key.
    pub(crate) fn differing(&self, one: u32, other: u32, mut found: impl FnMut(u32, u32, u32)) {
        self.walk(one, other, self.levels - 1, 0, &mut found);
    }

    fn walk(
        &self,
        one: u32,
        other: u32,
        level: u32,
        prefix: u32,
        found: &mut impl FnMut(u32, u32, u32),
    ) {
        if one == other {
            return;
        }
        let (ones, others) = (&self.branches[one as usize], &self.branches[other as usize]);
        for (slot, (&a, &b)) in ones.iter().zip(others).enumerate() {
            if a == b {
                continue;
            }
            let key = prefix << BITS | slot as u32;
            if level == 0 {
                found(key, a, b);
            } else {
                self.walk(a, b, level - 1, key, found);
            }
        }
    }
}

fn slot(key: u32, level: u32) -> usize {
    (key >> (level * BITS)) as usize & (WIDTH - 1)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn pairs(tries: &Tries, root: u32) -> Vec<(u32, u32)> {
        let mut pairs = Vec::new();
        tries.each(root, |key, value| pairs.push((key, value)));
        pairs
    }

    #[test]
    fn a_sealed_map_never_changes() {
        let mut tries = Tries::new(1000);
        let one = tries.set(EMPTY, 999, 7);
        tries.seal();
        let two = tries.set(one, 999, 8);
        let two = tries.set(two, 3, 9);
        assert_eq!(pairs(&tries, one), [(999, 7)]);
        assert_eq!(pairs(&tries, two), [(3, 9), (999, 8)]);
        assert_eq!(tries.set(two, 3, 9), two);
        assert!(pairs(&tries, EMPTY).is_empty());
    }

    #[test]
    fn maps_behave_like_maps_and_differ_where_they_differ() {
        let mut tries = Tries::new(300);
        let mut random = 1u32;
        let mut next = |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % below
        };
        let mut kept: Vec<(u32, BTreeMap<u32, u32>)> = vec![(EMPTY, BTreeMap::new())];
        for _ in 0..200 {
            let (mut root, mut plain) = kept[next(kept.len() as u32) as usize].clone();
            tries.seal();
            for _ in 0..5 {
                let (key, value) = (next(300), next(4));
                root = tries.set(root, key, value);
                match value {
                    0 => plain.remove(&key),
                    value => plain.insert(key, value),
                };
            }
            kept.push((root, plain));
        }
        for (root, plain) in &kept {
            assert_eq!(pairs(&tries, *root), plain.clone().into_iter().collect::<Vec<_>>());
        }
        for ((one, ones), (other, others)) in kept.iter().zip(kept.iter().skip(7)) {
            let mut found = Vec::new();
            tries.differing(*one, *other, |key, a, b| found.push((key, a, b)));
            let get = |map: &BTreeMap<u32, u32>, key| map.get(&key).copied().unwrap_or(0);
            let expected: Vec<_> = (0..300)
                .map(|key| (key, get(ones, key), get(others, key)))
                .filter(|(_, a, b)| a != b)
                .collect();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn there_is_room_for_every_key() {
        for (keys, capacity) in [(0, 16), (16, 16), (17, 256), (257, 4096), (70_000, 1 << 20)] {
            assert_eq!(Tries::new(keys).capacity(), capacity);
        }
    }
}
