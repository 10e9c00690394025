//! Local and git sources, with real repositories.

use super::*;
use crate::model::Target;
use crate::testing::{Sandbox, script};
use crate::workspace::Workspace;

fn git_config(sandbox: &Sandbox, git: &str) {
    sandbox.repo(
        "agentpack.yaml",
        &format!(
            "version: 1
profiles: {{default: {{include_tags: [all]}}}}
targets: {{codex: {{mode: files, scope: project}}}}
modules:
  - {{id: 'instructions:base', type: instructions, tags: [all], source: {{git: {git}}}}}
"
        ),
    );
}

fn remote(sandbox: &Sandbox) -> String {
    format!("file://{}", sandbox.path("remote").display())
}

/// The deployed text and the warnings.
fn deployed(workspace: &Workspace) -> (String, Vec<String>) {
    let desired = workspace.render().unwrap();
    let key = (Target::Codex, workspace.project.root.join("AGENTS.md"));
    let bytes = crate::content::read(&desired.outputs[&key].content).unwrap();
    (String::from_utf8(bytes).unwrap(), desired.warnings)
}

#[test]
fn a_ref_is_followed_and_the_commit_is_cached_where_upstream_looks() {
    let sandbox = Sandbox::new();
    sandbox.write("remote/sub/AGENTS.md", "one\n");
    let first = sandbox.commit("remote");
    let url = remote(&sandbox);
    git_config(&sandbox, &format!("{{url: '{url}', subdir: sub}}"));
    let workspace = sandbox.open(None).unwrap();
    assert_eq!(deployed(&workspace), ("one\n".to_owned(), vec![]));
    let cache =
        sandbox.path("home/.agentpack/cache/git").join(crate::content::sha256(url.as_bytes()));
    assert!(cache.join(&first).join("sub/AGENTS.md").is_file());

    sandbox.write("remote/sub/AGENTS.md", "two\n");
    let second = sandbox.commit("remote");
    assert_eq!(deployed(&workspace).0, "two\n");
    assert!(cache.join(second).is_dir());
    let left: Vec<_> = std::fs::read_dir(&cache)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.starts_with(".fetch-"))
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn tags_branches_and_commits_are_refs() {
    let sandbox = Sandbox::new();
    let git = Git::new(&sandbox.environment());
    sandbox.write("remote/AGENTS.md", "one\n");
    let first = sandbox.commit("remote");
    git.ok(&sandbox.path("remote"), &["tag", "-a", "v1", "-m", "v1"]).unwrap();
    sandbox.write("remote/AGENTS.md", "two\n");
    sandbox.commit("remote");
    git.ok(&sandbox.path("remote"), &["branch", "side/x"]).unwrap();
    let url = remote(&sandbox);
    for (reference, text) in
        [("v1", "one\n"), (&first, "one\n"), ("side/x", "two\n"), ("main", "two\n")]
    {
        git_config(&sandbox, &format!("{{url: '{url}', ref: '{reference}', shallow: false}}"));
        assert_eq!(deployed(&sandbox.open(None).unwrap()).0, text, "{reference}");
    }
}

#[test]
fn offline_a_lock_needs_nothing_and_a_ref_falls_back_with_a_warning() {
    let sandbox = Sandbox::new();
    sandbox.write("remote/AGENTS.md", "one\n");
    let first = sandbox.commit("remote");
    let url = remote(&sandbox);
    git_config(&sandbox, &format!("{{url: '{url}'}}"));
    let workspace = sandbox.open(None).unwrap();
    assert_eq!(deployed(&workspace).0, "one\n");
    sandbox.write("remote/AGENTS.md", "two\n");
    sandbox.commit("remote");
    sandbox.repo(
        "agentpack.lock.json",
        &format!(
            r#"{{"version": 1, "generated_at": "", "modules": [{{"id": "instructions:base",
            "resolved_source": {{"git": {{"url": "{url}", "commit": "{first}", "subdir": ""}}}}}}]}}"#
        ),
    );
    assert_eq!(deployed(&workspace), ("one\n".to_owned(), vec![]), "the lock decides");

    std::fs::rename(sandbox.path("remote"), sandbox.path("unreachable")).unwrap();
    assert_eq!(deployed(&workspace), ("one\n".to_owned(), vec![]), "no network is used");
    std::fs::remove_file(sandbox.path("home/.agentpack/repo/agentpack.lock.json")).unwrap();
    let (text, warnings) = deployed(&workspace);
    assert_eq!(text, "one\n");
    assert!(warnings[0].contains("fetched before") && warnings[0].contains(&first), "{warnings:?}");

    std::fs::remove_dir_all(sandbox.path("home/.agentpack/cache")).unwrap();
    let failure = workspace.render().unwrap_err();
    assert_eq!(failure.kind(), Error::GitFailed);
    assert!(failure.message().contains("ls-remote"), "{failure}");
}

