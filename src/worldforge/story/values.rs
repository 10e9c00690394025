//! World values, each stored once, and the operations of a delta on them.
//!
//! Equal values have equal numbers, so that states are compared by number. Lists are sets: an element
//! is in them once, and they are shown sorted. Knows no keys and no paths.

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use serde_json::{Number, Value};

use super::condition::{Comparison, Test};
use crate::model::DeltaOp;

/// The number of a value.
pub(crate) type ValueId = u32;

/// No value.
pub(crate) const ABSENT: ValueId = 0;
/// A value that too many paths disagree about; it asserts nothing and breaks no rule.
pub(crate) const UNKNOWN: ValueId = 1;

/// Why an operation did nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum DeltaError {
    /// The value, or the operand, is of a kind that the operation cannot work with.
    WrongType,
    /// There was nothing to take away.
    NothingToRemove,
}

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Stored {
    Unknown,
    One(Value),
    /// Sorted by number.
    Set(Arc<[ValueId]>),
    /// Some set that has all of the first and nothing but the second, both sorted.
    Between(Arc<[ValueId]>, Arc<[ValueId]>),
}

/// Every value that occurred so far.
#[derive(Debug)]
pub(crate) struct Values {
    stored: Vec<Stored>,
    /// The last value of each hash.
    hashed: HashMap<u64, ValueId>,
    /// For each value the one before it that has the same hash; [`ABSENT`] where there is none.
    alike: Vec<ValueId>,
}

impl Values {
    pub(crate) fn new() -> Self {
        let stored = vec![Stored::One(Value::Null), Stored::Unknown];
        Self { stored, hashed: HashMap::new(), alike: vec![ABSENT; 2] }
    }

    /// The number of a value; null is no value.
    pub(crate) fn intern(&mut self, value: &Value) -> ValueId {
        if let Value::Array(elements) = value {
            let mut set: Vec<ValueId> = elements.iter().map(|each| self.intern(each)).collect();
            set.sort_unstable();
            set.dedup();
            if set.len() == elements.len() && !set.contains(&ABSENT) {
                return self.number(Stored::Set(set.into()));
            }
        }
        self.number(Stored::One(whole(value)))
    }

    fn number(&mut self, stored: Stored) -> ValueId {
        if stored == Stored::One(Value::Null) {
            return ABSENT;
        }
        let number = self.stored.len() as ValueId;
        let last = self.hashed.entry(hash(&stored)).or_insert(ABSENT);
        let mut at = *last;
        while at != ABSENT {
            if self.stored[at as usize] == stored {
                return at;
            }
            at = self.alike[at as usize];
        }
        self.alike.push(*last);
        *last = number;
        self.stored.push(stored);
        number
    }

    /// The value itself; null where there is none.
    pub(crate) fn json(&self, id: ValueId) -> Value {
        match self.get(id) {
            Stored::Unknown => Value::Null,
            Stored::One(value) => value.clone(),
            Stored::Set(set) | Stored::Between(set, _) => self.list(set),
        }
    }

