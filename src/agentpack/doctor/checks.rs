//! Checks of everything but the roots themselves.

use std::path::Path;

use super::{Check, RootReport};
use crate::content::parallel;
use crate::failure::Result;
use crate::manifest;
use crate::model::Layer;
use crate::overlay::claimed_module;
use crate::source::Fetch;
use crate::validate::validate;
use crate::workspace::Workspace;

/// All checks, in a fixed order.
pub(super) fn all(workspace: &Workspace, roots: &[RootReport]) -> Result<Vec<Check>> {
    let (lockfile, modules) = lockfile_and_modules(workspace)?;
    let config = workspace.config.oddities.clone();
    let project = workspace.project.unsafe_reason.iter();
    Ok(vec![
        Check { id: "config", problems: config },
        Check { id: "lockfile", problems: lockfile },
        Check { id: "modules", problems: modules },
        Check { id: "overlays", problems: overlays(workspace) },
        Check { id: "git", problems: git(workspace) },
        Check { id: "git_identity", problems: git_identity(workspace) },
        Check { id: "repo", problems: repo(workspace) },
        Check { id: "project", problems: project.cloned().collect() },
        Check { id: "gitignore", problems: gitignore(workspace, roots) },
    ])
}

/// Every module of the profile, from what is on this machine: nothing is fetched.
fn lockfile_and_modules(workspace: &Workspace) -> Result<(Vec<String>, Vec<String>)> {
    let (lock, lockfile) = match workspace.lockfile() {
        Ok(lock) => (lock, Vec::new()),
        Err(failure) => (None, vec![failure.message().to_owned()]),
    };
    let cache = workspace.environment.git_cache();
    let temp = workspace.environment.temp_dir();
    let composer = workspace.composer(lock.as_ref(), Fetch::CacheOnly, &cache, &temp);
    let problems = parallel(&workspace.modules()?, |module| match composer.compose(module) {
        Ok(composed) => {
            let invalid = validate(module, &composed).err();
            let invalid = invalid.map(|failure| failure.message().to_owned());
            composed.warnings.into_iter().chain(invalid).collect::<Vec<_>>()
        }
        Err(failure) => vec![failure.message().to_owned()],
    });
    Ok((lockfile, problems.into_iter().flatten().collect()))
}

fn overlays(workspace: &Workspace) -> Vec<String> {
    let owner = workspace.owner();
    let mut problems = Vec::new();
    for module in &workspace.config.modules {
        for layer in [Layer::Global, Layer::Machine, Layer::Project] {
            let (id, scope) = (&module.id, layer.as_str());
            let all = owner.candidates(layer, id);
            let there: Vec<_> = all.iter().filter(|dir| dir.symlink_metadata().is_ok()).collect();
            let folders: Vec<_> = there.iter().copied().filter(|dir| dir.is_dir()).collect();
            for path in there.iter().filter(|path| !path.is_dir()) {
                problems.push(format!(
                    "module `{id}`: the {scope} overlay `{}` is not a folder and has no effect",
                    path.display()
                ));
            }
            if let [used, unused @ ..] = folders.as_slice()
                && let Some(unused) = unused.first()
            {
                problems.push(format!(
                    "module `{id}`: there are two {scope} overlays; `{}` is used, `{}` is not",
                    used.display(),
                    unused.display()
                ));
            }
            for dir in folders {
                if let Some(claimed) = claimed_module(dir).filter(|claimed| claimed != id) {
                    problems.push(format!(
                        "module `{id}`: the {scope} overlay `{}` claims to belong to `{claimed}`",
                        dir.display()
                    ));
                }
            }
        }
    }
    problems
}

fn git(workspace: &Workspace) -> Vec<String> {
    if workspace.git.is_present() {
        return Vec::new();
    }
    vec![
        "git is not on PATH: git sources, patch overlays and evolve_propose need it, and the \
         project is taken to be the current directory"
            .to_owned(),
    ]
}

fn git_identity(workspace: &Workspace) -> Vec<String> {
    let asked = workspace.git.run(&workspace.repo, &["var", "GIT_COMMITTER_IDENT"]);
    match asked {
        Ok(answer) if !answer.success() => {
            vec!["git has no name and e-mail to commit with (user.name, user.email)".to_owned()]
        }
        _ => Vec::new(),
    }
}

fn repo(workspace: &Workspace) -> Vec<String> {
    let shown = workspace.repo.display();
    if !workspace.repo.join(".git").exists() {
        return vec![format!(
            "the config repo `{shown}` is no git repository: evolve_propose needs one"
        )];
    }
    match workspace.git.run(&workspace.repo, &["status", "--porcelain"]) {
        Ok(status) if !status.success() => {
            vec![format!("`git status` in `{shown}` {}", status.how())]
        }
        Ok(status) if !status.stdout.is_empty() => {
            let count = status.text().lines().count();
            vec![format!(
                "the config repo `{shown}` has {count} uncommitted changes: evolve_propose refuses"
            )]
        }
        _ => Vec::new(),
    }
}

/// Manifests belong to a machine, not into a project's history.
fn gitignore(workspace: &Workspace, roots: &[RootReport]) -> Vec<String> {
    if !workspace.git.is_present() {
        return Vec::new();
    }
    let existing: Vec<&RootReport> =
        roots.iter().filter(|report| report.root.path.is_dir()).collect();
    let problems = parallel(&existing, |report| {
        let root = &report.root;
        let top = work_tree(workspace, &root.path)?;
        let name = manifest::file_name(root.target);
        let asked = workspace.git.run(&root.path, &["check-ignore", "-q", "--", &name]).ok()?;
        (asked.code == Some(1)).then(|| {
            format!(
                "`{}` is in the git repository `{top}`, which does not ignore target manifests: \
                 add `.agentpack.manifest*.json` to its .gitignore",
                root.path.display()
            )
        })
    });
    problems.into_iter().flatten().collect()
}

fn work_tree(workspace: &Workspace, dir: &Path) -> Option<String> {
    let found = workspace.git.run(dir, &["rev-parse", "--show-toplevel"]).ok()?;
    found.success().then(|| found.text()).filter(|top| !top.is_empty())
}
