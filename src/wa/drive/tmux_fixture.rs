//! A private tmux server for tests that drive or watch panes.

use std::os::unix::net::UnixStream;
use std::process::{Command, Output};
use std::time::Duration;

use tempfile::TempDir;
pub(crate) use toolwright_testing::wait_until;

use crate::backend::{Tmux, TmuxOptions};
use crate::model::PaneRow;
use crate::mux::{Lines, Mux};

/// Its socket is in a temporary folder; it is killed when dropped.
pub(crate) struct TmuxFixture {
    folder: TempDir,
    pub(crate) tmux: Tmux,
}

impl TmuxFixture {
    /// No server yet.
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let tmux = Self::client(&folder);
        Self { folder, tmux }
    }

    fn client(folder: &TempDir) -> Tmux {
        let timeout = Duration::from_secs(30);
        let socket = Some(folder.path().join("tmux").display().to_string());
        Tmux::new(TmuxOptions { socket, timeout, ..TmuxOptions::default() })
    }

    /// Another client of the same server.
    pub(crate) fn another(&self) -> Tmux {
        Self::client(&self.folder)
    }

    /// A pane with a bash that asks with `$ `, once it asks.
    pub(crate) fn bash(&self) -> PaneRow {
        let pane = self.start("PS1='$ ' exec bash --norc --noprofile");
        wait_until("a prompt", || self.screen(&pane).ends_with('$'));
        pane
    }

    /// A pane with this command, in a session of its own.
    pub(crate) fn start(&self, command: &str) -> PaneRow {
        let printed = self.run(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "80",
            "-y",
            "24",
            "-P",
            "-F",
            "#{pane_id}",
            command,
        ]);
        let id: u64 = printed.trim().trim_start_matches('%').parse().unwrap();
        self.row(id)
    }

    pub(crate) fn row(&self, id: u64) -> PaneRow {
        self.tmux.list().unwrap().into_iter().find(|row| row.native_id == id).unwrap()
    }

    pub(crate) fn run(&self, args: &[&str]) -> String {
        let output = self.command(args);
        assert!(output.status.success(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    fn command(&self, args: &[&str]) -> Output {
        let socket = self.folder.path().join("tmux");
        let mut command = Command::new("tmux");
        command.arg("-S").arg(socket).args(args).env_remove("TMUX").output().unwrap()
    }

    pub(crate) fn screen(&self, pane: &PaneRow) -> String {
        self.tmux
            .text(pane.native_id, Lines::Screen, false)
            .map(|read| read.text)
            .unwrap_or_default()
    }

    /// Types a line and Enter, as a user would.
    pub(crate) fn types(&self, pane: &PaneRow, line: &str) {
        self.tmux.send_raw(pane.native_id, line.as_bytes()).unwrap();
        self.tmux.send_raw(pane.native_id, b"\r").unwrap();
    }

    /// Ends the server and all its panes, and waits until it is gone: for a moment it still
    /// answers.
    pub(crate) fn kill(&self) {
        self.command(&["kill-server"]);
        let socket = self.folder.path().join("tmux");
        wait_until("the end of the server", || UnixStream::connect(&socket).is_err());
    }
}

impl Drop for TmuxFixture {
    fn drop(&mut self) {
        self.command(&["kill-server"]);
    }
}
