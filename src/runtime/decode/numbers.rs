//! Integers written with a fraction: `42.0` is an integer in JSON Schema, but not in serde.

use serde_json::{Number, Value};

/// Beyond 2^53 a double cannot represent every integer.
const EXACT: f64 = 9_007_199_254_740_992.0;

/// Rewrites every `42.0` to `42`, at any depth.
pub(super) fn integral_floats_to_integers(value: &mut Value) {
    match value {
        Value::Number(number) => {
            if let Some(integer) = number.as_f64().filter(|_| number.is_f64()).and_then(exact) {
                *value = Value::Number(Number::from(integer));
            }
        }
        Value::Array(items) => items.iter_mut().for_each(integral_floats_to_integers),
        Value::Object(members) => members.values_mut().for_each(integral_floats_to_integers),
        _ => {}
    }
}

fn exact(float: f64) -> Option<i64> {
    let whole = float.fract() == 0.0 && float.abs() <= EXACT;
    #[allow(clippy::cast_possible_truncation)] // whole and within ±2^53
    whole.then_some(float as i64)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::integral_floats_to_integers;

    #[test]
    fn rewrites_whole_numbers_only() {
        let mut value = json!({"a": 42.0, "b": [-0.0, 1.5, 1e300], "c": "1.0", "d": 7});
        integral_floats_to_integers(&mut value);
        assert_eq!(value.to_string(), r#"{"a":42,"b":[0,1.5,1e+300],"c":"1.0","d":7}"#);
    }
}
