//! How much of a question a text says, token by token: finer than one vector for each, and slower, so
//! only for the entries that are nearest already.
//!
//! The tokens of texts that were compared lately are kept. Knows nothing of entries.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use sha2::{Digest as _, Sha256};

use super::embedding::TextEmbedder;
use super::int8::{Rows, Sought, packed};

/// Texts whose tokens are kept: about 10 kB each.
const KEPT: usize = 128;

/// The tokens of a text.
struct Tokens {
    ids: HashSet<u32>,
    rows: Rows,
}

/// The tokens of texts that were compared lately.
#[derive(Default)]
pub(super) struct TokenCache(Mutex<HashMap<[u8; 32], Arc<Tokens>>>);

impl TokenCache {
    /// How much of the question each of the texts says, up to 1. A token counts by how few of the
    /// texts have it. None if the model cannot tell.
    pub(super) fn said(
        &self,
        embedder: &TextEmbedder,
        question: &str,
        texts: &[String],
    ) -> Option<Vec<f64>> {
        let question = embedder.0.tokens(question)?;
        let tokens: Vec<Arc<Tokens>> =
            texts.iter().map(|text| self.of(embedder, text)).collect::<Option<_>>()?;
        let mut said = vec![0.0; texts.len()];
        let mut sum = 0.0;
        for (id, vector) in &question {
            let Some(sought) = Sought::new(vector) else { continue };
            let with = tokens.iter().filter(|tokens| tokens.ids.contains(id)).count() as f64;
            let weight = ((texts.len() as f64 - with + 0.5) / (with + 0.5)).ln_1p();
            sum += weight;
            for (said, tokens) in said.iter_mut().zip(&tokens) {
                let best = tokens.rows.similarities(&sought).fold(0.0_f32, f32::max);
                *said += weight * f64::from(best);
            }
        }
        if sum > 0.0 {
            said.iter_mut().for_each(|said| *said /= sum);
        }
        Some(said)
    }

    fn of(&self, embedder: &TextEmbedder, text: &str) -> Option<Arc<Tokens>> {
        let key: [u8; 32] = Sha256::digest(text.as_bytes()).into();
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner).get(&key).cloned();
        if known.is_some() {
            return known;
        }
        let made = embedder.0.tokens(text)?;
        let dims = made.first().map_or(1, |(_, vector)| vector.len());
        let mut tokens = Tokens { ids: HashSet::new(), rows: Rows::new(dims) };
        for (id, vector) in &made {
            tokens.ids.insert(*id);
            tokens.rows.push(&packed(vector));
        }
        let tokens = Arc::new(tokens);
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, Arc::clone(&tokens));
        Some(tokens)
    }
}
