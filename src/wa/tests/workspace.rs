//! A private workspace in a temporary folder with a terminal, and the binary `wa` run in it.
//!
//! ```text
//! work/        the workspace: cwd of the panes and the servers, with `.wa`
//! home/ run/   HOME, XDG_RUNTIME_DIR and TMUX_TMPDIR of every process
//! server.log   standard error of the servers
//! ```

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;

use super::schemas;
use super::session::Session;
use super::terminal::{Backend, SHELL, Terminal};
use toolwright_testing::process::Watchdog;

/// Variables of a process.
pub(crate) type Environment = BTreeMap<String, String>;

/// No wait of a test is longer. Only a broken test ever waits so long.
pub(crate) const LIMIT: Duration = Duration::from_secs(40);

/// Runs a test on each backend that is installed.
macro_rules! on_every_backend {
    ($($test:ident),+ $(,)?) => {
        mod tmux { $(#[test] fn $test() { $crate::workspace::run($crate::terminal::Backend::Tmux, super::$test); })+ }
        mod embedded { $(#[test] fn $test() { $crate::workspace::run($crate::terminal::Backend::Embedded, super::$test); })+ }
        mod wezterm { $(#[test] fn $test() { $crate::workspace::run($crate::terminal::Backend::Wezterm, super::$test); })+ }
    };
}
pub(crate) use on_every_backend;

/// Runs a test where the backend is installed.
pub(crate) fn run(backend: Backend, test: fn(Workspace)) {
    if backend.is_here() {
        test(Workspace::new(backend));
    }
}

/// Waits until `check` returns something.
pub(crate) fn eventually<T>(what: &str, mut check: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = check() {
            return found;
        }
        assert!(started.elapsed() < LIMIT, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(40));
    }
}

/// The workspace and its terminal.
pub(crate) struct Workspace {
    pub(crate) terminal: Terminal,
    pub(crate) backend: Backend,
    environment: Environment,
    dir: TempDir,
}

impl Workspace {
    /// An empty workspace without panes.
    pub(crate) fn new(backend: Backend) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let dir = tempfile::tempdir().expect("a temporary folder");
        let base = dir.path().canonicalize().expect("the folder is there");
        for folder in ["work", "home", "run"] {
            std::fs::create_dir(base.join(folder)).expect("writable");
            let private = std::fs::Permissions::from_mode(0o700);
            std::fs::set_permissions(base.join(folder), private).expect("a mode");
        }
        let text = |name: &str| base.join(name).display().to_string();
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let mut environment: Environment = [
            ("HOME", text("home")),
            ("PATH", std::env::var("PATH").unwrap_or_default()),
            ("TERM", "xterm-256color".to_owned()),
            ("LANG", "C.UTF-8".to_owned()),
            ("LESS", String::new()),
            ("XDG_RUNTIME_DIR", text("run")),
            ("TMUX_TMPDIR", text("run")),
            ("WA_BACKEND", backend.name().to_owned()),
            // Nothing here is about being quick.
            ("WA_BACKEND_TIMEOUT_MS", "30000".to_owned()),
            ("WA_TMUX_SOCKET", format!("wa-test-{}-{number}", std::process::id())),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        if backend == Backend::Wezterm {
            environment.insert("WEZTERM_UNIX_SOCKET".to_owned(), text("run/wezterm/sock"));
        }
        let terminal = Terminal::new(backend, &base.join("work"), environment.clone());
        Self { terminal, backend, environment, dir }
    }

    /// A setting of every process that is started from now on.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.environment.insert(name.to_owned(), value.to_owned());
        self.terminal.environment.clone_from(&self.environment);
        self
    }

    /// A file of the workspace.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().expect("the folder is there").join("work").join(name)
    }

    /// Writes a file of the workspace and the folders above it.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        std::fs::write(&path, text).expect("writable");
        path
    }

    /// Writes a program of the workspace. A shell writes it: a file that this process has open for
    /// writing, or a child forked meanwhile by another test, cannot be run.
    pub(crate) fn program(&self, name: &str, body: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("writable");
        let script = "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"";
        let written = Command::new("sh").args(["-c", script, "sh"]).arg(&path).arg(body).status();
        assert!(written.is_ok_and(|status| status.success()));
        path
    }

    /// Declares a workflow.
    pub(crate) fn workflow(&self, name: &str, steps: &str) {
        let text =
            format!("schema_version: 1\nname: {name}\ndescription: Of a test.\nsteps:\n{steps}");
        self.write(&format!(".wa/workflows/{name}.yaml"), &text);
        // As the server itself would make it.
        let private = std::fs::Permissions::from_mode(0o700);
        std::fs::set_permissions(self.path(".wa"), private).expect("a mode");
    }

    /// `wa` with arguments, in the workspace.
    pub(crate) fn wa(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(toolwright_testing::program("wa"));
        command
            .args(arguments)
            .current_dir(self.path(""))
            .env_clear()
            .envs(&self.environment)
            .stdin(Stdio::null());
        command
    }

    /// Runs `wa` to its end.
    pub(crate) fn run_command(&self, arguments: &[&str]) -> CommandOutput {
        let mut command = self.wa(arguments);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("wa runs");
        let _watchdog = Watchdog::over(child.id().try_into().expect("a process id"));
        CommandOutput::from(child.wait_with_output().expect("wa ends"))
    }

    /// Runs the tool command of a tool; its envelope, checked, and its exit status.
    pub(crate) fn robot(&self, tool: &str, arguments: &Value) -> (Value, i32) {
        let word = tool.trim_start_matches("wa.").replace('_', "-");
        let text = arguments.to_string();
        let output = self.run_command(&["robot", &word, "--json", "--json-args", &text]);
        let envelope: Value = serde_json::from_str(&output.stdout)
            .unwrap_or_else(|_| panic!("wa robot {word} {text} printed {output:?}"));
        schemas::check(tool, &envelope);
        (envelope, output.status)
    }

    /// A session with a server of its own.
    pub(crate) fn session(&self) -> Session {
        self.session_with(&[])
    }

    /// The same with settings of its own.
    pub(crate) fn session_with(&self, settings: &[(&str, &str)]) -> Session {
        self.session_named("live-test", settings)
    }

    /// The same for a client of this name.
    pub(crate) fn session_named(&self, client: &str, settings: &[(&str, &str)]) -> Session {
        let mut command = self.wa(&["mcp", "serve"]);
        command.envs(settings.iter().copied());
        let log = std::fs::OpenOptions::new().create(true).append(true).open(self.log());
        command.stderr(log.expect("a log file"));
        Session::start(command, client)
    }

    fn log(&self) -> PathBuf {
        self.path("../server.log")
    }

    /// A shell in a new pane, at its prompt.
    pub(crate) fn shell(&self, session: &mut Session) -> u64 {
        let pane = self.terminal.open(&SHELL);
        session.wait_for_prompt(pane);
        pane
    }

    /// Approves as the user.
    pub(crate) fn approve(&self, code: &str) {
        let output = self.run_command(&["approve", code]);
        assert_eq!(output.status, 0, "{output:?}");
        assert!(output.stdout.contains("Approved"), "{output:?}");
    }

    /// The database, to be read.
    pub(crate) fn database(&self) -> Connection {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let database = Connection::open_with_flags(self.path(".wa/wa.db"), flags);
        let database = database.expect("the database can be read");
        database.busy_timeout(LIMIT).expect("a time limit");
        database
    }

    /// A number from the database.
    pub(crate) fn count(&self, query: &str) -> i64 {
        let database = self.database();
        database
            .query_row(query, [], |row| row.get(0))
            .unwrap_or_else(|error| panic!("{query}: {error}"))
    }
}

impl Drop for Workspace {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let log = std::fs::read_to_string(self.log()).unwrap_or_default();
            let last: Vec<&str> = log.lines().rev().take(30).collect();
            for line in last.into_iter().rev() {
                eprintln!("server: {line}");
            }
        }
    }
}

/// What a command did.
#[derive(Debug)]
pub(crate) struct CommandOutput {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl From<Output> for CommandOutput {
    fn from(output: Output) -> Self {
        Self {
            status: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }
}

/// Whether the file's mode is this.
pub(crate) fn mode(path: &Path) -> u32 {
    path.metadata().expect("it is there").permissions().mode() & 0o777
}
