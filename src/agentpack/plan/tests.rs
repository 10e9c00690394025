//! What is created, updated, deleted, refused, and what never is.

use std::os::unix::fs::symlink;

use super::*;
use crate::apply::check;
use crate::content::sha256;
use crate::generated::Error;
use crate::manifest::Entry;
use crate::testing::Sandbox;
use crate::workspace::{Selection, Workspace};

const RULES: &str = "project/.cursor/rules";

/// Prompts `a` and `b` for VS Code.
fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.config(
        &[("vscode", "project")],
        &[("prompt:a", "prompt", "a.md"), ("prompt:b", "prompt", "b.md")],
    );
    sandbox.repo("a.md", "a\n");
    sandbox.repo("b.md", "b\n");
    sandbox
}

const PROMPTS: &str = "project/.github/prompts";

/// A manifest of these files with these contents.
fn manifest(sandbox: &Sandbox, root: &str, target: Target, files: &[(&str, &str)]) {
    let entries: Vec<Entry> = files
        .iter()
        .map(|(path, text)| Entry {
            path: (*path).to_owned(),
            sha256: sha256(text.as_bytes()),
            module_ids: BTreeSet::from(["m:old".to_owned()]),
        })
        .collect();
    let bytes = manifest::bytes(target, &entries, Some("1"), jiff::Timestamp::UNIX_EPOCH);
    let name = format!("{root}/{}", manifest::file_name(target));
    sandbox.write(&name, std::str::from_utf8(&bytes).unwrap());
}

fn plan_of(sandbox: &Sandbox) -> Plan {
    sandbox.open(None).unwrap().plan().unwrap()
}

/// `op name reason`, with a mark for edits that would be lost.
fn summary(plan: &Plan) -> Vec<String> {
    let line = |change: &Change| {
        let name = change.path.file_name().unwrap().to_str().unwrap();
        let kind = match change.update_kind {
            Some(UpdateKind::ManagedUpdate) => " managed",
            Some(UpdateKind::AdoptUpdate) => " adopt",
            None => "",
        };
        let edits = if change.local_edits { " edited" } else { "" };
        format!("{:?}{kind} {name}: {}{edits}", change.op, change.reason)
    };
    plan.changes.iter().map(line).collect()
}

#[test]
fn each_case_has_its_operation_and_reason() {
    let sandbox = sandbox();
    let plan = plan_of(&sandbox);
    assert_eq!(
        summary(&plan),
        ["Create a.prompt.md: file missing", "Create b.prompt.md: file missing"]
    );
    assert_eq!(plan.changes[0].after_sha256.as_deref(), Some(sha256(b"a\n").as_str()));
    assert_eq!(plan.summary().create, 2);
    assert_eq!(plan.roots_without_manifest.len(), 1);

    sandbox.write(&format!("{PROMPTS}/a.prompt.md"), "theirs\n");
    sandbox.write(&format!("{PROMPTS}/b.prompt.md"), "b\n");
    assert_eq!(
        summary(&plan_of(&sandbox)),
        ["Update adopt a.prompt.md: would overwrite unmanaged existing file"]
    );

    manifest(
        &sandbox,
        PROMPTS,
        Target::Vscode,
        &[
            ("a.prompt.md", "theirs\n"),
            ("b.prompt.md", "b\n"),
            ("old.md", "old\n"),
            ("gone.md", ""),
        ],
    );
    sandbox.write(&format!("{PROMPTS}/old.md"), "old\n");
    let plan = plan_of(&sandbox);
    assert_eq!(
        summary(&plan),
        ["Update managed a.prompt.md: content differs", "Delete old.md: no longer managed"]
    );
    assert!(plan.changes[1].module_ids.contains("m:old"));
    assert!(plan.roots_without_manifest.is_empty());

    sandbox.write(&format!("{PROMPTS}/a.prompt.md"), "edited\n");
    sandbox.write(&format!("{PROMPTS}/old.md"), "edited\n");
    assert_eq!(
        summary(&plan_of(&sandbox)),
        [
            "Update managed a.prompt.md: content differs edited",
            "Delete old.md: no longer managed edited"
        ]
    );
}