#[test]
fn a_lock_for_another_url_is_not_used_silently() {
    let sandbox = Sandbox::new();
    sandbox.write("remote/AGENTS.md", "one\n");
    sandbox.commit("remote");
    git_config(&sandbox, &format!("{{url: '{}'}}", remote(&sandbox)));
    sandbox.repo(
        "agentpack.lock.json",
        &format!(
            r#"{{"version": 1, "modules": [{{"id": "instructions:base", "resolved_source":
            {{"git": {{"url": "https://me:secret@e/x", "commit": "{}"}}}}}}]}}"#,
            "0".repeat(40)
        ),
    );
    let (text, warnings) = deployed(&sandbox.open(None).unwrap());
    assert_eq!(text, "one\n");
    assert!(warnings[0].contains("https://…@e/x"), "{warnings:?}");
}

#[test]
fn a_broken_lockfile_stops_the_call() {
    let sandbox = Sandbox::new();
    sandbox.config(&[("codex", "project")], &[("instructions:a", "instructions", "a")]);
    sandbox.repo("a/AGENTS.md", "a\n");
    sandbox.repo("agentpack.lock.json", "{");
    let failure = sandbox.open(None).unwrap().plan().unwrap_err();
    assert_eq!(failure.kind(), Error::LockfileInvalid);
    sandbox.repo("agentpack.lock.json", r#"{"version": 9, "modules": []}"#);
    let failure = sandbox.open(None).unwrap().plan().unwrap_err();
    assert_eq!(failure.kind(), Error::LockfileUnsupportedVersion);
}

#[test]
fn a_missing_source_is_reported_with_its_path() {
    let sandbox = Sandbox::new();
    sandbox.config(&[("codex", "project")], &[("instructions:a", "instructions", "nowhere")]);
    let failure = sandbox.open(None).unwrap().plan().unwrap_err();
    assert_eq!(failure.kind(), Error::SourceMissing);
    assert!(failure.message().contains("repo/nowhere"), "{failure}");
    assert_eq!(failure.erase().details["module_id"], "instructions:a");

    sandbox.write("remote/AGENTS.md", "one\n");
    sandbox.commit("remote");
    let url = remote(&sandbox);
    git_config(&sandbox, &format!("{{url: '{url}', ref: gone}}"));
    let failure = sandbox.open(None).unwrap().plan().unwrap_err();
    assert_eq!(failure.kind(), Error::SourceMissing);
    assert!(failure.message().contains("no branch or tag `gone`"), "{failure}");
    git_config(&sandbox, &format!("{{url: '{url}', subdir: gone}}"));
    assert_eq!(sandbox.open(None).unwrap().plan().unwrap_err().kind(), Error::SourceMissing);
}

#[test]
fn urls_and_refs_that_could_run_something_are_refused() {
    let sandbox = Sandbox::new();
    let witness = sandbox.path("witness");
    for git in [
        format!("{{url: 'ext::sh -c \"touch {}\"'}}", witness.display()),
        "{url: '--upload-pack=touch'}".to_owned(),
        "{url: ''}".to_owned(),
        "{url: 'https://e/x', ref: '--upload-pack=x'}".to_owned(),
        "{url: 'https://e/x', ref: 'a b'}".to_owned(),
        "{url: 'https://e/x', ref: 'a..b'}".to_owned(),
        "{url: 'https://e/x', subdir: '../..'}".to_owned(),
        "{url: 'https://e/x', subdir: '/etc'}".to_owned(),
    ] {
        git_config(&sandbox, &git);
        let failure = sandbox.open(None).unwrap().plan().unwrap_err();
        assert_eq!(failure.kind(), Error::ConfigInvalid, "{git}");
        assert_eq!(failure.erase().details["module_id"], "instructions:base");
    }
    assert!(!witness.exists());
}

#[test]
fn a_link_in_a_fetched_module_cannot_leak_a_file() {
    let sandbox = Sandbox::new();
    let secret = sandbox.write("secret", "secret\n");
    sandbox.dir("remote");
    std::os::unix::fs::symlink(&secret, sandbox.path("remote/AGENTS.md")).unwrap();
    sandbox.commit("remote");
    git_config(&sandbox, &format!("{{url: '{}'}}", remote(&sandbox)));
    let failure = sandbox.open(None).unwrap().plan().unwrap_err();
    assert_eq!(failure.kind(), Error::ConfigInvalid);
    assert!(failure.message().contains("outside of"), "{failure}");

    std::fs::remove_file(sandbox.path("remote/AGENTS.md")).unwrap();
    std::os::unix::fs::symlink(sandbox.path(""), sandbox.path("remote/sub")).unwrap();
    sandbox.commit("remote");
    git_config(&sandbox, &format!("{{url: '{}', subdir: sub}}", remote(&sandbox)));
    let failure = sandbox.open(None).unwrap().plan().unwrap_err();
    assert!(failure.message().contains("link out of the repository"), "{failure}");
}

#[test]
fn passwords_of_urls_stay_out_of_errors() {
    let sandbox = Sandbox::new();
    git_config(&sandbox, "{url: 'http://me:hunter2@127.0.0.1:1/x'}");
    let failure = sandbox.open(None).unwrap().plan().unwrap_err();
    assert_eq!(failure.kind(), Error::GitFailed);
    let raw = failure.erase();
    let all = format!("{} {:?}", raw.message, raw.details);
    assert!(all.contains("127.0.0.1") && !all.contains("hunter2"), "{all}");
}

#[test]
fn git_is_needed_only_for_git_sources() {
    let sandbox = Sandbox::new();
    sandbox.config(&[("codex", "project")], &[("instructions:a", "instructions", "a")]);
    sandbox.repo("a/AGENTS.md", "a\n");
    let mut environment = sandbox.environment();
    environment.vars.insert("PATH".to_owned(), sandbox.dir("empty").display().to_string());
    let open = || Workspace::open(&environment, Default::default()).unwrap();
    assert_eq!(open().plan().unwrap().changes.len(), 1);
    git_config(&sandbox, "{url: 'https://e/x'}");
    assert_eq!(open().plan().unwrap_err().kind(), Error::GitNotFound);
}

#[test]
fn a_single_file_and_a_linked_folder_are_sources() {
    let sandbox = Sandbox::new();
    sandbox.config(
        &[("codex", "both")],
        &[("prompt:ask", "prompt", "p/ask.md"), ("skill:s", "skill", "linked")],
    );
    sandbox.repo("p/ask.md", "ask\n");
    sandbox.repo("p/other.md", "not this one\n");
    sandbox.write("elsewhere/SKILL.md", "---\nname: s\ndescription: d\n---\n");
    script(&sandbox.path("elsewhere/run.sh"), "#!/bin/sh\n");
    let link = sandbox.path("home/.agentpack/repo/linked");
    std::os::unix::fs::symlink(sandbox.path("elsewhere"), link).unwrap();
    let desired = sandbox.open(None).unwrap().render().unwrap();
    let names: Vec<_> = desired
        .outputs
        .keys()
        .map(|(_, path)| path.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(names, ["ask.md", "SKILL.md", "run.sh", "SKILL.md", "run.sh"]);
    let executable: Vec<_> = desired.outputs.values().map(|output| output.executable).collect();
    assert_eq!(executable, [false, false, true, false, true]);
}
