//! Compares types, enums, bounds, patterns and formats.

use std::cmp::Ordering;

use serde_json::Value;

use super::super::change::show;
use super::super::recorder::At;
use super::super::rules::schemas as rules;
use super::view::{Held, Schema};
use super::{Anchor, Context, Walk};

/// Bounds that take more away the higher they are.
const LOWER: [&str; 5] = ["minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"];
/// Bounds that take more away the lower they are.
const UPPER: [&str; 5] = ["maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"];

impl<'a> Walk<'_, 'a> {
    /// Everything but words, default and null.
    pub(super) fn core(
        &mut self,
        anchor: &Anchor,
        old: &Schema<'a>,
        new: &Schema<'a>,
        context: Context,
    ) {
        let (before, after) = (old.kind(), new.kind());
        if before != after {
            let (rules, message) = match (before, after) {
                ("anything", _) | ("number", "integer") => (rules::NARROWER_TYPE, "is narrower"),
                (_, "anything") | ("integer", "number") => (rules::WIDER_TYPE, "is wider"),
                _ => (rules::OTHER_TYPE, "changes"),
            };
            let message = format!("the type of {} {message}", self.name(anchor));
            let key = if new.entry("type").is_some() { "type" } else { "oneOf" };
            self.keyword(rules, anchor, old, new, key, message)
                .values(before.to_owned(), after.to_owned());
            if differ(before, after) {
                return;
            }
        }
        self.choices(anchor, old, new);
        self.bounds(anchor, old, new);
        self.texts(anchor, old, new);
        match after {
            "array" => {
                if let (Some(before), Some(after)) = (old.entry("items"), new.entry("items")) {
                    let anchor = anchor.each("items", "[]");
                    let (old, new) = (Held::of(before), Held::of(after));
                    self.compare(&anchor, old, new, Context::default());
                }
            }
            "object" => self.object(anchor, old, new, context),
            "one of several objects" => self.union(anchor, old, new),
            _ => {}
        }
    }

    fn choices(&mut self, anchor: &Anchor, old: &Schema<'a>, new: &Schema<'a>) {
        let (before, after) = (old.choices(), new.choices());
        if before == after {
            return;
        }
        let whole = |choices: &Option<Vec<Value>>| match choices {
            Some(values) => values.iter().map(show).collect::<Vec<_>>().join(", "),
            None => "any".to_owned(),
        };
        let missing = |from: &Option<Vec<Value>>, there: &Option<Vec<Value>>| -> Vec<Value> {
            let (Some(from), Some(there)) = (from, there) else { return Vec::new() };
            from.iter().filter(|value| !there.contains(value)).cloned().collect()
        };
        let (gone, come) = (missing(&before, &after), missing(&after, &before));
        let listed = |values: &[Value]| values.iter().map(show).collect::<Vec<_>>().join(", ");
        let name = self.name(anchor);
        let key =
            if new.entry("const").or(old.entry("const")).is_some() { "const" } else { "enum" };
        if before.is_none() || !gone.is_empty() {
            let message = match gone.as_slice() {
                [] => format!("{name} is now limited to certain values"),
                gone => format!("{name} can no longer be {}", listed(gone)),
            };
            let places = [choice_at(old, &gone), new.at(key)];
            let place = (anchor.subject.as_str(), anchor.keyword(key));
            self.report(rules::FEWER_VALUES, place, places, message)
                .values(whole(&before), whole(&after));
        }
        if after.is_none() || !come.is_empty() {
            let message = match come.as_slice() {
                [] => format!("{name} is no longer limited to certain values"),
                come => format!("{name} can also be {}", listed(come)),
            };
            let places = [old.at(key), choice_at(new, &come)];
            let place = (anchor.subject.as_str(), anchor.keyword(key));
            self.report(rules::MORE_VALUES, place, places, message)
                .values(whole(&before), whole(&after));
        }
    }

    fn bounds(&mut self, anchor: &Anchor, old: &Schema<'a>, new: &Schema<'a>) {
        for key in LOWER.into_iter().chain(UPPER) {
            let (before, after) = (old.value(key), new.value(key));
            let tighter = match order(before.as_ref(), after.as_ref(), key) {
                Ordering::Equal => continue,
                Ordering::Less => LOWER.contains(&key),
                Ordering::Greater => UPPER.contains(&key),
            };
            self.bound(anchor, old, new, key, tighter);
        }
        let unique = |schema: &Schema<'_>| schema.value("uniqueItems") == Some(true.into());
        if unique(old) != unique(new) {
            self.bound(anchor, old, new, "uniqueItems", unique(new));
        }
        let (before, after) = (old.value("multipleOf"), new.value("multipleOf"));
        if before != after {
            // A divisor of the old step takes all that the old step took.
            let number = |value: &Option<Value>| value.as_ref().and_then(Value::as_f64);
            let looser = match (number(&before), number(&after)) {
                (Some(before), Some(after)) => after != 0.0 && before % after == 0.0,
                (_, after) => after.is_none(),
            };
            self.bound(anchor, old, new, "multipleOf", !looser);
        }
    }

    fn bound(
        &mut self,
        anchor: &Anchor,
        old: &Schema<'a>,
        new: &Schema<'a>,
        key: &str,
        tighter: bool,
    ) {
        let (rules, word) = match tighter {
            true => (rules::TIGHTER_BOUND, "tighter"),
            false => (rules::LOOSER_BOUND, "looser"),
        };
        let message = format!("`{key}` of {} is {word}", self.name(anchor));
        let shown = |schema: &Schema<'_>| schema.value(key).as_ref().map(show);
        self.keyword(rules, anchor, old, new, key, message).values(shown(old), shown(new));
    }

    fn texts(&mut self, anchor: &Anchor, old: &Schema<'a>, new: &Schema<'a>) {
        let pattern = [rules::NEW_PATTERN, rules::OTHER_PATTERN, rules::NO_PATTERN];
        let format = [rules::NEW_FORMAT, rules::OTHER_FORMAT, rules::NO_FORMAT];
        for (key, [added, changed, removed]) in [("pattern", pattern), ("format", format)] {
            let (before, after) = (old.value(key), new.value(key));
            if before == after {
                continue;
            }
            let name = self.name(anchor);
            let (rules, message) = match (&before, &after) {
                (None, _) => (added, format!("{name} now has a {key}")),
                (_, None) => (removed, format!("{name} no longer has a {key}")),
                _ => (changed, format!("the {key} of {name} changes")),
            };
            self.keyword(rules, anchor, old, new, key, message)
                .values(before.as_ref().map(show), after.as_ref().map(show));
        }
    }
}

