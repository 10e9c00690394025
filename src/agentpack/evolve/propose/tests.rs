use super::*;
use crate::apply::Options;
use crate::git::Git;
use crate::model::Target;
use crate::testing::{Sandbox, script};
use crate::writer::Writer;

const REPO: &str = "home/.agentpack/repo";
const REQUEST: Request<'static> = Request {
    module_id: None,
    scope: Layer::Global,
    branch: None,
    dry_run: false,
    yes: true,
    now: Timestamp::constant(1_768_557_600, 5),
};

/// A deployed project: two instructions, a prompt, a skill, a command; committed.
fn deployed_sandbox(targets: &[(&str, &str)], modules: &[&str]) -> Sandbox {
    let sandbox = Sandbox::new();
    let all = [
        ("instructions:a", "instructions", "modules/a"),
        ("instructions:b", "instructions", "modules/b"),
        ("prompt:x", "prompt", "modules/x.md"),
        ("skill:s", "skill", "modules/s"),
    ];
    let chosen: Vec<_> = all.into_iter().filter(|(id, ..)| modules.contains(id)).collect();
    sandbox.config(targets, &chosen);
    sandbox.repo("modules/a/AGENTS.md", "# A\n\none\n\ntwo\n\nthree\n");
    sandbox.repo("modules/b/AGENTS.md", "# B\n");
    sandbox.repo("modules/x.md", "prompt\n");
    sandbox.repo("modules/s/SKILL.md", "---\nname: s\ndescription: d\n---\n");
    script(&sandbox.path(&format!("{REPO}/modules/s/run.sh")), "#!/bin/sh\n");
    sandbox.commit(REPO);
    deploy(&sandbox);
    sandbox
}

fn deploy(sandbox: &Sandbox) {
    let plan = sandbox.open(None).unwrap().plan().unwrap();
    let home = sandbox.environment().agentpack_home;
    let writer = Writer::open(&home, "deploy", std::time::Duration::ZERO).unwrap();
    let options = Options { adopt: false, now: REQUEST.now, cancelled: &|| false };
    writer.apply(&plan, options).unwrap();
}

fn try_propose(sandbox: &Sandbox, request: Request<'_>) -> Result<Proposal> {
    propose(&sandbox.open(None).unwrap(), request)
}

fn propose_dry_run(sandbox: &Sandbox) -> Proposal {
    try_propose(sandbox, Request { dry_run: true, yes: false, ..REQUEST }).unwrap()
}

fn git(sandbox: &Sandbox, args: &[&str]) -> String {
    Git::new(&sandbox.environment()).ok(&sandbox.path(REPO), args).unwrap()
}

/// The branch of a proposal, and a file on it.
fn on_branch(sandbox: &Sandbox, proposal: &Proposal, ending: &str) -> String {
    let Outcome::Created(created) = &proposal.outcome else { panic!("{proposal:?}") };
    let file = created.files.iter().find(|file| file.ends_with(ending)).unwrap();
    git(sandbox, &["show", &format!("{}:{file}", created.branch)])
}

fn reasons(proposal: &Proposal) -> Vec<&'static str> {
    proposal.skipped.iter().map(|skipped| skipped.reason.code()).collect()
}

#[test]
fn an_edit_becomes_a_branch_and_the_checkout_is_not_touched() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    sandbox.write("project/AGENTS.md", "# A\n\nedited\n");
    let before = (sandbox.everything(), git(&sandbox, &["rev-parse", "HEAD"]));
    let proposal = try_propose(&sandbox, REQUEST).unwrap();
    assert_eq!(on_branch(&sandbox, &proposal, "AGENTS.md"), "# A\n\nedited");
    let Outcome::Created(created) = &proposal.outcome else { panic!() };
    let name = "evolve/propose-global-instructions_a-20260116T100000Z-000000005";
    assert_eq!(created.branch, name);
    assert!(created.files[0].starts_with("overlays/instructions_a--"), "{:?}", created.files);
    assert_eq!(sandbox.everything(), before.0);
    assert_eq!(git(&sandbox, &["rev-parse", "HEAD"]), before.1);
    assert_eq!(git(&sandbox, &["status", "--porcelain"]), "");
    assert_eq!(git(&sandbox, &["symbolic-ref", "--short", "HEAD"]), "main");
    assert_eq!(git(&sandbox, &["worktree", "list"]).lines().count(), 1);

    git(&sandbox, &["merge", "-q", name]);
    assert!(sandbox.open(None).unwrap().plan().unwrap().changes.is_empty(), "round trip");
}

