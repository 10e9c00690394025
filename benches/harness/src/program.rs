//! A program that can be started, over stdio or over HTTP.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Stands for the port in the arguments.
const PORT: &str = "{port}";

/// How a server is started, and how fast it may be expected to be.
#[derive(Clone)]
pub(crate) struct Program {
    /// Its column in the table.
    pub(crate) name: &'static str,
    path: PathBuf,
    arguments: Vec<String>,
    http: Vec<String>,
    environment: Vec<(String, String)>,
    /// Where it runs; elsewhere than here.
    folder: Option<PathBuf>,
    /// A slow server is given so many times fewer calls.
    pub(crate) pace: usize,
}

impl Program {
    pub(crate) fn new(name: &'static str, path: impl Into<PathBuf>) -> Self {
        Self {
            name,
            path: path.into(),
            arguments: Vec::new(),
            http: Vec::new(),
            environment: Vec::new(),
            folder: None,
            pace: 1,
        }
    }

    /// One of our servers over stdio, with its home in a folder of its own.
    pub(crate) fn surface(name: &'static str, path: &Path, home: &Path) -> Self {
        let home = home.display().to_string();
        Self::new(name, path).arguments(&["mcp"]).with("HOME", &home)
    }

    /// The wink server over one store.
    pub(crate) fn wink(path: &Path, store: &Path) -> Self {
        Self::surface("wink", path, store).with("WINK_OVERRIDES_DIR", &store.display().to_string())
    }

    /// The agentpack server for a user's home; the project is a folder in it.
    pub(crate) fn agentpack(path: &Path, home: &Path) -> Self {
        let text = |path: PathBuf| path.display().to_string();
        Self::surface("agentpack", path, home)
            .with("CODEX_HOME", &text(home.join(".codex")))
            .with("AGENTPACK_HOME", &text(home.join(".agentpack")))
            .with("AGENTPACK_PROJECT_DIR", &text(home.join("project")))
    }

    /// The wa server of one workspace, with panes of its own only.
    pub(crate) fn wa(path: &Path, workspace: &Path) -> Self {
        Self::surface("wa", path, workspace)
            .with("WA_WORKSPACE", &workspace.display().to_string())
            .with("WA_BACKEND", "embedded")
    }

    /// The yarnnn server over one database file.
    pub(crate) fn yarnnn(path: &Path, file: &str, token: &str) -> Self {
        Self::new("yarnnn", path)
            .arguments(&["mcp"])
            .with("YARNNN_DATABASE_FILE", file)
            .with("YARNNN_TOKEN", token)
            .with("YARNNN_LOG_LEVEL", "WARNING")
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn arguments(mut self, arguments: &[&str]) -> Self {
        self.arguments = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        self
    }

    /// Arguments that make it serve over HTTP, with [`PORT`] for the port.
    pub(crate) fn http(mut self, arguments: &[&str]) -> Self {
        self.http = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        self
    }

    /// The same in another folder.
    pub(crate) fn at(mut self, folder: &Path) -> Self {
        self.folder = Some(folder.to_owned());
        self
    }

    pub(crate) fn pace(mut self, pace: usize) -> Self {
        self.pace = pace;
        self
    }

    /// The same under another name.
    pub(crate) fn named(mut self, name: &'static str) -> Self {
        self.name = name;
        self
    }

    /// The same with another environment.
    pub(crate) fn with(&self, name: &str, value: &str) -> Self {
        let mut program = self.clone();
        program.environment.push((name.to_owned(), value.to_owned()));
        program
    }

    /// Over stdio.
    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(&self.path);
        command.args(&self.arguments).envs(self.environment());
        command.current_dir(self.folder.as_deref().unwrap_or(Path::new(".")));
        command
    }

    /// Over HTTP at this port, if it can.
    pub(crate) fn http_command(&self, port: u16) -> Option<Command> {
        let mut command = Command::new(&self.path);
        let port = port.to_string();
        command.args(self.http.iter().map(|argument| argument.replace(PORT, &port)));
        command.envs(self.environment());
        (!self.http.is_empty()).then_some(command)
    }

    fn environment(&self) -> impl Iterator<Item = (&String, &String)> {
        self.environment.iter().map(|(name, value)| (name, value))
    }
}
