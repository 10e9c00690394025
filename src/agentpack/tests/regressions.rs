//! Defects of upstream that we avoid, each with a test that would fail if we copied it.
//!
//! | # | upstream's defect | test |
//! |---|---|---|
//! | 1 | deletes across projects | `files_of_another_project_are_not_deleted` |
//! | 2 | a rollback removes files of other targets | `a_rollback_leaves_other_targets_alone` |
//! | 3 | proposes what is merely outdated | `an_outdated_file_is_not_proposed` |
//! | 4 | proposes generated front matter | `cursor_edits_are_proposed_without_front_matter` |
//! | 5 | proposes `x.prompt.md` beside `x.md` | `prompt_edits_go_back_to_the_source_name` |
//! | 6 | of two different edits the last one wins | `two_different_edits_of_a_module_conflict` |
//! | 7 | sees no overlay files below `.agentpack` | `a_source_that_moved_under_an_overlay_is_named_by_file` |
//! | 8 | every file has mode 0600 | `modes_are_kept` |
//! | 9 | `skill:../x` leaves the root | `bad_input::a_module_id_that_leaves_its_folder` |
//! | 10 | copies what a link leads to | `bad_input::a_link_that_leaves_the_module` |
//! | 11 | half a write, no lock | `bad_input::{a_write_that_fails_half_way, a_full_disk}`, `concurrency::two_servers_that_reviewed_the_same_plan_apply_it_once`, `durability` |
//! | 12 | wrong layers in `explain` | `explain_names_the_layer_that_decides` |
//! | 13 | the cause is lost | `bad_input::a_module_that_is_not_what_its_type_says`, `no_refusal_is_unexpected` |
//! | 14 | branches are left checked out | `a_proposal_never_touches_the_checkout` |
//! | 15 | `doctor` writes | `doctor_writes_nothing` |
//! | 16 | `yes` is asked for late | `scenarios::without_yes_nothing_is_read_and_no_token_is_checked` |
//! | 17 | one bad root fails every target | `a_bad_root_fails_its_own_target_only` |
//! | 18 | removed skills leave folders | `a_removed_skill_leaves_no_folder` |
//! | 19 | a broken lockfile is ignored, refs need the network | `bad_input::a_corrupt_lockfile`, `a_locked_source_needs_no_network` |
//! | 20 | `rollback` to `../x` | `bad_input::a_snapshot_id_that_is_a_path` |

use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};

use crate::sandbox::{AGENTS, PROMPT, REPO, SKILL, Sandbox, Session};

const COPILOT: &str = "project/.github/copilot-instructions.md";
const VSCODE_PROMPT: &str = "project/.github/prompts/draft.prompt.md";
const CURSOR: &str = "project/.cursor/rules/instructions_base--d39861fff1.mdc";

fn propose(session: &mut Session, arguments: Value) -> Value {
    let mut arguments = arguments;
    arguments["yes"] = json!(true);
    arguments["branch"] = json!("proposal");
    session.data("evolve_propose", arguments)
}

/// The file that a proposal committed to its branch.
fn proposed(sandbox: &Sandbox) -> Vec<(String, String)> {
    let names = sandbox.git(REPO, &["diff", "--name-only", "main", "proposal"]);
    let show = |name: &str| sandbox.git(REPO, &["show", &format!("proposal:{name}")]);
    names.lines().map(|name| (name.to_owned(), show(name))).collect()
}

fn edit(sandbox: &Sandbox, name: &str, from: &str, to: &str) {
    let text = sandbox.read(name);
    assert!(text.contains(from), "{name} has no {from}: {text}");
    sandbox.write(name, &text.replace(from, to));
}

#[test]
fn files_of_another_project_are_not_deleted() {
    let sandbox = Sandbox::new();
    sandbox.target("cursor: {mode: files, scope: project}");
    sandbox.deploy(json!({}));
    std::fs::create_dir_all(sandbox.path("second")).expect("writable");
    let mut command = sandbox.agentpack(&["mcp"]);
    command.current_dir(sandbox.path("second"));
    let mut session = Session::start(command);
    let plan = session.data("plan", json!({}));
    assert_eq!(plan["summary"], json!({"create": 2, "update": 0, "delete": 0}));
    session.deploy(json!({}));
    assert!(sandbox.exists(CURSOR));
}

