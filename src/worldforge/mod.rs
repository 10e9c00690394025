//! worldforge: story worlds with canon, continuity and prompt packs.
//!
//! `model` is what all rooms talk about.

pub mod canonical;
pub mod compose;
pub mod continuity;
pub mod demo;
pub mod export;
pub mod messages;
pub mod model;
pub mod picture;
pub mod store;
pub mod story;
