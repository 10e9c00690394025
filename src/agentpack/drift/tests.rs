//! Kinds, causes, and reports where there is no manifest.

use super::*;
use crate::content::sha256;
use crate::manifest::{self, Entry};
use crate::next_actions::after_status;
use crate::testing::Sandbox;
use crate::workspace::Selection;

const PROMPTS: &str = "project/.github/prompts";

fn sandbox(names: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let ids: Vec<(String, String)> =
        names.iter().map(|name| (format!("prompt:{name}"), format!("{name}.md"))).collect();
    let modules: Vec<_> =
        ids.iter().map(|(id, path)| (id.as_str(), "prompt", path.as_str())).collect();
    sandbox.config(&[("vscode", "project")], &modules);
    for name in names {
        sandbox.repo(&format!("{name}.md"), "source\n");
    }
    sandbox
}

fn deployed(sandbox: &Sandbox, files: &[(&str, &str)]) {
    let entry = |(name, text): &(&str, &str)| Entry {
        path: format!("{name}.prompt.md"),
        sha256: sha256(text.as_bytes()),
        module_ids: BTreeSet::from([format!("prompt:{name}")]),
    };
    let entries: Vec<Entry> = files.iter().map(entry).collect();
    let at = jiff::Timestamp::UNIX_EPOCH;
    let bytes = manifest::bytes(Target::Vscode, &entries, None, at);
    let name = format!("{PROMPTS}/{}", manifest::file_name(Target::Vscode));
    sandbox.write(&name, std::str::from_utf8(&bytes).unwrap());
}

fn on_disk(sandbox: &Sandbox, name: &str, text: &str) {
    sandbox.write(&format!("{PROMPTS}/{name}"), text);
}

fn summary(status: &Status) -> Vec<String> {
    let line = |drift: &Drift| {
        let name = drift.path.file_name().unwrap().to_str().unwrap();
        format!("{:?} {name} {:?}", drift.kind, drift.cause)
    };
    status.drift.iter().map(line).collect()
}

#[test]
fn the_cause_distinguishes_edits_sources_and_undeployed_files() {
    let sandbox = sandbox(&["clean", "edited", "moved", "new", "present", "removed"]);
    deployed(
        &sandbox,
        &[
            ("clean", "source\n"),
            ("edited", "source\n"),
            ("moved", "older\n"),
            ("removed", "source\n"),
            ("retired", "retired\n"),
        ],
    );
    on_disk(&sandbox, "clean.prompt.md", "source\n");
    on_disk(&sandbox, "edited.prompt.md", "by hand\n");
    on_disk(&sandbox, "moved.prompt.md", "older\n");
    on_disk(&sandbox, "present.prompt.md", "theirs\n");
    on_disk(&sandbox, "retired.prompt.md", "retired\n");
    on_disk(&sandbox, "deep/stray.md", "stray\n");
    on_disk(&sandbox, ".git/config", "not ours\n");
    let status = status(&sandbox.open(None).unwrap()).unwrap();
    assert_eq!(
        summary(&status),
        [
            "Extra stray.md None",
            "Modified edited.prompt.md Some(Edited)",
            "Modified moved.prompt.md Some(Outdated)",
            "Missing new.prompt.md Some(Undeployed)",
            "Modified present.prompt.md Some(Undeployed)",
            "Missing removed.prompt.md Some(Edited)",
            "Extra retired.prompt.md Some(Outdated)",
        ]
    );
    assert_eq!(status.summary(), DriftSummary { modified: 3, missing: 2, extra: 2 });
    assert_eq!(status.summary_by_root().len(), 1);
    let edited = &status.drift[1];
    assert_eq!(edited.expected, Some(sha256(b"source\n")));
    assert_eq!(edited.actual, Some(sha256(b"by hand\n")));
    let retired = status.drift.last().unwrap();
    assert!(retired.managed && retired.expected.is_none());
    assert!(retired.module_ids.contains("prompt:retired"));
    assert_eq!(status.drift[0].actual, Some(sha256(b"stray\n")));

    let explained = crate::explain::status(&status);
    assert_eq!(explained.len(), 6, "what merely lies there has no origin");
    let filtered = status.only(&[DriftKind::Extra]);
    assert_eq!(filtered.summary(), DriftSummary { modified: 0, missing: 0, extra: 2 });
}

