//! The contract compiler.
//!
//! `parse` → `resolve` → `check` turn a folder of specs into [`model::Contract`]s and findings;
//! [`emit`] turns contracts into Rust. The crate knows only specs: no surface by name, no protocol. Only
//! the build script functions such as [`build_script`] print, and no input makes it panic.

mod check;
pub mod diagnostics;
pub mod diff;
pub mod docs;
pub mod emit;
mod generate;
pub mod model;
pub mod names;
mod parse;
pub mod profile;
mod resolve;
pub mod schema;

use std::path::Path;
use std::sync::Arc;

pub use check::budget::INSTRUCTIONS as INSTRUCTION_TOKENS;
pub use generate::{
    BuildError, Built, GeneratedFile, Mode, build, build_script, build_surface, check_script,
    generate, stale,
};
pub use parse::{Content, Files, is_read, read_folder};

use crate::diagnostics::{Findings, Place, Report, Severity, Sources, code};
use crate::model::Contract;

/// The result of loading a specs folder.
#[derive(Debug, Clone, Default)]
pub struct Loaded {
    /// Contracts of surfaces without errors, sorted by name.
    pub contracts: Vec<Contract>,
    /// All findings, with the files they are about.
    pub report: Report,
    /// The parsed trees, for source locations.
    pub(crate) folders: Arc<Vec<parse::Folder>>,
}

impl Loaded {
    /// The contracts, or the report where there is an error.
    pub fn into_result(self) -> Result<(Vec<Contract>, Report), Report> {
        if self.report.has_errors() { Err(self.report) } else { Ok((self.contracts, self.report)) }
    }
}

/// Reads and checks all surfaces below `specs`.
pub fn load(specs: &Path) -> Loaded {
    match parse::read_folder(specs) {
        Ok(files) => load_files(specs, &files),
        Err(error) => {
            let message = format!("cannot read the specs folder: {error}");
            alone(specs, code::NO_FILE, &message)
        }
    }
}

/// Like [`load`], for one surface only. `shown` is the prefix of paths in findings.
pub fn load_surface(specs: &Path, surface: &str, shown: &Path) -> Loaded {
    match parse::read_surface(specs, surface) {
        Ok(files) => load_files(shown, &files),
        Err(error) => {
            let message = format!("cannot read the folder of the surface: {error}");
            alone(&shown.join(surface), code::NO_FILE, &message)
        }
    }
}

/// Like [`load`], with the files already read; `specs` is only the prefix of paths in findings.
pub fn load_files(specs: &Path, files: &Files) -> Loaded {
    // A defect in the compiler is reported as a finding, too.
    let result = parse::threads::run(|| compile(specs, files));
    result.unwrap_or_else(|why| {
        let message = format!("the compiler failed on these specs ({why}); please report it");
        alone(specs, code::DEFECT, &message)
    })
}

fn compile(specs: &Path, files: &Files) -> Loaded {
    let mut sources = Sources::default();
    let mut findings = Findings::default();
    let folders = parse::parse(specs, files, &mut sources, &mut findings);
    let mut contracts = Vec::new();
    for (own, contract) in parse::threads::map(&folders, |folder| surface(folder, &sources)) {
        if own.is_sound() {
            contracts.extend(contract);
        }
        findings.append(own);
    }
    let report = Report { diagnostics: findings.finish(&sources), sources };
    // A stray file may be a misspelt part of any surface.
    if report.diagnostics.iter().any(|finding| finding.severity == Severity::Error) {
        let broken = |name: &str| {
            let folder = specs.join(name);
            report.diagnostics.iter().any(|finding| {
                finding.severity == Severity::Error && finding.span.file.starts_with(&folder)
            })
        };
        contracts.retain(|contract| !broken(&contract.name));
    }
    Loaded { contracts, report, folders: Arc::new(folders) }
}

/// Compiles one surface, independent of all others.
fn surface(folder: &parse::Folder, sources: &Sources) -> (Findings, Option<Contract>) {
    let mut findings = Findings::default();
    let mut draft = resolve::resolve(folder, &mut findings);
    check::check(&draft, &mut findings);
    for (tool, source) in draft.contract.tools.iter_mut().zip(&draft.tools) {
        tool.span = diagnostics::span(source.place(), sources);
    }
    (findings, folder.whole.then_some(draft.contract))
}

/// A result with a single finding about the folder itself.
fn alone(specs: &Path, code: &'static diagnostics::CodeInfo, message: &str) -> Loaded {
    let mut sources = Sources::default();
    let mut findings = Findings::default();
    let file = sources.add(specs.to_owned(), None);
    findings.add(code, Place::file(file), message);
    let diagnostics = findings.finish(&sources);
    Loaded { report: Report { diagnostics, sources }, ..Loaded::default() }
}
