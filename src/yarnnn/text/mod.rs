//! What all engines share in reading text: where words begin and end, and which are the same word.
//!
//! Knows characters and English endings; nothing of blocks, baskets or tables.

mod stem;
mod words;

pub(crate) use stem::stem;
pub(crate) use words::{Joint, Piece, pieces};
