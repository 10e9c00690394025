//! The operations behind the tools, one method each, over one [`Environment`].
//!
//! Knows no protocol, no confirmation and no envelope.

use std::path::PathBuf;

use jiff::Timestamp;
use serde_json::Value;

use super::apply::{Applied, Options};
use super::diff::{self, FileDiff};
use super::doctor::{self, Doctor};
use super::drift::{self, Status};
use super::environment::Environment;
use super::evolve::{propose, restore};
use super::explain::{self, ExplainedChange};
use super::failure::Result;
use super::lock::WAIT;
use super::model::{Plan, Target};
use super::next_actions::{self, NextAction};
use super::rollback::{Preview, RolledBack};
use super::snapshot::{self, Snapshot};
use super::transaction::{self, Pending, Recovered};
use super::workspace::{Selection, Workspace};
use super::writer::{Writer, recover_at_start};

/// Reads, deploys and rolls back. Shared by all calls.
#[derive(Debug, Clone)]
pub(crate) struct Engine {
    environment: Environment,
}

impl Engine {
    /// Touches no file.
    pub(crate) fn new(environment: Environment) -> Self {
        Self { environment }
    }

    /// Sets the folders that the client of a call works in.
    pub(crate) fn set_client_roots(&mut self, roots: &[PathBuf]) {
        roots.clone_into(&mut self.environment.client_roots);
    }

    /// Finishes or undoes what a crash interrupted, at the start of a server.
    pub(crate) fn recover(&self) -> Result<Recovered> {
        recover_at_start(&self.environment.agentpack_home)
    }

    /// What a deploy would do now.
    pub(crate) fn plan(&self, selection: Selection) -> Result<Plan> {
        self.open(selection)?.plan()
    }

    /// The same, with the values that a confirmation is bound to.
    pub(crate) fn plan_with_binding(&self, selection: Selection) -> Result<(Plan, Value)> {
        let workspace = self.open(selection)?;
        Ok((workspace.plan()?, workspace.binding()))
    }

    /// The plan, its diffs, and why some diffs are left out.
    pub(crate) fn preview(
        &self,
        selection: Selection,
    ) -> Result<(Plan, Vec<FileDiff>, Vec<String>)> {
        let plan = self.plan(selection)?;
        let (files, warnings) = diff::files(&plan);
        Ok((plan, files, warnings))
    }

    /// Applies a plan: all of it, or nothing.
    pub(crate) fn apply(&self, plan: &Plan, options: Options<'_>) -> Result<(Applied, Recovered)> {
        let writer = self.writer("deploy")?;
        Ok((writer.apply(plan, options)?, writer.recovered().clone()))
    }

    /// What a deploy or rollback recorded.
    pub(crate) fn snapshot(&self, id: &str) -> Result<Snapshot> {
        snapshot::load(&self.environment.agentpack_home, id)
    }

    /// What going back to snapshot `to` would do.
    pub(crate) fn preview_rollback(&self, to: &str, now: Timestamp) -> Result<Preview> {
        self.writer("rollback")?.preview_rollback(to, now)
    }

    /// Goes back to snapshot `to`: all of it, or nothing. `agreed` is the digest of the preview that
    /// the user agreed to.
    pub(crate) fn rollback(
        &self,
        to: &str,
        agreed: Option<&str>,
        now: Timestamp,
    ) -> Result<(RolledBack, Recovered)> {
        let writer = self.writer("rollback")?;
        Ok((writer.rollback(to, agreed, now)?, writer.recovered().clone()))
    }

    /// How the files on disk differ from the desired ones, and commands that would help.
    pub(crate) fn status(&self, selection: Selection) -> Result<(Status, Vec<NextAction>)> {
        let workspace = self.open(selection)?;
        let status = drift::status(&workspace)?;
        let actions = next_actions::after_status(&workspace.selection, &status);
        Ok((status, actions))
    }

    /// The plan, and where each of its changes comes from.
    pub(crate) fn explain_plan(
        &self,
        selection: Selection,
    ) -> Result<(Plan, Vec<ExplainedChange>)> {
        let workspace = self.open(selection)?;
        let plan = workspace.plan()?;
        let changes = explain::plan(&workspace.config, &plan);
        Ok((plan, changes))
    }

    /// Puts edits of deployed files on a new branch of the config repo.
    pub(crate) fn propose(
        &self,
        selection: Selection,
        request: propose::Request<'_>,
    ) -> Result<propose::Proposal> {
        propose::propose(&self.open(selection)?, request)
    }

    /// Writes the deployed files that are missing.
    pub(crate) fn restore(
        &self,
        selection: Selection,
        request: restore::Request<'_>,
    ) -> Result<restore::Restored> {
        let workspace = self.open(selection)?;
        let home = &self.environment.agentpack_home;
        restore::restore(&workspace.render()?, home, &workspace.project, request)
    }

    /// What would prevent a deploy, and journals that a crash left.
    pub(crate) fn doctor(
        &self,
        repo: Option<PathBuf>,
        target: Option<Target>,
    ) -> Result<(Doctor, Vec<Pending>)> {
        let report = doctor::doctor(&self.environment, repo, target)?;
        Ok((report, transaction::pending(&self.environment.agentpack_home)?))
    }

    fn open(&self, selection: Selection) -> Result<Workspace> {
        Workspace::open(&self.environment, selection)
    }

    fn writer(&self, operation: &str) -> Result<Writer> {
        Writer::open(&self.environment.agentpack_home, operation, WAIT)
    }
}
