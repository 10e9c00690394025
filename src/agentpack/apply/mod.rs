//! Applies a plan exactly as it was reviewed.
//!
//! Takes a [`Plan`] and never plans again: any difference from what the plan was based on refuses the
//! whole apply. Builds manifests and snapshots; changing files safely is the job of `transaction`.

pub(crate) mod build;
mod checks;
#[cfg(test)]
pub(crate) mod fixture;
#[cfg(test)]
mod tests;

use jiff::Timestamp;

use super::failure::Result;
use super::model::Plan;
use super::snapshot;
use super::transaction;
use super::writer::Writer;

pub(crate) use checks::check;
pub(crate) use checks::{inside_project, unsafe_project};

/// The conditions of an apply.
#[derive(Clone, Copy)]
pub(crate) struct Options<'a> {
    /// Unmanaged files may be replaced, and project files written into an unsafe folder.
    pub adopt: bool,
    /// Time of the snapshot.
    pub now: Timestamp,
    /// Checked one last time before the first write.
    pub cancelled: &'a dyn Fn() -> bool,
}

/// The result of an apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Applied {
    /// Files or manifests were written.
    pub applied: bool,
    /// Why not: `no_changes`, `cancelled`.
    pub reason: Option<&'static str>,
    /// For a later rollback.
    pub snapshot_id: Option<String>,
}

impl Applied {
    fn nothing(reason: &'static str) -> Self {
        Self { applied: false, reason: Some(reason), snapshot_id: None }
    }
}

impl Writer {
    /// Applies a plan: all of it, or nothing.
    pub(crate) fn apply(&self, plan: &Plan, options: Options<'_>) -> Result<Applied> {
        check(plan, options.adopt)?;
        if plan.changes.is_empty() && plan.roots_without_manifest.is_empty() {
            return Ok(Applied::nothing("no_changes"));
        }
        checks::roots_in_project(plan)?;
        checks::manifests_as_planned(plan)?;
        let id = snapshot::fresh_id(self.home(), options.now);
        let work = build::work(plan, self, id.clone(), options.now)?;
        if (options.cancelled)() {
            return Ok(Applied::nothing("cancelled"));
        }
        transaction::run(&work)?;
        Ok(Applied { applied: true, reason: None, snapshot_id: Some(id) })
    }
}
