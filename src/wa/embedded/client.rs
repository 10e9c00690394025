//! The embedded backend as the rest of the engine sees it: a client of the host.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::start;
use super::term::Mark;
use super::wire::{self, Answer, Ask, MAX_BODY, Question, VERSION, Why, WireLines, WireSpawn};
use crate::backend::tty;
use crate::error::{Fault, Kind, Result};
use crate::model::{BackendKind, PaneRow, PaneState};
use crate::mux::{Lines, Mux, Output, PaneText, Spawn};

/// How long the host may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// One question waits no longer than that for a change.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// Connections that are kept for the next question.
const IDLE_CONNECTIONS: usize = 8;

/// Panes of our own, kept by a host process per workspace.
pub struct Embedded {
    folder: PathBuf,
    host_command: Vec<String>,
    idle: Mutex<Vec<UnixStream>>,
}

/// Why a question has no answer.
enum Trouble {
    /// Nobody listens.
    NoHost,
    /// The host went away or does not speak our language.
    Broken(io::Error),
    /// Something to tell.
    Fault(Fault),
}

impl Embedded {
    /// `folder` is the workspace's `.wa`; `host_command` starts the host of it.
    pub fn new(folder: &Path, host_command: Vec<String>) -> Self {
        Self { folder: folder.to_owned(), host_command, idle: Mutex::default() }
    }

    /// Gives the pane's terminal another size.
    pub(super) fn resize(&self, pane: u64, columns: u16, rows: u16) -> Result<()> {
        self.ask_pane(pane, Ask::Resize { pane, columns, rows }, b"").map(drop)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<UnixStream>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks on a connection that was used before, or on a new one.
    fn ask(&self, ask: Ask, body: &[u8], patience: Duration) -> Asked {
        let kept = self.idle().pop();
        if let Some(stream) = kept {
            match self.ask_on(stream, &ask, body, patience) {
                // A host that ended since has heard nothing of this question.
                Err(Trouble::Broken(error)) if is_gone(&error) => self.idle().clear(),
                other => return other,
            }
        }
        match start::connect(&self.folder).map_err(Trouble::Fault)? {
            Some(stream) => self.ask_on(stream, &ask, body, patience),
            None => Err(Trouble::NoHost),
        }
    }

    fn ask_on(&self, mut stream: UnixStream, ask: &Ask, body: &[u8], patience: Duration) -> Asked {
        let asked = exchange(&mut stream, ask, body, patience);
        if asked.is_ok() {
            let mut idle = self.idle();
            if idle.len() < IDLE_CONNECTIONS {
                idle.push(stream);
            }
        }
        match asked {
            Ok((Answer::Refused(refusal), _)) if refusal.why == Why::Ending => Err(Trouble::NoHost),
            Ok((Answer::Refused(refusal), _)) => Err(Trouble::Fault(refusal.fault())),
            Ok(answer) => Ok(answer),
            Err(error) => Err(Trouble::Broken(error)),
        }
    }

    /// Asks something about one pane.
    fn ask_pane(&self, pane: u64, ask: Ask, body: &[u8]) -> Result<(Answer, Vec<u8>)> {
        self.ask(ask, body, PATIENCE).map_err(|trouble| match trouble {
            Trouble::NoHost => Kind::PaneNotFound
                .because(format!("There is no pane {pane}: no embedded pane is open."))
                .hint("Start a pane with `wa spawn`."),
            other => other.fault(&self.folder),
        })
    }

    fn typed(&self, pane: u64, ask: Ask, bytes: &[u8]) -> Result<()> {
        if bytes.len() > MAX_BODY {
            return Err(Kind::InvalidArguments
                .because(format!("Pane {pane} takes at most {} MiB at once.", MAX_BODY >> 20)));
        }
        self.ask_pane(pane, ask, bytes).map(drop)
    }
}

type Asked = std::result::Result<(Answer, Vec<u8>), Trouble>;

impl Trouble {
    fn fault(self, folder: &Path) -> Fault {
        match self {
            Self::Fault(fault) => fault,
            Self::NoHost => Kind::Backend
                .because("No pane host is running.")
                .hint("Start a pane with `wa spawn`."),
            Self::Broken(error) => broken(folder, &error),
        }
    }
}

/// What to say about a host that went away or does not answer.
pub(super) fn broken(folder: &Path, error: &io::Error) -> Fault {
    let folder = folder.display();
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Kind::Timeout
            .because(format!(
                "The pane host of `{folder}` did not answer within {} s.",
                PATIENCE.as_secs()
            ))
            .hint("End the process named in host.pid there; its panes end with it."),
        io::ErrorKind::InvalidData => Kind::Backend
            .because(format!("The pane host of `{folder}` speaks another language."))
            .hint("It was started by another release. End the process named in host.pid there."),
        _ => Kind::Backend
            .because(format!("The pane host of `{folder}` went away."))
            .hint("Its panes are gone; start new ones. host.log there may say why."),
    }
    .internal(error)
}

fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind as Error;
    matches!(error.kind(), Error::BrokenPipe | Error::ConnectionReset | Error::UnexpectedEof)
}

