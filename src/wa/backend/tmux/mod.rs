//! Panes of a tmux server, through its command line.
//!
//! Panes are always addressed by tmux's own `%N`: a session name would mean whichever pane is active.
//! What tmux does not report (whether pastes are bracketed, before 3.6) stays unknown.

mod list;

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::error::{Error, Kind, Result};
use crate::model::{BackendKind, PaneRow, PaneState};
use crate::mux::{Lines, Mux, PaneText, Spawn};
use toolwright_platform::process::Finished;

use super::command::{Cli, Dialect};
use super::{INPUT_OFF, text, tty};
use list::{Listed, Reader};

/// Bytes that one call types key by key. tmux takes no more than 16 KiB of arguments.
const KEYS_AT_ONCE: usize = 4000;
/// Longer plain text goes through a paste buffer instead.
const LONG_TEXT: usize = 2000;
/// What a guarded command prints in place of its work when the pane's process has ended.
const ENDED: &str = "the pane has ended";

/// How to reach a tmux server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TmuxOptions {
    /// The program's name or file.
    pub program: String,
    /// A socket's file when it has a slash, else its name; none is the server of this terminal,
    /// else the user's default.
    pub socket: Option<String>,
    /// How long one call may take.
    pub timeout: Duration,
}

impl Default for TmuxOptions {
    fn default() -> Self {
        Self { program: "tmux".to_owned(), socket: None, timeout: Duration::from_secs(5) }
    }
}

/// A tmux server.
#[derive(Debug)]
pub struct Tmux {
    cli: Cli,
    domain: String,
    calls: AtomicU64,
}

const DIALECT: Dialect = Dialect {
    name: "tmux",
    unreachable,
    start: "Start tmux, for example with `tmux new-session -d`.",
    install: "Install tmux, or set its path in the settings.",
};

fn unreachable(said: &str) -> bool {
    const WORDS: &[&str] = &[
        "no server running",
        "error connecting to",
        "failed to connect",
        "server exited",
        "lost server",
        "protocol version mismatch",
        "access not allowed",
        "couldn't create directory",
    ];
    WORDS.iter().any(|words| said.contains(words))
}

impl Tmux {
    /// Nothing is asked yet.
    pub fn new(options: TmuxOptions) -> Self {
        // Without `-u` tmux replaces characters when our own locale is not UTF-8.
        let mut base_args = vec!["-u".to_owned()];
        if let Some(socket) = &options.socket {
            let flag = if socket.contains('/') { "-S" } else { "-L" };
            base_args.extend([flag.to_owned(), socket.clone()]);
        }
        Self {
            domain: options.socket.map_or("tmux".to_owned(), |socket| format!("tmux:{socket}")),
            cli: Cli::new(DIALECT, options.program, base_args, &[], options.timeout),
            calls: AtomicU64::new(0),
        }
    }

    fn run(&self, args: &[&str], input: &[u8]) -> Result<Finished> {
        let finished = self.cli.run(args, input)?;
        if finished.success() { Ok(finished) } else { Err(self.refusal(&finished)) }
    }

    fn refusal(&self, finished: &Finished) -> Error {
        let said = finished.stderr.as_str();
        if ["can't find pane", "can't find window"].iter().any(|words| said.contains(words)) {
            let pane = said.rsplit(' ').next().unwrap_or_default();
            return missing(pane);
        }
        self.cli.refused(finished)
    }

    fn reader(&self) -> Reader {
        Reader::new(self.calls.fetch_add(1, Ordering::Relaxed), &self.domain)
    }

    /// One pane, as it is now.
    fn pane_row(&self, pane: u64) -> Result<Listed> {
        let reader = self.reader();
        let target = target(pane);
        let said = self.run(&["display-message", "-p", "-t", &target, &reader.format()], b"")?;
        // For a pane that is not there, tmux fills in nothing instead of failing.
        let found = reader.read(&said.stdout).into_iter().flatten().find(|listed| listed.is(pane));
        found.ok_or_else(|| missing(&target))
    }

