//! A server under test, started as a host would start it.

use std::path::Path;
use std::process::{Command, Stdio};

use tempfile::TempDir;
use toolwright_runtime::client::Client;

/// A `wink` binary in an empty project.
pub(crate) fn wink(folder: &Path) -> Command {
    let mut command = Command::new(toolwright_testing::program("wink"));
    command
        .arg("mcp")
        .current_dir(folder)
        .env_clear()
        .env("WINK_OVERRIDES_DIR", folder.join("overrides"))
        .stderr(Stdio::null());
    command
}

/// An `agentpack` binary whose home is the folder.
pub(crate) fn agentpack(folder: &Path) -> Command {
    let mut command = Command::new(toolwright_testing::program("agentpack"));
    command.arg("mcp").current_dir(folder).env_clear().env("HOME", folder).stderr(Stdio::null());
    command
}

/// A `wa` binary whose workspace is the folder, and that has no terminals.
pub(crate) fn wa(folder: &Path) -> Command {
    let mut command = Command::new(toolwright_testing::program("wa"));
    command
        .arg("mcp")
        .current_dir(folder)
        .env_clear()
        .env("WA_BACKEND", "embedded")
        .stderr(Stdio::null());
    command
}

/// A `worldforge` binary whose worlds are in the folder, and that acts for nobody.
pub(crate) fn worldforge(folder: &Path) -> Command {
    let mut command = Command::new(toolwright_testing::program("worldforge"));
    command
        .arg("mcp")
        .current_dir(folder)
        .env_clear()
        .env("WORLDFORGE_DATA_DIR", folder.join("worldforge"))
        .stderr(Stdio::null());
    command
}

/// A `yarnnn` binary whose memory is in the folder, and that nobody is signed in to.
pub(crate) fn yarnnn(folder: &Path) -> Command {
    let mut command = Command::new(toolwright_testing::program("yarnnn"));
    command
        .arg("mcp")
        .current_dir(folder)
        .env_clear()
        .env("YARNNN_DATABASE_FILE", folder.join("yarnnn.db"))
        .stderr(Stdio::null());
    command
}

/// A session with `wink`.
pub(crate) fn session(folder: &TempDir) -> Client {
    Client::spawn(wink(folder.path()), "wire-test").expect("the server starts")
}

pub(crate) fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}
