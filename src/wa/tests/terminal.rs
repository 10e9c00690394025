//! Terminals to drive: tmux, WezTerm, and embedded panes. Each is private to one test, is ended with
//! it, and is driven here without the server, as a user would.

use std::io::Write as _;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use wa::embedded::Embedded;
use wa::mux::Mux as _;

use super::workspace::{Environment, eventually};
use toolwright_testing::process::{alive, kill};

/// A shell without surprises, the same everywhere.
pub(crate) const SHELL: [&str; 5] = ["env", "PS1=$ ", "bash", "--norc", "--noprofile"];

/// Where panes are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Backend {
    Tmux,
    Embedded,
    Wezterm,
}

impl Backend {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Tmux => "tmux",
            Self::Embedded => "embedded",
            Self::Wezterm => "wezterm",
        }
    }

    /// Whether it is installed. What is not is said loudly; in CI tmux must be.
    pub(crate) fn is_here(self) -> bool {
        let missing: Vec<&str> =
            self.programs().iter().copied().filter(|program| !installed(program)).collect();
        if missing.is_empty() {
            return true;
        }
        let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(self != Self::Tmux || !in_ci, "CI needs tmux for the wa suite");
        // Written past the test harness, which keeps the words of tests that pass to itself.
        let test = std::thread::current().name().unwrap_or("?").to_owned();
        let words = format!("SKIPPED: {test}: not on PATH: {}\n", missing.join(", "));
        let _ = std::io::stderr().write_all(words.as_bytes());
        false
    }

    fn programs(self) -> &'static [&'static str] {
        match self {
            Self::Tmux => &["tmux"],
            Self::Embedded => &[],
            Self::Wezterm => &["wezterm", "wezterm-mux-server"],
        }
    }
}

