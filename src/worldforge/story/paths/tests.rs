//! Tests of path states: joins, filters, changes, and the cap.

use serde_json::{Value, json};

use super::super::condition::Condition;
use super::super::values::UNKNOWN;
use super::*;

/// Keys are numbers, values JSON.
struct World(Paths);

impl World {
    fn new() -> Self {
        let mut paths = Paths::new(Values::new(), 100);
        paths.bind(vec![true; 100]);
        Self(paths)
    }

    fn then(&mut self, state: State, key: KeyId, op: DeltaOp, value: Value) -> State {
        let value = self.0.values.intern(&value);
        self.0.advance(state, &[Step { key, op, value }]).0
    }

    fn set(&mut self, state: State, key: KeyId, value: Value) -> State {
        self.then(state, key, DeltaOp::Set, value)
    }

    fn join(&mut self, one: State, other: State) -> State {
        self.0.join(one, other).0
    }

    fn when(&mut self, state: State, key: KeyId, condition: &str) -> State {
        let test = Condition::parse(condition).unwrap().test;
        let literal = match &test {
            Test::Compare(_, literal) => self.0.values.intern(literal),
            _ => 0,
        };
        self.0.filter(state, &Atom { key, test, literal })
    }

    fn rows(&self, state: State, keys: &[KeyId]) -> Vec<Value> {
        let rows = self.0.together(state, keys);
        rows.chunks(keys.len())
            .map(|row| row.iter().map(|value| self.0.values.json(*value)).collect())
            .collect()
    }
}

#[test]
fn paths_that_agree_are_one() {
    let mut world = World::new();
    let one = world.set(State::START, 1, json!("a"));
    let other = world.set(State::START, 1, json!("a"));
    let joined = world.join(one, other);
    assert_eq!(world.rows(joined, &[1]), [json!(["a"])]);
    assert!(world.0.agreed(joined, 1).is_some());
}

#[test]
fn values_of_one_path_stay_together() {
    let mut world = World::new();
    let start = world.set(State::START, 3, json!(0));
    let left = world.set(start, 1, json!("a"));
    let left = world.set(left, 2, json!("A"));
    let right = world.set(start, 1, json!("b"));
    let joined = world.join(left, right);
    assert_eq!(world.rows(joined, &[1, 2]), [json!(["a", "A"]), json!(["b", null])]);
    assert_eq!(world.rows(joined, &[2, 3]), [json!(["A", 0]), json!([null, 0])]);
    assert!(world.0.agreed(joined, 1).is_none());
    assert!(!joined.widened);
}

#[test]
fn the_path_told_first_comes_first() {
    let mut world = World::new();
    let (a, b) = (world.set(State::START, 1, json!("b")), world.set(State::START, 1, json!("a")));
    let joined = world.join(a, b);
    let values: Vec<_> = world.0.values_of(joined, 1).map(|id| world.0.values.json(id)).collect();
    assert_eq!(values, ["b", "a"]);
}

#[test]
fn a_condition_takes_what_goes_with_it() {
    let mut world = World::new();
    let left = world.set(State::START, 1, json!("a"));
    let left = world.set(left, 2, json!(1));
    let right = world.set(State::START, 1, json!("b"));
    let right = world.set(right, 2, json!(2));
    let joined = world.join(left, right);
    let only = world.when(joined, 1, "k == \"b\"");
    assert_eq!(world.rows(only, &[1, 2]), [json!(["b", 2])]);
    assert!(world.0.agreed(only, 2).is_some());
    assert_eq!(world.when(joined, 2, "k > 0"), joined);
    assert!(!world.when(joined, 2, "k > 2").possible);
    assert!(!world.when(joined, 9, "k").possible);
    let again = world.when(joined, 1, "k == \"a\"");
    let back = world.join(only, again);
    assert_eq!(world.rows(back, &[1, 2]), [json!(["b", 2]), json!(["a", 1])]);
}

#[test]
fn a_change_is_made_on_every_path_and_can_make_them_agree() {
    let mut world = World::new();
    let left = world.set(State::START, 1, json!(1));
    let left = world.set(left, 2, json!("x"));
    let right = world.set(State::START, 1, json!(5));
    let joined = world.join(left, right);
    let counted = world.then(joined, 1, DeltaOp::Inc, json!(2));
    assert_eq!(world.rows(counted, &[1, 2]), [json!([3, "x"]), json!([7, null])]);
    let same = world.set(counted, 1, json!(0));
    assert_eq!(world.rows(same, &[1, 2]), [json!([0, "x"]), json!([0, null])]);
    assert!(world.0.agreed(same, 1).is_some());
    let all = world.set(same, 2, json!(null));
    assert_eq!(world.rows(all, &[1, 2]), [json!([0, null])]);
    assert!(world.0.agreed(all, 2).is_some());
}

#[test]
fn an_error_reports_on_how_many_paths() {
    let mut world = World::new();
    let text = world.set(State::START, 1, json!("x"));
    let joined = world.join(text, State::START);
    let value = world.0.values.intern(&json!(1));
    let steps = [DeltaOp::Inc, DeltaOp::Set].map(|op| Step { key: 1, op, value });
    assert_eq!(world.0.advance(text, &steps).1, [(0, DeltaError::WrongType, Share::All)]);
    assert_eq!(world.0.advance(joined, &steps).1, [(0, DeltaError::WrongType, Share::Some)]);
    assert_eq!(world.0.advance(State::START, &steps).1, []);
}

