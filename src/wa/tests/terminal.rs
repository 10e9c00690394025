//! Terminals to drive: tmux, WezTerm, and embedded panes. Each is private to one test, is ended with
//! it, and is driven here without the server, as a user would.

use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Stdio;

use toolwright_testing::process::{alive, kill};
use toolwright_testing::provided::{is_installed, report_skipped};
use toolwright_testing::{Finished, ServerHome, eventually, run};
use wa::embedded::Embedded;
use wa::mux::Mux as _;

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
        let mut programs = self.programs().iter();
        let Some(missing) = programs.find(|program| !is_installed(program)) else { return true };
        report_skipped(&format!("{missing} is not on the PATH"));
        let in_ci = std::env::var("CI").is_ok_and(|ci| ci == "true");
        assert!(self != Self::Tmux || !in_ci, "CI needs tmux for the wa suite");
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

/// One backend of a test.
pub(crate) struct Terminal {
    backend: Backend,
    /// Folder and variables of everything that is started here.
    pub(crate) home: ServerHome,
}

impl Terminal {
    /// For the workspace of this home. Starts nothing that the first pane does not start.
    pub(crate) fn new(backend: Backend, home: &ServerHome) -> Self {
        let terminal = Self { backend, home: home.clone() };
        terminal.start();
        terminal
    }

    /// Starts what panes need to be there first; tmux and embedded panes need nothing.
    fn start(&self) {
        if self.backend != Backend::Wezterm {
            return;
        }
        let mut server = self.home.command_of("wezterm-mux-server", &["-n", "--daemonize"]);
        // It lives on: nobody could read its output to the end.
        let started = server.stdout(Stdio::null()).status();
        assert!(started.is_ok_and(|status| status.success()), "wezterm-mux-server does not start");
        eventually("WezTerm answers", || self.wezterm(&["list"]).succeeded().then_some(()));
    }

    /// A new pane with a program in it; its id.
    pub(crate) fn open(&self, program: &[&str]) -> u64 {
        let cwd = self.home.folder().display().to_string();
        let printed = match self.backend {
            Backend::Tmux => {
                let verb: &[&str] = if self.tmux(&["list-sessions"]).succeeded() {
                    &["new-window", "-d"]
                } else {
                    &["new-session", "-d", "-x", "80", "-y", "24"]
                };
                let rest = ["-P", "-F", "#{pane_id}", "-c", &cwd, "--"];
                self.tmux(&[verb, &rest, program].concat())
            }
            Backend::Wezterm => {
                self.wezterm(&[&["spawn", "--new-window", "--cwd", &cwd, "--"], program].concat())
            }
            Backend::Embedded => {
                let spawn = ["spawn", "--size", "80x24", "--cwd", &cwd, "--"];
                self.home.run(&[&spawn, program].concat())
            }
        };
        let printed = printed.ok().stdout;
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
                self.tmux(&arguments).ok();
            }
            Backend::Wezterm => {
                let id = pane.to_string();
                self.wezterm(&["send-text", "--no-paste", "--pane-id", &id, "--", keys]).ok();
            }
            Backend::Embedded => {
                self.embedded().send_raw(pane, keys.as_bytes()).expect("the pane takes keys");
            }
        }
    }

    /// Ends a pane and what runs in it.
    pub(crate) fn close(&self, pane: u64) {
        let id = pane.to_string();
        let closed = match self.backend {
            Backend::Tmux => self.tmux(&["kill-pane", "-t", &format!("%{id}")]),
            Backend::Wezterm => self.wezterm(&["kill-pane", "--pane-id", &id]),
            Backend::Embedded => self.home.run(&["close", &id]),
        };
        closed.ok();
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
            Backend::Tmux => self.tmux(&["list-sessions"]).succeeded(),
            Backend::Wezterm => self.wezterm(&["list"]).succeeded(),
            // The first thread of a process may be dead while another still has the socket.
            Backend::Embedded => {
                let socket = self.home.path(".wa/host.sock");
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
            Backend::Embedded => self.home.path(".wa/host.pid"),
            _ => Path::new(self.home.environment().get("XDG_RUNTIME_DIR")?).join("wezterm/pid"),
        };
        std::fs::read_to_string(file).ok()?.split_whitespace().find_map(|word| word.parse().ok())
    }

    fn embedded(&self) -> Embedded {
        Embedded::new(&self.home.path(".wa"), Vec::new())
    }

    fn tmux(&self, arguments: &[&str]) -> Finished {
        let socket = &self.home.environment()["WA_TMUX_SOCKET"];
        let options = ["-u", "-L", socket, "-f", "/dev/null"];
        run(self.home.command_of("tmux", &[&options, arguments].concat()))
    }

    fn wezterm(&self, arguments: &[&str]) -> Finished {
        let options = ["-n", "cli", "--no-auto-start"];
        run(self.home.command_of("wezterm", &[&options, arguments].concat()))
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.end();
    }
}
