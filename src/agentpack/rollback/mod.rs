//! Goes back to the files of an earlier deploy.
//!
//! Touches only roots of that deploy's targets and project: later deploys of other targets or projects
//! stay. What is managed in these roots now is read from their manifests, not from history.

mod build;
mod restore_point;
#[cfg(test)]
mod tests;

use jiff::Timestamp;

use super::failure::Result;
use super::snapshot::fresh_id;
use super::transaction;
use super::writer::Writer;

use restore_point::RestorePoint;

/// The result of a rollback.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RolledBack {
    /// The snapshot that was restored.
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
    pub(crate) fn rollback(&self, to: &str, now: Timestamp) -> Result<RolledBack> {
        let point = RestorePoint::load(self.home(), to)?;
        let id = fresh_id(self.home(), now);
        let built = build::work(&point, self, id.clone(), now)?;
        transaction::run(&built.work)?;
        Ok(RolledBack {
            rolled_back_to: to.to_owned(),
            event_snapshot_id: id,
            files: built.files,
            warnings: built.warnings,
        })
    }
}
