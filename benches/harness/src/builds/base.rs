//! An earlier commit of this repository, to be built beside the sources as they are now.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::Result;

/// Last there in the commit before each surface became a package.
const GONE: &str = "runtime/Cargo.toml";

/// The whole hash of `revision`, or of the commit before the packages moved.
pub(super) fn resolve(revision: Option<&str>) -> Result<String> {
    let revision = match revision {
        Some(revision) => revision.to_owned(),
        None => {
            let moved = git(&["log", "-1", "--format=%H", "--diff-filter=D", "--", GONE])?;
            if moved.is_empty() {
                return Err(format!("no commit moved {GONE}; say --base REV").into());
            }
            format!("{moved}^")
        }
    };
    git(&["rev-parse", "--verify", "--quiet", &format!("{revision}^{{commit}}")])
        .map_err(|_| format!("there is no commit {revision}").into())
}

/// Unpacks the files of a commit.
pub(super) fn check_out(commit: &str, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    let mut archive =
        Command::new("git").args(["archive", commit]).stdout(Stdio::piped()).spawn()?;
    let files = archive.stdout.take().ok_or("no stdout")?;
    let unpacked =
        Command::new("tar").args(["-xf", "-", "-C"]).arg(folder).stdin(files).status()?;
    let packed = archive.wait()?;
    match packed.success() && unpacked.success() {
        true => Ok(()),
        false => Err(format!("git archive {commit}: {packed}, tar: {unpacked}").into()),
    }
}

fn git(arguments: &[&str]) -> Result<String> {
    let output = Command::new("git").args(arguments).stderr(Stdio::inherit()).output()?;
    if !output.status.success() {
        return Err(format!("git {}: {}", arguments.join(" "), output.status).into());
    }
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
