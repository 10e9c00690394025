//! A private tmux server and the contents of its panes.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use toolwright_testing::eventually;

/// A program in a pane, and a text that its screen has once it is ready.
pub(crate) struct Pane {
    pub(crate) program: Vec<String>,
    pub(crate) ready: String,
}

impl Pane {
    /// A shell that waits for a command.
    pub(crate) fn shell() -> Self {
        Self::shell_after("")
    }

    /// A shell that waits for a command below a text.
    pub(crate) fn shell_after(text: &str) -> Self {
        let shell = "exec bash --norc --noprofile";
        let script =
            if text.is_empty() { shell.to_owned() } else { format!("echo '{text}'; {shell}") };
        Self { program: ["sh", "-c", &script].map(str::to_owned).into(), ready: "$".to_owned() }
    }

    /// Something that shows a file's text and does no more. `ready` is at the text's end.
    pub(crate) fn showing(file: &Path, ready: &str) -> Self {
        let script = format!("cat '{}'; exec sleep 600", file.display());
        Self { program: ["sh", "-c", &script].map(str::to_owned).into(), ready: ready.to_owned() }
    }

    /// A program.
    pub(crate) fn running(program: &Path, ready: &str) -> Self {
        // More than one word, or tmux would put a shell around it.
        let program = vec![program.display().to_string(), "--quiet".to_owned()];
        Self { program, ready: ready.to_owned() }
    }
}

/// The server. Ends with the value.
pub(crate) struct Terminal {
    socket: PathBuf,
}

impl Terminal {
    /// A fresh server: its panes are 0, 1, 2 and so on.
    pub(crate) fn start(socket: &Path, panes: &[Pane]) -> Self {
        let terminal = Self { socket: socket.to_owned() };
        for (index, pane) in panes.iter().enumerate() {
            let how: &[&str] = match index {
                0 => &["-f", "/dev/null", "new-session", "-d", "-x", "80", "-y", "24"],
                _ => &["new-window", "-d"],
            };
            let words: Vec<&str> =
                how.iter().copied().chain(pane.program.iter().map(String::as_str)).collect();
            terminal.tmux(&words);
        }
        for (index, pane) in panes.iter().enumerate() {
            let what = format!("pane {index} shows {:?}", pane.ready);
            eventually(&what, || terminal.text(index).contains(&pane.ready).then_some(()));
        }
        terminal
    }

    /// Runs a command of the server and returns what it prints.
    pub(crate) fn tmux(&self, words: &[&str]) -> String {
        let output = Command::new("tmux")
            .arg("-S")
            .arg(&self.socket)
            .args(words)
            .env_remove("TMUX")
            .env_remove("PROMPT_COMMAND")
            .env("LC_ALL", "C.UTF-8")
            .env("PS1", "$ ")
            .stdin(Stdio::null())
            .output()
            .expect("tmux runs");
        let talk = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {words:?}: {talk}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// What a pane shows, its past included.
    pub(crate) fn text(&self, pane: usize) -> String {
        self.tmux(&["capture-pane", "-p", "-S", "-", "-t", &format!("%{pane}")])
    }

    /// Ends the shell of a pane and leaves the pane.
    pub(crate) fn end(&self, pane: usize) {
        let target = format!("%{pane}");
        self.tmux(&["set-option", "-g", "remain-on-exit", "on"]);
        self.tmux(&["send-keys", "-t", &target, "exit", "Enter"]);
        let dead = || self.tmux(&["display", "-p", "-t", &target, "#{pane_dead}"]);
        eventually("the shell ends", || (dead().trim() == "1").then_some(()));
    }

    /// Panes there are, by their numbers.
    pub(crate) fn panes(&self) -> Vec<usize> {
        let listed = self.tmux(&["list-panes", "-a", "-F", "#{pane_id}"]);
        listed.lines().filter_map(|line| line.strip_prefix('%')?.parse().ok()).collect()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        let mut end = Command::new("tmux");
        end.arg("-S").arg(&self.socket).arg("kill-server").stderr(Stdio::null());
        let _ = end.status();
    }
}
