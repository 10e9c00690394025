//! Reports of problems, and that nothing is written.

use super::*;
use crate::generated::Error;
use crate::identity::module_fs_key;
use crate::testing::Sandbox;

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.config(&[("vscode", "project")], &[("prompt:a", "prompt", "a.md")]);
    sandbox.repo("a.md", "a\n");
    sandbox
}

fn run_doctor(sandbox: &Sandbox) -> Doctor {
    doctor(&sandbox.environment(), None, None).unwrap()
}

fn problems(doctor: &Doctor, id: &str) -> Vec<String> {
    let check = doctor.checks.iter().find(|check| check.id == id).unwrap();
    check.problems.clone()
}

#[test]
fn roots_are_checked_without_touching_them() {
    let sandbox = sandbox();
    sandbox.dir("project/.github");
    sandbox.write("project/.github/prompts", "a file");
    let before = sandbox.everything();
    let found = run_doctor(&sandbox);
    assert_eq!(sandbox.everything(), before);
    assert_eq!(found.machine_id, "test-box");
    let [github, prompts] = found.roots.as_slice() else { panic!("{:?}", found.roots) };
    assert!(github.exists && github.writable && github.issues.is_empty());
    assert!(prompts.exists && !prompts.writable);
    assert_eq!(prompts.issues, [Issue::NotADirectory]);
    assert!(problems(&found, "roots")[0].contains("is not a folder"));

    std::fs::remove_dir_all(sandbox.path("project/.github")).unwrap();
    let found = run_doctor(&sandbox);
    assert!(found.roots.iter().all(|report| report.issues == [Issue::Missing]));
    let folder = sandbox.path("project/.github").display().to_string();
    assert_eq!(
        found.next_actions,
        [format!("mkdir -p {folder}"), format!("mkdir -p {folder}/prompts")]
    );
    assert!(!sandbox.path("project/.github").exists());
}

#[test]
fn a_sound_setup_has_no_problems() {
    let sandbox = sandbox();
    sandbox.dir("project/.github/prompts");
    sandbox.write("project/.gitignore", ".agentpack.manifest*.json\n");
    sandbox.commit("project");
    sandbox.commit("home/.agentpack/repo");
    let found = run_doctor(&sandbox);
    assert!(found.warnings.is_empty(), "{:?}", found.warnings);
    assert!(found.next_actions.is_empty());
}

#[test]
fn manifests_that_a_project_would_commit_are_reported() {
    let sandbox = sandbox();
    sandbox.dir("project/.github/prompts");
    sandbox.write("project/x", "x");
    sandbox.commit("project");
    let found = problems(&run_doctor(&sandbox), "gitignore");
    assert_eq!(found.len(), 2);
    assert!(found[0].contains(".agentpack.manifest*.json"), "{found:?}");
}

#[test]
fn problems_of_the_repo_are_reported_and_do_not_stop_it() {
    let sandbox = sandbox();
    sandbox.config(
        &[("vscode", "project")],
        &[
            ("prompt:a", "prompt", "a.md"),
            ("prompt:gone", "prompt", "gone.md"),
            ("skill:bad", "skill", "bad"),
        ],
    );
    sandbox.repo("bad/SKILL.md", "no front matter");
    let config = sandbox.read("home/.agentpack/repo/agentpack.yaml");
    sandbox.repo("agentpack.yaml", &format!("{config}\nunknown: 1\n"));
    sandbox.repo("agentpack.lock.json", "{");
    let found = run_doctor(&sandbox);
    assert!(problems(&found, "lockfile")[0].contains("agentpack.lock.json"));
    assert!(problems(&found, "config")[0].contains("`unknown`"));
    let modules = problems(&found, "modules").join("\n");
    assert!(modules.contains("repo/gone.md") && modules.contains("front matter"), "{modules}");
    assert!(problems(&found, "repo")[0].contains("no git repository"));
    sandbox.commit("home/.agentpack/repo");
    sandbox.repo("a.md", "changed\n");
    assert!(problems(&run_doctor(&sandbox), "repo")[0].contains("1 uncommitted"));
}

#[test]
fn overlays_without_effect_are_reported() {
    let sandbox = sandbox();
    sandbox.config(&[("vscode", "project")], &[("plain", "prompt", "a.md")]);
    let key = module_fs_key("plain");
    sandbox.repo(&format!("overlays/{key}/.agentpack/module_id"), "prompt:other\n");
    sandbox.repo("overlays/plain/a.md", "unused\n");
    sandbox.repo(&format!("overlays/machines/test-box/{key}"), "a file");
    let found = problems(&run_doctor(&sandbox), "overlays").join("\n");
    for why in ["two global overlays", "belong to `prompt:other`", "is not a folder"] {
        assert!(found.contains(why), "{why}: {found}");
    }
}

#[test]
fn nothing_is_fetched() {
    let sandbox = sandbox();
    sandbox.write("remote/x.md", "x\n");
    sandbox.commit("remote");
    let url = sandbox.path("remote").display().to_string();
    sandbox.repo(
        "agentpack.yaml",
        &format!(
            "version: 1
profiles: {{default: {{include_tags: [all]}}}}
targets: {{vscode: {{mode: files, scope: project}}}}
modules: [{{id: 'prompt:x', type: prompt, tags: [all], source: {{git: {{url: 'file://{url}'}}}}}}]
"
        ),
    );
    let found = problems(&run_doctor(&sandbox), "modules");
    assert!(found[0].contains("has not been fetched yet"), "{found:?}");
    assert!(!sandbox.path("home/.agentpack/cache").exists());
    sandbox.open(None).unwrap().render().unwrap();
    assert!(problems(&run_doctor(&sandbox), "modules").is_empty());
}

#[test]
fn a_missing_git_and_an_unsafe_project_are_reported() {
    let sandbox = sandbox();
    let mut environment = sandbox.environment();
    environment.vars.insert("PATH".to_owned(), sandbox.dir("empty").display().to_string());
    environment.cwd = sandbox.path("home");
    let found = doctor(&environment, None, Some(Target::Vscode)).unwrap();
    assert!(problems(&found, "git")[0].contains("not on PATH"));
    assert!(problems(&found, "project")[0].contains("home of the user"));
    let failure = doctor(&environment, Some(sandbox.path("empty")), None).unwrap_err();
    assert_eq!(failure.kind(), Error::ConfigMissing);
}

#[test]
fn a_commit_needs_a_name() {
    let sandbox = sandbox();
    let mut environment = sandbox.environment();
    environment
        .vars
        .retain(|name, _| !name.starts_with("GIT_AUTHOR") && !name.starts_with("GIT_COMM"));
    sandbox.write("home/.gitconfig", "[user]\n\tuseConfigOnly = true\n");
    let found = doctor(&environment, None, None).unwrap();
    assert!(problems(&found, "git_identity")[0].contains("user.name"), "{:?}", found.warnings);
    assert!(problems(&run_doctor(&sandbox), "git_identity").is_empty());
}
