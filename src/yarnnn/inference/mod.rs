//! Basket inference: scores baskets against a session's fingerprint and decides.
//!
//! The formula, the thresholds and the order are part of the contract and exact: the same input
//! gives the same answer on every machine, whatever the order of the baskets. Takes
//! vectors as they come, and compares those of one model only. Knows nothing of databases, tools or the clock;
//! results never contain a vector.

mod affinity;
mod background;
mod calibrate;
mod centroid;
mod fingerprint;
mod packed;
mod rarity;
mod score;
mod select;
mod shortlist;
mod signature;
mod spread;
mod stop;
#[cfg(test)]
mod testing;
mod tie;
mod vector;
mod wording;
mod words;

pub use fingerprint::fingerprint_words;
pub use packed::Packed;
pub use score::{Decision, Score};
pub use select::{Candidate, Selection, select};
pub use shortlist::{ScoreInputs, shortlist};
pub use signature::Signature;
pub use tie::TieBreak;
pub use vector::BadEmbedding;

pub(crate) use affinity::{affinities, moved_away};
pub(crate) use calibrate::{ENGLISH_MODEL, Known, Session, similarities};
pub(crate) use centroid::Centroid;
pub(crate) use fingerprint::MAX_TEXT;
pub(crate) use score::{TIE, combine, recency, round9};
pub(crate) use select::select_by_words;
pub(crate) use shortlist::shortlist_rows;
pub(crate) use signature::{Reflection, SIGNATURE_TTL_HOURS, refresh_due, signature_words};
pub(crate) use vector::{check, cosine, digest, from_blob, same_dims, to_blob};
pub(crate) use wording::Wording;
pub(crate) use words::{entities, keywords};
