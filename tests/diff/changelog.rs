//! The section of a changelog: printed, rewritten, checked.

use std::path::Path;

use super::{commit, diff, git, git_with, lay, pair, repository, stderr, stdout};

const CHANGELOG: &str = "CHANGELOG.md";

#[test]
fn a_section_is_rewritten_between_its_markers_and_then_up_to_date() {
    let (folder, [old, _]) = repository("several_at_once");
    let file = folder.path().join(CHANGELOG);
    let document =
        format!("# Changes\n\n<!-- changes:since {old} -->\n<!-- /changes -->\n\nEnd.\n");
    std::fs::write(&file, &document).expect("writable");

    let check = || diff(folder.path(), &["--refresh", CHANGELOG, "--check"]);
    let output = check();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("is stale; run"), "{}", stderr(&output));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), document, "checking changes nothing");

    let output = diff(folder.path(), &["--refresh", CHANGELOG]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(check().status.code(), Some(0), "{}", stderr(&check()));

    let fresh = std::fs::read_to_string(&file).unwrap();
    let section = stdout(&diff(folder.path(), &[&old, "--changelog"]));
    assert!(section.starts_with("### Breaking\n"), "{section}");
    assert!(fresh.contains(&section), "{fresh}");
    assert!(fresh.ends_with("<!-- /changes -->\n\nEnd.\n"), "{fresh}");
}

#[test]
fn a_changelog_without_markers_is_told_so() {
    let (folder, _) = repository("argument_added");
    std::fs::write(folder.path().join(CHANGELOG), "# Changes\n").expect("writable");
    let output = diff(folder.path(), &["--refresh", CHANGELOG]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("changes:since"), "{}", stderr(&output));
}

#[test]
fn a_shallow_clone_says_loudly_that_nothing_was_checked() {
    let (folder, [old, _]) = repository("argument_added");
    let document = format!("<!-- changes:since {old} -->\n<!-- /changes -->\n");
    let clone = tempfile::tempdir().expect("a folder");
    let from = format!("file://{}", folder.path().display());
    git(clone.path(), &["clone", "-q", "--depth", "1", &from, "clone"]);
    let clone = clone.path().join("clone");
    std::fs::write(clone.join(CHANGELOG), document).expect("writable");
    let output = diff(&clone, &["--refresh", CHANGELOG, "--check"]);
    assert_eq!(output.status.code(), Some(0));
    let said = stderr(&output);
    assert!(said.contains("SKIPPED") && said.contains("shallow"), "{said}");
    // Asked for directly, it is bad input.
    assert_eq!(diff(&clone, &[&old]).status.code(), Some(2));
}

#[test]
fn contracts_that_did_not_change_make_a_section_that_says_so() {
    let (folder, [old, _]) = repository("argument_added");
    lay("argument_added", "old", &folder.path().join("specs"));
    let section = stdout(&diff(folder.path(), &[&old, "--changelog"]));
    assert_eq!(section, "No contract has changed.\n");
}

#[test]
fn a_tool_that_goes_before_its_sunset_breaks_in_a_changelog_too() {
    let kind = "tool_removed_before_its_sunset";
    // A day that does not come while somebody runs this.
    let put_off = |specs: &Path| {
        let spec = specs.join("demo/tools/count.yaml");
        let text = std::fs::read_to_string(&spec).expect("a spec");
        std::fs::write(&spec, text.replace("2030-01-01", "9999-12-31")).expect("writable");
    };
    let without_git = pair(kind);
    put_off(&without_git.path().join("old"));
    let folder = tempfile::tempdir().expect("a folder");
    let specs = folder.path().join("specs");
    git(folder.path(), &["init", "-q", "-b", "main"]);
    lay(kind, "old", &specs);
    put_off(&specs);
    let old = commit(folder.path(), "old");
    lay(kind, "new", &specs);
    commit(folder.path(), "new");

    for (folder, versions) in
        [(folder.path(), [old.as_str(), "specs"]), (without_git.path(), ["old", "new"])]
    {
        let output = diff(folder, &[&versions[..], &["--changelog"]].concat());
        let section = stdout(&output);
        assert_eq!(output.status.code(), Some(1), "{section}");
        assert!(section.starts_with("### Breaking\n"), "{section}");
        assert!(section.contains("is removed before its sunset, 9999-12-31"), "{section}");
    }
    let entry = "- {rule: tool-removed-early, surface: demo, subject: count, reason: never used}\n";
    std::fs::write(specs.join("accepted-breaks.yaml"), entry).expect("writable");
    let output = diff(folder.path(), &[&old, "--changelog"]);
    let section = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{section}");
    assert!(section.contains("Accepted: never used"), "{section}");
}

#[test]
fn a_changelog_holds_sunsets_against_the_day_of_the_commit() {
    let (folder, [old, _]) = repository("tool_removed_after_its_sunset");
    let is_early_on = |day: &str| {
        let day = format!("{day}T12:00:00+00:00");
        let amend = ["commit", "-q", "--amend", "--no-edit"];
        git_with(folder.path(), &amend, &[("GIT_COMMITTER_DATE", &day)]);
        let sections = ["HEAD", "specs"].map(|new| {
            let output = diff(folder.path(), &[&old, new, "--changelog"]);
            // The status is about today.
            assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
            stdout(&output)
        });
        assert_eq!(sections[0], sections[1]);
        sections[0].contains("is removed before its sunset, 2025-06-30")
    };
    assert!(is_early_on("2025-06-29"));
    assert!(!is_early_on("2025-06-30"));
}