#[test]
fn another_projects_files_are_never_deleted() {
    let sandbox = sandbox();
    // Deployed in the first project, with a snapshot that names its files as managed.
    manifest(&sandbox, PROMPTS, Target::Vscode, &[("old.md", "old\n")]);
    let old = sandbox.write(&format!("{PROMPTS}/old.md"), "old\n");
    sandbox.write(
        "home/.agentpack/state/snapshots/1.json",
        &serde_json::json!({
            "kind": "deploy", "id": "1", "created_at": "x", "targets": ["vscode"],
            "managed_files": [{"target": "vscode", "path": old, "sha256": sha256(b"old\n")}],
            "changes": [], "lockfile_sha256": null, "backup_root": "x",
        })
        .to_string(),
    );
    assert_eq!(plan_of(&sandbox).summary().delete, 1);
    let mut environment = sandbox.environment();
    environment.cwd = sandbox.dir("other");
    let plan = Workspace::open(&environment, Selection::default()).unwrap().plan().unwrap();
    assert_eq!(plan.summary(), crate::model::Summary { create: 2, update: 0, delete: 0 });
    assert!(plan.changes.iter().all(|change| change.path.starts_with(sandbox.path("other"))));
}

#[test]
fn targets_that_are_not_selected_are_left_alone() {
    let sandbox = Sandbox::new();
    sandbox.config(
        &[("vscode", "project"), ("cursor", "project")],
        &[("instructions:a", "instructions", "a")],
    );
    sandbox.repo("a/AGENTS.md", "a\n");
    manifest(&sandbox, RULES, Target::Cursor, &[("old.mdc", "old\n")]);
    sandbox.write(&format!("{RULES}/old.mdc"), "old\n");
    let plan = sandbox.open(Some(Target::Vscode)).unwrap().plan().unwrap();
    assert_eq!(summary(&plan), ["Create copilot-instructions.md: file missing"]);
    assert_eq!(plan.targets, [Target::Vscode]);
    assert_eq!(plan_of(&sandbox).summary().delete, 1);
}

#[test]
fn a_link_is_an_unmanaged_file() {
    let sandbox = sandbox();
    sandbox.write("elsewhere.md", "a\n");
    sandbox.write(&format!("{PROMPTS}/b.prompt.md"), "b\n");
    let link = sandbox.path(&format!("{PROMPTS}/a.prompt.md"));
    symlink(sandbox.path("elsewhere.md"), &link).unwrap();
    symlink(sandbox.path("elsewhere.md"), sandbox.path(&format!("{PROMPTS}/old.md"))).unwrap();
    manifest(&sandbox, PROMPTS, Target::Vscode, &[("a.prompt.md", "a\n"), ("old.md", "a\n")]);
    let plan = plan_of(&sandbox);
    assert_eq!(
        summary(&plan),
        ["Update adopt a.prompt.md: would overwrite unmanaged existing file"],
        "even with the same bytes behind it, and never a delete"
    );
    let before = plan.changes[0].before_sha256.clone();
    assert_eq!(before.as_deref(), on_disk(&link).unwrap().sha256());
    assert!(
        plan.warnings.iter().any(|line| line.contains("it is a link now")),
        "{:?}",
        plan.warnings
    );
}

#[test]
fn a_bad_root_keeps_only_its_own_changes_back() {
    let sandbox = Sandbox::new();
    sandbox.config(
        &[("vscode", "project"), ("cursor", "project"), ("codex", "project")],
        &[("instructions:a", "instructions", "a")],
    );
    sandbox.repo("a/AGENTS.md", "a\n");
    sandbox.write("project/.cursor/rules", "a file");
    let plan = plan_of(&sandbox);
    assert_eq!(
        summary(&plan),
        ["Create AGENTS.md: file missing", "Create copilot-instructions.md: file missing"]
    );
    assert!(plan.warnings[0].contains("target `cursor`"), "{:?}", plan.warnings);
    let failure = check(&plan, false).unwrap_err();
    assert_eq!(failure.kind(), Error::RootUnusable);
    assert!(failure.message().contains("is not a folder"), "{failure}");
    assert_eq!(failure.erase().details["target"], "cursor");

    std::fs::remove_file(sandbox.path("project/.cursor/rules")).unwrap();
    sandbox.dir("project/AGENTS.md");
    let plan = plan_of(&sandbox);
    assert_eq!(plan.summary().create, 2);
    assert!(check(&plan, false).unwrap_err().message().contains("it is a folder"));

    std::fs::remove_dir(sandbox.path("project/AGENTS.md")).unwrap();
    check(&plan_of(&sandbox), false).unwrap();
}

