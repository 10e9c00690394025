//! The embedded backend: a client of the pane host.

use std::io;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::start;
use super::term::Mark;
use super::wire::{
    self, MAX_BODY, RefusalKind, Request, RequestHeader, Response, VERSION, WireLines, WireSpawn,
};
use crate::backend::tty;
use crate::error::{Error, Kind, Result};
use crate::model::{BackendKind, PaneRow, PaneState};
use crate::mux::{Lines, Mux, Output, PaneText, Spawn};

/// How long the host may take to answer.
const PATIENCE: Duration = Duration::from_secs(10);
/// Maximum wait of one request for a change.
const LONGEST_WAIT: Duration = Duration::from_secs(20);
/// Idle connections that are kept open.
const IDLE_CONNECTIONS: usize = 8;

/// Embedded panes, kept by a host process per workspace.
pub struct Embedded {
    folder: PathBuf,
    host_command: Vec<String>,
    idle: Mutex<Vec<UnixStream>>,
}

/// Why a request failed.
enum RequestError {
    /// No host is running.
    NoHost,
    /// The host disconnected or speaks another protocol version.
    Broken(io::Error),
    /// The host refused, or it could not be started.
    Engine(Error),
}

impl Embedded {
    /// `folder` is the workspace's `.wa`; `host_command` starts the host of it.
    pub fn new(folder: &Path, host_command: Vec<String>) -> Self {
        Self { folder: folder.to_owned(), host_command, idle: Mutex::default() }
    }

    /// Resizes the pane's terminal.
    pub(super) fn resize(&self, pane: u64, columns: u16, rows: u16) -> Result<()> {
        self.request_pane(pane, Request::Resize { pane, columns, rows }, b"").map(drop)
    }

    fn idle(&self) -> std::sync::MutexGuard<'_, Vec<UnixStream>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Sends a request on an idle connection, or on a new one.
    fn request(&self, ask: Request, body: &[u8], patience: Duration) -> RequestResult {
        let kept = self.idle().pop();
        if let Some(stream) = kept {
            match self.request_on(stream, &ask, body, patience) {
                // A host that ended since has not received this request.
                Err(RequestError::Broken(error)) if is_gone(&error) => self.idle().clear(),
                other => return other,
            }
        }
        match start::connect(&self.folder).map_err(RequestError::Engine)? {
            Some(stream) => self.request_on(stream, &ask, body, patience),
            None => Err(RequestError::NoHost),
        }
    }

    fn request_on(
        &self,
        mut stream: UnixStream,
        ask: &Request,
        body: &[u8],
        patience: Duration,
    ) -> RequestResult {
        let asked = exchange(&mut stream, ask, body, patience);
        if asked.is_ok() {
            let mut idle = self.idle();
            if idle.len() < IDLE_CONNECTIONS {
                idle.push(stream);
            }
        }
        match asked {
            Ok((Response::Refused(refusal), _)) if refusal.kind == RefusalKind::Ending => {
                Err(RequestError::NoHost)
            }
            Ok((Response::Refused(refusal), _)) => Err(RequestError::Engine(refusal.into_error())),
            Ok(answer) => Ok(answer),
            Err(error) => Err(RequestError::Broken(error)),
        }
    }

    /// Sends a request about one pane.
    fn request_pane(&self, pane: u64, ask: Request, body: &[u8]) -> Result<(Response, Vec<u8>)> {
        self.request(ask, body, PATIENCE).map_err(|error| match error {
            RequestError::NoHost => Kind::PaneNotFound
                .because(format!("There is no pane {pane}: no embedded pane is open."))
                .hint("Start a pane with `wa spawn`."),
            other => other.into_error(&self.folder),
        })
    }

    fn typed(&self, pane: u64, ask: Request, bytes: &[u8]) -> Result<()> {
        if bytes.len() > MAX_BODY {
            return Err(Kind::InvalidArguments
                .because(format!("Pane {pane} takes at most {} MiB at once.", MAX_BODY >> 20)));
        }
        self.request_pane(pane, ask, bytes).map(drop)
    }
}

type RequestResult = std::result::Result<(Response, Vec<u8>), RequestError>;

impl RequestError {
    fn into_error(self, folder: &Path) -> Error {
        match self {
            Self::Engine(error) => error,
            Self::NoHost => Kind::Backend
                .because("No pane host is running.")
                .hint("Start a pane with `wa spawn`."),
            Self::Broken(error) => broken(folder, &error),
        }
    }
}

/// The error for a host that disconnected or does not answer.
pub(super) fn broken(folder: &Path, error: &io::Error) -> Error {
    let folder = folder.display();
    match error.kind() {
        io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Kind::Timeout
            .because(format!(
                "The pane host of `{folder}` did not answer within {} s.",
                PATIENCE.as_secs()
            ))
            .hint("End the process named in host.pid there; its panes end with it."),
        io::ErrorKind::InvalidData => Kind::Backend
            .because(format!("The pane host of `{folder}` speaks another protocol version."))
            .hint("It was started by another release. End the process named in host.pid there."),
        _ => Kind::Backend
            .because(format!("The pane host of `{folder}` disconnected."))
            .hint("Its panes are gone; start new ones. host.log there may show why."),
    }
    .internal(error)
}