    /// Makes sure that input reaches the program: the pane lives, takes input, and shows neither
    /// copy mode nor a menu, which would swallow it.
    fn ensure_accepts_input(&self, pane: u64) -> Result<()> {
        let listed = self.pane_row(pane)?;
        if listed.row.dead.is_some() {
            return Err(ended(pane));
        }
        if listed.input_off {
            return Err(Kind::Backend
                .because(format!("Input into tmux pane %{pane} is disabled."))
                .reason(INPUT_OFF)
                .hint(format!("Switch it on with `tmux select-pane -e -t %{pane}`.")));
        }
        if listed.in_mode {
            let target = target(pane);
            let left = self.run(&["copy-mode", "-q", "-t", &target], b"");
            // Older releases have no `-q`.
            left.or_else(|_| self.run(&["send-keys", "-t", &target, "-X", "cancel"], b""))?;
        }
        Ok(())
    }

    fn type_keys(&self, pane: u64, bytes: &[u8]) -> Result<()> {
        let target = target(pane);
        for part in bytes.chunks(KEYS_AT_ONCE) {
            let keys: Vec<String> = part.iter().map(|byte| format!("{byte:02x}")).collect();
            let mut args = vec!["send-keys", "-t", &target, "-H"];
            args.extend(keys.iter().map(String::as_str));
            self.run(&args, b"")?;
        }
        Ok(())
    }

    /// Through a buffer of our own, deleted in any case. `flags` are those of `paste-buffer`.
    fn paste_through_buffer(&self, pane: u64, bytes: &[u8], flags: &str) -> Result<()> {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let buffer = format!("wa-{}-{call}", std::process::id());
        // tmux 3.3 dies of a paste into a pane whose process has ended, so it is checked first, in the
        // same turn.
        let dead = format!("delete-buffer -b {buffer} ; display-message -p '{ENDED}'");
        let paste = format!("paste-buffer -d {flags} -b {buffer} -t %{pane}");
        let args = [
            "load-buffer",
            "-b",
            &buffer,
            "-",
            ";",
            "if-shell",
            "-F",
            "-t",
            &target(pane),
            "#{pane_dead}",
            &dead,
            &paste,
        ];
        match self.run(&args, bytes) {
            Ok(finished) if finished.text() == ENDED => Err(ended(pane)),
            Ok(_) => Ok(()),
            Err(error) => {
                let _ = self.run(&["delete-buffer", "-b", &buffer], b"");
                Err(error)
            }
        }
    }
}

impl Mux for Tmux {
    fn kind(&self) -> BackendKind {
        BackendKind::Tmux
    }

    fn list(&self) -> Result<Vec<PaneRow>> {
        let reader = self.reader();
        let said = self.run(&["list-panes", "-a", "-F", &reader.format()], b"")?;
        let listed = reader.read(&said.stdout).map_err(|what| self.cli.bad_answer(&what))?;
        let mut rows: Vec<PaneRow> = listed.into_iter().map(|listed| listed.row).collect();
        // A window that is linked into several sessions is listed once for each.
        rows.sort_by_key(|row| (row.native_id, row.window_id));
        rows.dedup_by_key(|row| row.native_id);
        Ok(rows)
    }

    /// On the alternate screen there is nothing but the screen: what scrolled away before belongs
    /// to another program.
    fn text(&self, pane: u64, which: Lines, escapes: bool) -> Result<PaneText> {
        let target = target(pane);
        let escapes_flag = if escapes { " -e" } else { "" };
        let screen = format!("capture-pane -p{escapes_flag} -t {target}");
        let history = match which {
            Lines::Screen => screen.clone(),
            // One more than requested shows whether there is more.
            Lines::Tail(count) => format!("{screen} -S -{}", count.saturating_add(1).min(1 << 30)),
            Lines::All => format!("{screen} -S -"),
        };
        let facts = "#{pane_id},#{alternate_on},#{history_size}";
        let said = self.run(
            &[
                "display-message",
                "-p",
                "-t",
                &target,
                facts,
                ";",
                "if-shell",
                "-F",
                "-t",
                &target,
                "#{alternate_on}",
                &screen,
                &history,
            ],
            b"",
        )?;
        let garbage = || self.cli.bad_answer("no fields precede the text of the pane");
        let end = said.stdout.iter().position(|byte| *byte == b'\n').ok_or_else(garbage)?;
        let facts = String::from_utf8_lossy(&said.stdout[..end]);
        let [id, alternate, scrolled] = facts.split(',').collect::<Vec<_>>()[..] else {
            return Err(garbage());
        };
        if id != target {
            return Err(if id.is_empty() { missing(&target) } else { garbage() });
        }
        let above = which == Lines::Screen && alternate == "0" && scrolled != "0";
        Ok(text::pick(text::lines(&said.stdout[end + 1..], escapes), which, above))
    }

