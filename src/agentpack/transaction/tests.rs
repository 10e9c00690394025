//! Interruptions at every single point of a deploy that creates, updates and deletes.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::*;
use crate::apply::fixture::{File, Fixture};
use crate::model::Target::{self, Codex};
use crate::snapshot;

const ROOTS: &[(Target, &str)] = &[(Codex, "p"), (Codex, "p/skills")];
const OLD: &[File<'_>] = &[
    (Codex, "p", "AGENTS.md", "old"),
    (Codex, "p/skills", "gone/SKILL.md", "old"),
    (Codex, "p/skills", "kept/SKILL.md", "same"),
];
const NEW: &[File<'_>] = &[
    (Codex, "p", "AGENTS.md", "new"),
    (Codex, "p/skills", "fresh/SKILL.md", "new"),
    (Codex, "p/skills", "fresh/deep/run.sh", "new"),
    (Codex, "p/skills", "kept/SKILL.md", "same"),
];

type Tree = BTreeMap<PathBuf, Option<Vec<u8>>>;

/// Files by their path below the fixture; manifests without what differs per run.
fn comparable(fixture: &Fixture, tree: Tree) -> BTreeMap<PathBuf, Option<String>> {
    let short = |path: PathBuf| path.strip_prefix(fixture.path("")).unwrap().to_owned();
    let steady = |bytes: Vec<u8>| {
        let lines = String::from_utf8(bytes).unwrap();
        let lines = lines.lines().filter(|l| !l.contains("_at\"") && !l.contains("snapshot_id"));
        lines.collect::<Vec<_>>().join("\n")
    };
    tree.into_iter().map(|(path, bytes)| (short(path), bytes.map(steady))).collect()
}

fn state(fixture: &Fixture) -> BTreeMap<PathBuf, Option<String>> {
    comparable(fixture, fixture.tree())
}

fn old() -> Fixture {
    let mut fixture = Fixture::new();
    fixture.deploy(ROOTS, OLD);
    fixture
}

/// How many points the deploy has, and what it comes to.
fn uninterrupted() -> (usize, BTreeMap<PathBuf, Option<String>>) {
    let mut fixture = old();
    let plan = fixture.plan(ROOTS, NEW);
    let count = std::sync::Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let counter = std::sync::Arc::clone(&count);
    let faults = FaultInjector::new(move |_| {
        counter.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        None
    });
    fixture.apply_with(&plan, faults).unwrap();
    (count.load(std::sync::atomic::Ordering::Relaxed), state(&fixture))
}

#[test]
fn killed_at_any_point_it_is_all_old_or_all_new() {
    let (points, new) = uninterrupted();
    let before = state(&old());
    assert!(points > 15 && before != new);
    let (mut undone, mut finished) = (0, 0);
    for point in 0..points {
        let mut fixture = old();
        let plan = fixture.plan(ROOTS, NEW);
        fixture.apply_with(&plan, FaultInjector::nth(point, InjectedFault::Kill)).unwrap_err();
        let waiting = pending(&fixture.home()).unwrap();
        assert!(waiting.iter().all(|journal| !journal.running));

        let recovered = fixture.writer().unwrap().recovered().clone();
        assert_eq!(recovered.finished.len() + recovered.undone.len(), waiting.len(), "{point}");
        assert!(pending(&fixture.home()).unwrap().is_empty(), "{point}");
        let snapshots = snapshot::list(&fixture.home()).unwrap().len();
        let after = state(&fixture);
        if snapshots == 2 {
            assert_eq!(after, new, "point {point}");
            finished += 1;
        } else {
            assert_eq!(after, before, "point {point}");
            undone += 1;
            // Nothing of the failed run is left, and the same plan can be planned and applied again.
            let plan = fixture.plan(ROOTS, NEW);
            fixture.apply(&plan).unwrap();
            assert_eq!(state(&fixture), new, "point {point}");
        }
    }
    assert!(undone > 5 && finished >= 2, "{undone} undone, {finished} finished");
}

