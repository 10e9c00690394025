//! Makes the vectors of texts and questions.
//!
//! The built-in model reads English: a text in another language has no vector, and is found by words.

use std::sync::Arc;

use super::int8;
use crate::embed::{EmbedError, Embedder};
use crate::extract::{Language, language};
use crate::model::Fingerprint;

/// The embedder, for texts and questions.
pub(super) struct TextEmbedder(pub(super) Arc<Embedder>);

impl TextEmbedder {
    /// The name of the model; none if the server makes no vectors.
    pub(super) fn model(&self) -> Option<&str> {
        self.0.model()
    }

    /// The vectors of texts as they are stored; empty for a text that the model cannot read. None
    /// if the model does not answer.
    pub(super) fn of_texts(&self, texts: &[&str]) -> Option<Vec<Vec<u8>>> {
        let readable: Vec<&str> = texts.iter().copied().filter(|text| self.reads(text)).collect();
        let mut made = answered(self.0.embed_all(&readable))?.into_iter();
        let vectors = texts.iter().map(|text| {
            let made = self.reads(text).then(|| made.next().flatten()).flatten();
            made.map(|made| int8::packed(&made.vector)).unwrap_or_default()
        });
        Some(vectors.collect())
    }

    /// The vector of a text as it is stored, where the embedder has made it already.
    pub(super) fn made(&self, text: &str, named: &Fingerprint) -> Option<Vec<u8>> {
        let own = self.model() == Some(named.model.as_str());
        own.then(|| if self.reads(text) { int8::packed(&named.embedding) } else { Vec::new() })
    }

    /// The vectors of a question and its parts; none if the model cannot read it or does not answer.
    pub(super) fn of_question(&self, texts: &[&str]) -> Option<Vec<Option<Vec<f32>>>> {
        if !texts.first().is_some_and(|text| self.reads(text)) {
            return None;
        }
        let made = answered(self.0.embed_all(texts))?;
        Some(made.into_iter().map(|made| made.map(|made| made.vector)).collect())
    }

    fn reads(&self, text: &str) -> bool {
        !self.0.reads_only_english() || language(text) == Language::English
    }
}

/// Without the model's answer, words decide.
fn answered<T>(made: Result<T, EmbedError>) -> Option<T> {
    made.inspect_err(|error| {
        let why = error.internal.as_deref().unwrap_or(error.code);
        tracing::warn!(event = "yarnnn.vectors", why, "no vectors: {error}");
    })
    .ok()
}