#[test]
fn a_rollback_leaves_other_targets_alone() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    let first = session.deploy(json!({"target": "cursor"}))["snapshot_id"].clone();
    session.deploy(json!({"target": "vscode"}));
    session.data("rollback", json!({"to": first, "yes": true}));
    assert!(sandbox.exists(COPILOT) && sandbox.exists(CURSOR));
    assert_eq!(session.data("status", json!({"target": "vscode"}))["drift"], json!([]));
}

#[test]
fn an_outdated_file_is_not_proposed() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({}));
    sandbox.repo("modules/prompts/draft.md", "Draft two replies.\n");
    sandbox.commit(REPO);
    let data = propose(&mut sandbox.session(), json!({"target": "codex"}));
    assert_eq!(data["created"], false);
    assert_eq!(data["reason"], "no_proposeable_drift");
    assert_eq!(data["skipped"][0]["reason_code"], "outdated_output");
}

#[test]
fn cursor_edits_are_proposed_without_front_matter() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({}));
    edit(&sandbox, CURSOR, "Be brief.", "Be brief and kind.");
    let data = propose(&mut sandbox.session(), json!({"target": "cursor"}));
    assert_eq!(data["committed"], true, "{data}");
    let text = "# Base\n\nBe brief and kind.".to_owned();
    let file = "overlays/instructions_base--d39861fff1/AGENTS.md".to_owned();
    assert_eq!(proposed(&sandbox), [(file, text)]);
}

#[test]
fn prompt_edits_go_back_to_the_source_name() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    session.deploy(json!({}));
    edit(&sandbox, VSCODE_PROMPT, "a reply", "a short reply");
    propose(&mut session, json!({"target": "vscode"}));
    let files = proposed(&sandbox);
    assert_eq!(files.len(), 1);
    assert!(files[0].0.ends_with("/draft.md"), "{files:?}");
    // Merged, it plans and deploys.
    sandbox.git(REPO, &["merge", "-q", "proposal"]);
    session.deploy(json!({}));
    assert_eq!(sandbox.read(PROMPT), "Draft a short reply.\n");
}

#[test]
fn two_different_edits_of_a_module_conflict() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({}));
    edit(&sandbox, PROMPT, "a reply", "a short reply");
    edit(&sandbox, VSCODE_PROMPT, "a reply", "a long reply");
    let data = propose(&mut sandbox.session(), json!({}));
    assert_eq!(data["created"], false, "{data}");
    let skipped = data["skipped"].as_array().expect("reasons");
    assert!(skipped.iter().all(|skipped| skipped["reason_code"] == "conflicting_edits"), "{data}");
    let all = data["skipped"].to_string();
    for name in [PROMPT, VSCODE_PROMPT] {
        assert!(all.contains(sandbox.path(name).to_str().unwrap()), "{name}: {all}");
    }
}

#[test]
fn a_source_that_moved_under_an_overlay_is_named_by_file() {
    let sandbox = Sandbox::new();
    let overlay = "overlays/skill_hello--8fd21882e8";
    sandbox.repo(
        &format!("{overlay}/SKILL.md"),
        &sandbox.read(&format!("{REPO}/modules/hello/SKILL.md")),
    );
    let old = "0".repeat(64);
    let baseline = json!({"version": 2, "created_at": "2026-01-01T00:00:00Z", "upstream_sha256": old,
        "file_manifest": [{"path": "SKILL.md", "sha256": old, "bytes": 1}], "upstream": null});
    sandbox.repo(&format!("{overlay}/.agentpack/baseline.json"), &baseline.to_string());
    let plan = sandbox.session().envelope("plan", json!({"target": "codex"}));
    let warnings = plan["warnings"].to_string();
    assert!(warnings.contains("skill:hello") && warnings.contains("SKILL.md"), "{warnings}");
    assert!(!plan["data"]["changes"].to_string().contains("baseline.json"));
}

#[test]
fn modes_are_kept() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    session.deploy(json!({}));
    let mode = |name: &str| sandbox.path(name).metadata().expect("deployed").permissions().mode();
    let script = "home/.codex/skills/hello/scripts/hello.sh";
    assert_eq!(
        mode(script) & 0o111,
        mode(SKILL) >> 2 & 0o111,
        "executable for everyone who may read"
    );
    assert_eq!(mode(SKILL) & 0o111, 0);
    // The umask decides about the others, as for any file that one writes.
    let plain = sandbox.write("plain", "");
    assert_eq!(mode(SKILL), plain.metadata().expect("written").permissions().mode());
    // An update keeps what the user has set.
    std::fs::set_permissions(sandbox.path(PROMPT), std::fs::Permissions::from_mode(0o640)).unwrap();
    sandbox.repo("modules/prompts/draft.md", "Draft two replies.\n");
    session.deploy(json!({}));
    assert_eq!(mode(PROMPT) & 0o777, 0o640);
}