/// One question and its answer.
pub(super) fn exchange(
    stream: &mut UnixStream,
    ask: &Ask,
    body: &[u8],
    patience: Duration,
) -> io::Result<(Answer, Vec<u8>)> {
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    let question = Question { version: VERSION, ask: ask.clone() };
    wire::send(stream, &question, body)?;
    wire::receive(stream)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

impl Mux for Embedded {
    fn kind(&self) -> BackendKind {
        BackendKind::Embedded
    }

    fn list(&self) -> Result<Vec<PaneRow>> {
        match self.ask(Ask::List, b"", PATIENCE) {
            Ok((Answer::Panes(panes), _)) => Ok(panes),
            Ok(_) => Err(unexpected(&self.folder)),
            Err(Trouble::NoHost) => Ok(vec![]),
            // It ended while it was asked: its panes are gone.
            Err(Trouble::Broken(error)) if is_gone(&error) => Ok(vec![]),
            Err(trouble) => Err(trouble.fault(&self.folder)),
        }
    }

    fn text(&self, pane: u64, lines: Lines, escapes: bool) -> Result<PaneText> {
        let lines = match lines {
            Lines::Screen => WireLines::Screen,
            Lines::Tail(count) => WireLines::Tail(count),
            Lines::All => WireLines::All,
        };
        match self.ask_pane(pane, Ask::Text { pane, lines, colours: escapes }, b"")? {
            (Answer::Text { more_above }, text) => {
                Ok(PaneText { text: utf8(text, &self.folder)?, more_above })
            }
            _ => Err(unexpected(&self.folder)),
        }
    }

    fn send_raw(&self, pane: u64, bytes: &[u8]) -> Result<()> {
        self.typed(pane, Ask::Type { pane }, bytes)
    }

    fn paste(&self, pane: u64, text: &str) -> Result<()> {
        self.typed(pane, Ask::Paste { pane }, text.as_bytes())
    }

    fn state(&self, pane: &PaneRow) -> Result<PaneState> {
        let number = pane.native_id;
        let answer = self.ask_pane(number, Ask::State { pane: number }, b"")?.0;
        let Answer::State { mark, alt_screen, bracketed_paste, ended } = answer else {
            return Err(unexpected(&self.folder));
        };
        let mut state = PaneState {
            alt_screen: Some(alt_screen),
            bracketed_paste: Some(bracketed_paste),
            ..PaneState::default()
        };
        if ended {
            (state.prompt_active, state.command_running) = (Some(false), Some(false));
            return Ok(state);
        }
        if let Some(terminal) = &pane.tty {
            tty::foreground(terminal, pane.root_pid).fill(&mut state);
        }
        believe(mark, &mut state);
        Ok(state)
    }

    fn output_since(&self, pane: u64, mark: u64, max_bytes: usize) -> Option<Result<Output>> {
        let max_bytes = max_bytes.min(MAX_BODY / 2);
        let asked = self.ask_pane(pane, Ask::Output { pane, mark, max_bytes }, b"");
        Some(asked.and_then(|answer| match answer {
            (Answer::Output { next, lost, more }, text) => {
                Ok(Output { text: utf8(text, &self.folder)?, next, lost, more })
            }
            _ => Err(unexpected(&self.folder)),
        }))
    }

    fn wait_for_change(&self, change: u64, timeout: Duration) -> Result<u64> {
        let started = Instant::now();
        loop {
            let left = timeout.saturating_sub(started.elapsed());
            let step = left.min(LONGEST_WAIT);
            let milliseconds = u64::try_from(step.as_millis()).unwrap_or(u64::MAX);
            match self.ask(Ask::Wait { change, milliseconds }, b"", step + PATIENCE) {
                Ok((Answer::Change(now), _)) if now != change || left <= step => return Ok(now),
                Ok((Answer::Change(_), _)) => {}
                Ok(_) => return Err(unexpected(&self.folder)),
                Err(Trouble::NoHost) => {
                    std::thread::sleep(left);
                    return Ok(change);
                }
                // Its panes have gone, which is a change.
                Err(Trouble::Broken(error)) if is_gone(&error) => return Ok(change + 1),
                Err(trouble) => return Err(trouble.fault(&self.folder)),
            }
        }
    }

    fn spawn(&self, spawn: &Spawn) -> Result<u64> {
        let ask = Ask::Spawn(WireSpawn {
            command: spawn.command.clone(),
            cwd: spawn.cwd.clone(),
            size: spawn.size,
            title: spawn.title.clone(),
            env: spawn.env.clone(),
        });
        let mut asked = self.ask(ask.clone(), b"", PATIENCE);
        // A host that ends now needs another one after it.
        for _ in 0..3 {
            if !matches!(asked, Err(Trouble::NoHost)) {
                break;
            }
            let stream = start::connect_or_start(&self.folder, &self.host_command)?;
            asked = self.ask_on(stream, &ask, b"", PATIENCE);
        }
        match asked {
            Ok((Answer::Spawned(pane), _)) => Ok(pane),
            Ok(_) => Err(unexpected(&self.folder)),
            Err(trouble) => Err(trouble.fault(&self.folder)),
        }
    }

    fn close(&self, pane: u64) -> Result<()> {
        self.ask_pane(pane, Ask::Close { pane }, b"").map(drop)
    }
}

/// Puts the shell's own marks over what the process table says. A program that is seen in front is
/// believed before a prompt that was marked earlier.
fn believe(mark: Option<Mark>, state: &mut PaneState) {
    match mark {
        None => {}
        Some(Mark::Prompt) if state.prompt_active == Some(false) => {}
        Some(Mark::Prompt) => {
            (state.prompt_active, state.command_running) = (Some(true), Some(false));
        }
        Some(Mark::Running) => {
            (state.prompt_active, state.command_running) = (Some(false), Some(true));
        }
        // The prompt has not been marked yet; a shell in front is at it all the same.
        Some(Mark::Ended) if state.command_running.is_none() => {
            state.command_running = Some(false);
        }
        Some(Mark::Ended) => {}
    }
}

fn utf8(text: Vec<u8>, folder: &Path) -> Result<String> {
    String::from_utf8(text).map_err(|_| unexpected(folder))
}

pub(super) fn unexpected(folder: &Path) -> Fault {
    broken(folder, &io::ErrorKind::InvalidData.into())
}
