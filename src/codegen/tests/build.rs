//! Writing `generated/`: only what differs, nothing that is not ours, and a clear word when it
//! cannot be done.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed helper is a failed test")]

use std::path::Path;

use toolwright_codegen::{BuildError, Mode, build, generate, stale};

fn specs(folder: &Path) -> std::path::PathBuf {
    specs_of("echo", folder)
}

fn specs_of(fixture: &str, folder: &Path) -> std::path::PathBuf {
    let specs = folder.join("specs");
    let valid = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/specs/valid");
    copy(&valid.join(fixture), &specs);
    specs
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn a_build_writes_once_and_then_rests() {
    let folder = tempfile::tempdir().unwrap();
    let (specs, generated) = (specs(folder.path()), folder.path().join("generated"));
    assert_eq!(stale(&specs, &generated).unwrap(), [generated.join("echo.rs")]);
    let first = build(&specs, &generated, Mode::Write).unwrap();
    assert_eq!(first.written, [generated.join("echo.rs")]);
    assert!(build(&specs, &generated, Mode::Write).unwrap().written.is_empty());
    assert!(stale(&specs, &generated).unwrap().is_empty());
}

#[test]
fn equal_contracts_give_equal_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let specs = specs(folder.path());
    assert_eq!(generate(&specs).unwrap(), generate(&specs).unwrap());
}

#[test]
fn a_file_that_a_resource_serves_is_part_of_the_contract() {
    let folder = tempfile::tempdir().unwrap();
    let specs = specs_of("kitchen_sink", folder.path());
    let digest = || toolwright_codegen::load(&specs).contracts.remove(0).digest;
    let (page, before) = (specs.join("kitchen_sink/components/plan.html"), digest());
    let text = std::fs::read_to_string(&page).unwrap();
    std::fs::write(&page, text.replace('\n', "\r\n")).unwrap();
    assert_eq!(digest(), before, "line ends of a checkout are no difference");
    std::fs::write(specs.join("kitchen_sink/components/notes.txt"), "nobody serves this").unwrap();
    assert_eq!(digest(), before);

    let generated = folder.path().join("generated");
    build(&specs, &generated, Mode::Write).unwrap();
    std::fs::write(&page, text + "<p>more</p>\n").unwrap();
    assert_ne!(digest(), before);
    let module = generated.join("kitchen_sink.rs");
    assert_eq!(stale(&specs, &generated).unwrap(), std::slice::from_ref(&module));
    build(&specs, &generated, Mode::Write).unwrap();
    assert!(std::fs::read_to_string(&module).unwrap().contains("<p>more</p>"));
}

#[test]
fn files_of_surfaces_that_are_gone_go_and_foreign_files_stay() {
    let folder = tempfile::tempdir().unwrap();
    let (specs, generated) = (specs(folder.path()), folder.path().join("generated"));
    build(&specs, &generated, Mode::Write).unwrap();
    let old = generated.join("old.rs");
    std::fs::copy(generated.join("echo.rs"), &old).unwrap();
    std::fs::write(generated.join("mod.rs"), "pub mod echo;\n").unwrap();
    assert_eq!(stale(&specs, &generated).unwrap(), std::slice::from_ref(&old));
    assert_eq!(build(&specs, &generated, Mode::Write).unwrap().removed, [old]);
    assert!(generated.join("mod.rs").exists());
}

#[test]
fn what_cannot_be_written_is_said_and_what_need_not_be_is_fine() {
    let folder = tempfile::tempdir().unwrap();
    let specs = specs(folder.path());
    // A file where the folder should be: cannot be written, whoever runs the test.
    let blocked = folder.path().join("blocked");
    std::fs::write(&blocked, "").unwrap();
    let error = build(&specs, &blocked, Mode::Write).unwrap_err();
    assert!(matches!(error, BuildError::Write { .. }));
    assert!(error.to_string().contains("cannot be written"), "{error}");

    let generated = folder.path().join("generated");
    build(&specs, &generated, Mode::Write).unwrap();
    let file = generated.join("echo.rs");
    let mut permissions = std::fs::metadata(&file).unwrap().permissions();
    permissions.set_readonly(true);
    std::fs::set_permissions(&file, permissions).unwrap();
    assert!(build(&specs, &generated, Mode::Write).unwrap().written.is_empty());
}

#[test]
fn broken_specs_write_nothing_and_say_what_check_says() {
    let folder = tempfile::tempdir().unwrap();
    let (specs, generated) = (specs(folder.path()), folder.path().join("generated"));
    std::fs::write(specs.join("echo/tools/echo.yaml"), "tool: echo\n").unwrap();
    let error = build(&specs, &generated, Mode::Write).unwrap_err();
    assert_eq!(error.to_string(), toolwright_codegen::load(&specs).report.to_string());
    assert!(error.to_string().contains("error[TW005]"));
    assert!(!generated.exists());
}
