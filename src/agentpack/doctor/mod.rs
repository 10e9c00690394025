//! What would prevent a deploy. Writes nothing: permissions are queried, not tried.
//!
//! Fails only when the config cannot be read; every other problem is reported.

mod checks;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use rustix::fs::Access;

use super::environment::Environment;
use super::failure::Result;
use super::model::{Root, Target};
use super::next_actions::{make_folder, quoted};
use super::workspace::{Selection, Workspace};
use super::writable;

/// What is wrong with a root.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Issue {
    /// It does not exist; a deploy creates it.
    Missing,
    /// It is not a directory.
    NotADirectory,
    /// It may not be written to.
    NotWritable,
}

impl Issue {
    /// Name in answers.
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Missing => "missing",
            Self::NotADirectory => "not_a_directory",
            Self::NotWritable => "not_writable",
        }
    }
}

/// One root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RootReport {
    /// Which.
    pub root: Root,
    /// Something is there.
    pub exists: bool,
    /// It is a folder that may be written to.
    pub writable: bool,
    /// What is wrong.
    pub issues: Vec<Issue>,
    /// "what to do: a command".
    pub suggestion: Option<String>,
}

/// One check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Check {
    /// Stable name: `config`, `lockfile`, `modules`, `overlays`, `git`, `git_identity`, `repo`,
    /// `project`, `gitignore`, `roots`.
    pub id: &'static str,
    /// Problems; empty if there are none.
    pub problems: Vec<String>,
}

/// All of it.
#[derive(Debug, Clone)]
pub(crate) struct Doctor {
    /// The machine's id.
    pub machine_id: String,
    /// Where project files go.
    pub project_root: PathBuf,
    /// Sorted by target and path.
    pub roots: Vec<RootReport>,
    /// In a fixed order.
    pub checks: Vec<Check>,
    /// Commands, each once.
    pub next_actions: Vec<String>,
    /// The problems of all checks.
    pub warnings: Vec<String>,
}

/// Checks the config repo, the roots and git, with the profile `default`.
pub(crate) fn doctor(
    environment: &Environment,
    repo: Option<PathBuf>,
    target: Option<Target>,
) -> Result<Doctor> {
    let selection = Selection { repo, target, ..Selection::default() };
    let workspace = Workspace::open(environment, selection)?;
    let roots: Vec<RootReport> = workspace.roots()?.into_iter().map(report).collect();
    let mut checks = checks::all(&workspace, &roots)?;
    let unusable = roots.iter().filter_map(|report| {
        let why = writable::unusable(&report.root, &workspace.project.root)?;
        Some(format!("target `{}`: {why}", report.root.target.as_str()))
    });
    checks.push(Check { id: "roots", problems: unusable.collect() });
    let mut warnings = workspace.warnings.clone();
    warnings.extend(checks.iter().flat_map(|check| check.problems.iter().cloned()));
    let mut next_actions: Vec<String> = roots
        .iter()
        .filter_map(|report| report.suggestion.as_ref()?.split_once(": "))
        .map(|(_, command)| command.to_owned())
        .collect();
    next_actions.sort();
    next_actions.dedup();
    let (machine_id, project_root) = (workspace.machine, workspace.project.root);
    Ok(Doctor { machine_id, project_root, roots, checks, next_actions, warnings })
}

fn report(root: Root) -> RootReport {
    let path = &root.path;
    let metadata = path.metadata();
    let exists = metadata.is_ok() || path.is_symlink();
    let folder = metadata.is_ok_and(|metadata| metadata.is_dir());
    let may_write = rustix::fs::access(path, Access::WRITE_OK | Access::EXEC_OK).is_ok();
    let shown = quoted(&path.to_string_lossy());
    let problem = match (exists, folder, may_write) {
        (false, ..) => Some((Issue::Missing, format!("create directory: {}", make_folder(path)))),
        (true, false, _) => {
            Some((Issue::NotADirectory, format!("move it out of the way: mv {shown} {shown}.old")))
        }
        (true, true, false) => {
            Some((Issue::NotWritable, format!("make it writable: chmod u+wx {shown}")))
        }
        (true, true, true) => None,
    };
    let (issues, suggestion) = match problem {
        Some((issue, suggestion)) => (vec![issue], Some(suggestion)),
        None => (Vec::new(), None),
    };
    RootReport { exists, writable: folder && may_write, issues, suggestion, root }
}
