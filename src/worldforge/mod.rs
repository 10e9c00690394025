//! worldforge: story worlds with canon, continuity and prompt packs.
//!
//! `model` is what all rooms talk about.

pub mod model;
