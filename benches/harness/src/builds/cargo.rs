//! Timed runs of cargo. Knows no row of the table.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::Result;
use crate::stats::timed;

/// How much the compiler optimises.
#[derive(Clone, Copy)]
pub(super) enum Profile {
    Debug,
    Release,
}

/// Seconds that `cargo build` takes. `what` chooses packages or programs; nothing chooses what the
/// workspace builds by default.
pub(super) fn build(
    manifest: &Path,
    target: &Path,
    profile: Profile,
    what: &[&str],
) -> Result<f64> {
    let mut command = cargo("build", manifest);
    command.args(what).env("CARGO_TARGET_DIR", target);
    if let Profile::Release = profile {
        command.arg("--release");
    }
    Ok(run(&mut command)? / 1e6)
}

/// Downloads what a build needs, so that the network is in no figure.
pub(super) fn fetch(manifest: &Path) -> Result<()> {
    run(&mut cargo("fetch", manifest)).map(|_| ())
}

fn cargo(verb: &str, manifest: &Path) -> Command {
    let mut command = Command::new("cargo");
    command.args([verb, "--quiet", "--manifest-path"]).arg(manifest).stdin(Stdio::null());
    command
}

fn run(command: &mut Command) -> Result<f64> {
    let (time, status) = timed(|| command.status())?;
    if status.success() { Ok(time) } else { Err(format!("{command:?}: {status}").into()) }
}
