use std::os::unix::fs::{PermissionsExt, symlink};
use std::time::Duration;

use super::fixture::{File, Fixture};
use super::*;
use crate::content::sha256;
use crate::generated::Error;
use crate::lock::Lock;
use crate::model::Target::{self, Codex, Cursor, Vscode};
use crate::snapshot::{self, copy_for, state_root};
use crate::transaction::{FaultInjector, InjectedFault, pending};

const ROOTS: &[(Target, &str)] = &[(Codex, "p/skills"), (Codex, "p")];

fn files() -> Vec<File<'static>> {
    vec![
        (Codex, "p", "AGENTS.md", "one"),
        (Codex, "p/skills", "a/SKILL.md", "skill"),
        (Codex, "p/skills", "a/run.sh", "#!/bin/sh\n"),
    ]
}

fn mode(fixture: &Fixture, name: &str) -> u32 {
    std::fs::metadata(fixture.path(name)).unwrap().permissions().mode() & 0o777
}

#[test]
fn a_deploy_writes_files_manifests_and_a_snapshot() {
    let mut fixture = Fixture::new();
    let id = fixture.deploy(ROOTS, &files());
    assert_eq!(fixture.read("p/AGENTS.md").as_deref(), Some("one"));
    let manifest = fixture.read("p/skills/.agentpack.manifest.codex.json").unwrap();
    assert!(manifest.contains("\"a/run.sh\"") && manifest.contains(&id), "{manifest}");
    assert!(manifest.ends_with("}\n"));

    let snapshot = snapshot::load(&fixture.home(), &id).unwrap();
    assert_eq!(snapshot.kind, "deploy");
    assert_eq!(snapshot.targets, ["codex"]);
    assert_eq!(snapshot.managed_files.len(), 3);
    let ops: Vec<&str> = snapshot.changes.iter().map(|change| change.op.as_str()).collect();
    assert_eq!(ops, ["create"; 5], "three files and two manifests, manifests last");
    assert!(snapshot.changes[3].path.ends_with(".agentpack.manifest.codex.json"));
    assert_eq!(snapshot.roots.unwrap().len(), 2);
    for name in ["AGENTS.md", ".agentpack.manifest.codex.json"] {
        let path = fixture.project.join(name);
        let copy = copy_for(&state_root(&fixture.home(), &id), Codex, &path);
        assert_eq!(std::fs::read(copy).unwrap(), std::fs::read(path).unwrap());
    }
    assert!(pending(&fixture.home()).unwrap().is_empty(), "the journal is gone");

    let again = fixture.plan(ROOTS, &files());
    assert_eq!(fixture.apply(&again).unwrap().reason, Some("no_changes"));
}

#[test]
fn an_empty_plan_with_a_missing_manifest_writes_the_manifest() {
    let mut fixture = Fixture::new();
    fixture.write("p/AGENTS.md", "one");
    let plan = fixture.plan(&[(Codex, "p")], &[(Codex, "p", "AGENTS.md", "one")]);
    assert!(plan.changes.is_empty());
    assert!(fixture.apply(&plan).unwrap().applied);
    assert!(fixture.read("p/.agentpack.manifest.codex.json").is_some());
}

#[test]
fn backups_hold_what_was_replaced_or_deleted() {
    let mut fixture = Fixture::new();
    fixture.deploy(ROOTS, &files());
    let id = fixture.deploy(ROOTS, &[(Codex, "p", "AGENTS.md", "two")]);
    let snapshot = snapshot::load(&fixture.home(), &id).unwrap();
    let kept = |end: &str| {
        let change = snapshot.changes.iter().find(|change| change.path.ends_with(end)).unwrap();
        std::fs::read_to_string(change.backup_path.as_ref().unwrap()).unwrap()
    };
    assert_eq!(kept("AGENTS.md"), "one");
    assert_eq!(kept("a/SKILL.md"), "skill");
    assert!(!fixture.path("p/skills/a").exists(), "an emptied folder goes");
    assert!(fixture.path("p/skills").is_dir(), "the root stays");
    assert!(fixture.read("p/skills/.agentpack.manifest.codex.json").unwrap().contains("[]"));
}

