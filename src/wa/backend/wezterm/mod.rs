//! Panes of WezTerm, through `wezterm cli`.
//!
//! The command line reports neither alternate screen nor bracketed paste nor processes; what the
//! terminal's device does not show either stays unknown. Reading never starts a server.

mod list;

use std::time::Duration;

use crate::error::{Error, Kind, Result};
use crate::model::{BackendKind, PaneRow, PaneState};
use crate::mux::{Lines, Mux, PaneText, Spawn};
use toolwright_platform::process::Finished;

use super::command::{Cli, Dialect};
use super::{text, tty};
use list::Surroundings;

/// More lines than any scrollback; WezTerm gives what it has.
const ALL_LINES: usize = 10_000_000;
/// So many lines above the screen tell whether there is a scrollback.
const PROBE_LINES: usize = 200;
/// WezTerm adds up to two blank lines to a screen.
const EXTRA_LINES: usize = 2;
/// Programs that use the alternate screen.
const FULL_SCREEN: &[&str] = &[
    "btop", "emacs", "htop", "info", "joe", "lazygit", "less", "man", "mc", "micro", "more",
    "most", "nano", "ncdu", "nvim", "pico", "ranger", "screen", "tig", "tmux", "top", "vi", "view",
    "vim", "vimdiff", "w3m", "watch", "yazi", "zellij",
];

/// How to reach WezTerm.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeztermOptions {
    /// The program's name or file.
    pub program: String,
    /// The server's socket; none is what the environment names, else the running one.
    pub socket: Option<String>,
    /// How long one call may take.
    pub timeout: Duration,
}

impl Default for WeztermOptions {
    fn default() -> Self {
        Self { program: "wezterm".to_owned(), socket: None, timeout: Duration::from_secs(5) }
    }
}

/// A WezTerm server.
#[derive(Debug)]
pub struct Wezterm {
    cli: Cli,
    socket: Option<String>,
}

const DIALECT: Dialect = Dialect {
    name: "WezTerm",
    unreachable,
    start: "Start WezTerm, or run `wezterm-mux-server --daemonize` without a display.",
    install: "Install WezTerm, or set its path in the settings.",
};

fn unreachable(said: &str) -> bool {
    const WORDS: &[&str] = &[
        "failed to connect",
        "unable to connect",
        "connecting to",
        "Connection refused",
        "Please recompile",
        "is not running",
    ];
    WORDS.iter().any(|words| said.contains(words))
}

impl Wezterm {
    /// Nothing is asked yet.
    pub fn new(options: WeztermOptions) -> Self {
        let env: Vec<(String, String)> = options
            .socket
            .iter()
            .map(|socket| ("WEZTERM_UNIX_SOCKET".to_owned(), socket.clone()))
            .collect();
        let base_args = ["cli", "--no-auto-start"].map(str::to_owned).to_vec();
        Self {
            cli: Cli::new(DIALECT, options.program, base_args, &env, options.timeout),
            socket: options.socket.or_else(|| std::env::var("WEZTERM_UNIX_SOCKET").ok()),
        }
    }

    fn run(&self, args: &[&str], input: &[u8]) -> Result<Finished> {
        let finished = self.cli.run(args, input)?;
        if finished.success() { Ok(finished) } else { Err(self.refusal(&finished)) }
    }

    fn refusal(&self, finished: &Finished) -> Error {
        match finished.stderr.split_once("no such pane") {
            Some((_, rest)) => {
                let pane = rest.split_whitespace().next().unwrap_or("with that number");
                missing(pane.trim_matches(|c: char| !c.is_ascii_alphanumeric()))
            }
            None => self.cli.refused(finished),
        }
    }

    /// Reads lines from so many above the screen. Counts nothing away.
    fn lines(&self, pane: u64, above: usize, escapes: bool) -> Result<Vec<u8>> {
        let pane = pane.to_string();
        let start = format!("--start-line=-{above}");
        let mut args = vec!["get-text", "--pane-id", &pane];
        if above > 0 {
            args.push(&start);
        }
        if escapes {
            args.push("--escapes");
        }
        Ok(self.run(&args, b"")?.stdout)
    }

    fn send(&self, pane: u64, text: &[u8], flags: &[&str]) -> Result<()> {
        let pane = pane.to_string();
        let args: Vec<&str> =
            ["send-text", "--pane-id", &pane].into_iter().chain(flags.iter().copied()).collect();
        // It reads nothing from an empty input and would wait for a keyboard.
        if text.is_empty() {
            return Ok(());
        }
        self.run(&args, text).map(drop)
    }

