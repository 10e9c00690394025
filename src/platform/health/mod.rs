//! Health checks: the state of folders and files, as rows that `doctor` prints. They change nothing.

mod folder;
mod row;

pub use folder::folder;
pub use row::{Row, Verdict};