#[test]
fn folders_with_files_of_others_stay() {
    let mut fixture = Fixture::new();
    fixture.deploy(ROOTS, &files());
    fixture.write("p/skills/a/notes.txt", "mine");
    fixture.deploy(ROOTS, &[]);
    assert_eq!(fixture.read("p/skills/a/notes.txt").as_deref(), Some("mine"));
    assert!(!fixture.path("p/AGENTS.md").exists());
}

#[test]
fn modes_follow_the_umask_the_executable_bit_and_the_file_before() {
    let mut fixture = Fixture::new();
    fixture.write("plain", "");
    fixture.deploy(ROOTS, &files());
    assert_eq!(mode(&fixture, "p/AGENTS.md"), mode(&fixture, "plain"), "not 0600");
    assert_ne!(mode(&fixture, "p/skills/a/run.sh") & 0o100, 0, "scripts can be run");
    assert_eq!(mode(&fixture, "p/skills/a/SKILL.md") & 0o111, 0);
    let path = fixture.path("p/AGENTS.md");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
    fixture.deploy(ROOTS, &[(Codex, "p", "AGENTS.md", "two")]);
    assert_eq!(mode(&fixture, "p/AGENTS.md"), 0o640, "kept over an update");
}

#[test]
fn foreign_files_need_adopt() {
    let mut fixture = Fixture::new();
    fixture.write("p/AGENTS.md", "mine");
    let plan = fixture.plan(ROOTS, &files());
    let before = fixture.tree();
    let failure = fixture.apply(&plan).unwrap_err();
    assert_eq!(failure.kind(), Error::AdoptConfirmRequired);
    let details = failure.erase().details;
    assert_eq!(details["adopt_updates"], 1);
    assert!(details["sample_paths"][0].as_str().unwrap().ends_with("p/AGENTS.md"));
    assert_eq!(fixture.tree(), before);
    let options = Options { adopt: true, ..fixture.options() };
    assert!(fixture.writer().unwrap().apply(&plan, options).unwrap().applied);
    assert_eq!(fixture.read("p/AGENTS.md").as_deref(), Some("one"));
}

#[test]
fn a_linked_output_is_replaced_and_never_written_through() {
    let mut fixture = Fixture::new();
    fixture.write("elsewhere", "precious");
    symlink(fixture.path("elsewhere"), fixture.path("p/AGENTS.md")).unwrap();
    let plan = fixture.plan(&[(Codex, "p")], &[(Codex, "p", "AGENTS.md", "one")]);
    assert_eq!(fixture.apply(&plan).unwrap_err().kind(), Error::AdoptConfirmRequired);
    for fault in [Some(InjectedFault::Fail), None] {
        // The last point at which it can fail, then without.
        let faults = match fault {
            Some(fault) => FaultInjector::new(move |at| (at == "all in place").then_some(fault)),
            None => FaultInjector::none(),
        };
        let options = Options { adopt: true, ..fixture.options() };
        let applied = fixture.writer().unwrap().with_faults(faults).apply(&plan, options);
        assert_eq!(applied.is_err(), fault.is_some());
        assert_eq!(fixture.path("p/AGENTS.md").is_symlink(), fault.is_some(), "put back as it was");
        assert_eq!(fixture.read("elsewhere").as_deref(), Some("precious"));
    }
    assert_eq!(fixture.read("p/AGENTS.md").as_deref(), Some("one"));
}

