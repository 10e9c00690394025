//! A package outside of the workspace, built by the real cargo as its author would.

use std::path::{Path, PathBuf};
use std::process::Command;

use toolwright_testing::{Finished, run};

/// The root of this repository.
pub(crate) const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// Gives a package the versions and profiles of this repository, so that its dependencies are
/// those that are built already.
pub(crate) fn settle(folder: &Path) {
    let ours = std::fs::read_to_string(Path::new(ROOT).join("Cargo.toml")).expect("a manifest");
    let profiles = ours.split("\n\n").filter(|part| part.contains("[profile.dev"));
    let manifest = folder.join("Cargo.toml");
    let text = std::fs::read_to_string(&manifest).expect("a manifest");
    let parts: Vec<&str> = std::iter::once(text.as_str()).chain(profiles).collect();
    std::fs::write(manifest, parts.join("\n\n")).expect("writable");
    std::fs::copy(Path::new(ROOT).join("Cargo.lock"), folder.join("Cargo.lock")).expect("writable");
}

/// Where this very test was built.
fn target() -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_toolwright"));
    program.ancestors().nth(2).expect("target/debug/toolwright").to_owned()
}

/// A program of a package that was built. Cargo tells packages of other workspaces apart by their
/// names only, so each test needs another.
pub(crate) fn program(name: &str) -> PathBuf {
    target().join("debug").join(name)
}

/// Runs cargo in the package, without a network.
pub(crate) fn cargo(folder: &Path, verb: &str) -> Finished {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args([verb, "--offline"]).current_dir(folder);
    cargo.env("CARGO_TARGET_DIR", target()).env_remove("RUSTFLAGS");
    // There a spec that was just changed would be refused instead of compiled.
    cargo.env_remove("CI");
    run(cargo)
}
