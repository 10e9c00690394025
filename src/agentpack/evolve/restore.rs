//! Restores outputs that are missing on disk, and touches nothing else.
//!
//! Writes no snapshot and no manifest: a restored file is one that the manifest already names, or that
//! the next deploy would create.

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use serde::Serialize;
use toolwright_runtime::ErrorKind;

use crate::apply::{inside_project, unsafe_project};
use crate::failure::Result;
use crate::generated::Error;
use crate::identity::Project;
use crate::lock;
use crate::model::{Desired, Output, Target};
use crate::snapshot::fresh_id;
use crate::transaction::{self, After, Purpose, Step, Work};
use crate::writer::Writer;

/// What to restore, and under which conditions.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Request<'a> {
    /// Only outputs of this module.
    pub module_id: Option<&'a str>,
    /// Report, write nothing.
    pub dry_run: bool,
    /// The user's consent; not needed when nothing is missing.
    pub yes: bool,
    /// Now.
    pub now: Timestamp,
}

/// An output that was missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Item {
    /// The target.
    pub target: Target,
    /// Absolute.
    pub path: PathBuf,
    /// Modules that it comes from.
    pub module_ids: Vec<String>,
}

/// Counts of outputs.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Summary {
    /// Not on disk.
    pub missing: u64,
    /// Written.
    pub restored: u64,
    /// On disk, equal or not.
    pub skipped_existing: u64,
    /// Could not be checked.
    pub skipped_read_error: u64,
}

/// The result of a restore.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Restored {
    /// What was restored, or would be; sorted by target and path.
    pub restored: Vec<Item>,
    /// Counts.
    pub summary: Summary,
    /// `no_missing`, `dry_run` or `restored`.
    pub reason: &'static str,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// Writes every output that is missing on disk. Outputs in `project` may not leave it.
pub(crate) fn restore(
    desired: &Desired,
    home: &Path,
    project: &Project,
    request: Request<'_>,
) -> Result<Restored> {
    let mut found = Found::default();
    for output in desired.outputs.values().filter(|output| wanted(output, request.module_id)) {
        found.look(output);
    }
    if let Some(id) = request.module_id
        && found.summary == Summary::default()
    {
        found.warnings.push(format!("no output of the selected targets comes from module `{id}`"));
    }
    let mut result = Restored {
        restored: found.missing.iter().map(|output| item(output)).collect(),
        summary: found.summary,
        reason: "no_missing",
        warnings: found.warnings,
    };
    if found.missing.is_empty() {
        return Ok(result);
    }
    if request.dry_run {
        result.reason = "dry_run";
        return Ok(result);
    }
    if !request.yes {
        return Err(Error::ConfirmRequired
            .because(format!("{} missing file(s) would be written.", found.missing.len()))
            .hint("Ask the user, then call again with yes=true.")
            .with("command", "evolve restore"));
    }
    let writer = Writer::open(home, "evolve restore", lock::WAIT)?;
    result.warnings.extend(writer.recovered().warnings());
    writer.restore(desired, &found.missing, project, request.now)?;
    result.summary.restored = result.summary.missing;
    result.reason = "restored";
    Ok(result)
}

fn wanted(output: &Output, module_id: Option<&str>) -> bool {
    module_id.is_none_or(|id| output.module_ids.contains(id))
}

fn item(output: &Output) -> Item {
    let module_ids = output.module_ids.iter().cloned().collect();
    Item { target: output.target, path: output.path.clone(), module_ids }
}

#[derive(Default)]
struct Found<'a> {
    missing: Vec<&'a Output>,
    summary: Summary,
    warnings: Vec<String>,
}

impl<'a> Found<'a> {
    fn look(&mut self, output: &'a Output) {
        match output.path.symlink_metadata() {
            Ok(_) => self.summary.skipped_existing += 1,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.summary.missing += 1;
                self.missing.push(output);
            }
            Err(error) => {
                self.summary.skipped_read_error += 1;
                self.warnings.push(format!(
                    "evolve.restore: skipped {} {}: {error}",
                    output.target.as_str(),
                    output.path.display()
                ));
            }
        }
    }
}

