//! yarnnn: governed memory with basket inference.
//!
//! The engines, each deterministic and free of any model: `extract` reads blocks out of a
//! transcript and links them, `inference` finds the basket that a session belongs to, `conflict`
//! compares a new idea with what is known, `governance` decides what needs a person, `auth` who is
//! asking. `oracle` has a model read in place of `extract`, for those who ask for it. `sql` keeps it
//! all, in SQLite or PostgreSQL.

pub mod auth;
pub mod conflict;
pub mod extract;
pub mod governance;
pub mod index;
pub mod inference;
pub mod memory;
pub mod model;
pub mod oracle;
pub mod records;
mod roots;
pub mod sql;
