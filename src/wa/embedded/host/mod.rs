//! The process that owns a workspace's embedded panes.
//!
//! It serves until it has had no pane for a while. A pane whose program has ended is retained for a
//! while, so that its last output and exit status can be read.

mod connection;
mod inbox;
mod input;
mod launch;
mod mirror;
mod pane;
mod process;

use std::collections::BTreeMap;
use std::io;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use self::pane::Pane;
use super::socket::{self, Lock};
use super::wire::{Refusal, RefusalKind, WireSpawn};
use crate::error::{Kind, Result};

/// More clients at once are turned away.
const MAX_CONNECTIONS: usize = 256;
/// More panes are refused.
const MAX_PANES: usize = 500;
/// How long a host waits for one that is about to end.
const HANDOVER: Duration = Duration::from_secs(5);
const CONNECTION_STACK: usize = 512 << 10;

/// How a host keeps things.
#[derive(Debug, Clone, Copy)]
pub(super) struct Options {
    /// Bytes of complete lines kept per pane.
    pub(super) log_bytes: usize,
    /// Lines above the screen kept per pane.
    pub(super) scrollback: usize,
    /// How long an ended pane stays.
    pub(super) keep_ended: Duration,
    /// How long the host stays without panes.
    pub(super) idle: Duration,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            log_bytes: 32 << 20,
            scrollback: 10_000,
            keep_ended: Duration::from_secs(60),
            idle: Duration::from_secs(60),
        }
    }
}

/// Serves the panes of `folder` until there is nothing to do. Returns at once when another host
/// does that already.
pub fn host(folder: &Path) -> Result<()> {
    // Away from the terminal of the process that started us; fails harmlessly when that is done.
    let _ = rustix::process::setsid();
    serve(folder, Options::default())
}

/// The host in this process.
pub(super) fn serve(folder: &Path, options: Options) -> Result<()> {
    let start_failed = |error: io::Error| {
        Kind::Backend
            .because(format!("The pane host of `{}` cannot run: {error}.", folder.display()))
            .internal(error)
    };
    socket::make_folder(folder).map_err(start_failed)?;
    let Some((lock, last)) = take_lock(folder).map_err(start_failed)? else { return Ok(()) };
    let listener = socket::listen(folder).map_err(start_failed)?;
    let host = Arc::new(Host::new(folder, options, lock, last));
    let acceptor = Arc::clone(&host);
    std::thread::Builder::new()
        .name("accept".to_owned())
        .spawn(move || accept(&acceptor, &listener))
        .map_err(start_failed)?;
    host.wait_until_idle();
    socket::remove(folder);
    host.state().lock = None;
    // The acceptor notices the end only at the next connection.
    Ok(())
}