#[test]
fn independent_choices_do_not_multiply() {
    let mut world = World::new();
    let mut state = State::START;
    for key in 0..60 {
        let (yes, no) = (world.set(state, key, json!(true)), world.set(state, key, json!(false)));
        state = world.join(yes, no);
    }
    assert!(!state.widened);
    assert_eq!(world.rows(state, &[3, 50]).len(), 4);
    assert!(world.0.parts.iter().all(|part| part.count == 2));
}

#[test]
fn too_many_ways_fall_apart_into_values_per_key() {
    let mut world = World::new();
    let mut state = State::CLOSED;
    let mut widened_at = None;
    for n in 0..=MAX_ROWS {
        let path = world.set(State::START, 1, json!(n % 2));
        let path = world.set(path, 2, json!(n));
        let (joined, now) = world.0.join(state, path);
        state = joined;
        if now {
            widened_at = Some(n);
        }
    }
    assert_eq!(widened_at, Some(MAX_ROWS));
    assert!(state.widened);
    assert_eq!(world.0.values_of(state, 1).count(), 2);
    // More values than are stored: unknown.
    assert_eq!(world.0.values_of(state, 2).collect::<Vec<_>>(), [UNKNOWN]);
    let known = world.set(state, 2, json!(1));
    assert_eq!(world.rows(known, &[1, 2]), [json!([0, 1]), json!([1, 1])]);
}

#[test]
fn a_join_with_no_path_is_the_other() {
    let mut world = World::new();
    let one = world.set(State::START, 1, json!(1));
    assert_eq!(world.join(one, State::CLOSED), one);
    assert_eq!(world.join(State::CLOSED, one), one);
    assert!(!world.join(State::CLOSED, State::CLOSED).possible);
}

/// Every path of a random graph on its own, against the tables.
#[test]
fn tables_agree_with_single_paths() {
    type Plain = std::collections::BTreeMap<KeyId, Value>;
    let mut random = 7u32;
    let mut next = |below: u32| {
        random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (random >> 8) % below
    };
    for _ in 0..40 {
        let mut world = World::new();
        let mut nodes: Vec<(State, Vec<Plain>)> = vec![(State::START, vec![Plain::new()])];
        for _ in 0..14 {
            let from = nodes.len() as u32;
            let (a, b) = (next(from) as usize, next(from) as usize);
            let mut state = nodes[a].0;
            let mut plains = nodes[a].1.clone();
            if next(2) == 0 {
                state = world.join(state, nodes[b].0);
                plains.extend(nodes[b].1.clone());
            }
            let (key, value) = (next(4), json!(next(3)));
            if next(4) == 0 {
                state = world.when(state, key, &format!("k != {value}"));
                plains.retain(|plain| plain.get(&key) != Some(&value));
            } else {
                state = world.set(state, key, value.clone());
                for plain in &mut plains {
                    plain.insert(key, value.clone());
                }
            }
            plains.sort_by_key(|plain| json!(plain.iter().collect::<Vec<_>>()).to_string());
            plains.dedup();
            nodes.push((state, plains));
        }
        for (state, plains) in &nodes {
            assert_eq!(state.possible, !plains.is_empty());
            if !state.possible {
                continue;
            }
            let mut found: Vec<String> =
                world.rows(*state, &[0, 1, 2, 3]).iter().map(Value::to_string).collect();
            let mut expected: Vec<String> = plains
                .iter()
                .map(|plain| {
                    let row = (0..4).map(|key| plain.get(&key).cloned().unwrap_or(Value::Null));
                    Value::from_iter(row).to_string()
                })
                .collect();
            found.sort();
            expected.sort();
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn keys_that_nothing_asks_for_are_kept_apart_without_loss() {
    let mut world = World::new();
    world.0.bind(Vec::new());
    let left = world.set(State::START, 1, json!("a"));
    let left = world.set(left, 2, json!("A"));
    let right = world.set(State::START, 1, json!("b"));
    let joined = world.join(left, right);
    assert_eq!(world.0.values_of(joined, 1).count(), 2);
    assert_eq!(world.rows(joined, &[1, 2]).len(), 4);
    assert!(!joined.widened);
}

#[test]
fn many_sets_are_remembered_by_least_and_most() {
    let mut world = World::new();
    world.0.bind(Vec::new());
    let mut state = world.then(State::START, 1, DeltaOp::Add, json!("always"));
    for fact in 0..20 {
        let learned = world.then(state, 1, DeltaOp::Add, json!(format!("fact {fact}")));
        state = world.join(state, learned);
    }
    assert!(!state.widened);
    let value = world.0.agreed(state, 1).unwrap();
    let [least, most] = world.0.values.extremes(value).unwrap();
    assert_eq!(least, json!(["always"]));
    assert_eq!(most.as_array().unwrap().len(), 21);
}

#[test]
fn too_many_numbers_are_unknown() {
    let mut world = World::new();
    world.0.bind(Vec::new());
    let mut state = State::START;
    for power in 0..9 {
        let counted = world.then(state, 1, DeltaOp::Inc, json!(1 << power));
        state = world.join(state, counted);
    }
    assert!(state.widened);
    assert_eq!(world.0.agreed(state, 1), Some(UNKNOWN));
}
