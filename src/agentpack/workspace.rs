//! The workspace of one call: config, machine, project and selection.
//!
//! Opening reads the config and finds machine and project. Everything else is computed on demand, from
//! the files as they are then.

use std::path::PathBuf;

use super::compose::Composer;
use super::config::{self, Config, Module};
use super::desired;
use super::environment::Environment;
use super::failure::Result;
use super::git::Git;
use super::identity::{Project, machine_id};
use super::lockfile::{self, Lockfile};
use super::model::{Desired, Plan, Root, Target};
use super::overlay::Owner;
use super::plan;
use super::source::{Fetch, Sources};
use super::targets::{self, Places};

/// What a call is about.
#[derive(Debug, Clone)]
pub(crate) struct Selection {
    /// The config repo; none is the one in the agentpack home.
    pub repo: Option<PathBuf>,
    /// Which modules.
    pub profile: String,
    /// None: all that are configured.
    pub target: Option<Target>,
    /// None: this machine.
    pub machine: Option<String>,
}

impl Default for Selection {
    fn default() -> Self {
        Self { repo: None, profile: "default".to_owned(), target: None, machine: None }
    }
}

/// A config repo, opened for one call.
#[derive(Debug, Clone)]
pub(crate) struct Workspace {
    /// Home, working directory and variables.
    pub environment: Environment,
    /// The config repo, absolute.
    pub repo: PathBuf,
    /// What was asked for.
    pub selection: Selection,
    /// Checked.
    pub config: Config,
    /// The targets of this call, sorted by name.
    pub targets: Vec<Target>,
    /// The machine's id.
    pub machine: String,
    /// The project.
    pub project: Project,
    /// How git is run.
    pub git: Git,
    /// Warnings about the selection.
    pub warnings: Vec<String>,
}

impl Workspace {
    /// Loads and checks the config, and finds machine and project.
    pub(crate) fn open(environment: &Environment, selection: Selection) -> Result<Self> {
        let repo = environment.repo(selection.repo.as_deref());
        let config = config::load(&repo)?;
        let mut warnings = Vec::new();
        let targets = config::selected_targets(&config, selection.target, &mut warnings)?;
        config::selected_modules(&config, &selection.profile)?;
        let git = Git::new(environment);
        let project = Project::find(environment, &git);
        let machine = machine_id(environment, selection.machine.as_deref());
        let environment = environment.clone();
        Ok(Self { environment, repo, selection, config, targets, machine, project, git, warnings })
    }

    /// The modules of the profile, sorted by id.
    pub(crate) fn modules(&self) -> Result<Vec<&Module>> {
        config::selected_modules(&self.config, &self.selection.profile)
    }

    /// The roots of the selected targets, sorted by target and path.
    pub(crate) fn roots(&self) -> Result<Vec<Root>> {
        targets::roots(&self.config, &self.targets, self.places())
    }

    /// The lockfile, where there is one.
    pub(crate) fn lockfile(&self) -> Result<Option<Lockfile>> {
        lockfile::load(&self.repo)
    }

    /// The desired state.
    pub(crate) fn render(&self) -> Result<Desired> {
        self.render_locked(self.lockfile()?.as_ref())
    }

    /// What a deploy would do now.
    pub(crate) fn plan(&self) -> Result<Plan> {
        let lock = self.lockfile()?;
        let desired = self.render_locked(lock.as_ref())?;
        let lock = lock.map(|lock| lock.sha256);
        let profile = &self.selection.profile;
        Ok(plan::plan(profile, &self.targets, desired, &self.project, lock))
    }

    fn render_locked(&self, lock: Option<&Lockfile>) -> Result<Desired> {
        let cache = self.environment.git_cache();
        let temp = self.environment.temp_dir();
        let composer = self.composer(lock, Fetch::Allowed, &cache, &temp);
        let modules = self.modules()?;
        let mut desired =
            desired::render(&self.config, &modules, &self.targets, composer, self.places())?;
        desired.warnings.splice(0..0, self.warnings.iter().cloned());
        Ok(desired)
    }

    pub(super) fn composer<'a>(
        &'a self,
        lock: Option<&'a Lockfile>,
        fetch: Fetch,
        cache: &'a std::path::Path,
        temp: &'a std::path::Path,
    ) -> Composer<'a> {
        let sources = Sources { repo: &self.repo, cache, lock, git: &self.git, fetch };
        Composer { sources, owner: self.owner(), git: &self.git, temp }
    }

    /// Selects the overlays of this call.
    pub(crate) fn owner(&self) -> Owner<'_> {
        Owner { repo: &self.repo, machine: &self.machine, project: &self.project.id }
    }

    pub(super) fn places(&self) -> Places<'_> {
        Places { environment: &self.environment, project: &self.project.root }
    }

    /// What a confirmation is bound to: the values that this call really uses.
    pub(crate) fn binding(&self) -> serde_json::Value {
        serde_json::json!({
            "machine": self.machine,
            "profile": self.selection.profile,
            "project": self.project.root,
            "repo": self.repo,
            "target": self.selection.target.map_or("all", Target::as_str),
        })
    }
}
