//! Finds a key that an object of a JSON text has twice.
//!
//! Parsers differ in which of the two counts, so what somebody reviewed could differ from what runs.
//! This module only finds: whoever reads a text from outside refuses it.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashSet;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::problem::join;

/// Objects with more keys are searched with a hash set.
const FEW: usize = 12;

/// JSON pointer of the first key that occurs twice. `None` also for what is not JSON, which is for the
/// reader of the text to refuse.
pub fn find(text: &str) -> Option<String> {
    scan(text, Place::Other)
}

/// The same for a message, apart from the arguments of a call: those are searched when the call decodes
/// them, so that the answer is the tool's.
pub(crate) fn find_in_message(text: &str) -> Option<String> {
    scan(text, Place::Message)
}

fn scan(text: &str, place: Place) -> Option<String> {
    let found = Cell::new(None);
    let mut json = serde_json::Deserializer::from_str(text);
    // Fails on the first duplicate, or on text that its reader cannot read either.
    let _ = Scan { path: &Path::Root, place, found: &found }.deserialize(&mut json);
    found.take()
}

/// Where in a message a value is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Message,
    Params,
    Other,
}

/// The way to a value; rendered only if something is found.
enum Path<'p> {
    Root,
    Key(&'p Path<'p>, &'p str),
    Item(&'p Path<'p>, usize),
}

impl Path<'_> {
    fn pointer(&self) -> String {
        match self {
            Self::Root => String::new(),
            Self::Key(parent, key) => join(&parent.pointer(), key),
            Self::Item(parent, index) => join(&parent.pointer(), &index.to_string()),
        }
    }
}

#[derive(Clone, Copy)]
struct Scan<'p> {
    path: &'p Path<'p>,
    place: Place,
    found: &'p Cell<Option<String>>,
}

impl<'de> DeserializeSeed<'de> for Scan<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, value: D) -> Result<(), D::Error> {
        value.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Scan<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut seen = Keys::default();
        while let Some(Key(key)) = members.next_key()? {
            if seen.has(&key) {
                self.found.set(Some(Path::Key(self.path, &key).pointer()));
                return Err(A::Error::custom("a key twice"));
            }
            if self.place == Place::Params && key == "arguments" {
                members.next_value::<IgnoredAny>()?;
            } else {
                let in_params = self.place == Place::Message && key == "params";
                let place = if in_params { Place::Params } else { Place::Other };
                let path = &Path::Key(self.path, &key);
                members.next_value_seed(Scan { path, place, ..self })?;
            }
            seen.add(key);
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        for index in 0.. {
            let path = &Path::Item(self.path, index);
            if items.next_element_seed(Scan { path, place: Place::Other, ..self })?.is_none() {
                break;
            }
        }
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// The keys of one object.
#[derive(Default)]
struct Keys<'de> {
    few: Vec<Cow<'de, str>>,
    many: HashSet<Cow<'de, str>>,
}

impl<'de> Keys<'de> {
    fn has(&self, key: &str) -> bool {
        self.few.iter().any(|known| known == key) || self.many.contains(key)
    }

    fn add(&mut self, key: Cow<'de, str>) {
        if self.few.len() < FEW {
            self.few.push(key);
        } else {
            self.many.insert(key);
        }
    }
}

/// A key, borrowed from the text unless it has escapes.
struct Key<'de>(Cow<'de, str>);

impl<'de> serde::Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(key: D) -> Result<Self, D::Error> {
        struct KeyVisitor;
        impl<'de> Visitor<'de> for KeyVisitor {
            type Value = Key<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a key")
            }

            fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Borrowed(key)))
            }

            fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
                Ok(Key(Cow::Owned(key.to_owned())))
            }
        }
        key.deserialize_str(KeyVisitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_first_key_that_occurs_twice() {
        for (text, found) in [
            (r#"{"a":1,"b":[{"a":1}],"c":{"a":null}}"#, None),
            (r#"{"a":1,"a":1}"#, Some("/a")),
            (r#"{"a":1,"\u0061":2}"#, Some("/a")),
            (r#"{"a":[1,{"b/c":{"d":1.5,"e":"x","d":true}}]}"#, Some("/a/1/b~1c/d")),
            (r#"{"":1,"":2}"#, Some("/")),
            (r#"[{"a":1},{"a":1}]"#, None),
            ("7", None),
            (r#"{"a":1,"a":"#, Some("/a")),
            (r#"{"a""#, None),
        ] {
            assert_eq!(find(text).as_deref(), found, "{text}");
        }
        let many: Vec<String> = (0..100).map(|n| format!(r#""k{n}":{n}"#)).collect();
        assert_eq!(find(&format!("{{{}}}", many.join(","))), None);
        let twice = format!(r#"{{{},"k90":1}}"#, many.join(","));
        assert_eq!(find(&twice).as_deref(), Some("/k90"));
    }

    #[test]
    fn the_arguments_of_a_message_are_left_out() {
        let message =
            |params: &str| format!(r#"{{"id":1,"params":{params},"arguments":{{"a":1}}}}"#);
        assert_eq!(find_in_message(&message(r#"{"arguments":{"a":1,"a":2}}"#)), None);
        let twice = find_in_message(&message(r#"{"arguments":{},"arguments":{}}"#));
        assert_eq!(twice.as_deref(), Some("/params/arguments"));
        let twice = find_in_message(&message(r#"{"x":{"arguments":{"a":1,"a":2}}}"#));
        assert_eq!(twice.as_deref(), Some("/params/x/arguments/a"));
    }
}
