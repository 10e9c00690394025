//! Goes back to the files of an earlier deploy.
//!
//! Touches only roots of that deploy's targets and project: later deploys of other targets or projects
//! stay. What is managed in these roots now is read from their manifests, not from history.

mod build;
mod restore_point;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use jiff::Timestamp;
use toolwright_runtime::ErrorKind as _;

use super::content;
use super::failure::Result;
use super::generated::Error;
use super::snapshot::fresh_id;
use super::transaction::{self, Step};
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

/// What a rollback would do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Preview {
    /// What happens to which file, manifests not counted.
    pub files: Vec<(&'static str, PathBuf)>,
    /// What the user should know.
    pub warnings: Vec<String>,
    /// Digest of everything that it would write and replace.
    pub digest: String,
}

impl Writer {
    /// What going back to snapshot `to` would do; changes nothing.
    pub(crate) fn preview_rollback(&self, to: &str, now: Timestamp) -> Result<Preview> {
        let point = RestorePoint::load(self.home(), to)?;
        let built = build::work(&point, self, fresh_id(self.home(), now), now)?;
        let files = built.work.steps.iter().take(built.files).map(|step| {
            (if step.after.is_some() { "restore" } else { "delete" }, step.path.clone())
        });
        let (files, digest) = (files.collect(), digest(to, &built.work.steps));
        Ok(Preview { files, digest, warnings: built.warnings })
    }

    /// Goes back to snapshot `to`: all of it, or nothing. `agreed` is the digest of the preview that
    /// the user agreed to.
    pub(crate) fn rollback(
        &self,
        to: &str,
        agreed: Option<&str>,
        now: Timestamp,
    ) -> Result<RolledBack> {
        let point = RestorePoint::load(self.home(), to)?;
        let id = fresh_id(self.home(), now);
        let built = build::work(&point, self, id.clone(), now)?;
        if agreed.is_some_and(|agreed| agreed != digest(to, &built.work.steps)) {
            return Err(Error::ConfirmRequired.because(
                "The files have changed since the user agreed to the rollback; nothing was changed.",
            ));
        }
        transaction::run(&built.work)?;
        Ok(RolledBack {
            rolled_back_to: to.to_owned(),
            event_snapshot_id: id,
            files: built.files,
            warnings: built.warnings,
        })
    }
}

fn digest(to: &str, steps: &[Step]) -> String {
    let mut text = to.to_owned();
    for step in steps {
        let before = step.before.as_deref().unwrap_or_default();
        let after = step.after.as_ref().map_or("", |after| &after.sha256);
        text += &format!("\0{}\0{before}\0{after}", step.path.display());
    }
    content::sha256(text.as_bytes())
}
