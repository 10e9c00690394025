//! Taking what happened on disk back: edits into proposals, missing files out of the sources.

pub mod propose;
pub mod restore;