fn is_gone(error: &io::Error) -> bool {
    use io::ErrorKind as Error;
    matches!(error.kind(), Error::BrokenPipe | Error::ConnectionReset | Error::UnexpectedEof)
}

/// Sends one request and reads the response.
pub(super) fn exchange(
    stream: &mut UnixStream,
    ask: &Request,
    body: &[u8],
    patience: Duration,
) -> io::Result<(Response, Vec<u8>)> {
    stream.set_read_timeout(Some(patience))?;
    stream.set_write_timeout(Some(patience))?;
    let header = RequestHeader { version: VERSION, ask: ask.clone() };
    wire::send(stream, &header, body)?;
    wire::receive(stream)?.ok_or_else(|| io::ErrorKind::UnexpectedEof.into())
}

impl Mux for Embedded {
    fn kind(&self) -> BackendKind {
        BackendKind::Embedded
    }

    fn list(&self) -> Result<Vec<PaneRow>> {
        match self.request(Request::List, b"", PATIENCE) {
            Ok((Response::Panes(panes), _)) => Ok(panes),
            Ok(_) => Err(unexpected(&self.folder)),
            Err(RequestError::NoHost) => Ok(vec![]),
            // It ended during the request: its panes are gone.
            Err(RequestError::Broken(error)) if is_gone(&error) => Ok(vec![]),
            Err(error) => Err(error.into_error(&self.folder)),
        }
    }

    fn text(&self, pane: u64, lines: Lines, escapes: bool) -> Result<PaneText> {
        let lines = match lines {
            Lines::Screen => WireLines::Screen,
            Lines::Tail(count) => WireLines::Tail(count),
            Lines::All => WireLines::All,
        };
        match self.request_pane(pane, Request::Text { pane, lines, colours: escapes }, b"")? {
            (Response::Text { more_above }, text) => {
                Ok(PaneText { text: utf8(text, &self.folder)?, more_above })
            }
            _ => Err(unexpected(&self.folder)),
        }
    }

    fn send_raw(&self, pane: u64, bytes: &[u8]) -> Result<()> {
        self.typed(pane, Request::Type { pane }, bytes)
    }

    fn paste(&self, pane: u64, text: &str) -> Result<()> {
        self.typed(pane, Request::Paste { pane }, text.as_bytes())
    }

    fn state(&self, pane: &PaneRow) -> Result<PaneState> {
        let number = pane.native_id;
        let answer = self.request_pane(number, Request::State { pane: number }, b"")?.0;
        let Response::State { mark, alt_screen, bracketed_paste, ended } = answer else {
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
        apply_mark(mark, &mut state);
        Ok(state)
    }

    fn output_since(&self, pane: u64, mark: u64, max_bytes: usize) -> Option<Result<Output>> {
        let max_bytes = max_bytes.min(MAX_BODY / 2);
        let asked = self.request_pane(pane, Request::Output { pane, mark, max_bytes }, b"");
        Some(asked.and_then(|answer| match answer {
            (Response::Output { next, lost, more }, text) => {
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
            match self.request(Request::Wait { change, milliseconds }, b"", step + PATIENCE) {
                Ok((Response::Change(now), _)) if now != change || left <= step => return Ok(now),
                Ok((Response::Change(_), _)) => {}
                Ok(_) => return Err(unexpected(&self.folder)),
                Err(RequestError::NoHost) => {
                    std::thread::sleep(left);
                    return Ok(change);
                }
                // Its panes have gone, which is a change.
                Err(RequestError::Broken(error)) if is_gone(&error) => return Ok(change + 1),
                Err(error) => return Err(error.into_error(&self.folder)),
            }
        }
    }

    fn spawn(&self, spawn: &Spawn) -> Result<u64> {
        let ask = Request::Spawn(WireSpawn {
            command: spawn.command.clone(),
            cwd: spawn.cwd.clone(),
            size: spawn.size,
            title: spawn.title.clone(),
            env: spawn.env.clone(),
        });
        let mut asked = self.request(ask.clone(), b"", PATIENCE);
        // A host that ends now needs another one after it.
        for _ in 0..3 {
            if !matches!(asked, Err(RequestError::NoHost)) {
                break;
            }
            let stream = start::connect_or_start(&self.folder, &self.host_command)?;
            asked = self.request_on(stream, &ask, b"", PATIENCE);
        }
        match asked {
            Ok((Response::Spawned(pane), _)) => Ok(pane),
            Ok(_) => Err(unexpected(&self.folder)),
            Err(error) => Err(error.into_error(&self.folder)),
        }
    }

    fn close(&self, pane: u64) -> Result<()> {
        self.request_pane(pane, Request::Close { pane }, b"").map(drop)
    }
}

/// Applies the shell's own marks over the process table. A program seen in the foreground is
/// trusted over a prompt that was marked earlier.
fn apply_mark(mark: Option<Mark>, state: &mut PaneState) {
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

pub(super) fn unexpected(folder: &Path) -> Error {
    broken(folder, &io::ErrorKind::InvalidData.into())
}
