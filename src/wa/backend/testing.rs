//! Test fixtures: a private tmux server, a backend with fixed panes, and small helpers. Also used by
//! tests of other modules.

use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

pub(crate) use toolwright_testing::eventually;

use crate::error::{Kind, Result};
use crate::model::{BackendKind, PaneRow, PaneState};
use crate::mux::{Lines, Mux, PaneText};

use super::{Tmux, TmuxOptions};

/// Long enough for a busy machine.
pub(crate) const LIMIT: Duration = Duration::from_secs(30);

/// A tmux server in a temporary folder; ended when it goes out of scope, also by a panic.
pub(crate) struct Server {
    folder: tempfile::TempDir,
}

impl Server {
    /// A server whose pane 0 runs bash with the prompt `$ `, 80 columns by 24 rows.
    pub(crate) fn start() -> Self {
        let server = Self { folder: tempfile::tempdir().unwrap() };
        server.restart();
        server
    }

    /// Starts it, when it was killed and is gone.
    pub(crate) fn restart(&self) {
        let session = ["new-session", "-d", "-x", "80", "-y", "24", "-e", "PS1=$ "];
        let shell = ["bash", "--norc", "--noprofile"];
        let tmux = ["-f", "/dev/null"].iter().chain(&session).chain(&shell);
        self.command(&tmux.copied().collect::<Vec<_>>());
        self.command(&["set-option", "-g", "remain-on-exit", "on"]);
    }

    /// Kills it, and waits until it is gone: for a moment it still answers.
    pub(crate) fn kill(&self) {
        self.end();
        let gone = || UnixStream::connect(self.socket()).is_err().then_some(());
        eventually("the server is gone", gone);
    }

    fn end(&self) {
        let _ = Command::new("tmux").args(["-S", &self.socket(), "kill-server"]).output();
    }

    /// Where its socket is.
    pub(crate) fn socket(&self) -> String {
        self.folder.path().join("tmux.sock").display().to_string()
    }

    /// The folder of the test.
    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// Runs tmux and returns what it printed.
    pub(crate) fn command(&self, args: &[&str]) -> String {
        let output = Command::new("tmux")
            .args(["-u", "-S", &self.socket()])
            .args(args)
            .env_remove("TMUX")
            .env("HOME", self.folder.path())
            .output()
            .unwrap();
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim_end().to_owned()
    }

    /// A new pane in a window of its own; its number.
    pub(crate) fn pane(&self, command: &[&str]) -> u64 {
        let args = ["new-window", "-d", "-P", "-F", "#{pane_id}", "-e", "PS1=$ ", "--"];
        let args: Vec<&str> = args.iter().chain(command).copied().collect();
        self.command(&args).trim_start_matches('%').parse().unwrap()
    }

    /// The backend for it.
    pub(crate) fn tmux(&self) -> Tmux {
        Tmux::new(TmuxOptions { socket: Some(self.socket()), timeout: LIMIT, ..Default::default() })
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}

/// The row of a pane.
pub(crate) fn row(tmux: &Tmux, pane: u64) -> PaneRow {
    let rows = tmux.list().unwrap();
    rows.into_iter().find(|row| row.native_id == pane).unwrap()
}

/// Types a line and Enter.
pub(crate) fn type_line(tmux: &Tmux, pane: u64, line: &str) {
    tmux.send_raw(pane, format!("{line}\r").as_bytes()).unwrap();
}

/// Waits until the pane's state is as wanted.
pub(crate) fn until_state(
    tmux: &Tmux,
    pane: u64,
    what: &str,
    wanted: impl Fn(&PaneState) -> bool,
) -> PaneState {
    let row = row(tmux, pane);
    eventually(what, || tmux.state(&row).ok().filter(&wanted))
}

/// Waits until the shell in the pane waits for a command, and its prompt `$ ` is painted: a shell
/// sets the terminal up before it prints.
pub(crate) fn until_prompt(tmux: &Tmux, pane: u64) -> PaneState {
    let row = row(tmux, pane);
    eventually("a prompt", || {
        let text = tmux.text(pane, Lines::Screen, false).ok()?.text;
        // The state is read after the text, so that it is no older.
        let state = tmux.state(&row).ok().filter(|_| text.ends_with('$'))?;
        (state.prompt_active == Some(true)).then_some(state)
    })
}

/// Waits until the pane shows the text, scrollback included.
pub(crate) fn until_text(tmux: &Tmux, pane: u64, wanted: &str) -> String {
    eventually(wanted, || {
        let text = tmux.text(pane, Lines::All, false).unwrap().text;
        text.contains(wanted).then_some(text)
    })
}

/// A program made of a shell script. Another process writes it: a file that this one has open for
/// writing, or a child forked meanwhile by another test, cannot be run.
pub(crate) fn script(folder: &Path, name: &str, body: &str) -> PathBuf {
    let file = folder.join(name);
    let written = Command::new("sh")
        .args(["-c", "printf '#!/bin/sh\\n%s\\n' \"$2\" > \"$1\" && chmod 755 \"$1\"", "sh"])
        .arg(&file)
        .arg(body)
        .status();
    assert!(written.unwrap().success());
    file
}

/// A backend with fixed panes; `None` is one that does not answer.
pub(crate) struct FixedMux(pub(crate) BackendKind, pub(crate) Option<Vec<PaneRow>>);

impl Mux for FixedMux {
    fn kind(&self) -> BackendKind {
        self.0
    }

    fn list(&self) -> Result<Vec<PaneRow>> {
        let down = || Kind::Backend.because(format!("{} is down.", self.0)).hint("Start it.");
        self.1.clone().ok_or_else(down)
    }

    fn text(&self, _: u64, _: Lines, _: bool) -> Result<PaneText> {
        Ok(PaneText::default())
    }

    fn send_raw(&self, _: u64, _: &[u8]) -> Result<()> {
        Ok(())
    }

    fn paste(&self, _: u64, _: &str) -> Result<()> {
        Ok(())
    }

    fn state(&self, _: &PaneRow) -> Result<PaneState> {
        Ok(PaneState::default())
    }
}

/// A pane of which little is known.
pub(crate) fn pane(backend: BackendKind, native_id: u64) -> PaneRow {
    PaneRow {
        pane_id: native_id,
        native_id,
        backend,
        identity: format!("{backend}|{native_id}"),
        tab_id: 0,
        window_id: 0,
        domain: "local".to_owned(),
        title: None,
        cwd: None,
        cursor: None,
        size: None,
        is_active: true,
        tty: None,
        root_pid: None,
        alt_screen: None,
        bracketed_paste: None,
        activity: None,
        dead: None,
    }
}
