//! Shows a pane in the user's terminal and types what the user types. Ctrl-] detaches.
//!
//! The terminal is restored in every case short of SIGKILL.

use std::io::{self, Read, Write};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use rustix::termios::{
    OptionalActions, SpecialCodeIndex, Termios, isatty, tcgetattr, tcgetwinsize, tcsetattr,
};
use tokio::signal::unix::{SignalKind, signal};

use super::client::{Embedded, broken, exchange, unexpected};
use super::start;
use super::wire::{self, Request, Response};
use crate::error::{Error, Kind, Result};
use crate::mux::Mux as _;

/// Ctrl-].
const LEAVE: u8 = 0x1d;
const PATIENCE: Duration = Duration::from_secs(10);
/// Tenths of a second that a read of the keyboard takes when nobody types.
const KEYBOARD_TENTHS: u8 = 1;
/// Into a screen of its own,
const ENTER_SCREEN: &str = "\x1b[?1049h\x1b[2J\x1b[H";
/// and back, with everything off that the pane may have turned on.
const LEAVE_SCREEN: &str = "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1005l\x1b[?1006l\x1b[?9l\
    \x1b[?2004l\x1b[?1l\x1b>\x1b[0 q\x1b[m\x1b[?25h\x1b[?1049l";

/// How an attachment ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AttachEnd {
    /// The user left; the pane keeps running.
    Detached,
    /// The program has ended, with this status where it is known.
    PaneEnded(Option<i32>),
}

/// Shows `pane` of the host of `folder` in this process's terminal until the user leaves with
/// Ctrl-] or the program ends. The pane takes the terminal's size.
pub fn attach(folder: &Path, pane: u64) -> Result<AttachEnd> {
    if !isatty(io::stdin()) || !isatty(io::stdout()) {
        return Err(Kind::InvalidArguments
            .because("A pane can only be shown in a terminal.")
            .hint("Use `wa robot get-text` to read it."));
    }
    let client = Embedded::new(folder, vec![]);
    let mut stream = start::connect(folder)?.ok_or_else(|| {
        Kind::PaneNotFound
            .because(format!("There is no pane {pane}: no embedded pane is open."))
            .hint("Start a pane with `wa spawn`.")
    })?;
    let size = fit(&client, pane, None)?;
    let first = exchange(&mut stream, &Request::Show { pane }, b"", PATIENCE)
        .map_err(|error| broken(folder, &error))?;
    if let (Response::Refused(refusal), _) = first {
        return Err(refusal.into_error());
    }
    let signals = Signals::watch();
    let screen = OwnScreen::enter()?;
    let shown = show(stream, first, Arc::clone(&screen.ours));
    let end = drive(folder, &client, pane, size, &shown, &signals);
    drop(screen);
    end
}

/// Resizes the pane to the terminal's size if that has changed.
fn fit(client: &Embedded, pane: u64, known: Option<(u16, u16)>) -> Result<Option<(u16, u16)>> {
    let Ok(size) = tcgetwinsize(io::stdout()) else { return Ok(known) };
    let now = (size.ws_col, size.ws_row);
    if now.0 < 2 || now.1 < 2 || Some(now) == known {
        return Ok(known);
    }
    client.resize(pane, now.0.min(1000), now.1.min(1000))?;
    Ok(Some(now))
}

/// Prints what the host sends, until the pane or the host ends.
fn show(
    mut stream: UnixStream,
    first: (Response, Vec<u8>),
    ours: Arc<Mutex<bool>>,
) -> Receiver<io::Result<Option<i32>>> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut message = first;
        let end = loop {
            match message {
                (Response::Frame, bytes) if bytes.is_empty() => {}
                (Response::Frame, bytes) => {
                    let ours = ours.lock().unwrap_or_else(PoisonError::into_inner);
                    if let Err(error) = if *ours { print(&bytes) } else { Ok(()) } {
                        break Err(error);
                    }
                }
                (Response::Ended(status), _) => break Ok(status),
                _ => break Err(io::ErrorKind::InvalidData.into()),
            }
            message = match wire::receive(&mut stream) {
                Ok(Some(message)) => message,
                Ok(None) => break Err(io::ErrorKind::UnexpectedEof.into()),
                Err(error) => break Err(error),
            };
        };
        let _ = sender.send(end);
    });
    receiver
}