#[test]
fn nothing_edited_is_no_drift_and_a_missing_file_is_named() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    assert_eq!(try_propose(&sandbox, REQUEST).unwrap().reason(), Some("no_drift"));
    std::fs::remove_file(sandbox.path("project/AGENTS.md")).unwrap();
    let proposal = try_propose(&sandbox, REQUEST).unwrap();
    assert_eq!(proposal.reason(), Some("no_proposeable_drift"));
    assert_eq!(reasons(&proposal), ["missing"]);
    assert_eq!(proposal.summary.skipped_missing, 1);
    let next = &proposal.skipped[0].next_actions[0];
    assert_eq!(next, "agentpack evolve restore --module-id instructions:a --yes --json");
}

#[test]
fn a_newer_source_is_not_taken_for_an_edit() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    sandbox.repo("modules/a/AGENTS.md", "# A, newer\n");
    let proposal = propose_dry_run(&sandbox);
    assert_eq!(reasons(&proposal), ["outdated_output"]);
    assert!(proposal.candidates.is_empty());
}

#[test]
fn an_edit_is_carried_over_to_a_newer_source() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    sandbox.repo("modules/a/AGENTS.md", "# A\n\none, newer\n\ntwo\n\nthree\n");
    sandbox.commit(REPO);
    sandbox.write("project/AGENTS.md", "# A\n\none\n\ntwo\n\nthree, edited\n");
    let proposal = try_propose(&sandbox, REQUEST).unwrap();
    let merged = "# A\n\none, newer\n\ntwo\n\nthree, edited";
    assert_eq!(on_branch(&sandbox, &proposal, "AGENTS.md"), merged);
    sandbox.write("project/AGENTS.md", "# A\n\none, edited\n\ntwo\n\nthree\n");
    assert_eq!(reasons(&propose_dry_run(&sandbox)), ["source_changed"]);
}

#[test]
fn sections_of_a_shared_file_go_to_their_modules() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a", "instructions:b"]);
    let deployed = sandbox.read("project/AGENTS.md");
    sandbox.write("project/AGENTS.md", &deployed.replace("# B", "# B, edited"));
    // The other module is newer than what was deployed: that is no edit.
    sandbox.repo("modules/a/AGENTS.md", "# A, newer\n");
    sandbox.commit(REPO);
    let proposal = try_propose(&sandbox, REQUEST).unwrap();
    assert_eq!(proposal.candidates.len(), 1, "{proposal:?}");
    assert_eq!(on_branch(&sandbox, &proposal, "AGENTS.md"), "# B, edited");

    for broken in [deployed.replace("<!-- /agentpack -->", ""), format!("hello\n{deployed}")] {
        sandbox.write("project/AGENTS.md", &broken);
        let proposal = propose_dry_run(&sandbox);
        assert_eq!(reasons(&proposal), ["multi_module_output"]);
        assert_eq!(proposal.summary.skipped_multi_module, 1);
    }
}

