//! Shared text processing: word splitting and stemming.
//!
//! Knows characters and English endings; nothing of blocks, baskets or tables.

mod stem;
mod words;

pub(crate) use stem::stem;
pub(crate) use words::{Joint, Piece, pieces};