    fn send_raw(&self, pane: u64, bytes: &[u8]) -> Result<()> {
        self.ensure_accepts_input(pane)?;
        // Newer releases escape control characters in pastes.
        if bytes.len() > LONG_TEXT && !bytes.iter().any(u8::is_ascii_control) {
            self.paste_through_buffer(pane, bytes, "-r")
        } else {
            self.type_keys(pane, bytes)
        }
    }

    fn paste(&self, pane: u64, text: &str) -> Result<()> {
        super::text::check_paste(text)?;
        self.ensure_accepts_input(pane)?;
        if text.is_empty() {
            return Ok(());
        }
        self.paste_through_buffer(pane, text.as_bytes(), "-p -r")
    }

    fn state(&self, pane: &PaneRow) -> Result<PaneState> {
        let row = self.pane_row(pane.native_id)?.row;
        let mut state = PaneState {
            alt_screen: row.alt_screen,
            bracketed_paste: row.bracketed_paste,
            ..PaneState::default()
        };
        if row.dead.is_some() {
            state.prompt_active = Some(false);
            state.command_running = Some(false);
        } else if let Some(tty) = &row.tty {
            tty::foreground(tty, row.root_pid).fill(&mut state);
        }
        Ok(state)
    }

    /// In a session of its own, so that it starts a server where there is none and keeps its size.
    fn spawn(&self, spawn: &Spawn) -> Result<u64> {
        let args = spawn_args(spawn);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let said = self.cli.run_now(&args, b"")?;
        if !said.success() {
            return Err(self.refusal(&said));
        }
        let text = said.text();
        let pane = text.strip_prefix('%').and_then(|number| number.parse().ok());
        let pane: u64 = pane.ok_or_else(|| self.cli.bad_answer("the new pane has no number"))?;
        if let Some(title) = &spawn.title {
            let title = literal(&title.replace('#', "##"));
            self.run(&["select-pane", "-t", &target(pane), "-T", &title], b"")?;
        }
        Ok(pane)
    }

    fn close(&self, pane: u64) -> Result<()> {
        self.run(&["kill-pane", "-t", &target(pane)], b"").map(drop)
    }
}

fn spawn_args(spawn: &Spawn) -> Vec<String> {
    let words = ["new-session", "-d", "-P", "-F", "#{pane_id}"];
    let mut args: Vec<String> = words.map(str::to_owned).to_vec();
    if let Some((columns, rows)) = spawn.size {
        args.extend(["-x".to_owned(), columns.to_string(), "-y".to_owned(), rows.to_string()]);
    }
    if let Some(cwd) = &spawn.cwd {
        args.extend(["-c".to_owned(), literal(&cwd.replace('#', "##"))]);
    }
    for (name, value) in &spawn.env {
        args.extend(["-e".to_owned(), literal(&format!("{name}={value}"))]);
    }
    match spawn.command.as_slice() {
        [] => {}
        // tmux hands a single word to a shell, several to nobody.
        [program] => {
            let quoted = program.replace('\'', r"'\''");
            args.extend(["--".to_owned(), literal(&format!("exec '{quoted}'"))]);
        }
        command => {
            args.push("--".to_owned());
            args.extend(command.iter().map(|word| literal(word)));
        }
    }
    args
}

/// A word at whose end tmux sees no `;` of its own.
fn literal(word: &str) -> String {
    match word.strip_suffix(';') {
        Some(rest) => format!("{rest}\\;"),
        None => word.to_owned(),
    }
}

fn target(pane: u64) -> String {
    format!("%{pane}")
}

fn missing(pane: &str) -> Error {
    Kind::PaneNotFound
        .because(format!("tmux has no pane {pane}."))
        .hint("It may have been closed. Call `wa.state` to list the panes.")
}

fn ended(pane: u64) -> Error {
    Kind::PaneNotFound
        .because(format!("The process in tmux pane %{pane} has ended."))
        .hint("Its last text can still be read. Choose another pane with `wa.state`.")
}

#[cfg(test)]
mod tests;