/// Types that share nothing to compare further.
pub(super) fn differ(before: &str, after: &str) -> bool {
    let numbers = |kind: &str| matches!(kind, "number" | "integer");
    before != after && !(numbers(before) && numbers(after))
}

/// Location of the first of some listed values.
fn choice_at(schema: &Schema<'_>, values: &[Value]) -> At {
    let element = super::elements(schema, "enum")
        .iter()
        .find(|node| values.first().is_some_and(|value| node.to_value() == *value));
    match element {
        Some(node) => At { place: node.place, present: true },
        None if schema.entry("const").is_some() => schema.at("const"),
        None => schema.at("enum"),
    }
}

/// How the new bound lies to the old one: `Less` where the old one is less.
fn order(old: Option<&Value>, new: Option<&Value>, key: &str) -> Ordering {
    let number = |value: Option<&Value>| -> f64 {
        let given = value.and_then(Value::as_f64);
        let nothing = match key {
            "minLength" | "minItems" | "minProperties" => 0.0,
            key if LOWER.contains(&key) => f64::NEG_INFINITY,
            _ => f64::INFINITY,
        };
        given.unwrap_or(nothing)
    };
    // Integers beyond the precision of floats are compared as integers.
    if let (Some(old), Some(new)) = (old.and_then(Value::as_i64), new.and_then(Value::as_i64)) {
        return old.cmp(&new);
    }
    number(old).partial_cmp(&number(new)).unwrap_or(Ordering::Equal)
}