#[test]
fn explain_names_the_layer_that_decides() {
    let sandbox = Sandbox::new();
    let overlay = "overlays/instructions_base--d39861fff1/.agentpack";
    sandbox.repo(&format!("{overlay}/overlay.json"), r#"{"overlay_kind": "patch"}"#);
    sandbox.repo(
        &format!("{overlay}/patches/AGENTS.md.patch"),
        "--- a/AGENTS.md\n+++ b/AGENTS.md\n@@ -1,3 +1,3 @@\n # Base\n \n-Be brief.\n+Be kind.\n",
    );
    let key = agentpack::identity::module_fs_key("command:ship");
    sandbox.repo(
        &format!("overlays/machines/test-box/{key}/ship.md"),
        "---\ndescription: Ship it here\n---\nRun the local checklist.\n",
    );
    let data = sandbox.session().data("explain", json!({"kind": "plan"}));
    let layers: Vec<(String, String, String)> = data["changes"]
        .as_array()
        .expect("changes")
        .iter()
        .flat_map(|change| change["modules"].as_array().expect("modules"))
        .map(|module| {
            let text = |name: &str| module[name].as_str().unwrap_or_default().to_owned();
            (text("module_id"), text("layer"), text("module_path"))
        })
        .collect();
    for (id, layer, path) in [
        ("prompt:draft", "upstream", "draft.md"),
        ("command:ship", "machine", "ship.md"),
        ("instructions:base", "global", "AGENTS.md"),
        ("instructions:team", "upstream", "AGENTS.md"),
        ("skill:hello", "upstream", "scripts/hello.sh"),
    ] {
        let expected = (id.to_owned(), layer.to_owned(), path.to_owned());
        assert!(layers.contains(&expected), "{expected:?} is not in {layers:?}");
    }
}

#[test]
fn no_refusal_is_unexpected() {
    // Each message names the module and the file.
    type Damage = fn(&Sandbox);
    let damages: [Damage; 6] = [
        |sandbox| sandbox.remove(&format!("{REPO}/modules/base/AGENTS.md")),
        |sandbox| sandbox.remove(&format!("{REPO}/modules/prompts/draft.md")),
        |sandbox| _ = sandbox.repo("modules/commands/ship.md", "no front matter"),
        |sandbox| sandbox.modules(&[("prompt:two", "prompt", "modules/hello")]),
        |sandbox| _ = sandbox.repo("overlays/skill_hello--8fd21882e8/.agentpack/overlay.json", "{"),
        |sandbox| {
            sandbox.modules(&[("instructions:x", "instructions", "modules/prompts/draft.md")])
        },
    ];
    for (number, spoil) in damages.iter().enumerate() {
        let sandbox = Sandbox::new();
        spoil(&sandbox);
        let error = sandbox.session().call("plan", json!({})).body["errors"][0].take();
        let code = error["code"].as_str().unwrap_or_default();
        assert!(["E_CONFIG_INVALID", "E_SOURCE_MISSING"].contains(&code), "{number}: {error}");
        let message = error["message"].as_str().expect("a message");
        assert!(message.contains("odule `") && message.matches('`').count() >= 4, "{message}");
    }
}

#[test]
fn a_proposal_never_touches_the_checkout() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({}));
    edit(&sandbox, AGENTS, "Be brief.", "Be brief and kind.");
    sandbox.git(REPO, &["checkout", "-q", "--detach"]);
    let before = sandbox.files();
    let mut session = sandbox.session();
    assert_eq!(propose(&mut session, json!({}))["committed"], true);
    assert_eq!(sandbox.git(REPO, &["rev-parse", "--abbrev-ref", "HEAD"]), "HEAD", "still detached");
    assert_eq!(sandbox.git(REPO, &["status", "--porcelain"]), "");
    assert_eq!(before, sandbox.files());

    // The branch exists now.
    let again = json!({"yes": true, "branch": "proposal"});
    let error = session.refused("evolve_propose", again, "E_BRANCH_INVALID");
    assert!(error["message"].as_str().is_some_and(|text| text.contains("exists")), "{error}");

    // A repository without a commit, and one whose owner git does not know.
    sandbox.remove(&format!("{REPO}/.git"));
    sandbox.git(REPO, &["init", "-q", "-b", "main"]);
    session.refused("evolve_propose", json!({"yes": true}), "E_GIT_WORKTREE_DIRTY");
    sandbox.commit(REPO);
    let mut command = sandbox.agentpack(&["mcp"]);
    for name in ["AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"] {
        command.env_remove(format!("GIT_{name}"));
    }
    sandbox.git(REPO, &["config", "user.useConfigOnly", "true"]);
    let envelope = Session::start(command).envelope("evolve_propose", json!({"yes": true}));
    assert_eq!(envelope["data"]["committed"], false, "{envelope}");
    assert!(envelope["warnings"].to_string().contains("user.name"), "{envelope}");
}