/// Types what the user types.
fn drive(
    folder: &Path,
    client: &Embedded,
    pane: u64,
    mut size: Option<(u16, u16)>,
    shown: &Receiver<io::Result<Option<i32>>>,
    signals: &Signals,
) -> Result<AttachEnd> {
    let mut keys = [0; 4096];
    loop {
        match shown.recv_timeout(Duration::ZERO) {
            Ok(Ok(status)) => return Ok(AttachEnd::PaneEnded(status)),
            Ok(Err(error)) => return Err(broken(folder, &error)),
            Err(RecvTimeoutError::Disconnected) => return Err(unexpected(folder)),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if signals.end.load(Ordering::Acquire) {
            return Ok(AttachEnd::Detached);
        }
        if signals.resized.swap(false, Ordering::AcqRel) {
            size = fit(client, pane, size)?;
        }
        // Comes back after a tenth of a second when nobody types.
        let count = match io::stdin().lock().read(&mut keys) {
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(no_terminal(error)),
        };
        let typed = &keys[..count];
        let leave = typed.iter().position(|key| *key == LEAVE);
        let typed = leave.map_or(typed, |at| &typed[..at]);
        if !typed.is_empty() {
            match client.send_raw(pane, typed) {
                // Its end is on its way through the other channel.
                Err(error) if error.kind == Kind::PaneNotFound => {}
                other => other?,
            }
        }
        if leave.is_some() {
            return Ok(AttachEnd::Detached);
        }
    }
}

/// The terminal while it shows a pane; restored when dropped.
struct OwnScreen {
    before: Termios,
    /// Nothing of the pane is printed any more once this is no longer so.
    ours: Arc<Mutex<bool>>,
}

impl OwnScreen {
    fn enter() -> Result<Self> {
        let before = tcgetattr(io::stdin()).map_err(no_terminal)?;
        let mut raw = before.clone();
        raw.make_raw();
        raw.special_codes[SpecialCodeIndex::VMIN] = 0;
        raw.special_codes[SpecialCodeIndex::VTIME] = KEYBOARD_TENTHS;
        let screen = Self { before, ours: Arc::new(Mutex::new(true)) };
        tcsetattr(io::stdin(), OptionalActions::Flush, &raw).map_err(no_terminal)?;
        print(ENTER_SCREEN.as_bytes()).map_err(no_terminal)?;
        Ok(screen)
    }
}

impl Drop for OwnScreen {
    fn drop(&mut self) {
        let mut ours = self.ours.lock().unwrap_or_else(PoisonError::into_inner);
        *ours = false;
        let _ = print(LEAVE_SCREEN.as_bytes());
        let _ = tcsetattr(io::stdin(), OptionalActions::Flush, &self.before);
    }
}

fn print(bytes: &[u8]) -> io::Result<()> {
    let mut out = io::stdout().lock();
    out.write_all(bytes)?;
    out.flush()
}

fn no_terminal(error: impl std::fmt::Display) -> Error {
    Kind::Backend.because(format!("This terminal cannot be used: {error}.")).internal(error)
}

/// Signals to the process while it shows a pane.
#[derive(Clone, Default)]
struct Signals {
    resized: Arc<AtomicBool>,
    end: Arc<AtomicBool>,
}

impl Signals {
    /// Listens on a thread of its own, for the rest of the process.
    fn watch() -> Self {
        let signals = Self::default();
        // The size may have changed since it was checked.
        signals.resized.store(true, Ordering::Release);
        let told = signals.clone();
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build();
            if let Ok(runtime) = runtime {
                runtime.block_on(told.listen());
            }
        });
        signals
    }

    async fn listen(&self) {
        let (Ok(mut size), Ok(mut terminate), Ok(mut hang_up)) = (
            signal(SignalKind::window_change()),
            signal(SignalKind::terminate()),
            signal(SignalKind::hangup()),
        ) else {
            return;
        };
        // Nobody heard of a change before this.
        self.resized.store(true, Ordering::Release);
        loop {
            tokio::select! {
                _ = size.recv() => self.resized.store(true, Ordering::Release),
                _ = terminate.recv() => self.end.store(true, Ordering::Release),
                _ = hang_up.recv() => self.end.store(true, Ordering::Release),
            }
        }
    }
}