fn take_lock(folder: &Path) -> io::Result<Option<(Lock, u64)>> {
    let started = Instant::now();
    loop {
        if let Some(taken) = Lock::take(folder)? {
            return Ok(Some(taken));
        }
        if socket::connect(folder)?.is_some() || started.elapsed() > HANDOVER {
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn accept(host: &Arc<Host>, listener: &UnixListener) {
    loop {
        match listener.accept() {
            Ok((stream, _)) if host.state().ending => drop(stream),
            Ok((stream, _)) if !is_ours(&stream) => {
                tracing::warn!("rejected a connection of another user");
            }
            Ok((stream, _)) => converse(host, stream),
            Err(error) => {
                tracing::warn!(%error, "could not read from a client");
                std::thread::sleep(Duration::from_millis(100));
            }
        }
        if host.state().ending {
            return;
        }
    }
}

/// The socket is private already; this holds where the folder was opened to others.
#[cfg(target_os = "linux")]
fn is_ours(stream: &UnixStream) -> bool {
    let peer = rustix::net::sockopt::socket_peercred(stream);
    peer.is_ok_and(|peer| peer.uid == rustix::process::geteuid() || peer.uid.is_root())
}

#[cfg(not(target_os = "linux"))]
fn is_ours(_: &UnixStream) -> bool {
    true
}

fn converse(host: &Arc<Host>, stream: UnixStream) {
    if host.connections.fetch_add(1, Ordering::AcqRel) >= MAX_CONNECTIONS {
        host.connections.fetch_sub(1, Ordering::AcqRel);
        tracing::warn!("too many clients");
        return;
    }
    let thread_host = Arc::clone(host);
    let started = std::thread::Builder::new().stack_size(CONNECTION_STACK).spawn(move || {
        if let Err(error) = connection::serve(&thread_host, stream) {
            tracing::debug!(%error, "a client disconnected");
        }
        thread_host.connections.fetch_sub(1, Ordering::AcqRel);
    });
    if let Err(error) = started {
        host.connections.fetch_sub(1, Ordering::AcqRel);
        tracing::warn!(%error, "could not serve a client");
    }
}

/// The panes and their clients.
pub(super) struct Host {
    folder: PathBuf,
    /// Distinguishes this host from all others of the workspace.
    name: String,
    options: Options,
    connections: AtomicUsize,
    state: Mutex<State>,
    /// Panes came, ended or went.
    panes_changed: Condvar,
    changes: Arc<Changes>,
}

struct State {
    panes: BTreeMap<u64, Arc<Pane>>,
    last: u64,
    /// Panes that are being started; the host must not end meanwhile.
    starting: usize,
    lock: Option<Lock>,
    ending: bool,
    /// Since when there is no pane.
    empty_since: Instant,
}

impl Host {
    fn new(folder: &Path, options: Options, lock: Lock, last: u64) -> Self {
        let pid = std::process::id();
        let name = format!("{}.{pid}.{}", process::boot(), process::start(pid));
        let state = State {
            panes: BTreeMap::new(),
            last,
            starting: 0,
            lock: Some(lock),
            ending: false,
            empty_since: Instant::now(),
        };
        Self {
            folder: folder.to_owned(),
            name: format!("embedded|{}|{name}", folder.display()),
            options,
            connections: AtomicUsize::new(0),
            state: Mutex::new(state),
            panes_changed: Condvar::new(),
            changes: Arc::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn panes(&self) -> Vec<Arc<Pane>> {
        self.state().panes.values().cloned().collect()
    }

    fn pane(&self, number: u64) -> std::result::Result<Arc<Pane>, Refusal> {
        let state = self.state();
        state.panes.get(&number).cloned().ok_or_else(|| {
            let known: Vec<String> = state.panes.keys().take(10).map(u64::to_string).collect();
            let known = if known.is_empty() { "none is open".to_owned() } else { known.join(", ") };
            Refusal::new(RefusalKind::Pane, format!("There is no embedded pane {number}."))
                .hint(format!("Open panes: {known}."))
        })
    }

    fn spawn(self: &Arc<Self>, spawn: &WireSpawn) -> std::result::Result<u64, Refusal> {
        let number = {
            let mut state = self.state();
            if state.ending {
                return Err(Refusal::new(RefusalKind::Ending, "The pane host is shutting down."));
            }
            if state.panes.len() >= MAX_PANES {
                return Err(Refusal::new(
                    RefusalKind::Other,
                    format!("There are {MAX_PANES} embedded panes already."),
                )
                .hint("Close some of them."));
            }
            state.last += 1;
            let last = state.last;
            state.starting += 1;
            if let Some(lock) = &mut state.lock
                && let Err(error) = lock.note(last)
            {
                tracing::warn!(%error, "the last pane number could not be stored");
            }
            last
        };
        let workspace = self.folder.parent().unwrap_or(Path::new("/"));
        let host = Arc::clone(self);
        let on_end = move || {
            host.panes_changed.notify_all();
            host.changes.bump();
        };
        let name = format!("{}|{number}", self.name);
        let changes = Arc::clone(&self.changes);
        let started = Pane::start(number, &name, spawn, workspace, self.options, changes, on_end);
        let mut state = self.state();
        state.starting -= 1;
        state.empty_since = Instant::now();
        let started = started.map(|pane| state.panes.insert(number, pane));
        drop(state);
        self.panes_changed.notify_all();
        self.changes.bump();
        started.map(|_| number)
    }

    fn close(&self, number: u64) -> std::result::Result<(), Refusal> {
        let pane = self.pane(number)?;
        pane.hang_up();
        self.remove(number);
        Ok(())
    }

    fn remove(&self, number: u64) {
        let mut state = self.state();
        state.panes.remove(&number);
        if state.panes.is_empty() {
            state.empty_since = Instant::now();
        }
        drop(state);
        self.panes_changed.notify_all();
        self.changes.bump();
    }

    /// Takes ended panes away in time; comes back when the host may end, which it then does.
    fn wait_until_idle(&self) {
        let mut state = self.state();
        loop {
            let keep = self.options.keep_ended;
            let over =
                |pane: &Pane| pane.ended_since().is_some_and(|since| since.elapsed() >= keep);
            let before = state.panes.len();
            state.panes.retain(|_, pane| !over(pane));
            if before > 0 && state.panes.is_empty() {
                state.empty_since = Instant::now();
            }
            if before != state.panes.len() {
                self.changes.bump();
            }
            let next = if state.panes.is_empty() {
                let empty = state.empty_since.elapsed();
                if empty >= self.options.idle && state.starting == 0 {
                    state.ending = true;
                    return;
                }
                Some(self.options.idle.saturating_sub(empty))
            } else {
                let ended = state.panes.values().filter_map(|pane| pane.ended_since());
                ended.map(|since| keep.saturating_sub(since.elapsed())).min()
            };
            state = match next {
                Some(next) => {
                    let next = next.max(Duration::from_millis(10));
                    let waited = self.panes_changed.wait_timeout(state, next);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.panes_changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }
}

/// Counts what happens, and lets others wait for it.
#[derive(Default)]
pub(super) struct Changes {
    count: Mutex<u64>,
    changed: Condvar,
}

impl Changes {
    fn bump(&self) {
        *self.count.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        self.changed.notify_all();
    }

    /// Waits until the count is another one than `seen`.
    fn wait(&self, seen: u64, timeout: Duration) -> u64 {
        let count = self.count.lock().unwrap_or_else(PoisonError::into_inner);
        // Numbers that clients see begin at 1: 0 is always old.
        let waited = self
            .changed
            .wait_timeout_while(count, timeout, |count| count.saturating_add(1) == seen);
        waited.unwrap_or_else(PoisonError::into_inner).0.saturating_add(1)
    }
}