#[test]
fn without_a_manifest_the_disk_is_compared_and_a_warning_given() {
    let sandbox = sandbox(&["a", "b"]);
    on_disk(&sandbox, "a.prompt.md", "theirs\n");
    on_disk(&sandbox, "stray.md", "x");
    let status = status(&sandbox.open(None).unwrap()).unwrap();
    assert_eq!(
        summary(&status),
        ["Modified a.prompt.md Some(Undeployed)", "Missing b.prompt.md Some(Undeployed)"]
    );
    assert_eq!(status.warnings.len(), 1);
    assert!(status.warnings[0].contains("no target manifests found"), "{:?}", status.warnings);
    assert!(!status.any_manifest);
}

#[test]
fn a_root_without_its_manifest_is_named() {
    let sandbox = sandbox(&["a"]);
    sandbox.config(
        &[("vscode", "project")],
        &[("prompt:a", "prompt", "a.md"), ("instructions:i", "instructions", "i")],
    );
    sandbox.repo("i/AGENTS.md", "i\n");
    deployed(&sandbox, &[("a", "source\n")]);
    on_disk(&sandbox, "a.prompt.md", "source\n");
    let status = status(&sandbox.open(None).unwrap()).unwrap();
    assert_eq!(summary(&status), ["Missing copilot-instructions.md Some(Undeployed)"]);
    assert!(
        status.warnings[0].contains("project/.github` (target `vscode`)"),
        "{:?}",
        status.warnings
    );
}

#[test]
fn links_and_unusable_roots_are_reported_not_followed() {
    let sandbox = sandbox(&["a"]);
    sandbox.write("secret", "source\n");
    deployed(&sandbox, &[("a", "source\n")]);
    let link = sandbox.path(&format!("{PROMPTS}/a.prompt.md"));
    std::os::unix::fs::symlink(sandbox.path("secret"), &link).unwrap();
    std::os::unix::fs::symlink(sandbox.path(""), sandbox.path(&format!("{PROMPTS}/loop"))).unwrap();
    let found = status(&sandbox.open(None).unwrap()).unwrap();
    assert_eq!(summary(&found), ["Modified a.prompt.md Some(Edited)", "Extra loop None"]);
    assert_eq!(found.drift[0].actual, None);

    std::fs::remove_dir_all(sandbox.path("project/.github")).unwrap();
    sandbox.write("project/.github", "a file");
    let found = status(&sandbox.open(None).unwrap()).unwrap();
    assert!(found.drift.is_empty());
    assert!(
        found.warnings.iter().any(|line| line.contains("cannot be used")),
        "{:?}",
        found.warnings
    );
}

#[test]
fn what_to_do_next_depends_on_what_was_found() {
    let words = |sandbox: &Sandbox| -> Vec<&'static str> {
        let status = status(&sandbox.open(None).unwrap()).unwrap();
        let actions = after_status(&Selection::default(), &status);
        actions.into_iter().map(|action| action.action).collect()
    };
    let sandbox = sandbox(&["a"]);
    assert_eq!(words(&sandbox), ["preview_diff", "deploy_apply"]);
    on_disk(&sandbox, "a.prompt.md", "source\n");
    assert_eq!(words(&sandbox), ["deploy_apply"]);
    deployed(&sandbox, &[("a", "source\n")]);
    assert!(words(&sandbox).is_empty());
    on_disk(&sandbox, "stray.md", "x");
    assert_eq!(words(&sandbox), ["preview_diff"]);
    on_disk(&sandbox, "a.prompt.md", "by hand\n");
    assert_eq!(words(&sandbox), ["preview_diff", "deploy_apply", "evolve_propose"]);
}
