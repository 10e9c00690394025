//! Tests of values and operations.

use serde_json::json;

use super::super::condition::Condition;
use super::*;

fn applied(current: Value, op: DeltaOp, operand: Value) -> Result<Value, DeltaError> {
    let mut values = Values::new();
    let (current, operand) = (values.intern(&current), values.intern(&operand));
    values.apply(current, op, operand).map(|id| values.json(id))
}

#[test]
fn equal_values_have_one_number() {
    let mut values = Values::new();
    for (one, other) in [
        (json!(3), json!(3.0)),
        (json!(["a", "b"]), json!(["b", "a"])),
        (json!({"a": 1, "b": 2}), json!({"b": 2, "a": 1})),
    ] {
        assert_eq!(values.intern(&one), values.intern(&other), "{one}");
    }
    assert_ne!(values.intern(&json!("3")), values.intern(&json!(3)));
    assert_ne!(values.intern(&json!(["a", "a"])), values.intern(&json!(["a"])));
    assert_eq!(values.intern(&json!(null)), ABSENT);
}

#[test]
fn numbers_are_counted_up_and_down() {
    use DeltaOp::{Dec, Inc};
    for (current, op, operand, result) in [
        (json!(null), Inc, json!(null), json!(1)),
        (json!(null), Dec, json!(2), json!(-2)),
        (json!(5), Dec, json!(null), json!(4)),
        (json!(1.5), Inc, json!(1.5), json!(3)),
        (json!(i64::MAX), Inc, json!(1), json!(9_223_372_036_854_775_807i64 as f64)),
    ] {
        assert_eq!(applied(current.clone(), op, operand), Ok(result), "{current}");
    }
    for (current, operand) in [
        (json!("5"), json!(1)),
        (json!(5), json!("1")),
        (json!([1]), json!(1)),
        (json!(true), json!(1)),
    ] {
        assert_eq!(applied(current.clone(), Inc, operand), Err(DeltaError::WrongType), "{current}");
    }
}

#[test]
fn sets_take_an_element_once_and_are_shown_sorted() {
    use DeltaOp::{Add, Remove};
    for (current, op, operand, result) in [
        (json!(null), Add, json!("a"), Ok(json!(["a"]))),
        (json!(["b", "a"]), Add, json!("a"), Ok(json!(["a", "b"]))),
        (json!(["b"]), Add, json!(["c", "a"]), Ok(json!(["a", "b", "c"]))),
        (json!(["a", "a"]), Add, json!("b"), Ok(json!(["a", "b"]))),
        (json!(["a", "b"]), Remove, json!("a"), Ok(json!(["b"]))),
        (json!(["a"]), Remove, json!("a"), Ok(json!([]))),
        (json!(["a"]), Remove, json!("b"), Err(DeltaError::NothingToRemove)),
        (json!(null), Remove, json!("b"), Err(DeltaError::NothingToRemove)),
        (json!("a"), Add, json!("b"), Err(DeltaError::WrongType)),
        (json!(1), Remove, json!(1), Err(DeltaError::WrongType)),
        (json!([]), Add, json!(null), Err(DeltaError::WrongType)),
    ] {
        assert_eq!(applied(current.clone(), op, operand), result, "{current} {op:?}");
    }
}

#[test]
fn the_unknown_stays_unknown_until_it_is_set() {
    let mut values = Values::new();
    let one = values.intern(&json!(1));
    assert_eq!(values.apply(UNKNOWN, DeltaOp::Inc, one), Ok(UNKNOWN));
    assert_eq!(values.apply(UNKNOWN, DeltaOp::Remove, one), Ok(UNKNOWN));
    assert_eq!(values.apply(UNKNOWN, DeltaOp::Set, one), Ok(one));
    assert_eq!(values.passes(UNKNOWN, &Test::Truthy, ABSENT), None);
}

#[test]
fn many_sets_can_be_one_value() {
    let mut values = Values::new();
    let [a, b, c] = ["a", "b", "c"].map(|text| values.intern(&json!(text)));
    let sets = [json!(["a"]), json!(["b", "a"])].map(|set| values.intern(&set));
    let some = values.between(&sets).unwrap();
    let has = |values: &Values, id| [a, b, c].map(|each| values.contains(id, each));
    assert_eq!(has(&values, some), [Some(true), None, Some(false)]);
    assert_eq!(values.extremes(some), Some([json!(["a"]), json!(["a", "b"])]));
    let added = values.apply(some, DeltaOp::Add, c).unwrap();
    assert_eq!(has(&values, added), [Some(true), None, Some(true)]);
    let removed = values.apply(added, DeltaOp::Remove, b).unwrap();
    assert_eq!(has(&values, removed), [Some(true), Some(false), Some(true)]);
    assert_eq!(values.apply(some, DeltaOp::Remove, c), Err(DeltaError::NothingToRemove));
    assert_eq!(values.apply(some, DeltaOp::Add, a), Ok(some));
    let wider = values.between(&[some, ABSENT]).unwrap();
    assert_eq!(has(&values, wider), [None, None, Some(false)]);
    assert_eq!(values.between(&[a, sets[0]]), None);
    assert_eq!(values.passes(some, &Test::Truthy, ABSENT), None);
}

#[test]
fn conditions_hold_or_do_not() {
    let mut values = Values::new();
    for (value, condition, expected) in [
        (json!(null), "k", false),
        (json!(null), "!k", true),
        (json!(0), "k", false),
        (json!(""), "k", false),
        (json!([]), "k", false),
        (json!({}), "k", true),
        (json!("a"), "k", true),
        (json!(3.0), "k == 3", true),
        (json!(null), "k == 3", false),
        (json!(null), "k != 3", true),
        (json!(null), "k == null", true),
        (json!(2), "k < 3", true),
        (json!(3), "k < 3", false),
        (json!(3), "k <= 3", true),
        (json!("3"), "k > 1", false),
        (json!(null), "k < 3", false),
        (json!("b"), "k > \"a\"", true),
        (json!(["a", "b"]), "k contains \"b\"", true),
        (json!(["ab"]), "k contains \"b\"", false),
        (json!("ab"), "k contains \"b\"", true),
        (json!([1, 1]), "k contains 1", true),
        (json!(null), "k contains 1", false),
        (json!(["b", "a"]), "k == [\"a\",\"b\"]", true),
    ] {
        let test = Condition::parse(condition).unwrap().test;
        let literal = match &test {
            Test::Compare(_, literal) => values.intern(literal),
            _ => ABSENT,
        };
        let id = values.intern(&value);
        assert_eq!(values.passes(id, &test, literal), Some(expected), "{value} {condition}");
    }
}