#[test]
fn only_the_asked_module_is_proposed_from_a_shared_file() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a", "instructions:b"]);
    let edited = sandbox.read("project/AGENTS.md").replace("# ", "## ");
    sandbox.write("project/AGENTS.md", &edited);
    assert_eq!(propose_dry_run(&sandbox).candidates.len(), 2);
    let asked = Request { module_id: Some("instructions:b"), dry_run: true, ..REQUEST };
    let proposal = try_propose(&sandbox, asked).unwrap();
    let ids: Vec<_> = proposal.candidates.iter().map(|found| found.module_id.as_str()).collect();
    assert_eq!(ids, ["instructions:b"]);
}

#[test]
fn cursor_rules_lose_their_front_matter() {
    let sandbox = deployed_sandbox(&[("cursor", "project")], &["instructions:a"]);
    let rule = std::fs::read_dir(sandbox.path("project/.cursor/rules")).unwrap();
    let rule = rule.flatten().find(|entry| entry.path().extension().is_some_and(|e| e == "mdc"));
    let rule = rule.unwrap().path();
    let deployed = std::fs::read_to_string(&rule).unwrap();
    std::fs::write(&rule, deployed.replace("two", "2")).unwrap();
    let proposal = try_propose(&sandbox, REQUEST).unwrap();
    assert_eq!(on_branch(&sandbox, &proposal, "AGENTS.md"), "# A\n\none\n\n2\n\nthree");

    std::fs::write(&rule, deployed.replace("globs: []", "globs: [x]")).unwrap();
    assert_eq!(reasons(&propose_dry_run(&sandbox)), ["generated_part"]);
    std::fs::write(&rule, deployed.replace("globs: []", "globs: [x]").replace("two", "2")).unwrap();
    let proposal = propose_dry_run(&sandbox);
    assert_eq!(proposal.candidates.len(), 1);
    assert!(proposal.warnings.iter().any(|line| line.contains("front matter")));
}

#[test]
fn prompts_go_back_under_the_name_of_the_source() {
    let sandbox = deployed_sandbox(&[("vscode", "project")], &["prompt:x"]);
    sandbox.write("project/.github/prompts/x.prompt.md", "edited\n");
    let proposal = try_propose(&sandbox, REQUEST).unwrap();
    let Outcome::Created(created) = &proposal.outcome else { panic!("{proposal:?}") };
    assert!(created.files[0].ends_with("/x.md"), "{:?}", created.files);
    git(&sandbox, &["merge", "-q", &created.branch]);
    assert!(sandbox.open(None).unwrap().plan().unwrap().changes.is_empty());
}

#[test]
fn scripts_of_skills_stay_executable() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["skill:s"]);
    let path = sandbox.path("project/.codex/skills/s/run.sh");
    std::fs::write(path, "#!/bin/sh\necho\n").unwrap();
    let proposal = try_propose(&sandbox, REQUEST).unwrap();
    let Outcome::Created(created) = &proposal.outcome else { panic!("{proposal:?}") };
    let listed = git(&sandbox, &["ls-tree", "-r", &created.branch, &created.files[0]]);
    assert!(listed.starts_with("100755"), "{listed}");
}

#[test]
fn one_module_edited_differently_in_two_outputs_is_a_conflict() {
    let sandbox =
        deployed_sandbox(&[("codex", "project"), ("vscode", "project")], &["instructions:a"]);
    let (codex, vscode) = ("project/AGENTS.md", "project/.github/copilot-instructions.md");
    sandbox.write(codex, "mine\n");
    sandbox.write(vscode, "other\n");
    let proposal = propose_dry_run(&sandbox);
    assert_eq!(reasons(&proposal), ["conflicting_edits"; 2]);
    assert_eq!(proposal.skipped[0].conflicts_with, [sandbox.path(vscode)]);
    assert_eq!(proposal.skipped[1].conflicts_with, [sandbox.path(codex)]);
    sandbox.write(vscode, "mine\n");
    let proposal = propose_dry_run(&sandbox);
    assert_eq!(proposal.candidates.len(), 1, "the same edit twice is one");
    assert_eq!(proposal.candidates[0].target, Target::Codex);
}

