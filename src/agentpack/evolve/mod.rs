//! Bringing the disk and the config repo back together: proposals from edits, restores of missing files.

pub(crate) mod propose;
pub(crate) mod restore;
