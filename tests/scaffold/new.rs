//! `toolwright new`: a package that builds and passes its tests as it is, or nothing at all.

use std::path::Path;

use crate::package::{ROOT, cargo, program, settle};
use crate::toolwright;

#[test]
fn a_new_package_builds_and_passes_its_tests_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("fresh_{}", std::process::id());
    let output = toolwright(folder.path(), &["new", &name, "--toolwright", ROOT]);
    assert!(output.succeeded(), "{}", output.stderr);
    for line in output.stdout.lines() {
        assert!(folder.path().join(line).is_file(), "{line} was listed and is not there");
    }
    assert!(output.stderr.contains(&format!("cd {name} && cargo test")), "{}", output.stderr);

    let package = folder.path().join(&name);
    let check = toolwright(&package, &["check"]);
    assert!(check.succeeded(), "{}", check.stdout);
    let generated = package.join("generated").join(format!("{name}.rs"));
    let before = std::fs::read_to_string(&generated).unwrap();
    settle(&package);
    let output = cargo(&package, "test");
    assert!(output.succeeded(), "{}\n{}", output.stdout, output.stderr);
    assert!(output.stdout.contains("examples_answer_as_written ... ok"), "{}", output.stdout);
    assert_eq!(std::fs::read_to_string(generated).unwrap(), before);
    std::fs::remove_file(program(&name)).unwrap();
}

#[test]
fn a_package_with_roles_builds_and_passes_its_tests_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let name = format!("roles_{}", std::process::id());
    let words = ["new", &name, "--with", "roles", "--toolwright", ROOT];
    let output = toolwright(folder.path(), &words);
    assert!(output.succeeded(), "{}", output.stderr);
    let package = folder.path().join(&name);
    settle(&package);
    let output = cargo(&package, "test");
    assert!(output.succeeded(), "{}\n{}", output.stdout, output.stderr);
    for test in [
        "examples_answer_as_written",
        "a_server_for_nobody_says_which_setting_is_missing",
        "a_guest_is_shown_what_a_guest_may_call",
    ] {
        assert!(output.stdout.contains(&format!("{test} ... ok")), "{}", output.stdout);
    }
    std::fs::remove_file(program(&name)).unwrap();
    // Without the guard a tool would be open to everybody.
    let file = package.join(format!("specs/{name}/tools/announce.yaml"));
    let text = std::fs::read_to_string(&file).unwrap();
    let guard = "guards:\n  - role: {unknown: unknown_user, forbidden: forbidden}\n";
    std::fs::write(&file, text.replace(guard, "")).unwrap();
    let check = toolwright(&package, &["check"]);
    assert_eq!(check.code, 1, "{}", check.stdout);
    assert!(check.stdout.contains("TW077"), "{}", check.stdout);
}

#[test]
fn names_that_cannot_be_are_refused_and_nothing_is_written() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["", "Shelf", "my-shelf", "2nd", "_x", "é", "move", "self", "serde", "test", "a.b"]
    {
        let output = toolwright(folder.path(), &["new", "--toolwright", ROOT, "--", name]);
        assert_eq!(output.code, 2, "{name}: {}", output.stderr);
        assert!(output.stderr.starts_with("error: "), "{name}: {}", output.stderr);
    }
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn what_exists_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("shelf")).unwrap();
    std::fs::write(folder.path().join("file"), "mine").unwrap();
    for words in [&["new", "shelf"][..], &["new", "shelf", "--path", "file"]] {
        let output = toolwright(folder.path(), words);
        assert_eq!(output.code, 2, "{}", output.stderr);
        assert!(output.stderr.contains("already exists"), "{}", output.stderr);
    }
    assert_eq!(std::fs::read_dir(folder.path().join("shelf")).unwrap().count(), 0);
    assert_eq!(std::fs::read_to_string(folder.path().join("file")).unwrap(), "mine");
}

#[test]
fn a_package_that_cannot_be_written_as_a_whole_is_not_there_at_all() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "mine").unwrap();
    let output = toolwright(folder.path(), &["new", "shelf", "--path", "file/inside"]);
    assert_eq!(output.code, 1, "{}", output.stderr);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

fn manifest(folder: &Path) -> String {
    std::fs::read_to_string(folder.join("Cargo.toml")).unwrap()
}

#[test]
fn the_dependency_is_a_checkout_where_there_is_one_and_a_version_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let output = toolwright(folder.path(), &["new", "alone"]);
    assert!(output.succeeded(), "{}", output.stderr);
    let version = format!("toolwright-runtime = \"{}\"", env!("CARGO_PKG_VERSION"));
    let text = manifest(&folder.path().join("alone"));
    assert!(text.contains(&version) && text.contains("# No checkout"), "{text}");

    // A checkout is known by its crates.
    for package in ["codegen", "runtime"] {
        let name = format!("toolwright-{package}");
        let crate_folder = folder.path().join("checkout/src").join(package);
        std::fs::create_dir_all(&crate_folder).unwrap();
        let text = format!("[package]\nname = \"{name}\"\n");
        std::fs::write(crate_folder.join("Cargo.toml"), text).unwrap();
    }
    let inside = folder.path().join("checkout/src/codegen");
    assert!(toolwright(&inside, &["new", "near"]).succeeded());
    let text = manifest(&inside.join("near"));
    assert!(text.contains("toolwright-runtime = { path = \"../../../src/runtime\" }"), "{text}");
    assert!(toolwright(folder.path(), &["new", "far", "--toolwright", "checkout"]).succeeded());
    let text = manifest(&folder.path().join("far"));
    let absolute = folder.path().canonicalize().unwrap().join("checkout/src/codegen");
    let line = format!("toolwright-codegen = {{ path = \"{}\" }}", absolute.display());
    assert!(text.contains(&line), "{text}");

    let output = toolwright(folder.path(), &["new", "lost", "--toolwright", "alone"]);
    assert_eq!(output.code, 2);
    assert!(output.stderr.contains("not a checkout"), "{}", output.stderr);
}