#[test]
fn failing_at_any_point_it_is_all_old() {
    let (points, _) = uninterrupted();
    let before = state(&old());
    let mut codes = std::collections::BTreeSet::new();
    for point in 0..points {
        let mut fixture = old();
        let plan = fixture.plan(ROOTS, NEW);
        let failure =
            fixture.apply_with(&plan, FaultInjector::nth(point, InjectedFault::Fail)).unwrap_err();
        let restored = failure.clone().erase().details["restored"].as_array().unwrap().len();
        codes.insert((failure.kind().info().code, restored > 0));
        assert_eq!(state(&fixture), before, "point {point}: {failure}");
        assert!(pending(&fixture.home()).unwrap().is_empty(), "{point}");
        assert_eq!(snapshot::list(&fixture.home()).unwrap().len(), 1, "{point}");
    }
    let expected = [("E_APPLY_FAILED", true), ("E_IO_FAILED", false)];
    assert_eq!(codes.into_iter().collect::<Vec<_>>(), expected);
}

#[test]
fn undoing_can_itself_be_interrupted() {
    let before = state(&old());
    let mut fixture = old();
    let plan = fixture.plan(ROOTS, NEW);
    let faults = FaultInjector::new(|at| (at == "all in place").then_some(InjectedFault::Kill));
    fixture.apply_with(&plan, faults).unwrap_err();
    // A backup that cannot be read for a while represents any failure of the undo.
    let journal = pending(&fixture.home()).unwrap()[0].path.clone();
    let id = journal.file_stem().unwrap().to_str().unwrap().to_owned();
    let backups = snapshot::backup_root(&fixture.home(), &id);
    let aside = fixture.home().join("aside");
    std::fs::rename(&backups, &aside).unwrap();
    let failure = fixture.writer().unwrap_err();
    assert_eq!(failure.kind(), Error::ApplyFailed);
    assert!(!failure.erase().details["not_restored"].as_array().unwrap().is_empty());
    assert!(journal.exists(), "the journal stays until all is restored");
    std::fs::rename(&aside, &backups).unwrap();
    fixture.writer().unwrap();
    assert_eq!(state(&fixture), before);
}

#[test]
fn edits_after_a_crash_are_left_alone() {
    let mut fixture = old();
    let plan = fixture.plan(ROOTS, NEW);
    let faults = FaultInjector::new(|at| (at == "all in place").then_some(InjectedFault::Kill));
    fixture.apply_with(&plan, faults).unwrap_err();
    fixture.write("p/AGENTS.md", "typed after the crash");
    let writer = fixture.writer().unwrap();
    let undone = &writer.recovered().undone[0];
    assert_eq!(undone.left, [fixture.path("p/AGENTS.md")]);
    assert!(writer.recovered().warnings()[0].contains("left alone"));
    assert!(snapshot::backup_root(&fixture.home(), &undone.id).exists(), "backups are kept");
    assert_eq!(fixture.read("p/AGENTS.md").as_deref(), Some("typed after the crash"));
    assert_eq!(fixture.read("p/skills/gone/SKILL.md").as_deref(), Some("old"));
    assert!(fixture.read("p/skills/fresh/SKILL.md").is_none());
}

#[test]
fn a_journal_that_cannot_be_read_refuses_to_write() {
    let mut fixture = old();
    let path = journal::folder(&fixture.home()).join("5.json");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, "{").unwrap();
    let plan = fixture.plan(ROOTS, NEW);
    let failure = fixture.apply(&plan).unwrap_err();
    assert_eq!(failure.kind(), Error::ApplyFailed);
    assert!(failure.message().contains("5.json"), "{failure}");
}

#[test]
fn a_start_recovers_and_leaves_running_writers_alone() {
    let mut fixture = old();
    let plan = fixture.plan(ROOTS, NEW);
    fixture.apply_with(&plan, FaultInjector::nth(6, InjectedFault::Kill)).unwrap_err();
    let lock = crate::lock::Lock::take(&fixture.home(), "deploy", std::time::Duration::ZERO);
    let recovered = crate::writer::recover_at_start(&fixture.home()).unwrap();
    assert_eq!(recovered, Recovered::default());
    assert!(pending(&fixture.home()).unwrap()[0].running);
    drop(lock);
    let recovered = crate::writer::recover_at_start(&fixture.home()).unwrap();
    assert_eq!(recovered.undone.len(), 1);
    let nowhere = fixture.path("no-home");
    crate::writer::recover_at_start(&nowhere).unwrap();
    assert!(!nowhere.exists());
}