impl Writer {
    fn restore(
        &self,
        desired: &Desired,
        missing: &[&Output],
        project: &Project,
        now: Timestamp,
    ) -> Result<()> {
        let mut steps = Vec::with_capacity(missing.len());
        for output in missing {
            let Some(root) = desired.roots.get(output.root) else { continue };
            if root.in_project {
                if let Some(why) = &project.unsafe_reason {
                    return Err(unsafe_project(&project.root, why));
                }
                if !inside_project(&root.path, &project.root) {
                    return Err(Error::RootUnusable
                        .because(format!(
                            "The root `{}` of target `{}` cannot be used: a link leads out of the \
                             project.",
                            root.path.display(),
                            root.target.as_str()
                        ))
                        .with("target", root.target)
                        .with("path", &root.path));
                }
            }
            let after = After {
                content: output.content.clone(),
                sha256: output.sha256.clone(),
                executable: output.executable,
                copy: None,
            };
            steps.push(Step {
                root: root.path.clone(),
                path: output.path.clone(),
                before: None,
                after: Some(after),
                backup: None,
            });
        }
        transaction::run(&Work {
            home: self.home(),
            purpose: Purpose::Restore,
            id: fresh_id(self.home(), now),
            steps,
            copies: Vec::new(),
            snapshot: None,
            faults: self.faults(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::fixture::{File, Fixture};
    use crate::model::Target::Codex;
    use crate::transaction::pending;

    const FILES: &[File<'_>] = &[
        (Codex, "p", "AGENTS.md", "one"),
        (Codex, "p", "a/run.sh", "run"),
        (Codex, "p", "b.md", "two"),
    ];

    const REQUEST: Request<'static> =
        Request { module_id: None, dry_run: false, yes: true, now: Timestamp::UNIX_EPOCH };

    fn run(fixture: &Fixture, desired: &Desired, request: Request<'_>) -> Result<Restored> {
        let project =
            Project { root: fixture.project.clone(), id: String::new(), unsafe_reason: None };
        restore(desired, &fixture.home(), &project, request)
    }

    fn fixture_with_missing_files() -> (Fixture, Desired, PathBuf) {
        let fixture = Fixture::new();
        fixture.write("p/AGENTS.md", "edited");
        let plan = fixture.plan(&[(Codex, "p")], FILES);
        let (desired, home) = (std::sync::Arc::into_inner(plan.desired).unwrap(), fixture.home());
        (fixture, desired, home)
    }

    #[test]
    fn only_missing_files_are_written_and_nothing_is_recorded() {
        let (fixture, desired, home) = fixture_with_missing_files();
        let restored = run(&fixture, &desired, REQUEST).unwrap();
        assert_eq!(restored.reason, "restored");
        let expected =
            Summary { missing: 2, restored: 2, skipped_existing: 1, skipped_read_error: 0 };
        assert_eq!(restored.summary, expected);
        assert_eq!(restored.restored[0].path, fixture.path("p/a/run.sh"));
        assert_eq!(restored.restored[0].module_ids, ["m:a/run.sh"]);
        assert_eq!(fixture.read("p/AGENTS.md").as_deref(), Some("edited"));
        assert_eq!(fixture.read("p/a/run.sh").as_deref(), Some("run"));
        assert!(fixture.read("p/.agentpack.manifest.codex.json").is_none());
        assert!(!home.join("state/snapshots").exists());
        assert!(pending(&home).unwrap().is_empty());

        let nobody = Request { yes: false, ..REQUEST };
        assert_eq!(run(&fixture, &desired, nobody).unwrap().reason, "no_missing");
    }

    #[test]
    fn consent_and_dry_run() {
        let (fixture, desired, home) = fixture_with_missing_files();
        let before = fixture.tree();
        let nobody = Request { yes: false, ..REQUEST };
        let failure = run(&fixture, &desired, nobody).unwrap_err();
        assert_eq!(failure.kind(), Error::ConfirmRequired);
        assert_eq!(failure.erase().details["command"], "evolve restore");
        let dry_run = Request { dry_run: true, ..nobody };
        let restored = run(&fixture, &desired, dry_run).unwrap();
        assert_eq!((restored.reason, restored.summary.restored), ("dry_run", 0));
        assert_eq!(restored.restored.len(), 2);
        assert_eq!(fixture.tree(), before);
        assert!(!home.exists(), "a dry run takes no lock");
    }

    #[test]
    fn a_module_is_singled_out() {
        let (fixture, desired, _) = fixture_with_missing_files();
        let one = Request { module_id: Some("m:b.md"), ..REQUEST };
        assert_eq!(run(&fixture, &desired, one).unwrap().restored.len(), 1);
        assert!(fixture.read("p/a/run.sh").is_none());
        let unknown = Request { module_id: Some("m:none"), ..one };
        let restored = run(&fixture, &desired, unknown).unwrap();
        assert_eq!(restored.reason, "no_missing");
        assert!(restored.warnings[0].contains("m:none"));
    }

    #[test]
    fn unsafe_projects_and_roots_outside_are_refused() {
        let (fixture, desired, home) = fixture_with_missing_files();
        let other = fixture.path("other");
        std::fs::create_dir(&other).unwrap();
        for (root, unsafe_reason, kind) in [
            (&fixture.project, Some("home".to_owned()), Error::ProjectRootUnsafe),
            (&other, None, Error::RootUnusable),
        ] {
            let project = Project { root: root.clone(), id: String::new(), unsafe_reason };
            let failure = restore(&desired, &home, &project, REQUEST).unwrap_err();
            assert_eq!(failure.kind(), kind);
        }
        assert!(fixture.read("p/b.md").is_none());
    }
}
