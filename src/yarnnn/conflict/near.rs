//! Whether two clauses are about the same thing by their meaning: the cosine of their embeddings
//! with figures and negations left out. Reads English only; elsewhere, and where the model is not
//! built in, words alone decide. Each clause is embedded at most once.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;

use super::clause::Clause;

/// Clauses that are embedded for one comparison; beyond, words alone decide.
const EMBEDDED: usize = 300;

/// Embeddings of clauses, kept for one comparison.
#[derive(Debug, Default)]
pub(super) struct Near {
    known: RefCell<BTreeMap<String, Option<Vec<f32>>>>,
    /// Pairs that words alone decided because there were too many.
    skipped: Cell<usize>,
}

impl Near {
    /// The cosine of two clauses, if both are English.
    pub(super) fn cosine(&self, left: &Clause, right: &Clause) -> Option<f64> {
        if !left.english || !right.english {
            return None;
        }
        let (left, right) = (self.vector(&left.masked)?, self.vector(&right.masked)?);
        Some(left.iter().zip(&right).map(|(one, other)| f64::from(*one) * f64::from(*other)).sum())
    }

    /// Pairs that were not compared by meaning.
    pub(super) fn skipped(&self) -> usize {
        self.skipped.get()
    }

    fn vector(&self, text: &str) -> Option<Vec<f32>> {
        if let Some(vector) = self.known.borrow().get(text) {
            return vector.clone();
        }
        if self.known.borrow().len() >= EMBEDDED {
            self.skipped.set(self.skipped.get() + 1);
            return None;
        }
        let vector = embed(text);
        self.known.borrow_mut().insert(text.to_owned(), vector.clone());
        vector
    }
}

#[cfg(feature = "builtin-embedder")]
fn embed(text: &str) -> Option<Vec<f32>> {
    toolwright_embedding::Embedder::get().ok()?.embed(text)
}

#[cfg(not(feature = "builtin-embedder"))]
fn embed(_text: &str) -> Option<Vec<f32>> {
    None
}