    fn list(&self, set: &[ValueId]) -> Value {
        let mut elements: Vec<Value> = set.iter().map(|each| self.json(*each)).collect();
        elements.sort_by_cached_key(|value| match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        });
        Value::Array(elements)
    }

    /// For a value that represents many sets: the smallest and the largest.
    pub(crate) fn extremes(&self, id: ValueId) -> Option<[Value; 2]> {
        match self.get(id) {
            Stored::Between(least, most) => Some([self.list(least), self.list(most)]),
            _ => None,
        }
    }

    /// One value for many sets: what all have, and what some have. `None` where one is no set.
    pub(crate) fn between(&mut self, sets: &[ValueId]) -> Option<ValueId> {
        let mut extremes: Option<(Vec<ValueId>, Vec<ValueId>)> = None;
        for &set in sets {
            let (least, most) = match self.get(set) {
                Stored::Set(set) => (&set[..], &set[..]),
                Stored::Between(least, most) => (&least[..], &most[..]),
                Stored::One(Value::Null) => (&[][..], &[][..]),
                Stored::One(_) | Stored::Unknown => return None,
            };
            match &mut extremes {
                None => extremes = Some((least.to_vec(), most.to_vec())),
                Some((all, some)) => {
                    all.retain(|each| least.binary_search(each).is_ok());
                    some.extend(most);
                    some.sort_unstable();
                    some.dedup();
                }
            }
        }
        let (least, most) = extremes?;
        Some(self.number(Stored::Between(least.into(), most.into())))
    }

    /// The text, where it is one.
    pub(crate) fn text(&self, id: ValueId) -> Option<&str> {
        match self.get(id) {
            Stored::One(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    /// The elements of a set, even those that it only may have; none of anything else.
    pub(crate) fn elements(&self, id: ValueId) -> &[ValueId] {
        match self.get(id) {
            Stored::Set(set) | Stored::Between(_, set) => set,
            _ => &[],
        }
    }

    /// Whether it is known to be `false`.
    pub(crate) fn is_false(&self, id: ValueId) -> bool {
        *self.get(id) == Stored::One(Value::Bool(false))
    }

    fn get(&self, id: ValueId) -> &Stored {
        &self.stored[id as usize]
    }

    /// Applies an operation to a value; on an error the value stays as it was.
    pub(crate) fn apply(
        &mut self,
        current: ValueId,
        op: DeltaOp,
        operand: ValueId,
    ) -> Result<ValueId, DeltaError> {
        match op {
            DeltaOp::Set => Ok(operand),
            _ if current == UNKNOWN => Ok(UNKNOWN),
            DeltaOp::Inc => self.moved(current, operand, 1),
            DeltaOp::Dec => self.moved(current, operand, -1),
            DeltaOp::Add | DeltaOp::Remove => self.edited(current, operand, op == DeltaOp::Add),
        }
    }

    fn moved(&mut self, current: ValueId, by: ValueId, sign: i64) -> Result<ValueId, DeltaError> {
        let read = |id, default: i64| match self.get(id) {
            Stored::One(Value::Null) => Ok(Number::from(default)),
            Stored::One(Value::Number(number)) => Ok(number.clone()),
            _ => Err(DeltaError::WrongType),
        };
        let (current, by) = (read(current, 0)?, read(by, 1)?);
        let exact = match (current.as_i64(), by.as_i64()) {
            (Some(current), Some(by)) => {
                by.checked_mul(sign).and_then(|by| current.checked_add(by)).map(Number::from)
            }
            _ => None,
        };
        let sum = exact.or_else(|| {
            let (current, by) = (current.as_f64()?, by.as_f64()?);
            Number::from_f64(current + by * sign as f64)
        });
        Ok(self.intern(&Value::Number(sum.ok_or(DeltaError::WrongType)?)))
    }

    fn edited(&mut self, current: ValueId, by: ValueId, add: bool) -> Result<ValueId, DeltaError> {
        if by == ABSENT {
            return Err(DeltaError::WrongType);
        }
        let operands = match self.get(by) {
            Stored::Set(several) => several.to_vec(),
            _ => vec![by],
        };
        if let Stored::Between(least, most) = self.get(current) {
            let (mut least, mut most) = (least.to_vec(), most.to_vec());
            let (all, some) = (edit(&mut least, &operands, add), edit(&mut most, &operands, add));
            return match all || some {
                true => Ok(self.number(Stored::Between(least.into(), most.into()))),
                false if add => Ok(current),
                false => Err(DeltaError::NothingToRemove),
            };
        }
        let mut set = match self.get(current) {
            Stored::Set(set) => set.to_vec(),
            Stored::One(Value::Null) => Vec::new(),
            Stored::One(Value::Array(elements)) => {
                let elements = elements.clone();
                let mut set: Vec<_> = elements.iter().map(|each| self.intern(each)).collect();
                set.sort_unstable();
                set.dedup();
                set
            }
            _ => return Err(DeltaError::WrongType),
        };
        if !edit(&mut set, &operands, add) && !add {
            return Err(DeltaError::NothingToRemove);
        }
        Ok(self.number(Stored::Set(set.into())))
    }

    /// Whether a value passes a test, whose literal has the number `literal`. `None`: unknown.
    pub(crate) fn passes(&self, id: ValueId, test: &Test, literal: ValueId) -> Option<bool> {
        if id == UNKNOWN {
            return None;
        }
        Some(match test {
            Test::Compare(Comparison::Contains, _) => return self.contains(id, literal),
            _ if matches!(self.get(id), Stored::Between(..)) => return None,
            Test::Truthy => self.truthy(id),
            Test::Falsy => !self.truthy(id),
            Test::Compare(Comparison::Equal, _) => id == literal,
            Test::Compare(Comparison::Different, _) => id != literal,
            Test::Compare(comparison, _) => self.ordered(id, *comparison, literal),
        })
    }

    fn truthy(&self, id: ValueId) -> bool {
        match self.get(id) {
            Stored::Unknown => false,
            Stored::Set(set) | Stored::Between(set, _) => !set.is_empty(),
            Stored::One(value) => match value {
                Value::Null | Value::Bool(false) => false,
                Value::Number(number) => number.as_f64() != Some(0.0),
                Value::String(text) => !text.is_empty(),
                Value::Array(elements) => !elements.is_empty(),
                Value::Bool(true) | Value::Object(_) => true,
            },
        }
    }

    /// Whether a set has an element, or a text a part. `None`: unknown.
    pub(crate) fn contains(&self, id: ValueId, element: ValueId) -> Option<bool> {
        Some(match (self.get(id), self.get(element)) {
            (Stored::Unknown, _) => return None,
            (Stored::Set(set), _) => set.binary_search(&element).is_ok(),
            (Stored::Between(least, most), _) => {
                let has = least.binary_search(&element).is_ok();
                if !has && most.binary_search(&element).is_ok() {
                    return None;
                }
                has
            }
            (Stored::One(Value::Array(all)), Stored::One(element)) => all.contains(element),
            (Stored::One(Value::String(text)), Stored::One(Value::String(part))) => {
                text.contains(part)
            }
            _ => false,
        })
    }

    fn ordered(&self, id: ValueId, comparison: Comparison, literal: ValueId) -> bool {
        let order = match (self.get(id), self.get(literal)) {
            (Stored::One(Value::Number(one)), Stored::One(Value::Number(other))) => {
                one.as_f64().partial_cmp(&other.as_f64())
            }
            (Stored::One(Value::String(one)), Stored::One(Value::String(other))) => {
                Some(one.cmp(other))
            }
            _ => None,
        };
        order.is_some_and(|order| match comparison {
            Comparison::Less => order.is_lt(),
            Comparison::AtMost => order.is_le(),
            Comparison::More => order.is_gt(),
            Comparison::AtLeast => order.is_ge(),
            Comparison::Equal | Comparison::Different | Comparison::Contains => false,
        })
    }
}

fn hash(stored: &Stored) -> u64 {
    // Sets are created all the time; mixing their numbers is quick and good enough.
    let mixed = |seed: u64, set: &[ValueId]| {
        set.iter().fold(seed, |hash, element| {
            (hash.rotate_left(5) ^ u64::from(*element)).wrapping_mul(0x517c_c1b7_2722_0a95)
        })
    };
    match stored {
        Stored::Set(set) => mixed(1, set),
        Stored::Between(least, most) => mixed(mixed(2, least), most),
        Stored::One(_) | Stored::Unknown => {
            let mut hasher = DefaultHasher::new();
            stored.hash(&mut hasher);
            hasher.finish()
        }
    }
}

/// Puts elements into a sorted set or takes them out; whether that changed it.
fn edit(set: &mut Vec<ValueId>, elements: &[ValueId], add: bool) -> bool {
    let before = set.len();
    for element in elements {
        match (set.binary_search(element), add) {
            (Err(at), true) => set.insert(at, *element),
            (Ok(at), false) => {
                set.remove(at);
            }
            _ => {}
        }
    }
    set.len() != before
}

/// The same value, with `3` for `3.0`.
fn whole(value: &Value) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match value {
        Value::Number(number) if number.is_f64() => match number.as_f64() {
            Some(float) if float.fract() == 0.0 && float.abs() <= EXACT => {
                Value::from(float as i64)
            }
            _ => value.clone(),
        },
        _ => value.clone(),
    }
}

#[cfg(test)]
mod tests;
