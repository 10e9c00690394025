//! Health checks: how folders and files stand, as rows that `doctor` prints. They look and change nothing.

mod folder;
mod row;

pub use folder::folder;
pub use row::{Row, Verdict};
