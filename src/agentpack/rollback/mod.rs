//! Going back to what an earlier deploy put in place.
//!
//! Only roots of the goal's targets and of its project are touched: what another target or another
//! project has deployed since stays. What is ours in these roots now is read from the manifests
//! there, not from history.

mod build;
mod goal;
#[cfg(test)]
mod tests;

use jiff::Timestamp;

use super::failure::Result;
use super::snapshot::fresh_id;
use super::transaction;
use super::writer::Writer;

use goal::Goal;

/// What a rollback came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RolledBack {
    /// The snapshot that was gone back to.
    pub rolled_back_to: String,
    /// The snapshot that records it.
    pub event_snapshot_id: String,
    /// Files that were written or removed, manifests not counted.
    pub files: usize,
    /// What the user should know, such as edits that were replaced.
    pub warnings: Vec<String>,
}

impl Writer {
    /// Goes back to snapshot `to`: all of it, or nothing.
    pub fn rollback(&self, to: &str, now: Timestamp) -> Result<RolledBack> {
        let goal = Goal::load(self.home(), to)?;
        let id = fresh_id(self.home(), now);
        let built = build::work(&goal, self, id.clone(), now)?;
        transaction::run(&built.work)?;
        Ok(RolledBack {
            rolled_back_to: to.to_owned(),
            event_snapshot_id: id,
            files: built.files,
            warnings: built.warnings,
        })
    }
}