#[test]
fn overlays_that_would_hide_or_break_the_edit_are_named() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    let key = crate::identity::module_fs_key("instructions:a");
    let machine = format!("overlays/machines/test-box/{key}");
    sandbox.repo(&format!("{machine}/AGENTS.md"), "# Machine\n");
    deploy(&sandbox);
    sandbox.write("project/AGENTS.md", "# Machine, edited\n");
    assert_eq!(reasons(&propose_dry_run(&sandbox)), ["shadowed_by_overlay"]);
    let asked = Request { scope: Layer::Machine, dry_run: true, ..REQUEST };
    let proposal = try_propose(&sandbox, asked).unwrap();
    assert_eq!(proposal.candidates[0].file, format!("{machine}/AGENTS.md"));
}

#[test]
fn an_overlay_of_patches_gets_no_files() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    let key = crate::identity::module_fs_key("instructions:a");
    sandbox.repo(
        &format!("overlays/{key}/.agentpack/patches/AGENTS.md.patch"),
        "--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1,3 +1,3 @@\n-# A\n+# Patched\n \n one\n",
    );
    sandbox.repo(&format!("overlays/{key}/.agentpack/overlay.json"), r#"{"overlay_kind":"patch"}"#);
    deploy(&sandbox);
    let deployed = sandbox.read("project/AGENTS.md");
    assert!(deployed.starts_with("# Patched"), "{deployed}");
    sandbox.write("project/AGENTS.md", &deployed.replace("two", "2"));
    assert_eq!(reasons(&propose_dry_run(&sandbox)), ["patch_overlay"]);
}

#[test]
fn files_that_are_not_ours_are_not_proposed() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    sandbox.write("project/AGENTS.md", "edited\n");
    std::fs::remove_file(sandbox.path("project/.agentpack.manifest.codex.json")).unwrap();
    assert_eq!(reasons(&propose_dry_run(&sandbox)), ["unmanaged_output"]);
    std::fs::remove_file(sandbox.path("project/AGENTS.md")).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", sandbox.path("project/AGENTS.md")).unwrap();
    assert_eq!(reasons(&propose_dry_run(&sandbox)), ["not_a_file"]);
}

#[test]
fn consent_repository_and_clean_tree_come_first() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    sandbox.write("project/AGENTS.md", "edited\n");
    let failure = try_propose(&sandbox, Request { yes: false, ..REQUEST }).unwrap_err();
    assert_eq!(failure.kind(), Error::ConfirmRequired);
    assert_eq!(failure.erase().details["command"], "evolve propose");
    assert_eq!(propose_dry_run(&sandbox).reason(), Some("dry_run"));

    sandbox.repo("untracked", "x");
    let failure = try_propose(&sandbox, REQUEST).unwrap_err();
    assert_eq!(failure.kind(), Error::GitWorktreeDirty);
    assert!(failure.message().contains("untracked"), "{failure}");
    std::fs::remove_dir_all(sandbox.path(&format!("{REPO}/.git"))).unwrap();
    let failure = try_propose(&sandbox, REQUEST).unwrap_err();
    assert_eq!(failure.kind(), Error::GitRepoRequired);
    assert_eq!(failure.erase().details["repo"], sandbox.path(REPO).to_str().unwrap());
}

#[test]
fn without_git_only_dry_runs_work() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    sandbox.write("project/AGENTS.md", "edited\n");
    let mut workspace = sandbox.open(None).unwrap();
    let mut environment = sandbox.environment();
    environment.vars.insert("PATH".into(), "/nowhere".into());
    workspace.git = Git::new(&environment);
    let dry_run = Request { dry_run: true, ..REQUEST };
    assert_eq!(propose(&workspace, dry_run).unwrap().candidates.len(), 1);
    assert_eq!(propose(&workspace, REQUEST).unwrap_err().kind(), Error::GitNotFound);
}