#[test]
fn links_out_of_the_root_or_the_project_are_refused() {
    let mut fixture = Fixture::new();
    std::fs::create_dir_all(fixture.path("outside")).unwrap();
    std::fs::create_dir_all(fixture.path("p/skills")).unwrap();
    symlink(fixture.path("outside"), fixture.path("p/skills/a")).unwrap();
    let before = fixture.tree();
    let plan = fixture.plan(ROOTS, &files());
    assert_eq!(fixture.apply(&plan).unwrap_err().kind(), Error::IoInvalidPath);
    assert_eq!(fixture.tree(), before);

    symlink(fixture.path("outside"), fixture.path("p/.cursor")).unwrap();
    let rule: File<'_> = (Cursor, "p/.cursor/rules", "r.mdc", "x");
    let plan = fixture.plan(&[(Cursor, "p/.cursor/rules")], &[rule]);
    let failure = fixture.apply(&plan).unwrap_err();
    assert_eq!(failure.kind(), Error::RootUnusable);
    assert!(failure.message().contains("out of the project"), "{failure}");
    assert_eq!(std::fs::read_dir(fixture.path("outside")).unwrap().count(), 0);
}

#[test]
fn what_changed_after_the_plan_refuses_all_of_it() {
    let mut fixture = Fixture::new();
    fixture.deploy(ROOTS, &files());
    let next: &[File<'_>] =
        &[(Codex, "p", "AGENTS.md", "two"), (Codex, "p/skills", "b/SKILL.md", "new")];
    let edits: [(&str, &str); 3] =
        [("p/AGENTS.md", "edited"), ("p/skills/b/SKILL.md", "other"), ("p/skills/a/run.sh", "own")];
    for (name, text) in edits {
        let plan = fixture.plan(ROOTS, next);
        let old = fixture.read(name);
        fixture.write(name, text);
        let before = fixture.tree();
        let failure = fixture.apply(&plan).unwrap_err();
        assert_eq!(failure.kind(), Error::ConfirmTokenMismatch, "{name}");
        assert!(failure.message().contains(name), "{failure}");
        assert_eq!(fixture.tree(), before, "{name}");
        match old {
            Some(old) => fixture.write(name, &old),
            None => std::fs::remove_dir_all(fixture.path(name).parent().unwrap()).unwrap(),
        }
    }
    let plan = fixture.plan(ROOTS, next);
    assert!(fixture.apply(&plan).unwrap().applied);
}

#[test]
fn a_file_that_moves_while_others_are_in_place_restores_these() {
    let mut fixture = Fixture::new();
    fixture.deploy(ROOTS, &files());
    let plan = fixture.plan(ROOTS, &[(Codex, "p", "AGENTS.md", "two")]);
    let (path, mut count) = (fixture.path("p/skills/a/SKILL.md"), 0);
    let faults = FaultInjector::new(move |at| {
        if at == "file in place" {
            count += 1;
            if count == 1 {
                std::fs::write(&path, "edited just now").unwrap();
            }
        }
        None
    });
    let failure = fixture.apply_with(&plan, faults).unwrap_err();
    assert_eq!(failure.kind(), Error::ConfirmTokenMismatch);
    let restored = failure.erase().details["restored"].clone();
    assert!(restored[0].as_str().unwrap().ends_with("AGENTS.md"), "{restored}");
    assert_eq!(fixture.read("p/AGENTS.md").as_deref(), Some("one"));
    assert_eq!(fixture.read("p/skills/a/SKILL.md").as_deref(), Some("edited just now"));
}

#[test]
fn a_source_that_changed_after_the_plan_refuses_it() {
    let mut fixture = Fixture::new();
    fixture.write("source.md", "reviewed");
    let file: File<'_> = (Codex, "p", "AGENTS.md", "reviewed");
    let mut plan = fixture.plan(&[(Codex, "p")], &[file]);
    let desired = std::sync::Arc::get_mut(&mut plan.desired).unwrap();
    for output in desired.outputs.values_mut() {
        output.content = crate::model::Content::File(fixture.path("source.md"));
    }
    fixture.write("source.md", "sneaked in");
    let failure = fixture.apply(&plan).unwrap_err();
    assert_eq!(failure.kind(), Error::ConfirmTokenMismatch);
    assert!(failure.message().contains("source.md"), "{failure}");
    assert!(!fixture.path("p/AGENTS.md").exists());
}

#[test]
fn a_deploy_in_between_refuses_the_plan() {
    let mut fixture = Fixture::new();
    fixture.deploy(ROOTS, &files());
    let plan = fixture.plan(ROOTS, &[(Codex, "p", "AGENTS.md", "two")]);
    let mut other = files();
    other.push((Codex, "p/skills", "b/SKILL.md", "theirs"));
    fixture.deploy(ROOTS, &other);
    let failure = fixture.apply(&plan).unwrap_err();
    assert_eq!(failure.kind(), Error::ConfirmTokenMismatch);
    assert!(failure.message().contains("b/SKILL.md"), "{failure}");
}

#[test]
fn unusable_roots_and_unsafe_projects_refuse() {
    let mut fixture = Fixture::new();
    let mut plan = fixture.plan(ROOTS, &files());
    plan.unsafe_project = Some("it is the user's home".into());
    assert_eq!(fixture.apply(&plan).unwrap_err().kind(), Error::ProjectRootUnsafe);
    let options = Options { adopt: true, ..fixture.options() };
    assert!(check(&plan, options.adopt).is_ok(), "adopt is the consent");
    plan.unusable_roots.insert(1, "it is a file".into());
    let failure = fixture.apply(&plan).unwrap_err();
    assert_eq!(failure.kind(), Error::RootUnusable);
    assert!(failure.message().contains("it is a file"), "{failure}");
    assert!(!fixture.path("p/AGENTS.md").exists());
}

#[test]
fn a_held_lock_refuses_and_nothing_is_written() {
    let mut fixture = Fixture::new();
    let plan = fixture.plan(ROOTS, &files());
    let held = Lock::take(&fixture.home(), "deploy", Duration::ZERO).unwrap();
    assert_eq!(fixture.apply(&plan).unwrap_err().kind(), Error::LockHeld);
    assert!(!fixture.path("p/AGENTS.md").exists());
    drop(held);
    assert!(fixture.apply(&plan).unwrap().applied);
}

#[test]
fn cancelling_before_the_first_write_writes_nothing() {
    let mut fixture = Fixture::new();
    let plan = fixture.plan(ROOTS, &files());
    let before = fixture.tree();
    let options = Options { cancelled: &|| true, ..fixture.options() };
    let applied = fixture.writer().unwrap().apply(&plan, options).unwrap();
    assert_eq!((applied.applied, applied.reason), (false, Some("cancelled")));
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_root_that_cannot_be_written_is_named_and_nothing_changes() {
    let mut fixture = Fixture::new();
    fixture.write("p/.github", "a file where a folder should be");
    let files: &[File<'_>] = &[
        (Codex, "p", "AGENTS.md", "one"),
        (Vscode, "p/.github", "copilot-instructions.md", "one"),
    ];
    let before = fixture.tree();
    let plan = fixture.plan(&[(Codex, "p"), (Vscode, "p/.github")], files);
    let failure = fixture.apply(&plan).unwrap_err();
    assert_eq!(failure.kind(), Error::IoInvalidPath);
    assert!(failure.message().contains(".github"), "{failure}");
    assert_eq!(fixture.tree(), before);
    assert!(pending(&fixture.home()).unwrap().is_empty());
}

#[test]
fn a_deploy_of_one_target_leaves_the_manifests_of_others_alone() {
    let mut fixture = Fixture::new();
    fixture.deploy(&[(Codex, "p")], &[(Codex, "p", "AGENTS.md", "one")]);
    let codex = fixture.read("p/.agentpack.manifest.codex.json");
    fixture.deploy(&[(Vscode, "p")], &[(Vscode, "p", "x.md", "x")]);
    assert_eq!(fixture.read("p/.agentpack.manifest.codex.json"), codex);
    assert!(fixture.read("p/.agentpack.manifest.vscode.json").is_some());
    assert_eq!(sha256(b"one"), sha256(fixture.read("p/AGENTS.md").unwrap().as_bytes()));
}
