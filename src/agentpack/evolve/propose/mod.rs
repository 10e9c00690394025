//! Brings edits of deployed files back into the config repo, as a branch to review.
//!
//! Proposes only what the user edited since the deploy, as module text: without what rendering added.
//! The user's checkout, index and current branch are not touched.

mod branch;
mod collect;
mod merge;
mod report;
#[cfg(test)]
mod tests;
mod unrender;

use jiff::Timestamp;
use toolwright_runtime::ErrorKind;

use crate::failure::Result;
use crate::generated::Error;
use crate::model::Layer;
use crate::workspace::Workspace;

pub(crate) use report::{Candidate, Created, Outcome, Proposal, Skipped};

/// What to propose, and under which conditions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// Only edits of this module.
    pub module_id: Option<&'a str>,
    /// Which overlays to write into; `Upstream` counts as global.
    pub scope: Layer,
    /// Name of the branch; none generates one.
    pub branch: Option<&'a str>,
    /// Report, write nothing. Needs neither consent nor git.
    pub dry_run: bool,
    /// The user's consent.
    pub yes: bool,
    /// Now.
    pub now: Timestamp,
}

/// Finds edits and commits them to a branch.
pub(crate) fn propose(workspace: &Workspace, request: Request<'_>) -> Result<Proposal> {
    let desired = workspace.render()?;
    let scope = request.scope.max(Layer::Global);
    let request = Request { scope, ..request };
    let found = collect::collect(workspace, &desired, &request)?;
    let mut proposal = Proposal {
        outcome: Outcome::Nothing,
        scope,
        candidates: found.files.iter().map(|file| file.candidate.clone()).collect(),
        skipped: found.skipped,
        summary: found.summary,
        warnings: found.warnings,
    };
    if found.files.is_empty() {
        return Ok(proposal);
    }
    if request.dry_run {
        proposal.outcome = Outcome::DryRun;
        return Ok(proposal);
    }
    if !request.yes {
        return Err(Error::ConfirmRequired
            .because(format!("{} edit(s) would be committed to a new branch.", found.files.len()))
            .hint("Ask the user, then call again with yes=true.")
            .with("command", "evolve propose"));
    }
    proposal.outcome = match branch::make(workspace, &request, &found.files)? {
        branch::Made::Branch(name) => {
            let files = found.files.iter().map(|file| file.candidate.file.clone()).collect();
            Outcome::Created(Created { branch: name, files })
        }
        branch::Made::NotCommitted(why) => {
            proposal.warnings.push(why);
            Outcome::NotCommitted
        }
    };
    Ok(proposal)
}
