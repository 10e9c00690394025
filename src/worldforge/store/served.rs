//! A stored document in the contract's form: missing fields are filled in, unusual forms are converted,
//! unknown fields are dropped or kept.
//!
//! Reading changes nothing in the store. Unreadable list elements are left out. A document is
//! unreadable only if a required field is, or if a field has a type that the contract cannot express.
//! Knows no store.

use serde_json::{Map, Value};

use super::change::is_id;
use super::shape::{Field, IfMissing, Kind};
use super::text;

/// Which field cannot be read, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UnreadableField {
    /// As a JSON pointer.
    pub(super) pointer: String,
    /// What is expected there.
    pub(super) why: &'static str,
}

/// Which fields are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    /// Those of the contract, within its limits.
    Contract,
    /// Those that are not known, too.
    All,
}

/// Reads JSON text. Numbers that programs cannot calculate with are read as texts.
pub(super) fn parsed(text: &str) -> serde_json::Result<Value> {
    serde_json::from_str(&text::calculable(text))
}

/// A document with these fields.
pub(super) fn document(
    value: Value,
    fields: &'static [Field],
    extent: Extent,
) -> Result<Value, UnreadableField> {
    match value {
        Value::Object(members) => object(members, fields, extent).map(Value::Object),
        _ => Err(UnreadableField { pointer: String::new(), why: "an object" }),
    }
}

fn object(
    mut members: Map<String, Value>,
    fields: &'static [Field],
    extent: Extent,
) -> Result<Map<String, Value>, UnreadableField> {
    let mut read = Map::new();
    for field in fields {
        let value = members.remove(field.name).filter(|value| !value.is_null());
        let value = match value.map(|value| self::value(value, &field.kind, extent)) {
            Some(Ok(value)) => Some(value),
            None => default_of(field),
            Some(Err(unreadable)) => match field.if_missing {
                IfMissing::Refused | IfMissing::Empty => {
                    let pointer = format!("/{}{}", field.name, unreadable.pointer);
                    return Err(UnreadableField { pointer, ..unreadable });
                }
                _ => default_of(field),
            },
        };
        match (value, field.if_missing) {
            (Some(value), _) => {
                read.insert(field.name.to_owned(), value);
            }
            (None, IfMissing::Absent) => {}
            (None, _) => {
                let (pointer, why) = (format!("/{}", field.name), expected(&field.kind));
                return Err(UnreadableField { pointer, why });
            }
        }
    }
    if extent == Extent::All {
        read.extend(members);
    }
    Ok(read)
}

/// What is `known` of a document, with what else its original holds.
pub(super) fn overlaid(mut known: Value, original: Value, fields: &'static [Field]) -> Value {
    if let (Value::Object(known), Value::Object(original)) = (&mut known, original) {
        for (name, value) in original {
            match (super::shape::find(fields, &name), known.get_mut(&name)) {
                (None, _) => {
                    known.insert(name, value);
                }
                (Some(field), Some(known)) => overlay(known, value, &field.kind),
                (Some(_), None) => {}
            }
        }
    }
    known
}

fn overlay(known: &mut Value, original: Value, kind: &'static Kind) {
    match (kind, &mut *known, original) {
        (Kind::Object(fields), _, original) => {
            *known = overlaid(std::mem::take(known), original, fields);
        }
        (Kind::List(items), Value::Array(known), Value::Array(original)) => {
            for (known, original) in known.iter_mut().zip(original) {
                *known = overlaid(std::mem::take(known), original, items.fields());
            }
        }
        _ => {}
    }
}

/// The default of a missing field.
fn default_of(field: &'static Field) -> Option<Value> {
    match field.if_missing {
        IfMissing::Refused | IfMissing::Absent => None,
        IfMissing::Word(word) => Some(word.into()),
        IfMissing::Empty | IfMissing::Forgiven => empty(&field.kind),
    }
}

fn empty(kind: &'static Kind) -> Option<Value> {
    match kind {
        Kind::Text(_) => Some("".into()),
        Kind::Ids(_) | Kind::Texts | Kind::Choices(_) | Kind::List(_) => Some(Value::Array(vec![])),
        Kind::Whole(least) => Some((*least).into()),
        Kind::Moment => Some(0.into()),
        Kind::Free => Some(Value::Object(Map::new())),
        Kind::Any => Some(Value::Null),
        Kind::Object(fields) => {
            object(Map::new(), fields, Extent::Contract).ok().map(Value::Object)
        }
        Kind::Id | Kind::Label(_) | Kind::Choice(_) => None,
    }
}

