//! A complete `build.rs` in one call: generates or checks, reports to cargo, and exits on an error. The
//! only module of the compiler that prints.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::files::{Input, orphans};
use super::{BuildError, Mode, build, emit_all, file_of, shown, write};
use crate::diagnostics::Report;
use crate::{load, load_surface};

/// For a package with all its surfaces below `specs`.
pub fn build_script(specs: &str, generated: &str) {
    report_to_cargo(specs, || {
        let built = build(Path::new(specs), Path::new(generated), Mode::from_env())?;
        Ok((warnings(&built.report), built.files))
    });
}

/// For a package with one of the surfaces below `specs`. What else is there belongs to other
/// packages: it is neither read nor written nor removed.
pub fn build_surface(specs: &str, surface: &str, generated: &str) {
    let input = format!("{specs}/{surface}");
    report_to_cargo(&input, || {
        let loaded = load_surface(Path::new(specs), surface, shown(Path::new(specs)));
        let (files, report) =
            emit_all(loaded).map_err(|report| BuildError::Specs(Box::new(report)))?;
        let input = Input(Path::new(&input));
        write(&files, Path::new(generated), input, Mode::from_env(), &[])?;
        Ok((warnings(&report), vec![Path::new(generated).join(file_of(surface))]))
    });
}

/// For a package that generates nothing itself: checks all surfaces below `specs` together, and
/// that `generated` has no file of a surface that is gone.
pub fn check_script(specs: &str, generated: &str) {
    report_to_cargo(specs, || {
        let (contracts, report) = load(Path::new(specs))
            .into_result()
            .map_err(|report| BuildError::Specs(Box::new(report)))?;
        let files: Vec<PathBuf> =
            contracts.iter().map(|contract| file_of(&contract.name)).collect();
        let left = orphans(Path::new(generated), &files.iter().map(PathBuf::as_path).collect());
        if Mode::from_env() == Mode::Check && !left.is_empty() {
            return Err(BuildError::Stale(left));
        }
        let mut warnings = warnings(&report);
        warnings.extend(left.iter().map(|path| {
            format!("`{}` belongs to no surface below `{specs}`; remove it", path.display())
        }));
        Ok((warnings, vec![generated.into()]))
    });
}

fn warnings(report: &Report) -> Vec<String> {
    report.diagnostics.iter().map(|finding| report.one_line(finding)).collect()
}

/// Warnings, and files to watch besides the specs.
type Done = (Vec<String>, Vec<PathBuf>);

fn report_to_cargo(input: &str, work: impl FnOnce() -> Result<Done, BuildError>) {
    let mut to_cargo = io::stdout();
    let _ = writeln!(to_cargo, "cargo::rerun-if-env-changed=CI");
    let _ = writeln!(to_cargo, "cargo::rerun-if-changed={input}");
    match work() {
        Ok((warnings, watched)) => {
            for warning in warnings {
                let _ = writeln!(to_cargo, "cargo::warning={warning}");
            }
            for path in watched {
                let _ = writeln!(to_cargo, "cargo::rerun-if-changed={}", path.display());
            }
        }
        Err(error) => {
            let _ = write!(io::stderr(), "{error}");
            std::process::exit(1);
        }
    }
}