#[test]
fn links_on_the_way_out_of_a_root_are_not_followed() {
    let sandbox = Sandbox::new();
    sandbox.config(&[("codex", "project")], &[("skill:s", "skill", "s")]);
    sandbox.repo("s/SKILL.md", "---\nname: s\ndescription: d\n---\n");
    let outside = sandbox.dir("outside");
    sandbox.dir("project/.codex/skills");
    symlink(&outside, sandbox.path("project/.codex/skills/s")).unwrap();
    let plan = plan_of(&sandbox);
    assert!(plan.changes.is_empty());
    assert!(check(&plan, false).unwrap_err().message().contains("link out of"));

    sandbox.config(&[("codex", "project")], &[]);
    let skills = "project/.codex/skills";
    manifest(&sandbox, skills, Target::Codex, &[("s/precious", "x"), ("../../precious", "x")]);
    sandbox.write("outside/precious", "x");
    sandbox.write("project/precious", "x");
    let plan = plan_of(&sandbox);
    assert!(plan.changes.is_empty(), "{:?}", plan.changes);
    let warnings = plan.warnings.join("\n");
    assert!(warnings.contains("link out of") && warnings.contains("leaves the root"), "{warnings}");
}

#[test]
fn a_home_is_no_project() {
    let sandbox = sandbox();
    let mut environment = sandbox.environment();
    environment.cwd = sandbox.path("home");
    let plan = Workspace::open(&environment, Selection::default()).unwrap().plan().unwrap();
    assert!(plan.warnings.iter().any(|line| line.contains("home of the user")));
    let failure = check(&plan, false).unwrap_err();
    assert_eq!(failure.kind(), Error::ProjectRootUnsafe);
    check(&plan, true).unwrap();
    check(&plan_of(&sandbox), false).unwrap();

    sandbox.config(&[("codex", "user")], &[("prompt:a", "prompt", "a.md")]);
    let plan = Workspace::open(&environment, Selection::default()).unwrap().plan().unwrap();
    assert_eq!(plan.summary().create, 1);
    check(&plan, false).unwrap();
}

#[test]
fn the_same_inputs_give_the_same_plan_and_nothing_is_written() {
    let sandbox = sandbox();
    sandbox.repo("agentpack.lock.json", r#"{"version":1,"modules":[]}"#);
    sandbox.write(&format!("{PROMPTS}/a.prompt.md"), "theirs\n");
    let before = sandbox.everything();
    let (first, second) = (plan_of(&sandbox), plan_of(&sandbox));
    assert_eq!(first.changes, second.changes);
    assert_eq!(first.warnings, second.warnings);
    assert_eq!(first.lockfile_sha256, Some(sha256(br#"{"version":1,"modules":[]}"#)));
    assert_eq!(sandbox.everything(), before);
}

#[test]
fn the_binding_has_effective_values() {
    let sandbox = sandbox();
    let selection = Selection {
        repo: Some("../home/.agentpack/repo".into()),
        machine: Some(" My Box ".to_owned()),
        ..Selection::default()
    };
    let workspace = Workspace::open(&sandbox.environment(), selection).unwrap();
    assert_eq!(
        workspace.binding(),
        serde_json::json!({
            "machine": "my-box", "profile": "default", "target": "all",
            "repo": sandbox.path("home/.agentpack/repo"), "project": sandbox.path("project"),
        })
    );
    let default = sandbox.open(None).unwrap().binding();
    assert_eq!(default["repo"], workspace.binding()["repo"]);
    assert_eq!(default["machine"], "test-box");
}
