//! A private workspace of wa: a home whose folder is the workspace, and a terminal.
//!
//! ```text
//! work/        the workspace: cwd of the panes and the servers, with `.wa`
//! home/ run/   HOME, XDG_RUNTIME_DIR and TMUX_TMPDIR of every process
//! server.log   standard error of the servers
//! ```

use std::ops::Deref;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use rusqlite::Connection;
use serde_json::Value;
use tempfile::TempDir;
use toolwright_testing::{PATIENCE, ServerHome, StdioSession};

use super::schemas;
use super::session::Session;
use super::terminal::{Backend, SHELL, Terminal};

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

/// The workspace and its terminal. Used as its home.
pub(crate) struct Workspace {
    pub(crate) terminal: Terminal,
    pub(crate) backend: Backend,
    home: ServerHome,
    _folder: TempDir,
}

impl Deref for Workspace {
    type Target = ServerHome;

    fn deref(&self) -> &ServerHome {
        &self.home
    }
}

impl Workspace {
    /// An empty workspace without panes.
    pub(crate) fn new(backend: Backend) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let folder = tempfile::tempdir().expect("a temporary folder");
        for name in ["work", "home", "run"] {
            let path = folder.path().join(name);
            std::fs::create_dir(&path).expect("writable");
            make_private(&path);
        }
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let wa = toolwright_testing::program("wa");
        let mut home = ServerHome::at(wa, &folder.path().join("work"))
            .logging("../server.log")
            .with_path()
            .env("TERM", "xterm-256color")
            .env("LANG", "C.UTF-8")
            .env("LESS", "")
            .env("WA_BACKEND", backend.name())
            // Nothing here is about being quick.
            .env("WA_BACKEND_TIMEOUT_MS", "30000")
            .env("WA_TMUX_SOCKET", format!("wa-test-{}-{number}", std::process::id()));
        let base = folder.path().canonicalize().expect("the folder is there");
        let mut paths = vec![("HOME", "home"), ("XDG_RUNTIME_DIR", "run"), ("TMUX_TMPDIR", "run")];
        paths.extend((backend == Backend::Wezterm).then_some(WEZTERM_SOCKET));
        for (name, path) in paths {
            home = home.env(name, base.join(path).display().to_string());
        }
        let terminal = Terminal::new(backend, &home);
        Self { terminal, backend, home, _folder: folder }
    }

    /// A setting of every process that is started from now on.
    pub(crate) fn set(mut self, name: &str, value: &str) -> Self {
        self.home = self.home.env(name, value);
        self.terminal.home = self.home.clone();
        self
    }

    /// Declares a workflow.
    pub(crate) fn workflow(&self, name: &str, steps: &str) {
        let text =
            format!("schema_version: 1\nname: {name}\ndescription: Of a test.\nsteps:\n{steps}");
        self.write(&format!(".wa/workflows/{name}.yaml"), &text);
        // As the server itself would make it.
        make_private(&self.path(".wa"));
    }

    /// Runs the tool command of a tool; its envelope, checked, and its exit status.
    pub(crate) fn robot(&self, tool: &str, arguments: &Value) -> (Value, i32) {
        let word = tool.trim_start_matches("wa.").replace('_', "-");
        let text = arguments.to_string();
        let output = self.run(&["robot", &word, "--json", "--json-args", &text]);
        let envelope = output.json();
        schemas::check(tool, &envelope);
        (envelope, output.code)
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
        let mut command = self.command(&["mcp", "serve"]);
        command.envs(settings.iter().copied());
        Session(StdioSession::start(command, client))
    }

    /// A shell in a new pane, at its prompt.
    pub(crate) fn shell(&self, session: &mut Session) -> u64 {
        let pane = self.terminal.open(&SHELL);
        session.wait_for_prompt(pane);
        pane
    }

    /// Approves as the user.
    pub(crate) fn approve(&self, code: &str) {
        let output = self.run(&["approve", code]).ok();
        assert!(output.stdout.contains("Approved"), "{output:?}");
    }

    /// The database, to be read.
    pub(crate) fn database(&self) -> Connection {
        let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_ONLY;
        let database = Connection::open_with_flags(self.path(".wa/wa.db"), flags);
        let database = database.expect("the database can be read");
        database.busy_timeout(PATIENCE).expect("a time limit");
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

/// Below the folder that the workspace is in.
const WEZTERM_SOCKET: (&str, &str) = ("WEZTERM_UNIX_SOCKET", "run/wezterm/sock");

fn make_private(folder: &Path) {
    let private = std::fs::Permissions::from_mode(0o700);
    std::fs::set_permissions(folder, private).expect("a mode");
}

/// A file's mode.
pub(crate) fn mode(path: &Path) -> u32 {
    path.metadata().expect("it is there").permissions().mode() & 0o777
}