#[test]
fn branch_names_are_checked() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    sandbox.write("project/AGENTS.md", "edited\n");
    for name in ["", "-d", "a..b", "a b", "HEAD", "@{-1}", "x.lock", "main", "main/below"] {
        let failure = try_propose(&sandbox, Request { branch: Some(name), ..REQUEST }).unwrap_err();
        assert_eq!(failure.kind(), Error::BranchInvalid, "{name}");
    }
    let failure = try_propose(&sandbox, Request { branch: Some("main"), ..REQUEST }).unwrap_err();
    assert_eq!(failure.erase().details["reason_code"], "branch_exists");
    let proposal = try_propose(&sandbox, Request { branch: Some("my/own"), ..REQUEST }).unwrap();
    assert_eq!(on_branch(&sandbox, &proposal, "AGENTS.md"), "edited");
    assert_eq!(git(&sandbox, &["branch", "--list"]).lines().count(), 2);
}

#[test]
fn a_detached_head_stays_detached() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    git(&sandbox, &["checkout", "-q", "--detach"]);
    let head = git(&sandbox, &["rev-parse", "HEAD"]);
    sandbox.write("project/AGENTS.md", "edited\n");
    let proposal = try_propose(&sandbox, REQUEST).unwrap();
    let Outcome::Created(created) = &proposal.outcome else { panic!("{proposal:?}") };
    assert_eq!(git(&sandbox, &["rev-parse", "HEAD"]), head);
    assert_eq!(git(&sandbox, &["rev-parse", &format!("{}^", created.branch)]), head);
    assert_eq!(git(&sandbox, &["rev-parse", "--abbrev-ref", "HEAD"]), "HEAD");
}

#[test]
fn a_repository_without_a_commit_gets_its_first_branch() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    std::fs::remove_dir_all(sandbox.path(&format!("{REPO}/.git"))).unwrap();
    git(&sandbox, &["init", "-q", "-b", "main"]);
    sandbox.repo(".git/info/exclude", "*\n");
    sandbox.write("project/AGENTS.md", "edited\n");
    let proposal = try_propose(&sandbox, REQUEST).unwrap();
    assert_eq!(on_branch(&sandbox, &proposal, "AGENTS.md"), "edited");
    assert_eq!(git(&sandbox, &["symbolic-ref", "HEAD"]), "refs/heads/main");
}

#[test]
fn a_commit_that_git_refuses_is_reported_and_leaves_no_branch() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    sandbox.write("project/AGENTS.md", "edited\n");
    let mut workspace = sandbox.open(None).unwrap();
    let mut environment = sandbox.environment();
    environment.vars.retain(|name, _| !name.contains("AUTHOR") && !name.contains("COMMITTER"));
    workspace.git = Git::new(&environment);
    git(&sandbox, &["config", "user.useConfigOnly", "true"]);
    let proposal = propose(&workspace, REQUEST).unwrap();
    assert_eq!(proposal.reason(), Some("commit_failed"));
    assert!(proposal.warnings.iter().any(|line| line.contains("user.name")), "{proposal:?}");
    assert_eq!(git(&sandbox, &["branch", "--list"]), "* main");
    assert_eq!(git(&sandbox, &["status", "--porcelain"]), "");
}

#[test]
fn a_place_that_is_taken_in_the_repository_is_gits_refusal() {
    let sandbox = deployed_sandbox(&[("codex", "project")], &["instructions:a"]);
    sandbox.write("project/AGENTS.md", "edited\n");
    // A file where the overlay's folder would have to be.
    sandbox.repo("overlays", "a file");
    sandbox.commit(REPO);
    let failure = try_propose(&sandbox, REQUEST).unwrap_err();
    assert_eq!(failure.kind(), Error::GitFailed);
    assert!(failure.message().contains("overlays"), "{failure}");
    assert_eq!(git(&sandbox, &["branch", "--list"]), "* main");
}
