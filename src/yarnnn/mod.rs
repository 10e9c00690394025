//! yarnnn: governed memory with basket inference.
//!
//! The engines, each deterministic and free of any model: `extract` reads blocks out of a
//! transcript and links them, `inference` finds the basket that a session belongs to, `conflict`
//! compares a new idea with what is known. `sql` keeps it all, in SQLite or PostgreSQL.

pub mod conflict;
pub mod extract;
pub mod inference;
pub mod model;
pub mod sql;
