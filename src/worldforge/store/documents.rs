//! Many documents as the one text that clients are sent.
//!
//! A graph of ten thousand nodes is handed on as it was stored, without being parsed and written
//! again. Knows no store.

use std::ops::Range;

use serde::de::DeserializeOwned;

use super::fault::{Fault, Result};

/// JSON documents in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Documents {
    /// A JSON array.
    text: String,
    places: Vec<Range<usize>>,
}

impl Default for Documents {
    fn default() -> Self {
        Self { text: "[]".to_owned(), places: Vec::new() }
    }
}

impl Documents {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// All of them: a JSON array.
    pub fn as_array(&self) -> &str {
        &self.text
    }

    /// All of them: a JSON array.
    pub fn into_array(self) -> String {
        self.text
    }

    /// One by one.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &str> {
        self.places.iter().map(|place| &self.text[place.clone()])
    }

    /// As what they are.
    pub fn parse<T: DeserializeOwned>(&self) -> Result<Vec<T>> {
        serde_json::from_str(&self.text).map_err(|error| Fault::unreadable("document", error))
    }
}

impl<'a> FromIterator<&'a str> for Documents {
    fn from_iter<I: IntoIterator<Item = &'a str>>(documents: I) -> Self {
        let mut text = "[".to_owned();
        let mut places = Vec::new();
        for document in documents {
            if !places.is_empty() {
                text.push(',');
            }
            let start = text.len();
            text.push_str(document);
            places.push(start..text.len());
        }
        text.push(']');
        Self { text, places }
    }
}

/// Documents in any order, to be put in order by a key.
pub(super) struct Unsorted<K> {
    text: String,
    keys: Vec<(K, Range<usize>)>,
}

impl<K: Ord> Unsorted<K> {
    pub(super) fn new() -> Self {
        Self { text: String::new(), keys: Vec::new() }
    }

    pub(super) fn push(&mut self, key: K, document: &str) {
        let start = self.text.len();
        self.text.push_str(document);
        self.keys.push((key, start..self.text.len()));
    }

    pub(super) fn sorted(mut self) -> Documents {
        self.keys.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        self.keys.iter().map(|(_, place)| &self.text[place.clone()]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_one_array_and_each_by_itself() {
        let documents: Documents = ["1", "{\"a\":2}", "3"].into_iter().collect();
        assert_eq!(documents.as_array(), "[1,{\"a\":2},3]");
        assert_eq!(documents.iter().collect::<Vec<_>>(), ["1", "{\"a\":2}", "3"]);
        assert_eq!(documents.len(), 3);
        let none: Documents = std::iter::empty().collect();
        assert_eq!((none.as_array(), none.is_empty()), ("[]", true));
        assert_eq!(none, Documents::default());
    }

    #[test]
    fn documents_are_put_in_order() {
        let mut unsorted = Unsorted::new();
        for (key, text) in [(3, "\"c\""), (1, "\"a\""), (2, "\"b\"")] {
            unsorted.push(key, text);
        }
        let sorted = unsorted.sorted();
        assert_eq!(sorted.as_array(), "[\"a\",\"b\",\"c\"]");
        assert_eq!(sorted.parse::<String>().unwrap(), ["a", "b", "c"]);
    }
}
