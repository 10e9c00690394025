//! Completes the fingerprint of a session that came without an embedding.

use super::{Engine, Error, Result};
use crate::embed::Embedder;
use crate::extract::clean;
use crate::inference::{BadEmbedding, fingerprint_words};
use crate::model::Fingerprint;

impl Engine {
    /// What makes vectors where the host sends none.
    pub fn embedder(&self) -> &Embedder {
        &self.embedder
    }

    /// The fingerprint that a text would have: its vector and its words.
    ///
    /// # Errors
    /// When the embedder makes no vector.
    pub fn fingerprint(&self, text: &str) -> Result<Fingerprint> {
        self.embedder.model().ok_or(Error::NoEmbedder)?;
        let mut made = Fingerprint::default();
        self.complete(&mut made, text)?;
        let Fingerprint { embedding, model, .. } = made;
        Ok(Fingerprint { embedding, model, ..fingerprint_words(text) })
    }

    /// Gives the fingerprint of a write the vector of its text, unless it has one.
    ///
    /// # Errors
    /// When the embedder makes none: no write is without one.
    pub(super) fn complete(&self, fingerprint: &mut Fingerprint, text: &str) -> Result<()> {
        if !fingerprint.embedding.is_empty() {
            return Ok(());
        }
        let text = session_text(fingerprint, text);
        match (self.embedder.embed(&text)?, self.embedder.model()) {
            (Some(named), _) => {
                fingerprint.embedding = named.vector;
                fingerprint.model = named.model;
                Ok(())
            }
            (None, None) => Err(BadEmbedding::Missing.into()),
            (None, Some(_)) => Err(BadEmbedding::NoWords.into()),
        }
    }

    /// The fingerprint of a read, which needs none: one without a vector gets that of its summary,
    /// or does not count.
    pub(super) fn complete_read(&self, given: Option<&Fingerprint>) -> Result<Option<Fingerprint>> {
        let Some(given) = given else { return Ok(None) };
        let mut session = given.clone();
        if session.embedding.is_empty() {
            let said = session.summary.as_deref().unwrap_or_default();
            let Some(named) = self.embedder.embed(said)? else { return Ok(None) };
            session.embedding = named.vector;
            session.model = named.model;
        }
        Ok(Some(session))
    }
}

/// The text that stands for a session: its summary, where there is one, and what is stored.
pub(super) fn session_text(fingerprint: &Fingerprint, text: &str) -> String {
    let text = clean(text).text;
    match &fingerprint.summary {
        Some(summary) => format!("{summary}\n{text}"),
        None => text.into_owned(),
    }
}
