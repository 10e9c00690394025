//! Edits JSON text in place: unchanged parts keep every byte, such as `1.0`, `1e400`, the order of
//! members and the whitespace.
//!
//! Works on text that was parsed before. Knows no store.

use std::borrow::Cow;
use std::ops::Range;

use serde_json::{Map, Value};

use super::served::{self, Extent, member, pairs, same};
use super::shape::{Field, Kind};

/// `stored` with the difference between `before` and `after`. None where something is no JSON.
pub(super) fn merged(
    stored: &str,
    before: &Value,
    after: &Value,
    fields: &'static [Field],
) -> Option<String> {
    object(stored.trim(), before, after, &|name| {
        super::shape::find(fields, name).map_or(&served::ANY, |field| &field.kind)
    })
}

/// A value that is to be `after`.
fn value(
    stored: &str,
    before: Option<&Value>,
    after: &Value,
    kind: &'static Kind,
) -> Option<String> {
    if before.is_some_and(|before| same(before, after)) {
        return Some(stored.to_owned());
    }
    match (stored.as_bytes().first(), after) {
        (Some(b'{'), Value::Object(_)) => {
            let before = before.filter(|before| before.is_object());
            let none = Value::Object(Map::new());
            object(stored, before.unwrap_or(&none), after, &|name| member(kind, name))
        }
        (Some(b'['), Value::Array(after)) => list(stored, after, kind),
        _ => Some(after.to_string()),
    }
}

fn object(
    stored: &str,
    before: &Value,
    after: &Value,
    kind_of: &dyn Fn(&str) -> &'static Kind,
) -> Option<String> {
    let (before, after) = (before.as_object()?, after.as_object()?);
    let changed = |name: &str| match (before.get(name), after.get(name)) {
        (Some(before), Some(after)) => !same(before, after),
        (None, None) => false,
        _ => true,
    };
    let members = members(stored)?;
    let mut text = String::from("{");
    let mut end = 1;
    let mut first = true;
    let mut seen = Vec::new();
    for (name, key, place) in members {
        let gap = stored.get(end..key.start)?;
        end = place.end;
        let known = changed(&name);
        if known && !after.contains_key(&name) {
            seen.push(name);
            continue;
        }
        // Without the comma of members before it that are gone.
        let gap = if first && !seen.is_empty() { gap.trim_start_matches([',', ' ']) } else { gap };
        text.push_str(gap);
        first = false;
        text.push_str(stored.get(key.start..place.start)?);
        let value_text = stored.get(place)?;
        match after.get(&name).filter(|_| known) {
            Some(after) => {
                text.push_str(&value(value_text, before.get(&name), after, kind_of(&name))?);
            }
            None => text.push_str(value_text),
        }
        seen.push(name);
    }
    for (name, new) in after.iter().filter(|(name, _)| changed(name) && !seen.contains(name)) {
        if !first {
            text.push(',');
        }
        first = false;
        text.push_str(&format!("{}:{new}", Value::from(name.as_str())));
    }
    text.push_str(stored.get(end..)?);
    Some(text)
}

fn list(stored: &str, after: &[Value], kind: &'static Kind) -> Option<String> {
    let places = items(stored)?;
    let view = |place: &Range<usize>| -> Option<Value> {
        served::element(served::parsed(stored.get(place.clone())?).ok()?, kind, Extent::Contract)
    };
    let views: Vec<Option<Value>> = places.iter().map(view).collect();
    let inner = served::items_of(kind);
    let mut new: Vec<(Option<usize>, String)> = Vec::new();
    for (after, pair) in after.iter().zip(pairs(&views, after, kind)) {
        let text = match pair {
            Some(index) => {
                value(stored.get(places[index].clone())?, views[index].as_ref(), after, inner)?
            }
            None => after.to_string(),
        };
        new.push((pair, text));
    }
    // What cannot be read is not the caller's to remove.
    for (index, place) in places.iter().enumerate().filter(|(index, _)| views[*index].is_none()) {
        let text = stored.get(place.clone())?.to_owned();
        new.insert(index.min(new.len()), (Some(index), text));
    }
    let mut text = String::from("[");
    let mut last: Option<usize> = None;
    for (position, (index, item)) in new.iter().enumerate() {
        // The space that was between these two.
        let gap = match (position, last, index) {
            (0, _, Some(0)) => stored.get(1..places[0].start)?,
            (0, ..) => "",
            (_, Some(last), Some(index)) if last + 1 == *index => {
                stored.get(places[last].end..places[*index].start)?
            }
            _ => ",",
        };
        text.push_str(gap);
        text.push_str(item);
        last = *index;
    }
    let tail = match (last, places.last()) {
        (Some(last), Some(place)) if last + 1 == places.len() => stored.get(place.end..)?,
        _ => "]",
    };
    text.push_str(tail);
    Some(text)
}

/// Name, place of the name and place of the value.
type Member = (String, Range<usize>, Range<usize>);

/// Every member of an object.
fn members(text: &str) -> Option<Vec<Member>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = blank(bytes, 1);
    while bytes.get(at)? != &b'}' {
        let key = at..skip(bytes, at)?;
        let start = blank(bytes, blank(bytes, key.end) + 1);
        let end = skip(bytes, start)?;
        found.push((serde_json::from_str(text.get(key.clone())?).ok()?, key, start..end));
        at = blank(bytes, end);
        if bytes.get(at)? == &b',' {
            at = blank(bytes, at + 1);
        }
    }
    Some(found)
}

