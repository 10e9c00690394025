//! Overlays of both kinds and all scopes, and what is refused.

use super::*;
use crate::content::{read, sha256};
use crate::model::{Content, Target};
use crate::testing::{Sandbox, script};

const ID: &str = "skill:hello";
const HEAD: &str = "---\nname: hello\ndescription: d\n---\n";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.config(&[("codex", "project")], &[(ID, "skill", "m")]);
    sandbox.repo("m/SKILL.md", HEAD);
    sandbox.repo("m/a.txt", "one\ntwo\nthree\n");
    sandbox
}

fn overlay(scope: &str, file: &str) -> String {
    format!("{scope}/{}/{file}", module_fs_key(ID))
}

fn patch_overlay(sandbox: &Sandbox, scope: &str, file: &str, patch: &str) {
    sandbox.repo(&overlay(scope, ".agentpack/overlay.json"), r#"{"overlay_kind":"patch"}"#);
    sandbox.repo(&overlay(scope, &format!(".agentpack/patches/{file}.patch")), patch);
}

fn text(sandbox: &Sandbox, name: &str) -> String {
    let workspace = sandbox.open(None).unwrap();
    let desired = workspace.render().unwrap();
    let path = workspace.project.root.join(".codex/skills/hello").join(name);
    String::from_utf8(read(&desired.outputs[&(Target::Codex, path)].content).unwrap()).unwrap()
}

fn refused(sandbox: &Sandbox) -> Failure<Error> {
    sandbox.open(None).unwrap().render().unwrap_err()
}

#[test]
fn scopes_win_from_low_to_high() {
    let sandbox = sandbox();
    let workspace = sandbox.open(None).unwrap();
    assert_eq!(text(&sandbox, "a.txt"), "one\ntwo\nthree\n");
    sandbox.repo(&overlay("overlays", "a.txt"), "global\n");
    assert_eq!(text(&sandbox, "a.txt"), "global\n");
    sandbox.repo(&overlay("overlays/machines/test-box", "a.txt"), "machine\n");
    sandbox.repo(&overlay("overlays/machines/other", "a.txt"), "other machine\n");
    assert_eq!(text(&sandbox, "a.txt"), "machine\n");
    let project = format!("projects/{}/overlays", workspace.project.id);
    sandbox.repo(&overlay(&project, "new/b.txt"), "added\n");
    sandbox.repo(&overlay(&project, "a.txt"), "project\n");
    sandbox.repo(&overlay(&project, ".agentpack/notes"), "never deployed\n");
    assert_eq!(text(&sandbox, "a.txt"), "project\n");
    assert_eq!(text(&sandbox, "new/b.txt"), "added\n");
    let paths = sandbox.open(None).unwrap().render().unwrap().outputs;
    assert!(!paths.keys().any(|(_, path)| path.ends_with("notes")));
}

#[test]
fn old_folder_names_are_read_when_the_right_one_is_absent() {
    let sandbox = Sandbox::new();
    let long = format!("prompt:{}", "x".repeat(80));
    sandbox.config(
        &[("vscode", "project")],
        &[(&long, "prompt", "p.md"), ("plain", "prompt", "q.md")],
    );
    sandbox.repo("p.md", "p\n");
    sandbox.repo("q.md", "q\n");
    sandbox.repo(&format!("overlays/{}/p.md", legacy_module_fs_key(&long)), "old name\n");
    sandbox.repo("overlays/plain/q.md", "by id\n");
    let texts = || -> Vec<String> {
        let desired = sandbox.open(None).unwrap().render().unwrap();
        let bytes = desired.outputs.values().map(|output| read(&output.content).unwrap());
        bytes.map(|bytes| String::from_utf8(bytes).unwrap()).collect()
    };
    assert_eq!(texts(), ["old name\n", "by id\n"]);
    sandbox.repo(&format!("overlays/{}/p.md", module_fs_key(&long)), "right name\n");
    assert_eq!(texts(), ["right name\n", "by id\n"]);
}

#[test]
fn patches_build_on_lower_layers_and_keep_the_mode() {
    let sandbox = sandbox();
    script(&sandbox.path("home/.agentpack/repo/m/run.sh"), "echo one\n");
    sandbox.repo(&overlay("overlays", "a.txt"), "one\n2\nthree\n");
    patch_overlay(
        &sandbox,
        "overlays/machines/test-box",
        "a.txt",
        "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-2\n+two!\n three\n",
    );
    patch_overlay(
        &sandbox,
        "overlays/machines/test-box",
        "run.sh",
        "--- a/run.sh\n+++ b/run.sh\n@@ -1 +1 @@\n-echo one\n+echo two\n",
    );
    assert_eq!(text(&sandbox, "a.txt"), "one\ntwo!\nthree\n");
    let desired = sandbox.open(None).unwrap().render().unwrap();
    let run = desired.outputs.values().find(|output| output.path.ends_with("run.sh")).unwrap();
    assert!(run.executable && matches!(run.content, Content::Bytes(_)));
    let left = std::fs::read_dir(sandbox.path("tmp")).unwrap().count();
    assert_eq!(left, 0, "temp folders are removed");
}

#[test]
fn a_patch_works_though_the_temp_folder_is_in_a_repository() {
    let sandbox = sandbox();
    sandbox.write("tmp/x", "x");
    sandbox.commit("tmp");
    patch_overlay(
        &sandbox,
        "overlays",
        "a.txt",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,2 @@\n one\n-two\n three\n",
    );
    assert_eq!(text(&sandbox, "a.txt"), "one\nthree\n");
}

#[test]
fn a_patch_that_does_not_apply_has_its_code_and_its_details() {
    let sandbox = sandbox();
    patch_overlay(
        &sandbox,
        "overlays",
        "a.txt",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-nothing like it\n+x\n",
    );
    let failure = refused(&sandbox);
    assert_eq!(failure.kind(), Error::OverlayPatchApplyFailed);
    assert!(failure.message().contains("a.txt.patch"), "{failure}");
    let details = failure.erase().details;
    for name in ["module_id", "scope", "overlay_dir", "patch_file", "relpath", "stderr", "hint"] {
        assert!(details.contains_key(name), "{name}");
    }
    assert_eq!((&details["scope"], &details["relpath"]), (&"global".into(), &"a.txt".into()));
}

#[test]
fn patches_only_edit_the_file_that_they_are_named_for() {
    for (file, patch, why) in [
        ("a.txt", "--- a/b.txt\n+++ b/b.txt\n@@ -1 +1 @@\n-one\n+x\n", "not `a/a.txt`"),
        ("a.txt", "--- a/../x\n+++ b/../x\n@@ -1 +1 @@\n-one\n+x\n", "not `a/a.txt`"),
        ("a.txt", "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1 @@\n+x\n", "creates or deletes"),
        ("a.txt", "--- a/a.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n", "creates or deletes"),
        ("a.txt", "new file mode 100644\n--- a/a.txt\n+++ b/a.txt\n", "more than edit"),
        ("a.txt", "rename from a.txt\nrename to b.txt\n", "more than edit"),
        ("a.txt", "GIT binary patch\n", "binary"),
        ("a.txt", "nonsense\n", "no `---`"),
        (
            "none.txt",
            "--- a/none.txt\n+++ b/none.txt\n@@ -1 +1 @@\n-one\n+x\n",
            "no file `none.txt`",
        ),
        (
            "a.txt",
            "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+x\n--- a/a.txt\n+++ b/a.txt\n@@ -3 +3 @@\n-three\n+x\n",
            "more than one file",
        ),
    ] {
        let sandbox = sandbox();
        patch_overlay(&sandbox, "overlays", file, patch);
        let failure = refused(&sandbox);
        assert_eq!(failure.kind(), Error::ConfigInvalid, "{patch}");
        assert!(failure.message().contains(why), "{patch}: {failure}");
    }
}

#[test]
fn lines_of_a_hunk_that_look_like_headers_are_content() {
    let sandbox = sandbox();
    sandbox.repo("m/a.txt", "-- a/x\nend\n");
    patch_overlay(
        &sandbox,
        "overlays",
        "a.txt",
        "--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n--- a/x\n+++ b/x\n end\n",
    );
    assert_eq!(text(&sandbox, "a.txt"), "++ b/x\nend\n");
}

#[test]
fn kinds_are_not_mixed_and_metadata_must_be_json() {
    let edit = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-one\n+x\n";
    let mixed = sandbox();
    patch_overlay(&mixed, "overlays", "a.txt", edit);
    mixed.repo(&overlay("overlays", "a.txt"), "x");
    let failure = refused(&mixed);
    assert_eq!(failure.kind(), Error::ConfigInvalid);
    assert!(failure.message().contains("kind patch and has a file"), "{failure}");

    let undeclared = sandbox();
    patch_overlay(&undeclared, "overlays", "a.txt", edit);
    let metadata = overlay("overlays", ".agentpack/overlay.json");
    undeclared.repo(&metadata, r#"{"overlay_kind":"dir"}"#);
    assert!(refused(&undeclared).message().contains("kind dir and has patches"));
    for broken in ["{", r#"{"overlay_kind":"both"}"#] {
        undeclared.repo(&metadata, broken);
        let failure = refused(&undeclared);
        assert_eq!(failure.kind(), Error::ConfigInvalid);
        assert!(failure.erase().details.contains_key("meta_path"));
    }
}

#[test]
fn a_link_out_of_an_overlay_is_refused() {
    let sandbox = sandbox();
    let secret = sandbox.write("secret", "x");
    let dir = sandbox.path("home/.agentpack/repo/overlays").join(module_fs_key(ID));
    std::fs::create_dir_all(&dir).unwrap();
    std::os::unix::fs::symlink(secret, dir.join("a.txt")).unwrap();
    let failure = refused(&sandbox);
    assert_eq!(failure.kind(), Error::ConfigInvalid);
    assert!(failure.message().contains("outside of"), "{failure}");
}

#[test]
fn a_source_that_moved_under_an_overlay_is_a_warning() {
    let sandbox = sandbox();
    sandbox.repo(&overlay("overlays", "a.txt"), "mine\n");
    let warnings = || sandbox.open(None).unwrap().render().unwrap().warnings;
    assert!(warnings().is_empty(), "no baseline, no warning");
    let (head, text) = (sha256(HEAD.as_bytes()), sha256(b"one\ntwo\nthree\n"));
    let tree = sha256(format!("SKILL.md\n{head}\n{}\na.txt\n{text}\n14\n", HEAD.len()).as_bytes());
    let baseline = overlay("overlays", ".agentpack/baseline.json");
    sandbox.repo(
        &baseline,
        &format!(
            r#"{{"version":2,"created_at":"x","upstream_sha256":"{tree}","upstream":null,"file_manifest":[
            {{"path":"SKILL.md","sha256":"{head}","bytes":1}},{{"path":"a.txt","sha256":"{text}","bytes":14}}]}}"#
        ),
    );
    assert!(warnings().is_empty(), "{:?}", warnings());
    sandbox.repo("m/b.txt", "new");
    assert!(warnings()[0].contains("the source changed"), "{:?}", warnings());
    sandbox.repo("m/a.txt", "changed\n");
    assert_eq!(warnings().len(), 1);
    assert!(warnings()[0].contains("`a.txt` changed in the source"), "{:?}", warnings());
    std::fs::remove_file(sandbox.path("home/.agentpack/repo/m/a.txt")).unwrap();
    assert!(warnings()[0].contains("`a.txt` is gone"), "{:?}", warnings());
    sandbox.repo(&baseline, "{");
    assert!(warnings()[0].contains("is ignored"), "{:?}", warnings());
}
