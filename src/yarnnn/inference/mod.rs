//! Where a session belongs: baskets are scored against its fingerprint, and a decision is made.
//!
//! The formula, the thresholds and the order are the contract's and are exact: the same input gives
//! the same answer on every machine, in whatever order the baskets come. Nothing here makes or
//! needs an embedding model; vectors stay in the client's own space. Knows nothing of databases,
//! tools or the clock; what leaves this room as an answer never holds a vector.

mod affinity;
mod centroid;
mod features;
mod fingerprint;
mod packed;
mod score;
mod select;
mod shortlist;
mod signature;
mod stop;
#[cfg(test)]
mod testing;
mod tie;
mod vector;
mod words;

pub use affinity::{
    MOVED_DAYS, MOVED_SIMILARITY, SIGNAL_HALF_LIFE_DAYS, affinities, affinity, moved_away,
};
pub use centroid::{CENTROID_HALF_LIFE_DAYS, Centroid};
pub use fingerprint::{MAX_TEXT, make_fingerprint};
pub use packed::{Near, Packed, best};
pub use score::{
    AUTO, CONFIRM, Decision, PENALTY, RECENCY_DAYS, Score, TIE, combine, recency, round9,
};
pub use select::{Candidate, RANKED, Selection, select};
pub use shortlist::{ScoreInputs, shortlist, shortlist_rows};
pub use signature::{
    MUTATIONS_UNTIL_REFRESH, Reflection, RefreshReason, SIGNATURE_TTL_HOURS, Signature,
    SignatureWords, refresh_due, signature_words,
};
pub use tie::{TIE_WORDS_GAP, TieBreak};
pub use vector::{
    BadEmbedding, MAX_DIMS, MIN_DIMS, check, cosine, digest, from_blob, normalised, require,
    same_dims, to_blob,
};
pub use words::{entities, keywords};