/// Place of every element.
fn items(text: &str) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = blank(bytes, 1);
    while bytes.get(at)? != &b']' {
        let end = skip(bytes, at)?;
        found.push(at..end);
        at = blank(bytes, end);
        if bytes.get(at)? == &b',' {
            at = blank(bytes, at + 1);
        }
    }
    Some(found)
}

fn blank(bytes: &[u8], from: usize) -> usize {
    let space = |byte: &&u8| matches!(byte, b' ' | b'\n' | b'\r' | b'\t');
    from + bytes.iter().skip(from).take_while(space).count()
}

/// The end of the value that begins at `from`.
fn skip(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => at = string(bytes, at)?,
            b'{' | b'[' => {
                depth += 1;
                at += 1;
            }
            b'}' | b']' => {
                depth = depth.checked_sub(1)?;
                at += 1;
            }
            // Between elements, while there are any.
            b',' | b':' | b' ' | b'\n' | b'\r' | b'\t' if depth > 0 => at += 1,
            _ => at = literal(bytes, at)?,
        }
        if depth == 0 {
            return Some(at);
        }
    }
}

fn string(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn literal(bytes: &[u8], from: usize) -> Option<usize> {
    let part = |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.');
    match bytes.iter().skip(from).take_while(part).count() {
        0 => None,
        length => Some(from + length),
    }
}

/// The text with quotes around whole numbers of more than 64 bits, and numbers beyond any `f64`.
pub(super) fn calculable(text: &str) -> Cow<'_, str> {
    let bytes = text.as_bytes();
    let mut new = String::new();
    let (mut at, mut kept) = (0, 0);
    while let Some(byte) = bytes.get(at) {
        let end = match byte {
            b'"' => string(bytes, at),
            b'-' | b'0'..=b'9' => literal(bytes, at),
            _ => Some(at + 1),
        };
        let Some(end) = end else { break };
        let is_number = matches!(byte, b'-' | b'0'..=b'9');
        if let Some(number) = text.get(at..end).filter(|_| is_number)
            && match number.contains(['.', 'e', 'E']) {
                true => number.parse::<f64>().is_ok_and(f64::is_infinite),
                false => number.parse::<i64>().is_err(),
            }
        {
            new.push_str(text.get(kept..at).unwrap_or_default());
            new.push_str(&format!("\"{number}\""));
            kept = end;
        }
        at = end;
    }
    match kept {
        0 => text.into(),
        _ => (new + text.get(kept..).unwrap_or_default()).into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::shape::NODE;
    use super::*;

    fn put(stored: &str, before: Value, after: Value) -> String {
        merged(stored, &before, &after, NODE).unwrap()
    }

    #[test]
    fn unchanged_text_keeps_every_byte() {
        let stored = "{ \"x\" : 1e400, \"title\":\"a\", \"n\\u0041\":[1.0 , 2.50] }";
        let after = put(stored, json!({"title": "a"}), json!({"title": "b"}));
        assert_eq!(after, stored.replace("\"a\"", "\"b\""));
        assert_eq!(put(stored, json!({"title": "a"}), json!({"title": "a"})), stored);
    }

    #[test]
    fn members_come_and_go() {
        let stored = r#"{"synopsis":"x", "y":1,"title":"a"}"#;
        let before = json!({"synopsis": "x", "title": "a"});
        assert_eq!(put(stored, before.clone(), json!({"title": "a"})), r#"{"y":1,"title":"a"}"#);
        assert_eq!(
            put(stored, before.clone(), json!({"synopsis": "x"})),
            r#"{"synopsis":"x", "y":1}"#
        );
        let more = json!({"synopsis": "x", "title": "a", "chapterNodeId": "c"});
        let after = put(stored, before, more);
        assert_eq!(after, r#"{"synopsis":"x", "y":1,"title":"a","chapterNodeId":"c"}"#);
        assert_eq!(put("{}", json!({}), json!({"title": "a"})), r#"{"title":"a"}"#);
        assert_eq!(put(r#"{"title":"a"}"#, json!({"title": "a"}), json!({})), "{}");
    }

    #[test]
    fn elements_keep_what_is_not_known_of_them() {
        let stored = r#"{"worldStateDelta":[ {"key":"a","op":"SET","value":1.0,"z":1e400} , 7, {"key":"b","op":"INC"} ]}"#;
        let (a, b) = (
            json!({"key": "a", "op": "SET", "value": 1.0}),
            json!({"key": "b", "op": "INC", "value": null}),
        );
        let before = json!({"worldStateDelta": [a, b]});
        let after = json!({"worldStateDelta": [b, {"key": "a", "op": "SET", "value": 2}]});
        assert_eq!(
            put(stored, before.clone(), after),
            r#"{"worldStateDelta":[{"key":"b","op":"INC"},7,{"key":"a","op":"SET","value":2,"z":1e400}]}"#
        );
        let longer = json!({"worldStateDelta": [a, b, {"key": "c", "op": "INC"}]});
        assert_eq!(
            put(stored, before, longer),
            stored.replace(" ]}", r#",{"key":"c","op":"INC"}]}"#)
        );
    }

    #[test]
    fn numbers_beyond_all_are_read_as_texts() {
        let text = r#"{"a":[1e400,-1e999,1.5],"b":"1e400"}"#;
        assert_eq!(calculable(text), r#"{"a":["1e400","-1e999",1.5],"b":"1e400"}"#);
        assert_eq!(calculable("[1,18446744073709551615]"), r#"[1,"18446744073709551615"]"#);
        assert_eq!(calculable("[1,2]"), "[1,2]");
    }
}
