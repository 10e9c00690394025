//! `generated/` always matches `specs/`: a local build updates it, and a build in CI fails and names the
//! command that updates it. Covers this repository's own folders too.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed helper is a failed test")]

use std::fs;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use toolwright_codegen::{BuildError, Mode, build, generate, stale};
use toolwright_testing::expected;
use toolwright_testing::files::copy;

/// A surface in a temporary folder, built.
struct BuiltSurface {
    specs: PathBuf,
    generated: PathBuf,
    _folder: tempfile::TempDir,
}

impl BuiltSurface {
    fn built() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let (specs, generated) = (folder.path().join("specs"), folder.path().join("generated"));
        copy(&root().join("tests/specs/valid/echo"), &specs);
        let surface = Self { specs, generated, _folder: folder };
        surface.build(Mode::Write).unwrap();
        surface
    }

    fn build(&self, mode: Mode) -> Result<Vec<PathBuf>, BuildError> {
        build(&self.specs, &self.generated, mode).map(|built| built.written)
    }

    fn module(&self) -> PathBuf {
        self.generated.join("echo.rs")
    }

    /// CI refuses what is there, names the file and the command, and touches nothing.
    fn is_refused_in_ci(&self, file: &Path) {
        let before = fs::read(file).unwrap();
        let error = self.build(Mode::Check).unwrap_err();
        assert!(matches!(&error, BuildError::Stale(files) if files == &[file.to_owned()]));
        let text = error.to_string();
        assert!(text.contains(&format!("`{}` is stale", file.display())), "{text}");
        assert!(text.contains("run `cargo build`"), "{text}");
        assert_eq!(fs::read(file).unwrap(), before);
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn modified(path: &Path) -> SystemTime {
    path.metadata().unwrap().modified().unwrap()
}

#[test]
fn one_byte_is_refused_in_ci_and_mended_elsewhere() {
    let surface = BuiltSurface::built();
    let untouched = fs::read(surface.module()).unwrap();
    for at in [0, untouched.len() / 2, untouched.len() - 1] {
        let mut tampered = untouched.clone();
        tampered[at] = if tampered[at] == b'x' { b'y' } else { b'x' };
        fs::write(surface.module(), tampered).unwrap();
        surface.is_refused_in_ci(&surface.module());
        assert_eq!(stale(&surface.specs, &surface.generated).unwrap(), [surface.module()]);
        assert_eq!(surface.build(Mode::Write).unwrap(), [surface.module()]);
        assert_eq!(fs::read(surface.module()).unwrap(), untouched);
    }
}

#[test]
fn a_spec_without_its_module_is_refused_in_ci_and_built_elsewhere() {
    let surface = BuiltSurface::built();
    let spec = surface.specs.join("echo/tools/echo.yaml");
    let text = fs::read_to_string(&spec).unwrap();
    let title = text.lines().find(|line| line.starts_with("title:")).unwrap();
    fs::write(&spec, text.replacen(title, "title: Something else", 1)).unwrap();
    surface.is_refused_in_ci(&surface.module());
    assert_eq!(surface.build(Mode::Write).unwrap(), [surface.module()]);
    assert!(fs::read_to_string(surface.module()).unwrap().contains("Something else"));
    assert!(surface.build(Mode::Check).unwrap().is_empty());
}

#[test]
fn a_module_of_no_surface_is_refused_in_ci_and_removed_elsewhere() {
    let surface = BuiltSurface::built();
    let left = surface.generated.join("gone.rs");
    fs::copy(surface.module(), &left).unwrap();
    surface.is_refused_in_ci(&left);
    surface.build(Mode::Write).unwrap();
    assert!(!left.exists() && surface.module().exists());
}

#[test]
fn a_missing_module_is_written_even_in_ci() {
    let surface = BuiltSurface::built();
    fs::remove_file(surface.module()).unwrap();
    assert_eq!(surface.build(Mode::Check).unwrap(), [surface.module()]);
}

/// Or cargo, which is told to watch it, would run the build script again for its own output.
#[test]
fn a_written_module_is_no_newer_than_what_it_is_made_of() {
    let surface = BuiltSurface::built();
    let spec = surface.specs.join("echo/tools/echo.yaml");
    assert!(modified(&surface.module()) <= SystemTime::now());
    let edited = modified(&spec) + std::time::Duration::from_secs(3600);
    fs::File::options().append(true).open(&spec).unwrap().set_modified(edited).unwrap();
    fs::write(surface.module(), "tampered").unwrap();
    surface.build(Mode::Write).unwrap();
    assert_eq!(modified(&surface.module()), edited);
}

/// Folders of this repository with `specs/` and `generated/`.
const FOLDERS: [&str; 4] = ["", "examples/echo", "examples/shelf", "tests/conformance"];

#[test]
fn this_repository_is_what_the_compiler_makes_of_it() {
    for folder in FOLDERS {
        let folder = root().join(folder);
        let (specs, generated) = (folder.join("specs"), folder.join("generated"));
        if expected::is_blessing() {
            build(&specs, &generated, Mode::Write).unwrap();
        }
        let stale = stale(&specs, &generated).unwrap();
        assert!(stale.is_empty(), "{stale:?} differ; `cargo build`, or {}", expected::BLESS);
    }
}

/// A diff of a longer line cannot be reviewed.
#[test]
fn no_generated_line_is_over_200_characters() {
    for folder in FOLDERS.into_iter().chain(["tests/specs/valid/kitchen_sink"]) {
        let specs = match folder.contains("valid") {
            true => root().join(folder),
            false => root().join(folder).join("specs"),
        };
        for file in generate(&specs).unwrap() {
            let long = file.text.lines().find(|line| line.chars().count() > 200);
            assert_eq!(long, None, "{}", file.path.display());
        }
    }
}
