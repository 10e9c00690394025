//! A machine of one person: a home, a project, and the binaries run in them with nothing else.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

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

pub(crate) struct Stage {
    folder: TempDir,
}

/// What a verb did.
pub(crate) struct Done {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Done {
    pub(crate) fn of(output: &Output) -> Self {
        Self {
            code: output.status.code().expect("it ends by itself"),
            out: String::from_utf8(output.stdout.clone()).expect("text"),
            err: String::from_utf8(output.stderr.clone()).expect("text"),
        }
    }

    #[track_caller]
    pub(crate) fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        self
    }

    #[track_caller]
    pub(crate) fn refused(self, code: i32, words: &[&str]) -> Self {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        for word in words {
            assert!(self.err.contains(word), "no `{word}` in {}", self.err);
        }
        self
    }
}

impl Stage {
    pub(crate) fn new() -> Self {
        let stage = Self { folder: tempfile::tempdir().expect("a temporary folder") };
        fs::create_dir(stage.path("home")).unwrap();
        fs::create_dir(stage.path("project")).unwrap();
        stage
    }

    pub(crate) fn path(&self, path: &str) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join(path)
    }

    pub(crate) fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.path(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
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
        let mut command = Command::new(program);
        command.env_clear().env("HOME", self.path("home")).current_dir(self.path("project"));
        command
    }

    pub(crate) fn run(&self, program: &str, arguments: &[&str]) -> Done {
        Done::of(&self.command(program).args(arguments).output().expect("the binary runs"))
    }

    /// `wink install` with more arguments.
    pub(crate) fn install(&self, client: &str, scope: &str, more: &[&str]) -> Done {
        let arguments = ["install", "--client", client, "--scope", scope];
        self.run(wink(), &[&arguments[..], more].concat())
    }

    pub(crate) fn uninstall(&self, client: &str, scope: &str, more: &[&str]) -> Done {
        let arguments = ["uninstall", "--client", client, "--scope", scope];
        self.run(wink(), &[&arguments[..], more].concat())
    }

    /// Every file and folder with mode, time of change and content.
    pub(crate) fn tree(&self) -> BTreeMap<PathBuf, (u32, i128, Vec<u8>)> {
        let mut found = BTreeMap::new();
        look(self.folder.path(), &mut found);
        found
    }
}

fn look(folder: &Path, found: &mut BTreeMap<PathBuf, (u32, i128, Vec<u8>)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let metadata = path.symlink_metadata().unwrap();
        let at = i128::from(metadata.mtime()) * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        let bytes = if metadata.is_file() { fs::read(&path).unwrap() } else { Vec::new() };
        found.insert(path.clone(), (metadata.mode(), at, bytes));
        if metadata.is_dir() {
            look(&path, found);
        }
    }
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
    serde_json::from_str(&crate::originals::strict(text).replace("1e400", "7")).expect("JSON")
}

pub(crate) fn toml_value(text: &str) -> serde_json::Value {
    toml::from_str(text).expect("TOML")
}
