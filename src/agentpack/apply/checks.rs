//! Checks before a plan is applied.

use std::collections::BTreeSet;
use std::path::Path;

use toolwright_runtime::{ErrorKind, Failure};

use crate::failure::Result;
use crate::generated::Error;
use crate::identity::Project;
use crate::model::{Plan, Root, UpdateKind};
use crate::paths::posix;
use crate::plan::RootSurvey;

/// Paths that a refusal names at most.
const SAMPLE: usize = 20;

/// Refuses plans that need a repair or the user's consent first. Needs no lock and writes nothing.
pub(crate) fn check(plan: &Plan, adopt: bool) -> Result<()> {
    if let Some((index, why)) = plan.unusable_roots.first_key_value()
        && let Some(root) = plan.desired.roots.get(*index)
    {
        return Err(unusable(root, why));
    }
    if let Some(why) = &plan.unsafe_project
        && !adopt
        && writes_project(plan)
    {
        return Err(unsafe_project(&plan.project_root, why));
    }
    let foreign: Vec<String> = plan
        .changes
        .iter()
        .filter(|change| change.update_kind == Some(UpdateKind::AdoptUpdate))
        .map(|change| posix(&change.path))
        .collect::<BTreeSet<String>>()
        .into_iter()
        .collect();
    if adopt || foreign.is_empty() {
        return Ok(());
    }
    let hint = "The user decides: show them the diff of these files; only after their yes apply again with adopt=true.";
    Err(Error::AdoptConfirmRequired
        .because(format!(
            "{} existing file(s) that no manifest names would be replaced, first `{}`.",
            foreign.len(),
            foreign[0]
        ))
        .hint(hint)
        .with("flag", "adopt")
        .with("adopt_updates", foreign.len())
        .with("sample_paths", &foreign[..foreign.len().min(SAMPLE)])
        .with("hint", hint))
}

fn writes_project(plan: &Plan) -> bool {
    let in_project = |index: &usize| plan.desired.roots.get(*index).is_some_and(|r| r.in_project);
    plan.roots_without_manifest.iter().any(in_project)
        || plan.changes.iter().any(|change| {
            let key = (change.target, change.path.clone());
            let output = plan.desired.outputs.get(&key).map(|output| output.root);
            let root = output.or_else(|| plan.managed.get(&key).map(|managed| managed.root));
            root.is_some_and(|root| in_project(&root))
        })
}

/// Project files are not written into a home or the top of the file system by accident.
pub(crate) fn unsafe_project(project: &Path, why: &str) -> Failure<Error> {
    let hint = "Start the server in the project's folder or name the folder when starting it.";
    Error::ProjectRootUnsafe
        .because(format!("Project files would be written into `{}`: {why}.", project.display()))
        .hint(hint)
        .with("path", project)
        .with("path_posix", posix(project))
        .with("error", why)
        .with("hint", hint)
}

fn unusable(root: &Root, why: &str) -> Failure<Error> {
    Error::RootUnusable
        .because(format!(
            "The root `{}` of target `{}` cannot be used: {why}.",
            root.path.display(),
            root.target.as_str()
        ))
        .hint("Repair that folder, or deploy the other targets one by one.")
        .with("target", root.target)
        .with("path", &root.path)
        .with("path_posix", posix(&root.path))
        .with("error", why)
}

/// Roots below the project must not be led out of it by links.
pub(super) fn roots_in_project(plan: &Plan) -> Result<()> {
    for root in plan.desired.roots.iter().filter(|root| root.in_project) {
        if !inside_project(&root.path, &plan.project_root) {
            return Err(unusable(root, "a link leads out of the project"));
        }
    }
    Ok(())
}

/// Whether a root, as far as it exists, really is below the project.
pub(crate) fn inside_project(root: &Path, project: &Path) -> bool {
    let existing = root.ancestors().find(|folder| folder.symlink_metadata().is_ok());
    match (existing.map(Path::canonicalize), project.canonicalize()) {
        (Some(Ok(existing)), Ok(project)) => existing.starts_with(&project),
        // The project does not exist yet, so no link can be in it.
        (_, Err(_)) => root.starts_with(project),
        _ => false,
    }
}

/// The manifests must still be as planned: another deploy may have run in between.
pub(super) fn manifests_as_planned(plan: &Plan) -> Result<()> {
    let root = plan.project_root.clone();
    let project = Project { root, id: String::new(), unsafe_reason: None };
    let now = RootSurvey::new(&plan.desired, &project).managed;
    let gone = plan.managed.iter().find(|(key, then)| now.get(*key) != Some(*then));
    let new = now.keys().find(|key| !plan.managed.contains_key(*key));
    let Some((target, path)) = gone.map(|(key, _)| key).or(new) else { return Ok(()) };
    let hint = "Call deploy again, review the new plan, and apply that one.";
    Err(Error::ConfirmTokenMismatch
        .because(format!(
            "The manifest of target `{}` changed in the meantime: see its entry for `{}`.",
            target.as_str(),
            path.display()
        ))
        .hint(hint)
        .with("path", path)
        .with("path_posix", posix(path))
        .with("hint", hint))
}