#[test]
fn doctor_writes_nothing() {
    let sandbox = Sandbox::new();
    sandbox.deploy(json!({}));
    let modified =
        |name: &str| sandbox.path(name).metadata().expect("a folder").modified().unwrap();
    let folders =
        ["home/.codex", "home/.codex/prompts", "project/.github", "project/.cursor/rules"];
    let (files, times) = (sandbox.files(), folders.map(modified));
    let data = sandbox.session().data("doctor", json!({}));
    assert!(data["roots"].as_array().is_some_and(|roots| roots.len() >= 4), "{data}");
    assert_eq!((files, times), (sandbox.files(), folders.map(modified)));
}

#[test]
fn a_bad_root_fails_its_own_target_only() {
    let sandbox = Sandbox::new();
    sandbox.write("project/.cursor", "not a folder");
    let mut session = sandbox.session();
    let plan = session.envelope("plan", json!({}));
    let of = |target: &str| {
        let changes = plan["data"]["changes"].as_array().expect("changes");
        changes.iter().filter(|change| change["target"] == target).count()
    };
    assert_eq!([of("claude_code"), of("codex"), of("cursor"), of("vscode")], [1, 4, 0, 2]);
    assert!(plan["warnings"].to_string().contains("cursor"), "{plan}");
    assert_eq!(session.deploy(json!({"target": "vscode"}))["applied"], true);
}

#[test]
fn a_removed_skill_leaves_no_folder() {
    let sandbox = Sandbox::new();
    let mut session = sandbox.session();
    session.deploy(json!({"target": "codex"}));
    sandbox.modules(&[("prompt:draft", "prompt", "modules/prompts/draft.md")]);
    let plan = session.data("plan", json!({"target": "codex"}));
    assert_eq!(plan["summary"], json!({"create": 0, "update": 0, "delete": 3}));
    session.deploy(json!({"target": "codex"}));
    assert!(!sandbox.exists("home/.codex/skills/hello"));
    assert!(sandbox.exists("home/.codex/skills"), "the root stays");
}

#[test]
fn a_locked_source_needs_no_network() {
    let sandbox = Sandbox::bare();
    sandbox.write("remote/draft.md", "From afar.\n");
    sandbox.commit("remote");
    let commit = sandbox.git("remote", &["rev-parse", "HEAD"]);
    let url = sandbox.path("remote").display().to_string();
    sandbox.repo(
        "agentpack.yaml",
        &format!(
            "version: 1\nprofiles: {{default: {{include_tags: [all]}}}}\n\
             targets: {{codex: {{mode: files, scope: user}}}}\nmodules:\n  - {{id: 'prompt:far', \
             type: prompt, tags: [all], source: {{git: {{url: '{url}', ref: main}}}}}}\n"
        ),
    );
    let locked = json!({"version": 1, "generated_at": "2026-01-01T00:00:00Z", "modules": [{
        "id": "prompt:far", "type": "prompt", "resolved_version": commit,
        "resolved_source": {"local_path": null, "git": {"url": url, "commit": commit, "subdir": ""}},
        "sha256": "0".repeat(64), "file_manifest": [],
    }]});
    sandbox.repo("agentpack.lock.json", &locked.to_string());
    let mut session = sandbox.session();
    session.data("plan", json!({}));
    // The remote moves on and goes away; the lock and the cache are enough.
    sandbox.write("remote/draft.md", "From afar, later.\n");
    sandbox.commit("remote");
    sandbox.remove("remote");
    session.deploy(json!({}));
    assert_eq!(sandbox.read("home/.codex/prompts/draft.md"), "From afar.\n");
}
