//! A machine of one user: a home, a project, and the binaries run in them in a clean environment.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;
use toolwright_testing::{Finished, ServerHome};

pub(crate) const TOOLWRIGHT: &str = env!("CARGO_BIN_EXE_toolwright");
pub(crate) fn wink() -> &'static str {
    toolwright_testing::program("wink")
}

/// Every client with its scopes and the file of each, below the home or the project.
pub(crate) const FILES: &[(&str, &str, &str)] = &[
    ("claude-code", "user", "home/.claude.json"),
    ("claude-code", "project", "project/.mcp.json"),
    ("claude-desktop", "user", "home/.config/Claude/claude_desktop_config.json"),
    ("codex", "user", "home/.codex/config.toml"),
    ("codex", "project", "project/.codex/config.toml"),
    ("cursor", "user", "home/.cursor/mcp.json"),
    ("cursor", "project", "project/.cursor/mcp.json"),
    ("vscode", "user", "home/.config/Code/User/mcp.json"),
    ("vscode", "project", "project/.vscode/mcp.json"),
];

pub(crate) struct Machine {
    folder: TempDir,
}

impl Machine {
    pub(crate) fn new() -> Self {
        let machine = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        fs::create_dir(machine.path("home")).unwrap();
        fs::create_dir(machine.path("project")).unwrap();
        machine
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        toolwright_testing::files::write(&self.path(path), bytes);
    }

    /// Puts a program there, a copy of this file. Another process writes it: a file that this one
    /// has open for writing, or a child forked meanwhile by another test, cannot be run.
    pub(crate) fn program(&self, path: &str, from: impl AsRef<Path>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        // What runs cannot be written over.
        let _ = fs::remove_file(&path);
        let copied = Command::new("cp").arg(from.as_ref()).arg(&path).status();
        assert!(copied.is_ok_and(|status| status.success()));
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }

    pub(crate) fn read(&self, path: &str) -> String {
        fs::read_to_string(self.path(path)).expect("the file is there")
    }

    pub(crate) fn command(&self, program: &str) -> Command {
        self.home(program).command(&[])
    }

    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Finished {
        self.home(program).run(arguments)
    }

    fn home(&self, program: &str) -> ServerHome {
        let home = self.path("home").display().to_string();
        ServerHome::at(program, &self.path("project")).env("HOME", home)
    }

    /// `wink install` with more arguments.
    pub(crate) fn install(&self, client: &str, scope: &str, more: &[&str]) -> Finished {
        let arguments = ["install", "--client", client, "--scope", scope];
        self.run(wink(), &[&arguments[..], more].concat())
    }

    pub(crate) fn uninstall(&self, client: &str, scope: &str, more: &[&str]) -> Finished {
        let arguments = ["uninstall", "--client", client, "--scope", scope];
        self.run(wink(), &[&arguments[..], more].concat())
    }

    /// Every file and folder with mode, time of change and content.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, (u32, i128, Vec<u8>)> {
        let paths = toolwright_testing::files::walk(self.folder.path()).into_iter();
        paths.map(|path| (path.clone(), state(&path))).collect()
    }
}

fn state(path: &Path) -> (u32, i128, Vec<u8>) {
    let metadata = path.symlink_metadata().unwrap();
    let at = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
    let bytes = if metadata.is_file() { fs::read(path).unwrap() } else { Vec::new() };
    (metadata.mode(), at, bytes)
}

/// The servers of a file.
pub(crate) fn servers(client: &str, text: &str) -> serde_json::Value {
    let text = text.trim_start_matches('\u{feff}');
    match client {
        "codex" => toml_value(text)["mcp_servers"].clone(),
        "vscode" => json_value(text)["servers"].clone(),
        _ => json_value(text)["mcpServers"].clone(),
    }
}

/// JSON with comments, read by means of its own.
pub(crate) fn json_value(text: &str) -> serde_json::Value {
    serde_json::from_str(&crate::config_fixtures::strict(text).replace("1e400", "7")).expect("JSON")
}

pub(crate) fn toml_value(text: &str) -> serde_json::Value {
    toml::from_str(text).expect("TOML")
}
