//! A server's home: a temporary folder, an environment with nothing else in it, and the program that
//! runs there as a command, over stdio or over HTTP.
//!
//! ```no_run
//! use serde_json::json;
//! use toolwright_testing::ServerHome;
//!
//! let home = ServerHome::of("my-server").path_env("MY_SERVER_DATA", "data");
//! home.run(&["init"]).ok();
//! let mut session = home.session();
//! assert_eq!(session.ok("add", json!({"a": 1, "b": 2}))["sum"], 3);
//! session.close();
//! ```

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use tempfile::TempDir;

use crate::finished::{Finished, run};
use crate::http_server::HttpServer;
use crate::log::Log;
use crate::session::StdioSession;

/// Environment variables of a process.
pub type Environment = BTreeMap<String, String>;

/// A program with its folder and environment. Clones share the folder, which is removed with the
/// last of them.
#[derive(Debug, Clone)]
pub struct ServerHome {
    program: PathBuf,
    folder: PathBuf,
    environment: Environment,
    /// Dropped, and so shown, before the folder that it is in.
    log: Option<Arc<Log>>,
    temporary: Option<Arc<TempDir>>,
}

impl ServerHome {
    /// A new temporary folder for the workspace's program of this name.
    pub fn of(program: &str) -> Self {
        Self::for_program(crate::program(program))
    }

    /// A new temporary folder for any program.
    pub fn for_program(program: impl Into<PathBuf>) -> Self {
        Self::owning(program, tempfile::tempdir().expect("a temporary folder"))
    }

    /// A temporary folder that is there already.
    pub fn owning(program: impl Into<PathBuf>, folder: TempDir) -> Self {
        let mut home = Self::at(program, folder.path());
        home.temporary = Some(Arc::new(folder));
        home
    }

    /// A folder that somebody else owns.
    pub fn at(program: impl Into<PathBuf>, folder: &Path) -> Self {
        let folder = folder.canonicalize().expect("the folder exists");
        let environment = Environment::new();
        Self { program: program.into(), folder, environment, log: None, temporary: None }
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn env(mut self, name: &str, value: impl Into<String>) -> Self {
        self.environment.insert(name.to_owned(), value.into());
        self
    }

    /// Sets an environment variable to a path below the folder; `.` is the folder.
    #[must_use]
    pub fn path_env(self, name: &str, path: &str) -> Self {
        let value = self.path(path).display().to_string();
        self.env(name, value)
    }

    /// Sets many environment variables.
    #[must_use]
    pub fn envs(mut self, variables: Environment) -> Self {
        self.environment.extend(variables);
        self
    }

    /// Passes the test's own `PATH` on.
    #[must_use]
    pub fn with_path(self) -> Self {
        self.env("PATH", std::env::var("PATH").unwrap_or_default())
    }

    /// Keeps what is logged here in a file, and shows its end when the test fails.
    #[must_use]
    pub fn logging(mut self, path: &str) -> Self {
        self.log = Some(Arc::new(Log::at(self.path(path))));
        self
    }

    /// What was logged, where [`ServerHome::logging`] keeps it.
    pub fn log(&self) -> String {
        self.log.as_ref().expect("the log is kept").text()
    }

    /// The environment of everything that is started here.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The program.
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// Where programs are started.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// A path below the folder; `.` is the folder.
    pub fn path(&self, path: &str) -> PathBuf {
        match path {
            "." => self.folder.clone(),
            path => self.folder.join(path),
        }
    }

    /// Writes a file, and creates the folders above it.
    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(path);
        crate::files::write(&path, bytes);
        path
    }

    /// Reads a text file.
    pub fn read(&self, path: &str) -> String {
        let path = self.path(path);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Writes a shell script that can be run at once, and creates the folders above it.
    pub fn script(&self, path: &str, body: &str) -> PathBuf {
        let path = self.path(path);
        crate::files::script(&path, body);
        path
    }

    /// Copies a file or folder to a path below the folder.
    pub fn copy(&self, from: &Path, path: &str) {
        crate::files::copy(from, &self.path(path));
    }

    /// The program with these arguments, without input. Its log is discarded, or kept by
    /// [`ServerHome::logging`].
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_of(&self.program, arguments)
    }

    /// Another program in the same folder and environment.
    pub fn command_of(&self, program: impl AsRef<Path>, arguments: &[&str]) -> Command {
        let mut command = Command::new(program.as_ref());
        command
            .args(arguments)
            .current_dir(&self.folder)
            .env_clear()
            .envs(&self.environment)
            .stdin(Stdio::null())
            .stderr(self.log_stream());
        command
    }

    fn log_stream(&self) -> Stdio {
        self.log.as_ref().map_or_else(Stdio::null, |log| log.stream())
    }

    /// Runs the program to its end.
    pub fn run(&self, arguments: &[&str]) -> Finished {
        run(self.command(arguments))
    }

    /// The MCP server of the program: its command `mcp`.
    pub fn server(&self) -> Command {
        self.command(&["mcp"])
    }

    /// Starts the server and opens a session over stdio.
    pub fn session(&self) -> StdioSession {
        StdioSession::start(self.server(), "test-client")
    }

    /// Starts the server over HTTP, on a free port.
    pub fn http(&self) -> HttpServer {
        HttpServer::spawn(self.server())
    }
}
