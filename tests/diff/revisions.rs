//! Git revisions: read without a checkout, from anywhere, and told apart from folders.

use super::{commit, diff, git, lay, pair, repository, stderr, stdout};

#[test]
fn a_revision_is_compared_with_the_folder_of_today() {
    let (folder, _) = repository("argument_removed");
    let before = git(folder.path(), &["status", "--porcelain=v1", "--untracked-files=all"]);
    let output = diff(folder.path(), &["HEAD^"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(1), "{text}{}", stderr(&output));
    assert!(text.contains("--> specs/demo/tools/find.yaml:10:3"), "{text}");
    assert!(text.contains("::: HEAD^:specs/demo/tools/find.yaml:12:5"), "{text}");
    let after = git(folder.path(), &["status", "--porcelain=v1", "--untracked-files=all"]);
    assert_eq!(before, after, "nothing is written");
}

#[test]
fn two_revisions_are_compared_whatever_lies_in_the_folder() {
    let (folder, [old, new]) = repository("argument_removed");
    std::fs::remove_dir_all(folder.path().join("specs")).expect("writable");
    let output = diff(folder.path(), &[&old, &new]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("argument-removed"));
    // A review looks for the file, not for the revision.
    let output = diff(folder.path(), &[&old, &new, "--format", "github"]);
    assert!(stdout(&output).contains("file=specs/demo/tools/find.yaml,line=10"));
}

#[test]
fn a_revision_has_its_texts_of_resources_and_accepted_breaks() {
    let (folder, [old, _]) = repository("resource_text_changed");
    let specs = folder.path().join("specs");
    let entry = "- {rule: tool-removed, surface: shop, subject: burn, reason: too hot}\n";
    std::fs::write(specs.join("accepted-breaks.yaml"), entry).expect("writable");
    let new = commit(folder.path(), "accepted");
    let output = diff(folder.path(), &[&old, &new]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}{}", stderr(&output));
    assert!(text.contains("resource-text-changed"), "{text}");
    assert!(text.contains(&format!("{new}:specs/accepted-breaks.yaml:1:4")), "{text}");
}

#[test]
fn specs_may_lie_elsewhere_and_git_may_be_asked_from_elsewhere() {
    let (folder, [old, _]) = repository("argument_added");
    git(folder.path(), &["mv", "specs", "contracts"]);
    let moved = commit(folder.path(), "moved");

    let output = diff(folder.path(), &[&format!("{old}:specs"), "contracts"]);
    assert!(stdout(&output).contains("argument-added"), "{}", stderr(&output));
    let output = diff(folder.path(), &[&moved, "--specs", "contracts"]);
    assert_eq!(stdout(&output), "verdict: none (no change)\n", "{}", stderr(&output));

    // From within another folder, and by an absolute path.
    let inner = folder.path().join("inner");
    std::fs::create_dir(&inner).expect("writable");
    let absolute = folder.path().join("contracts");
    let absolute_text = absolute.to_str().expect("UTF-8");
    for (from, specs) in [(&inner, "../contracts"), (&inner, absolute_text), (&absolute, ".")] {
        let output = diff(from, &[&moved, "--specs", specs]);
        assert_eq!(stdout(&output), "verdict: none (no change)\n", "{}", stderr(&output));
    }

    let output = diff(folder.path(), &[&moved, "contracts"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("has no folder `specs`"), "{}", stderr(&output));
}

#[test]
fn a_folder_wins_over_a_revision_of_the_same_name() {
    let (folder, _) = repository("argument_removed");
    lay("argument_added", "new", &folder.path().join("main"));
    let output = diff(folder.path(), &["main"]);
    let text = stdout(&output);
    assert!(text.contains("main/demo/tools/find.yaml"), "{text}");
    assert!(!text.contains("main:specs"), "{text}");
}

#[test]
fn what_is_neither_a_folder_nor_a_revision_is_said_with_what_to_do() {
    let (folder, _) = repository("argument_added");
    for unknown in ["nowhere", "nowhere:specs", "0000000", "", ":specs"] {
        let output = diff(folder.path(), &[unknown]);
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(2), "{unknown}: {said}");
        assert!(said.contains("neither a folder nor a revision"), "{unknown}: {said}");
    }
    let bare = pair("argument_added");
    let output = diff(bare.path(), &["HEAD", "new"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("no git repository"), "{}", stderr(&output));
}

#[test]
fn a_revision_that_does_not_compile_is_shown() {
    let (folder, _) = repository("argument_added");
    let spec = folder.path().join("specs/demo/tools/find.yaml");
    let text = std::fs::read_to_string(&spec).expect("a spec");
    std::fs::write(&spec, text.replace("effects: read", "effects: maybe")).expect("writable");
    let broken = commit(folder.path(), "broken");
    let output = diff(folder.path(), &[&broken, "HEAD^"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("specs/demo/tools/find.yaml:4:10"), "{}", stderr(&output));
}

#[test]
fn a_link_in_a_revision_is_not_followed() {
    let (folder, _) = repository("argument_added");
    let page = folder.path().join("specs/shop/pages/page.html");
    std::fs::remove_file(&page).expect("writable");
    std::os::unix::fs::symlink("../surface.yaml", &page).expect("writable");
    let linked = commit(folder.path(), "linked");
    let output = diff(folder.path(), &[&linked]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("symbolic link"), "{}", stderr(&output));
}
