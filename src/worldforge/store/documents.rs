//! Many documents as one JSON text for clients.
//!
//! A graph of ten thousand nodes is passed on as stored, without being parsed and serialized again.
//! Knows no store.

use std::ops::Range;

use serde::de::DeserializeOwned;

use super::error::{Result, StoreError};

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
        serde_json::from_str(&self.text).map_err(|error| StoreError::unreadable("document", error))
    }
}

impl<'a> FromIterator<&'a str> for Documents {
    fn from_iter<I: IntoIterator<Item = &'a str>>(documents: I) -> Self {
        let mut list = List::default();
        documents.into_iter().for_each(|document| list.push(document));
        list.close()
    }
}

/// An array that grows.
#[derive(Default)]
struct List {
    text: String,
    places: Vec<Range<usize>>,
}

impl List {
    fn push(&mut self, document: &str) {
        self.text.push(if self.places.is_empty() { '[' } else { ',' });
        let start = self.text.len();
        self.text.push_str(document);
        self.places.push(start..self.text.len());
    }

    fn close(mut self) -> Documents {
        self.text.push_str(if self.places.is_empty() { "[]" } else { "]" });
        Documents { text: self.text, places: self.places }
    }
}

/// Documents in any order, to be put in order by a key.
pub(super) struct Unsorted<K> {
    list: List,
    keys: Vec<K>,
}

impl<K: Ord> Unsorted<K> {
    pub(super) fn new() -> Self {
        Self { list: List::default(), keys: Vec::new() }
    }

    pub(super) fn push(&mut self, key: K, document: &str) {
        self.list.push(document);
        self.keys.push(key);
    }

    pub(super) fn sorted(self) -> Documents {
        // Mostly they come in order.
        if self.keys.is_sorted() {
            return self.list.close();
        }
        let List { text, places } = self.list;
        let mut order: Vec<(K, Range<usize>)> = self.keys.into_iter().zip(places).collect();
        order.sort_unstable_by(|(one, _), (other, _)| one.cmp(other));
        let places = Vec::with_capacity(order.len());
        let mut list = List { text: String::with_capacity(text.len() + 2), places };
        order.into_iter().for_each(|(_, place)| list.push(&text[place]));
        list.close()
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
