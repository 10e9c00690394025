use std::os::unix::fs::PermissionsExt;

use super::*;
use crate::apply::fixture::{File, Fixture};
use crate::generated::Error;
use crate::model::Target::{self, Codex, Cursor, Vscode};
use crate::snapshot::{self, Snapshot, copy_for, state_root};
use crate::transaction::{FaultInjector, InjectedFault};

const ROOTS: &[(Target, &str)] = &[(Codex, "p"), (Codex, "p/skills")];
const ONE: &[File<'_>] =
    &[(Codex, "p", "AGENTS.md", "one"), (Codex, "p/skills", "a/run.sh", "run")];
const TWO: &[File<'_>] =
    &[(Codex, "p", "AGENTS.md", "two"), (Codex, "p/skills", "b/SKILL.md", "skill")];

fn rollback(fixture: &mut Fixture, to: &str) -> Result<RolledBack> {
    let now = fixture.options().now;
    fixture.writer()?.rollback(to, None, now)
}

fn manifest(fixture: &Fixture) -> Option<String> {
    fixture.read("p/skills/.agentpack.manifest.codex.json")
}

#[test]
fn goes_back_files_manifests_folders_and_modes() {
    let mut fixture = Fixture::new();
    let first = fixture.deploy(ROOTS, ONE);
    let (tree, script) = (fixture.tree(), fixture.path("p/skills/a/run.sh"));
    fixture.deploy(ROOTS, TWO);
    let back = rollback(&mut fixture, &first).unwrap();
    assert_eq!(fixture.tree(), tree, "bytes, manifests and empty folders");
    assert_ne!(std::fs::metadata(script).unwrap().permissions().mode() & 0o100, 0);
    assert_eq!((back.rolled_back_to.as_str(), back.files), (first.as_str(), 3));
    assert!(back.warnings.is_empty());

    let event = snapshot::load(&fixture.home(), &back.event_snapshot_id).unwrap();
    assert_eq!((event.kind.as_str(), event.rolled_back_to.as_deref()), ("rollback", Some(&*first)));
    let ops: Vec<&str> = event.changes.iter().map(|change| change.op.as_str()).collect();
    let restore = "rollback_restore";
    assert_eq!(ops, [restore, restore, "rollback_delete", restore, restore]);
    assert!(!state_root(&fixture.home(), &event.id).exists(), "an event is no goal");
}

#[test]
fn goes_forward_again() {
    let mut fixture = Fixture::new();
    let first = fixture.deploy(ROOTS, ONE);
    let second = fixture.deploy(ROOTS, TWO);
    let tree = fixture.tree();
    rollback(&mut fixture, &first).unwrap();
    rollback(&mut fixture, &second).unwrap();
    assert_eq!(fixture.tree(), tree);
}

#[test]
fn another_targets_files_stay() {
    let mut fixture = Fixture::new();
    let rules: &[(Target, &str)] = &[(Cursor, "p/.cursor/rules")];
    let first = fixture.deploy(rules, &[(Cursor, "p/.cursor/rules", "r.mdc", "one")]);
    fixture.deploy(rules, &[(Cursor, "p/.cursor/rules", "r.mdc", "two")]);
    let github: &[(Target, &str)] = &[(Vscode, "p/.github")];
    fixture.deploy(github, &[(Vscode, "p/.github", "copilot-instructions.md", "x")]);
    rollback(&mut fixture, &first).unwrap();
    assert_eq!(fixture.read("p/.cursor/rules/r.mdc").as_deref(), Some("one"));
    assert_eq!(fixture.read("p/.github/copilot-instructions.md").as_deref(), Some("x"));
    assert!(fixture.read("p/.github/.agentpack.manifest.vscode.json").is_some());
}

#[test]
fn another_projects_files_stay_and_shared_ones_go_back() {
    let mut fixture = Fixture::new();
    let first = fixture.deploy(
        &[(Codex, "codex"), (Codex, "p")],
        &[(Codex, "codex", "AGENTS.md", "user one"), (Codex, "p", "AGENTS.md", "one")],
    );
    let ours = fixture.project.clone();
    fixture.project = fixture.path("p2");
    std::fs::create_dir(&fixture.project).unwrap();
    let mut plan = fixture.plan(
        &[(Codex, "codex"), (Codex, "codex/prompts"), (Codex, "p2")],
        &[
            (Codex, "codex", "AGENTS.md", "user two"),
            (Codex, "codex/prompts", "x.md", "prompt"),
            (Codex, "p2", "AGENTS.md", "other project"),
        ],
    );
    plan.project_root = fixture.project.clone();
    fixture.apply(&plan).unwrap();
    fixture.project = ours;
    rollback(&mut fixture, &first).unwrap();
    assert_eq!(fixture.read("codex/AGENTS.md").as_deref(), Some("user one"));
    assert_eq!(fixture.read("p2/AGENTS.md").as_deref(), Some("other project"));
    assert!(fixture.read("p2/.agentpack.manifest.codex.json").is_some());
    assert!(fixture.read("codex/prompts/x.md").is_none(), "a user's root is everybody's");
    assert!(fixture.read("codex/prompts/.agentpack.manifest.codex.json").is_none());
}

#[test]
fn edits_are_replaced_backed_up_and_reported() {
    let mut fixture = Fixture::new();
    let first = fixture.deploy(ROOTS, ONE);
    fixture.deploy(ROOTS, TWO);
    fixture.write("p/AGENTS.md", "edited by hand");
    fixture.write("p/mine.md", "mine");
    let back = rollback(&mut fixture, &first).unwrap();
    assert!(back.warnings[0].contains("AGENTS.md"), "{:?}", back.warnings);
    let event = snapshot::load(&fixture.home(), &back.event_snapshot_id).unwrap();
    let backup = event.changes[0].backup_path.as_ref().unwrap();
    assert_eq!(std::fs::read_to_string(backup).unwrap(), "edited by hand");
    assert_eq!(fixture.read("p/mine.md").as_deref(), Some("mine"));
}

#[test]
fn unusable_snapshots_are_refused_with_the_cause() {
    let mut fixture = Fixture::new();
    let first = fixture.deploy(ROOTS, ONE);
    fixture.deploy(ROOTS, TWO);
    let event = rollback(&mut fixture, &first).unwrap().event_snapshot_id;
    let failure = rollback(&mut fixture, &event).unwrap_err();
    assert_eq!(failure.kind(), Error::SnapshotInvalid);
    assert!(failure.message().contains(&first), "{failure}");
    for id in ["../x", "17", ""] {
        assert_eq!(rollback(&mut fixture, id).unwrap_err().kind(), Error::SnapshotNotFound);
    }
    let path = fixture.path("p/AGENTS.md");
    let copy = copy_for(&state_root(&fixture.home(), &first), Codex, &path);
    std::fs::write(&copy, "tampered").unwrap();
    let before = fixture.tree();
    let failure = rollback(&mut fixture, &first).unwrap_err();
    assert_eq!(failure.kind(), Error::SnapshotInvalid);
    assert!(failure.message().contains("AGENTS.md"), "{failure}");
    std::fs::remove_file(&copy).unwrap();
    let failure = rollback(&mut fixture, &first).unwrap_err();
    assert_eq!(failure.kind(), Error::SnapshotInvalid);
    assert_eq!(fixture.tree(), before);
}

#[test]
fn a_file_outside_the_roots_makes_a_snapshot_unusable() {
    let mut fixture = Fixture::new();
    let first = fixture.deploy(ROOTS, ONE);
    let path = snapshot::file(&fixture.home(), &first);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replace("p/AGENTS.md", "elsewhere/AGENTS.md")).unwrap();
    let failure = rollback(&mut fixture, &first).unwrap_err();
    assert_eq!(failure.kind(), Error::SnapshotInvalid);
    assert!(failure.message().contains("none of its roots"), "{failure}");
}

/// As upstream writes them, and as its first versions did.
fn make_old(fixture: &Fixture, id: &str, without_copies: bool) {
    let mut old = snapshot::load(&fixture.home(), id).unwrap();
    (old.project_root, old.roots) = (None, None);
    std::fs::write(snapshot::file(&fixture.home(), id), old.to_bytes()).unwrap();
    if without_copies {
        std::fs::remove_dir_all(state_root(&fixture.home(), id)).unwrap();
    }
}

#[test]
fn snapshots_of_upstream_can_be_restored() {
    for without_copies in [false, true] {
        let mut fixture = Fixture::new();
        let first = fixture.deploy(ROOTS, ONE);
        let second = fixture.deploy(ROOTS, TWO);
        for id in [&first, &second] {
            make_old(&fixture, id, without_copies);
        }
        rollback(&mut fixture, &first).unwrap();
        assert_eq!(fixture.read("p/AGENTS.md").as_deref(), Some("one"));
        assert_eq!(fixture.read("p/skills/a/run.sh").as_deref(), Some("run"));
        assert!(!fixture.path("p/skills/b").exists());
        assert!(manifest(&fixture).unwrap().contains("a/run.sh"));
    }
}

#[test]
fn an_old_snapshot_whose_bytes_are_gone_is_refused() {
    let mut fixture = Fixture::new();
    let first = fixture.deploy(ROOTS, ONE);
    make_old(&fixture, &first, true);
    fixture.write("p/AGENTS.md", "edited");
    let failure = rollback(&mut fixture, &first).unwrap_err();
    assert_eq!(failure.kind(), Error::SnapshotInvalid);
    assert!(failure.message().contains("no copy"), "{failure}");
    assert_eq!(fixture.read("p/AGENTS.md").as_deref(), Some("edited"));
}

#[test]
fn a_rollback_is_all_or_nothing() {
    let mut fixture = Fixture::new();
    let first = fixture.deploy(ROOTS, ONE);
    fixture.deploy(ROOTS, TWO);
    let tree = fixture.tree();
    for fault in [InjectedFault::Fail, InjectedFault::Kill] {
        let faults = FaultInjector::new(move |at| (at == "all in place").then_some(fault));
        let now = fixture.options().now;
        let writer = fixture.writer().unwrap().with_faults(faults);
        let failure = writer.rollback(&first, None, now).unwrap_err();
        drop(writer);
        if fault == InjectedFault::Fail {
            assert_eq!(failure.kind(), Error::ApplyFailed);
            assert_eq!(failure.erase().details["restored"].as_array().unwrap().len(), 5);
        } else {
            assert_ne!(fixture.tree(), tree);
            assert_eq!(fixture.writer().unwrap().recovered().undone.len(), 1);
        }
        assert_eq!(fixture.tree(), tree, "{fault:?}");
    }
}

#[test]
fn a_file_that_moves_meanwhile_fails_the_rollback() {
    let mut fixture = Fixture::new();
    let first = fixture.deploy(ROOTS, ONE);
    fixture.deploy(ROOTS, TWO);
    let path = fixture.path("p/AGENTS.md");
    let faults = FaultInjector::new(move |at| {
        if at == "staged" {
            std::fs::write(&path, "just now").unwrap();
        }
        None
    });
    let now = fixture.options().now;
    let writer = fixture.writer().unwrap().with_faults(faults);
    assert_eq!(writer.rollback(&first, None, now).unwrap_err().kind(), Error::ApplyFailed);
    assert_eq!(fixture.read("p/AGENTS.md").as_deref(), Some("just now"));
}

#[test]
fn targets_that_are_not_known_here_are_restored_as_well() {
    let mut fixture = Fixture::new();
    let first = fixture.deploy(&[(Codex, "p")], &[(Codex, "p", "AGENTS.md", "one")]);
    fixture.deploy(&[(Codex, "p")], &[(Codex, "p", "AGENTS.md", "two")]);
    let snapshot: Snapshot = snapshot::load(&fixture.home(), &first).unwrap();
    let text = String::from_utf8(snapshot.to_bytes()).unwrap();
    let text = text.replace("\"codex\"", "\"zed\"");
    std::fs::write(snapshot::file(&fixture.home(), &first), text).unwrap();
    let copies = state_root(&fixture.home(), &first);
    std::fs::rename(copies.join("codex"), copies.join("zed")).unwrap();
    rollback(&mut fixture, &first).unwrap();
    assert_eq!(fixture.read("p/AGENTS.md").as_deref(), Some("one"));
}
