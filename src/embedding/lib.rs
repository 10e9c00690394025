//! Computes the embedding of a text in this process: all-MiniLM-L6-v2 in 8-bit integers, compiled
//! in. Origin and licence of the model are in `NOTICE`.
//!
//! The way of a text: `tokens` turns it into token ids, `windows` cuts a long one, `encoder` runs
//! the six layers on each window, and the mean of the windows at length 1 is the embedding. Sums
//! over 8-bit weights are exact integers, and sums of floats have a written order, so a text has
//! the same embedding on every machine, whatever vector instructions it has.
//!
//! Nothing happens at start: the first text reads the header and the vocabulary, and pages of the
//! weights are loaded as they are touched. Knows nothing of memory, baskets or tools.

mod characters;
mod encoder;
mod linear;
mod math;
mod tokens;
mod weights;
mod wide;
mod windows;

use std::sync::OnceLock;

pub use weights::Damaged;

/// The model's name, stored with each of its vectors.
pub const MODEL: &str = "all-MiniLM-L6-v2";
/// Length of its vectors.
pub const DIMS: usize = encoder::WIDTH;

/// The embedder.
pub struct Embedder {
    tokens: tokens::Tokenizer,
    encoder: encoder::Encoder,
}

impl Embedder {
    /// The embedder of this process; the first call reads the compiled-in data.
    ///
    /// # Errors
    /// When that data is damaged, which no released build can be.
    pub fn get() -> Result<&'static Self, Damaged> {
        static ONLY: OnceLock<Result<Embedder, Damaged>> = OnceLock::new();
        ONLY.get_or_init(Self::load).as_ref().map_err(Clone::clone)
    }

    fn load() -> Result<Self, Damaged> {
        Ok(Self { tokens: tokens::Tokenizer::load()?, encoder: encoder::Encoder::load()? })
    }

    /// The embedding of a text, at length 1. `None` when the text has no token.
    ///
    /// A text of more than 254 tokens is cut into windows that overlap by 32; where there would be
    /// more than 16, 16 spread evenly over the text stand for it. The embedding is the mean of
    /// theirs.
    pub fn embed(&self, text: &str) -> Option<Vec<f32>> {
        let ids = self.tokens.ids(windows::readable(text));
        let mut sum = vec![0.0; DIMS];
        for window in windows::of(&ids) {
            let one = self.encoder.encode(&tokens::enclosed(window));
            sum.iter_mut().zip(one).for_each(|(sum, number)| *sum += number);
        }
        math::unit(&mut sum).then_some(sum)
    }

    /// The tokens of a text, each with what it means where it stands, at length 1. Of a long text the
    /// first 254.
    pub fn tokens(&self, text: &str) -> Vec<(u32, Vec<f32>)> {
        let ids = self.token_ids(text);
        let last = ids.len().saturating_sub(1);
        let states = self.encoder.states(&ids);
        // The first and the last one are special.
        ids.into_iter().zip(states).take(last).skip(1).collect()
    }

    /// The token ids of a text as the model reads it, special ones included, at most 256.
    pub fn token_ids(&self, text: &str) -> Vec<u32> {
        let ids = self.tokens.ids(text);
        tokens::enclosed(ids.get(..windows::WINDOW).unwrap_or(&ids))
    }
}
