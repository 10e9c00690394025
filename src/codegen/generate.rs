//! Writes or checks `generated/` from `specs/`.
//!
//! Locally, stale files are written, so that the next build follows an edit of a spec and reverts an
//! accidental edit of a generated file. With `CI` set, stale files are an error: the reviewed code must
//! be the compiled code. Knows only files; the emitter defines their content.

mod files;
mod script;

use std::io;
use std::path::{Component, Path, PathBuf};

use files::{Input, is_unchanged, orphans};
pub use script::{build_script, build_surface, check_script};

use crate::diagnostics::{Colour, Diagnostic, Report, Severity, code};
use crate::{Loaded, emit, load};

/// A file to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GeneratedFile {
    /// The surface it belongs to.
    pub surface: String,
    /// Path below the generated folder.
    pub path: PathBuf,
    /// Rust.
    pub text: String,
}

/// What becomes of a generated file that is not what the specs say. A missing one is written in
/// either mode.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// It is rewritten, or removed with its surface.
    Write,
    /// It stays as it is, and the build fails.
    Check,
}

impl Mode {
    /// [`Mode::Check`] where `CI` says so, as all build services do.
    pub fn from_env() -> Self {
        match std::env::var("CI").as_deref() {
            Err(_) | Ok("" | "0" | "false") => Self::Write,
            Ok(_) => Self::Check,
        }
    }
}

/// What a build did.
#[derive(Debug, Default)]
pub struct Built {
    /// Warnings.
    pub report: Report,
    /// All files that the specs say.
    pub files: Vec<PathBuf>,
    /// Files that were new or different.
    pub written: Vec<PathBuf>,
    /// Files of removed surfaces.
    pub removed: Vec<PathBuf>,
}

/// Why a build did not happen.
#[derive(Debug)]
pub enum BuildError {
    /// The specs have errors.
    Specs(Box<Report>),
    /// These files are stale or belong to no surface, and must not be written.
    Stale(Vec<PathBuf>),
    /// A file differs and cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// Why not.
        error: io::Error,
    },
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Specs(report) => f.write_str(&report.render(Colour::Never)),
            Self::Stale(paths) => {
                for path in paths {
                    let path = shown(path).display().to_string();
                    writeln!(f, "error: `{path}` is stale")?;
                }
                writeln!(
                    f,
                    "  = note: `CI` is set, so nothing was written\n  \
                     = help: run `cargo build` without `CI` and commit the changes"
                )
            }
            Self::Write { path, error } => writeln!(
                f,
                "error: `{}` is stale and cannot be written: {error}\n  \
                 = help: build once in a writable checkout and commit the generated files",
                shown(path).display()
            ),
        }
    }
}

impl std::error::Error for BuildError {}

/// A path relative to the workspace; build scripts run in the folder of their package.
fn shown(path: &Path) -> &Path {
    let mut rest = path.components();
    while rest.clone().next() == Some(Component::ParentDir) {
        rest.next();
    }
    rest.as_path()
}

/// The files that the specs say, or all findings.
pub fn generate(specs: &Path) -> Result<Vec<GeneratedFile>, Report> {
    emit_all(load(specs)).map(|(files, _)| files)
}

fn emit_all(loaded: Loaded) -> Result<(Vec<GeneratedFile>, Report), Report> {
    let (contracts, mut report) = loaded.into_result()?;
    let mut files = Vec::new();
    for contract in &contracts {
        match emit::emit(contract) {
            Ok(text) => files.push(GeneratedFile {
                surface: contract.name.clone(),
                path: file_of(&contract.name),
                text,
            }),
            Err(error) => report.diagnostics.push(Diagnostic {
                code: code::NOT_RUST.code,
                severity: Severity::Error,
                span: error.span,
                message: error.message,
                label: String::new(),
                labels: Vec::new(),
                help: None,
            }),
        }
    }
    if report.has_errors() { Err(report) } else { Ok((files, report)) }
}

/// The path of a surface's module below the generated folder.
fn file_of(surface: &str) -> PathBuf {
    PathBuf::from(format!("{surface}.rs"))
}

/// Brings the whole of `generated` to what the specs say, or says what is in the way. Equal files
/// are not touched, so that a read-only checkout builds.
pub fn build(specs: &Path, generated: &Path, mode: Mode) -> Result<Built, BuildError> {
    let (files, report) =
        emit_all(load(specs)).map_err(|report| BuildError::Specs(Box::new(report)))?;
    let left = orphans(generated, &files.iter().map(|file| file.path.as_path()).collect());
    let written = write(&files, generated, Input(specs), mode, &left)?;
    for path in &left {
        std::fs::remove_file(path)
            .map_err(|error| BuildError::Write { path: path.clone(), error })?;
    }
    let files = files.iter().map(|file| generated.join(&file.path)).collect();
    Ok(Built { report, files, written, removed: left })
}

/// Writes what is missing or different; in [`Mode::Check`] nothing at all where a file is different
/// or `left` over.
fn write(
    files: &[GeneratedFile],
    generated: &Path,
    input: Input<'_>,
    mode: Mode,
    left: &[PathBuf],
) -> Result<Vec<PathBuf>, BuildError> {
    let differing = || {
        let paths = files.iter().map(|file| (generated.join(&file.path), file));
        paths.filter(|(path, file)| !is_unchanged(path, &file.text))
    };
    if mode == Mode::Check {
        let there = differing().map(|(path, _)| path).filter(|path| path.exists());
        let stale: Vec<PathBuf> = there.chain(left.iter().cloned()).collect();
        if !stale.is_empty() {
            return Err(BuildError::Stale(stale));
        }
    }
    let mut written = Vec::new();
    for (path, file) in differing() {
        files::write(&path, &file.text, input)
            .map_err(|error| BuildError::Write { path: path.clone(), error })?;
        written.push(path);
    }
    Ok(written)
}

/// Files that are missing, different or left over. Specs with errors make everything stale.
pub fn stale(specs: &Path, generated: &Path) -> Result<Vec<PathBuf>, Report> {
    let files = generate(specs)?;
    let mut stale: Vec<PathBuf> = files
        .iter()
        .map(|file| (generated.join(&file.path), file))
        .filter(|(path, file)| !is_unchanged(path, &file.text))
        .map(|(path, _)| path)
        .collect();
    stale.extend(orphans(generated, &files.iter().map(|file| file.path.as_path()).collect()));
    stale.sort();
    Ok(stale)
}
