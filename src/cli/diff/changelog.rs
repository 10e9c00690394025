//! The section of a changelog that is generated from the diff.

use std::path::Path;
use std::process::ExitCode;

use toolwright_codegen::diff::{Accepted, Diff, changelog};

use super::side::Side;
use super::{Problem, accepted, terminal};

/// The section. It must not depend on today's date, so sunsets are compared with the date of the last
/// commit.
pub(super) fn section(old: &Side, new: &Side, accepted: &Accepted) -> String {
    let mut diff = Diff::new(old.version(), new.version(), new.day().as_deref());
    diff.accept(accepted);
    diff.to_changelog()
}

/// Rewrites the section, or checks that it is fresh.
pub(super) fn refresh(
    file: &Path,
    specs: &str,
    accepted_file: Option<&Path>,
    check: bool,
) -> Result<ExitCode, Problem> {
    let shown = file.display();
    let in_file = |problem: String| Problem::Said(format!("`{shown}`: {problem}"));
    let document = std::fs::read_to_string(file).map_err(|error| in_file(error.to_string()))?;
    let since = changelog::since(&document).map_err(in_file)?;
    let old = match Side::read(since, specs) {
        Ok(old) => old,
        // Nobody can tell what is new without what was; a clone without it must still pass.
        Err(Problem::NoHistory(why)) => {
            terminal::message(&format!("SKIPPED: `{shown}` is not checked: {why}"));
            return Ok(ExitCode::SUCCESS);
        }
        Err(problem) => return Err(problem),
    };
    let new = Side::read(specs, specs)?;
    let section = section(&old, &new, &accepted(accepted_file, &new)?);
    let fresh = changelog::refresh(&document, &section).map_err(in_file)?;
    if fresh == document {
        return Ok(ExitCode::SUCCESS);
    }
    if check {
        let command = format!("cargo run -- diff --refresh {shown}");
        terminal::message(&format!("error: `{shown}` is stale; run `{command}`"));
        return Ok(ExitCode::FAILURE);
    }
    std::fs::write(file, fresh).map_err(|error| in_file(error.to_string()))?;
    Ok(ExitCode::SUCCESS)
}