    /// The alternate screen has no scrollback, so lines above the screen deny it. Their absence
    /// alone proves nothing; together with a program that is known to take the screen it does.
    fn alternate(&self, pane: &PaneRow, state: &PaneState) -> Result<Option<bool>> {
        if state.prompt_active == Some(true) {
            return Ok(Some(false));
        }
        let Some((_, rows)) = pane.size else { return Ok(None) };
        let text = self.lines(pane.native_id, PROBE_LINES, false)?;
        let lines = text.iter().filter(|byte| **byte == b'\n').count();
        let scrolled = lines > usize::try_from(rows).unwrap_or(usize::MAX) + EXTRA_LINES;
        let takes_all = |name: &String| FULL_SCREEN.binary_search(&name.as_str()).is_ok();
        Ok(match (scrolled, state.foreground.iter().any(takes_all)) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        })
    }

    fn number(&self, said: &Finished) -> Result<u64> {
        let number = said.text().trim().parse();
        number.map_err(|_| self.cli.bad_answer("the new pane has no number"))
    }
}

impl Mux for Wezterm {
    fn kind(&self) -> BackendKind {
        BackendKind::Wezterm
    }

    fn list(&self) -> Result<Vec<PaneRow>> {
        let said = self.run(&["list", "--format", "json"], b"")?;
        let around = Surroundings::now(self.socket.as_deref());
        list::read(&said.stdout, &around).map_err(|what| self.cli.bad_answer(&what))
    }

    /// Whether more is above a screen is unknown; for a tail it is known.
    fn text(&self, pane: u64, which: Lines, escapes: bool) -> Result<PaneText> {
        let above = match which {
            Lines::Screen => 0,
            // One more than requested shows whether there is more.
            Lines::Tail(count) => count.saturating_add(1).min(ALL_LINES),
            Lines::All => ALL_LINES,
        };
        let bytes = self.lines(pane, above, escapes)?;
        Ok(text::pick(text::lines(&bytes, escapes), which, false))
    }

    fn send_raw(&self, pane: u64, bytes: &[u8]) -> Result<()> {
        if std::str::from_utf8(bytes).is_err() {
            return Err(Kind::NotImplemented
                .because("WezTerm accepts UTF-8 text only; these bytes are not UTF-8.")
                .hint("Send text, or use a tmux or embedded pane."));
        }
        self.send(pane, bytes, &["--no-paste"])
    }

    fn paste(&self, pane: u64, text: &str) -> Result<()> {
        super::text::check_paste(text)?;
        self.send(pane, text.as_bytes(), &[])
    }

    fn state(&self, pane: &PaneRow) -> Result<PaneState> {
        let mut state = PaneState::default();
        if let Some(tty) = &pane.tty {
            tty::foreground(tty, pane.root_pid).fill(&mut state);
        }
        state.alt_screen = self.alternate(pane, &state)?;
        Ok(state)
    }

    /// In a window of its own, which needs no window to be there. Its size is WezTerm's.
    fn spawn(&self, spawn: &Spawn) -> Result<u64> {
        let args = spawn_args(spawn, std::env::var("SHELL").ok());
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let pane = self.number(&self.run(&args, b"")?)?;
        if let Some(title) = &spawn.title {
            self.run(&["set-tab-title", "--pane-id", &pane.to_string(), "--", title], b"")?;
        }
        Ok(pane)
    }

    fn close(&self, pane: u64) -> Result<()> {
        self.run(&["kill-pane", "--pane-id", &pane.to_string()], b"").map(drop)
    }
}

fn spawn_args(spawn: &Spawn, shell: Option<String>) -> Vec<String> {
    let mut args = ["spawn", "--new-window"].map(str::to_owned).to_vec();
    if let Some(cwd) = &spawn.cwd {
        args.extend(["--cwd".to_owned(), cwd.clone()]);
    }
    let mut command = spawn.command.clone();
    if !spawn.env.is_empty() {
        // The command line cannot set variables, `env` can. It needs a program to run.
        if command.is_empty() {
            command.push(shell.unwrap_or_else(|| "/bin/sh".to_owned()));
        }
        let pairs = spawn.env.iter().map(|(name, value)| format!("{name}={value}"));
        command.splice(0..0, std::iter::once("env".to_owned()).chain(pairs));
    }
    if !command.is_empty() {
        args.push("--".to_owned());
        args.extend(command);
    }
    args
}

fn missing(pane: &str) -> Error {
    Kind::PaneNotFound
        .because(format!("WezTerm has no pane {pane}."))
        .hint("A pane closes when its process ends. Call `wa.state` to list the panes.")
}

#[cfg(test)]
mod tests;
