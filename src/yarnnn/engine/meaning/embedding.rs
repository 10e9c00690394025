//! Makes the vectors of blocks and questions.
//!
//! The built-in model reads English: a text in another language has no vector, and is found by words.

use super::int8;
use crate::extract::english;

/// Words of a text that tell its language.
const SAMPLE: usize = 400;

/// The embedder, for blocks and questions.
#[derive(Default)]
pub(super) struct BlockEmbedder;

impl BlockEmbedder {
    /// The name of the model; none if the server makes no vectors.
    pub(super) fn model(&self) -> Option<&str> {
        Some(toolwright_embedding::MODEL)
    }

    /// The vectors of blocks as they are stored; empty for a text that the model cannot read. None
    /// if the model does not answer.
    pub(super) fn of_blocks(&self, texts: &[&str]) -> Option<Vec<Vec<u8>>> {
        let embedder = toolwright_embedding::Embedder::get().ok()?;
        let vector = |text: &&str| match self.reads(text) {
            true => embedder.embed(text).map(|vector| int8::packed(&vector)).unwrap_or_default(),
            false => Vec::new(),
        };
        Some(texts.iter().map(vector).collect())
    }

    /// The vector of a question; none if the model cannot read it or does not answer.
    pub(super) fn of_question(&self, text: &str) -> Option<Vec<f32>> {
        let embedder = toolwright_embedding::Embedder::get().ok()?;
        self.reads(text).then(|| embedder.embed(text)).flatten()
    }

    fn reads(&self, text: &str) -> bool {
        english(text, SAMPLE) != Some(false)
    }
}