fn expected(kind: &Kind) -> &'static str {
    match kind {
        Kind::Id => "an id of 24 hexadecimal digits",
        Kind::Ids(_) => "a list of ids",
        Kind::Text(_) | Kind::Label(_) => "a string",
        Kind::Texts | Kind::Choices(_) => "a list of strings",
        Kind::Whole(_) => "a number",
        Kind::Moment => "a date",
        Kind::Choice(_) => "one of the values that the contract knows",
        Kind::Free | Kind::Object(_) => "an object",
        Kind::Any => "a value",
        Kind::List(_) => "a list",
    }
}

/// One value, as what it is to be. It is not null.
pub(super) fn value(
    value: Value,
    kind: &'static Kind,
    extent: Extent,
) -> Result<Value, UnreadableField> {
    let unreadable = || UnreadableField { pointer: String::new(), why: expected(kind) };
    match kind {
        Kind::Id => id(&value).ok_or_else(unreadable),
        Kind::Text(most) => {
            let most = if extent == Extent::All { usize::MAX } else { *most };
            scalar(value).map(|text| cut(text, most).into()).ok_or_else(unreadable)
        }
        Kind::Label(most) => match scalar(value) {
            Some(text) if !text.is_empty() && text.chars().count() <= *most => Ok(text.into()),
            _ => Err(unreadable()),
        },
        Kind::Choice(words) => match value.as_str() {
            Some(word) if words.contains(&word) => Ok(value),
            _ => Err(unreadable()),
        },
        Kind::Whole(least) => whole(&value, *least).ok_or_else(unreadable),
        Kind::Moment => moment(&value).ok_or_else(unreadable),
        Kind::Any => Ok(value),
        Kind::Free => {
            if value.is_object() {
                Ok(value)
            } else {
                Err(unreadable())
            }
        }
        Kind::Object(fields) => match value {
            Value::Object(members) => object(members, fields, extent).map(Value::Object),
            _ => Err(unreadable()),
        },
        Kind::Ids(_) | Kind::Texts | Kind::Choices(_) | Kind::List(_) => {
            let most = match kind {
                Kind::Ids(most) if extent == Extent::Contract => *most,
                _ => usize::MAX,
            };
            let items = match (kind, value) {
                (_, Value::Array(items)) => items,
                // One alone: a list of one.
                (Kind::Texts, Value::String(text)) => vec![text.into()],
                _ => return Err(unreadable()),
            };
            let items = items.into_iter().filter_map(|item| element(item, kind, extent));
            Ok(items.take(most).collect())
        }
    }
}

/// An element of a list; none where it cannot be read.
pub(super) fn element(item: Value, list: &'static Kind, extent: Extent) -> Option<Value> {
    match list {
        Kind::Ids(_) => id(&item),
        Kind::Texts => scalar(item).map(Value::from),
        Kind::Choices(words) => {
            item.as_str().is_some_and(|one| words.contains(&one)).then_some(item)
        }
        Kind::List(items) => document(item, items.fields(), extent).ok(),
        _ => Some(item),
    }
}

fn id(value: &Value) -> Option<Value> {
    let text = value.as_str()?.to_ascii_lowercase();
    is_id(&text).then(|| text.into())
}

/// A number where a text belongs is that number's text.
fn scalar(value: Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(is) => Some(is.to_string()),
        _ => None,
    }
}

fn cut(text: String, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => text[..end].to_owned(),
        None => text,
    }
}

/// Programs with one kind of number write 3.0 for 3, and put a scene at 2.5 between two others.
fn whole(value: &Value, least: u64) -> Option<Value> {
    let number = match value {
        Value::String(text) => text.trim().parse::<f64>().ok()?,
        Value::Number(number) => match number.as_u64() {
            Some(whole) if i64::try_from(whole).is_ok() => return Some(whole.max(least).into()),
            _ => number.as_f64()?,
        },
        _ => return None,
    };
    let known = number.is_finite() && number < 9.0e18;
    known.then(|| (number.max(0.0) as u64).max(least).into())
}

fn moment(value: &Value) -> Option<Value> {
    match value {
        Value::Number(number) => match number.as_i64() {
            Some(_) => Some(value.clone()),
            None => number.as_f64().filter(|at| at.abs() < 9.0e18).map(|at| (at as i64).into()),
        },
        Value::String(text) => {
            let at = text.parse::<jiff::Timestamp>().ok()?;
            Some(at.as_millisecond().into())
        }
        _ => None,
    }
}

/// Whether two values are equal; numbers by value, in any form.
pub(super) fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() || b.is_f64()) && a.as_f64() == b.as_f64()
        }
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, a)| b.get(name).is_some_and(|b| same(a, b)))
        }
        _ => one == other,
    }
}