fn installed(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

/// One backend of a test.
pub(crate) struct Terminal {
    backend: Backend,
    folder: PathBuf,
    /// Variables of everything that is started here.
    pub(crate) environment: Environment,
}

impl Terminal {
    /// For the workspace in `folder`. Starts nothing that the first pane does not start.
    pub(crate) fn new(backend: Backend, folder: &Path, environment: Environment) -> Self {
        let terminal = Self { backend, folder: folder.to_owned(), environment };
        terminal.start();
        terminal
    }

    /// Starts what panes need to be there first; tmux and embedded panes need nothing.
    fn start(&self) {
        if self.backend != Backend::Wezterm {
            return;
        }
        let started = self
            .command("wezterm-mux-server")
            .args(["-n", "--daemonize"])
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status();
        assert!(started.is_ok_and(|status| status.success()), "wezterm-mux-server does not start");
        eventually("WezTerm answers", || self.wezterm(&["list"]).status.success().then_some(()));
    }

    /// A new pane with a program in it; its id.
    pub(crate) fn open(&self, program: &[&str]) -> u64 {
        let cwd = self.folder.display().to_string();
        let printed = match self.backend {
            Backend::Tmux => {
                let verb: &[&str] = if self.tmux(&["list-sessions"]).status.success() {
                    &["new-window", "-d"]
                } else {
                    &["new-session", "-d", "-x", "80", "-y", "24"]
                };
                let rest = ["-P", "-F", "#{pane_id}", "-c", &cwd, "--"];
                run_ok(self.tmux(&[verb, &rest, program].concat()))
            }
            Backend::Wezterm => run_ok(
                self.wezterm(&[&["spawn", "--new-window", "--cwd", &cwd, "--"], program].concat()),
            ),
            Backend::Embedded => {
                let mut command = self.command(toolwright_testing::program("wa"));
                command.args(["spawn", "--size", "80x24", "--cwd", &cwd, "--"]).args(program);
                run_ok(command.output().expect("wa runs"))
            }
        };
        let id = printed.trim().trim_start_matches('%').parse();
        id.unwrap_or_else(|_| panic!("{:?} gave no pane id: {printed:?}", self.backend))
    }

    /// Types a line and Enter, as a user would.
    pub(crate) fn type_line(&self, pane: u64, line: &str) {
        self.press(pane, &format!("{line}\r"));
    }

    /// Types raw characters.
    pub(crate) fn press(&self, pane: u64, keys: &str) {
        match self.backend {
            Backend::Tmux => {
                let hex: Vec<String> = keys.bytes().map(|byte| format!("{byte:02x}")).collect();
                let target = format!("%{pane}");
                let mut arguments = vec!["send-keys", "-t", &target, "-H"];
                arguments.extend(hex.iter().map(String::as_str));
                run_ok(self.tmux(&arguments));
            }
            Backend::Wezterm => {
                let id = pane.to_string();
                run_ok(self.wezterm(&["send-text", "--no-paste", "--pane-id", &id, "--", keys]));
            }
            Backend::Embedded => {
                self.embedded().send_raw(pane, keys.as_bytes()).expect("the pane takes keys");
            }
        }
    }

    /// Ends a pane and what runs in it.
    pub(crate) fn close(&self, pane: u64) {
        match self.backend {
            Backend::Tmux => run_ok(self.tmux(&["kill-pane", "-t", &format!("%{pane}")])),
            Backend::Wezterm => {
                run_ok(self.wezterm(&["kill-pane", "--pane-id", &pane.to_string()]))
            }
            Backend::Embedded => {
                let mut command = self.command(toolwright_testing::program("wa"));
                run_ok(command.args(["close", &pane.to_string()]).output().expect("wa runs"))
            }
        };
    }

    /// Ends the whole terminal program with all its panes. It can be used again afterwards.
    pub(crate) fn kill(&self) {
        self.end();
        eventually("the terminal is gone", || (!self.is_running()).then_some(()));
    }

    /// What [`Terminal::kill`] ended is there again.
    pub(crate) fn restart(&self) {
        self.start();
    }

    fn is_running(&self) -> bool {
        match self.backend {
            Backend::Tmux => self.tmux(&["list-sessions"]).status.success(),
            Backend::Wezterm => self.wezterm(&["list"]).status.success(),
            // The first thread of a process may be dead while another still has the socket.
            Backend::Embedded => {
                let socket = self.folder.join(".wa/host.sock");
                self.pid().is_some_and(alive) || UnixStream::connect(socket).is_ok()
            }
        }
    }

    fn end(&self) {
        if self.backend == Backend::Tmux {
            let _ = self.tmux(&["kill-server"]);
        } else if let Some(pid) = self.pid() {
            kill(pid);
        }
    }

    /// The process that owns the panes.
    fn pid(&self) -> Option<i32> {
        let file = match self.backend {
            Backend::Embedded => self.folder.join(".wa/host.pid"),
            _ => Path::new(self.environment.get("XDG_RUNTIME_DIR")?).join("wezterm/pid"),
        };
        std::fs::read_to_string(file).ok()?.split_whitespace().find_map(|word| word.parse().ok())
    }

    fn embedded(&self) -> Embedded {
        Embedded::new(&self.folder.join(".wa"), Vec::new())
    }

    fn tmux(&self, arguments: &[&str]) -> Output {
        let socket = &self.environment["WA_TMUX_SOCKET"];
        let mut command = self.command("tmux");
        command.args(["-u", "-L", socket, "-f", "/dev/null"]).args(arguments);
        command.output().expect("tmux runs")
    }

    fn wezterm(&self, arguments: &[&str]) -> Output {
        let mut command = self.command("wezterm");
        command.args(["-n", "cli", "--no-auto-start"]).args(arguments);
        command.output().expect("wezterm runs")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.folder).env_clear().envs(&self.environment);
        command
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.end();
    }
}

fn run_ok(output: Output) -> String {
    let talk = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {talk}", output.status);
    String::from_utf8_lossy(&output.stdout).into_owned()
}