/// Which stored element each new one goes on, by their `views`; those without one cannot be read.
pub(super) fn pairs(
    views: &[Option<Value>],
    after: &[Value],
    list: &'static Kind,
) -> Vec<Option<usize>> {
    let mut pairs = vec![None; after.len()];
    let mut free: Vec<bool> = views.iter().map(Option::is_some).collect();
    let mut pair = |alike: &dyn Fn(&Value, &Value, bool) -> bool| {
        for (index, new) in after.iter().enumerate().filter(|(_, new)| !new.is_null()) {
            if pairs[index].is_some() {
                continue;
            }
            // The one at the same place, else the first.
            let places = std::iter::once(index).chain(0..views.len());
            let found = places.filter(|place| free.get(*place) == Some(&true)).find(|place| {
                views[*place].as_ref().is_some_and(|view| alike(view, new, *place == index))
            });
            if let Some(place) = found {
                free[place] = false;
                pairs[index] = Some(place);
            }
        }
    };
    pair(&|view, new, _| same(view, new));
    match list {
        Kind::List(items) => {
            for keys in items.keys {
                pair(&|view, new, _| keys.iter().all(|key| view.get(key) == new.get(key)));
            }
        }
        // Only their position tells them apart, and nothing in them is unknown.
        Kind::Any | Kind::Free => {
            pair(&|view, new, here| here && view.is_object() && new.is_object());
        }
        _ => {}
    }
    pairs
}

/// The kind of the elements of a list.
pub(super) fn items_of(list: &'static Kind) -> &'static Kind {
    match list {
        Kind::List(items) => &items.kind,
        _ => &ANY,
    }
}

/// The kind of the members and elements of something whose form is free.
pub(super) static ANY: Kind = Kind::Any;

/// The kind of a member.
pub(super) fn member(kind: &'static Kind, name: &str) -> &'static Kind {
    match kind {
        Kind::Object(fields) => super::shape::find(fields, name).map_or(&ANY, |field| &field.kind),
        _ => &ANY,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::shape::{ENTITY, NODE};
    use super::*;

    const ID: &str = "00000000000000000000000a";

    fn entity(more: Value) -> Value {
        let mut all =
            json!({"_id": ID, "tenantId": ID, "projectId": ID, "type": "ITEM", "name": "x"});
        all.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        all
    }

    #[test]
    fn missing_and_null_fields_are_filled_in() {
        let read = document(entity(json!({"summary": null})), ENTITY, Extent::Contract).unwrap();
        assert_eq!((&read["summary"], &read["tags"]), (&json!(""), &json!([])));
        assert_eq!(read["audit"]["revision"], 0);
        assert_eq!(read["version"], json!({"status": "DRAFT", "number": 1}));
    }

    #[test]
    fn a_field_of_another_type_is_reported() {
        let unreadable = document(entity(json!({"attributes": 7})), ENTITY, Extent::Contract);
        assert_eq!(
            unreadable.unwrap_err(),
            UnreadableField { pointer: "/attributes".into(), why: "an object" }
        );
        let node = json!({"_id": ID, "tenantId": ID, "projectId": ID, "nodeType": "BEAT",
            "hooks": {"foreshadow": {}}});
        let unreadable = document(node, NODE, Extent::Contract).unwrap_err();
        assert_eq!(unreadable.pointer, "/hooks/foreshadow");
    }

    #[test]
    fn unknown_fields_are_left_out_or_kept_at_every_depth() {
        let given = entity(json!({"media": 1, "audit": {"x": 2}, "relationships":
            [{"toEntityId": ID, "relType": "y", "z": 3}, {"toEntityId": "nobody", "relType": "y"}]}));
        let all = document(given.clone(), ENTITY, Extent::All).unwrap();
        assert_eq!((&all["media"], &all["audit"]["x"]), (&json!(1), &json!(2)));
        assert_eq!(all["relationships"], json!([{"toEntityId": ID, "relType": "y", "z": 3}]));
        let known = document(given, ENTITY, Extent::Contract).unwrap();
        assert!(known.get("media").is_none() && known["audit"].get("x").is_none());
        assert_eq!(known["relationships"], json!([{"toEntityId": ID, "relType": "y"}]));
    }

    #[test]
    fn elements_are_paired_by_the_closest_match() {
        let views = [
            Some(json!({"key": "a", "op": "SET", "value": 1})),
            None,
            Some(json!({"key": "a", "op": "SET", "value": 2})),
        ];
        let after = [
            json!({"key": "a", "op": "SET", "value": 2.0}),
            json!({"key": "b", "op": "SET"}),
            json!({"key": "a", "op": "SET", "value": 3}),
        ];
        let deltas = member(&Kind::Object(NODE), "worldStateDelta");
        assert_eq!(pairs(&views, &after, deltas), [Some(2), None, Some(0)]);
    }
}
