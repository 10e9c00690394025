//! One pane: a program in a pseudo-terminal, the emulator that reads it, and its log.
//!
//! Two threads: one reads the pseudo-terminal, one runs the emulator. Both sleep while the program
//! is silent. Clients only ever wait for the emulator's lock, never for a program.

use std::io::Read;
use std::path::Path;
use std::process::Child;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use portable_pty::MasterPty;
use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use super::inbox::{Inbox, TakeOutcome};
use super::input::Input;
use super::launch::{DEFAULT_SIZE, check_size, command, pty_size};
use super::{Changes, Options, process};
use crate::embedded::term::{Limit, Ring, Terminal};
use crate::embedded::wire::{Refusal, RefusalKind, WireSpawn};
use crate::model::{BackendKind, PaneRow};
use crate::mux::Output;

/// The emulator's lock is released after so many bytes.
const SLICE: usize = 256 << 10;
/// Rows that are painted over again and again are checked when the program is quiet for so long,
const QUIET: Duration = Duration::from_millis(250);
/// or when they have waited for so long.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// Time for a program to end after SIGHUP.
const GRACE: Duration = Duration::from_secs(2);
const READER_STACK: usize = 256 << 10;
const EMULATOR_STACK: usize = 1 << 20;

pub(super) struct Pane {
    number: u64,
    identity: String,
    tty: Option<String>,
    pid: u32,
    title: Option<String>,
    program: String,
    master: Mutex<Box<dyn MasterPty + Send>>,
    input: Input,
    terminal: Mutex<Terminal>,
    /// Clients that wait for the terminal.
    wanted: AtomicUsize,
    log: Mutex<Ring>,
    activity: AtomicU64,
    ended: Mutex<Option<Ended>>,
}

#[derive(Debug, Clone, Copy)]
struct Ended {
    status: Option<i32>,
    since: Instant,
}

impl Pane {
    /// Starts a program. `on_end` is called when it has ended and everything it said is read.
    pub(super) fn start(
        number: u64,
        name: &str,
        spawn: &WireSpawn,
        workspace: &Path,
        options: Options,
        changes: Arc<Changes>,
        on_end: impl FnOnce() + Send + 'static,
    ) -> Result<Arc<Self>, Refusal> {
        let size = spawn.size.unwrap_or(DEFAULT_SIZE);
        check_size(size)?;
        let command = command(spawn, workspace)?;
        let program = match spawn.command.first() {
            Some(program) => program.clone(),
            None => command.get_shell(),
        };
        let start_failed = |error: &dyn std::fmt::Display| {
            Refusal::new(RefusalKind::Other, format!("`{program}` cannot be started: {error}."))
        };
        let system = portable_pty::native_pty_system();
        let pty = system.openpty(pty_size(size)).map_err(|error| start_failed(&error))?;
        let reader = pty.master.try_clone_reader().map_err(|error| start_failed(&error))?;
        let writer = pty.master.take_writer().map_err(|error| start_failed(&error))?;
        let child = pty.slave.spawn_command(command).map_err(|error| {
            let cause = error.root_cause().to_string();
            Refusal::new(RefusalKind::Arguments, format!("`{program}` cannot be started: {cause}"))
                .hint("Check `command`: the program must exist on the PATH of the pane host.")
        })?;
        drop(pty.slave);
        let child: Box<dyn portable_pty::Child> = child;
        let child = child.downcast::<Child>().map_err(|_| start_failed(&"it has no process"))?;
        let pid = child.id();
        let pane = Arc::new(Self {
            number,
            identity: format!("{name}|{pid}|{}", process::start(pid)),
            tty: pty.master.tty_name().map(|tty| tty.to_string_lossy().into_owned()),
            pid,
            title: spawn.title.clone(),
            program: program.rsplit('/').next().unwrap_or_default().to_owned(),
            master: Mutex::new(pty.master),
            input: Input::new(writer),
            terminal: Mutex::new(Terminal::new(size, options.scrollback)),
            wanted: AtomicUsize::new(0),
            log: Mutex::new(Ring::new(Limit::Bytes(options.log_bytes))),
            activity: AtomicU64::new(0),
            ended: Mutex::new(None),
        });
        pane.run(reader, *child, changes, on_end).map_err(|error| start_failed(&error))?;
        Ok(pane)
    }

    fn run(
        self: &Arc<Self>,
        mut reader: Box<dyn Read + Send>,
        child: Child,
        changes: Arc<Changes>,
        on_end: impl FnOnce() + Send + 'static,
    ) -> std::io::Result<()> {
        let inbox = Arc::new(Inbox::default());
        let filled = Arc::clone(&inbox);
        let pane = Arc::clone(self);
        std::thread::Builder::new()
            .name(format!("emulator {}", self.number))
            .stack_size(EMULATOR_STACK)
            .spawn(move || {
                pane.emulate(&inbox, &changes);
                pane.end(child);
                on_end();
            })?;
        std::thread::Builder::new()
            .name(format!("reader {}", self.number))
            .stack_size(READER_STACK)
            .spawn(move || {
                let mut bytes = vec![0; 64 << 10];
                loop {
                    match reader.read(&mut bytes) {
                        Ok(0) => break,
                        Ok(count) => filled.put(&bytes[..count]),
                        Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                        Err(error) => {
                            tracing::debug!(%error, "a pane can no longer be read");
                            break;
                        }
                    }
                }
                filled.end();
            })?;
        Ok(())
    }

    /// Reads what the program prints until it prints no more.
    fn emulate(&self, inbox: &Inbox, changes: &Changes) {
        let mut bytes = vec![];
        let mut repainting: Option<Instant> = None;
        loop {
            let patience =
                repainting.map(|since| QUIET.min(LONGEST_WAIT.saturating_sub(since.elapsed())));
            match inbox.take(&mut bytes, patience) {
                TakeOutcome::End => return,
                TakeOutcome::Nothing => {
                    let mut terminal = self.terminal();
                    terminal.settle();
                    self.keep(&mut terminal);
                    repainting = None;
                }
                TakeOutcome::Bytes => {
                    for slice in bytes.chunks(SLICE) {
                        self.let_clients_in();
                        let mut terminal = self.terminal();
                        terminal.process(slice);
                        self.keep(&mut terminal);
                        let waits = terminal.waits();
                        drop(terminal);
                        repainting = waits.then(|| repainting.unwrap_or_else(Instant::now));
                        self.activity.fetch_add(slice.len() as u64, Ordering::Relaxed);
                    }
                }
            }
            changes.bump();
        }
    }

    /// Clients come before the next slice, else a program that prints without end shuts them out.
    fn let_clients_in(&self) {
        for _ in 0..50 {
            if self.wanted.load(Ordering::Acquire) == 0 {
                return;
            }
            std::thread::sleep(Duration::from_micros(100));
        }
    }

    /// Puts complete lines into the log, and answers into the program.
    fn keep(&self, terminal: &mut Terminal) {
        let lines = terminal.take_lines();
        if !lines.is_empty() {
            self.log.lock().unwrap_or_else(PoisonError::into_inner).append(&lines);
        }
        // A program that asks without reading the answers gets none any more.
        let _ = self.input.put(terminal.take_answers());
    }

    fn end(&self, mut child: Child) {
        {
            let mut terminal = self.terminal();
            terminal.end();
            self.keep(&mut terminal);
        }
        let status = child.wait().ok().and_then(|status| {
            use std::os::unix::process::ExitStatusExt as _;
            status.code().or_else(|| status.signal().map(|signal| 128 + signal))
        });
        let ended = Ended { status, since: Instant::now() };
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner) = Some(ended);
    }

    fn terminal(&self) -> MutexGuard<'_, Terminal> {
        self.terminal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `look` on the terminal for a client.
    pub(super) fn with_terminal<T>(&self, look: impl FnOnce(&mut Terminal) -> T) -> T {
        self.wanted.fetch_add(1, Ordering::AcqRel);
        let mut terminal = self.terminal();
        self.wanted.fetch_sub(1, Ordering::AcqRel);
        look(&mut terminal)
    }

    pub(super) fn output(&self, mark: u64, max_bytes: usize) -> Output {
        self.log.lock().unwrap_or_else(PoisonError::into_inner).read(mark, max_bytes)
    }

    fn ended(&self) -> Option<Ended> {
        *self.ended.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn ended_since(&self) -> Option<Instant> {
        self.ended().map(|ended| ended.since)
    }

    /// Exit status, once the program has ended.
    pub(super) fn status(&self) -> Option<Option<i32>> {
        self.ended().map(|ended| ended.status)
    }

    pub(super) fn row(&self) -> PaneRow {
        let number = self.number;
        // Before the screen: what comes in between is new to the next reader.
        let activity = self.activity.load(Ordering::Relaxed);
        let dead = self.status();
        let told_by_process = if dead.is_none() { process::folder(self.pid) } else { None };
        self.with_terminal(|terminal| {
            let screen = terminal.screen();
            let (rows, columns) = screen.size();
            let (row, column) = terminal.cursor();
            let title = terminal.title().map(str::to_owned);
            let cwd = terminal.folder().map(Path::to_owned).or(told_by_process);
            PaneRow {
                pane_id: number,
                native_id: number,
                backend: BackendKind::Embedded,
                identity: self.identity.clone(),
                tab_id: number,
                window_id: 0,
                domain: "embedded".to_owned(),
                title: title.or_else(|| self.title.clone()).or(Some(self.program.clone())),
                cwd: cwd.map(|cwd| cwd.to_string_lossy().into_owned()),
                cursor: Some((row.into(), column.into())),
                size: Some((columns.get().into(), rows.get().into())),
                is_active: true,
                tty: self.tty.clone(),
                root_pid: Some(self.pid),
                alt_screen: Some(screen.alternate_screen()),
                bracketed_paste: Some(screen.bracketed_paste()),
                activity: Some(activity),
                dead,
            }
        })
    }

    /// Types bytes into the program.
    pub(super) fn write(&self, bytes: Vec<u8>) -> Result<(), Refusal> {
        let number = self.number;
        if let Some(status) = self.status() {
            let status =
                status.map_or("unknown status".to_owned(), |code| format!("status {code}"));
            let message = format!("Pane {number} has ended with {status}.");
            return Err(Refusal::new(RefusalKind::Pane, message));
        }
        self.input.put(bytes).map_err(|waiting| {
            let message = format!(
                "The program in pane {number} does not read its input: {waiting} bytes are queued."
            );
            Refusal::new(RefusalKind::Other, message)
                .hint("Wait until it reads, or close the pane.")
        })
    }

    /// Pastes, bracketed where the program asked for that.
    pub(super) fn paste(&self, text: &[u8]) -> Result<(), Refusal> {
        const BEGIN: &[u8] = b"\x1b[200~";
        const END: &[u8] = b"\x1b[201~";
        if !self.with_terminal(|terminal| terminal.screen().bracketed_paste()) {
            return self.write(text.to_vec());
        }
        // Text that brought its own end along could type commands behind it.
        let mut bytes = BEGIN.to_vec();
        let mut rest = text;
        while let Some(at) = rest.windows(END.len()).position(|window| window == END) {
            bytes.extend_from_slice(&rest[..at]);
            rest = &rest[at + END.len()..];
        }
        bytes.extend_from_slice(rest);
        bytes.extend_from_slice(END);
        self.write(bytes)
    }

    pub(super) fn resize(&self, size: (u16, u16)) -> Result<(), Refusal> {
        check_size(size)?;
        self.with_terminal(|terminal| {
            terminal.resize(size);
            self.keep(terminal);
        });
        let master = self.master.lock().unwrap_or_else(PoisonError::into_inner);
        master.resize(pty_size(size)).map_err(|error| {
            let number = self.number;
            Refusal::new(RefusalKind::Other, format!("Pane {number} cannot be resized: {error}."))
        })
    }

    /// Hangs up the program's terminal, and kills the program if it does not end.
    pub(super) fn hang_up(self: &Arc<Self>) {
        if self.status().is_some() {
            return;
        }
        let front = {
            let master = self.master.lock().unwrap_or_else(PoisonError::into_inner);
            master.process_group_leader()
        };
        let root = i32::try_from(self.pid).ok();
        for group in [front, root].into_iter().flatten().filter_map(Pid::from_raw) {
            let _ = kill_process_group(group, Signal::HUP);
            let _ = kill_process_group(group, Signal::CONT);
        }
        let pane = Arc::clone(self);
        let wait = move || {
            let told = Instant::now();
            while pane.status().is_none() {
                if told.elapsed() >= GRACE {
                    // The leader's end takes the terminal from everybody else in it.
                    if let Some(root) = root.and_then(Pid::from_raw) {
                        let _ = kill_process(root, Signal::KILL);
                    }
                    return;
                }
                std::thread::sleep(Duration::from_millis(20));
            }
        };
        if let Err(error) = std::thread::Builder::new().stack_size(READER_STACK).spawn(wait) {
            tracing::warn!(%error, "a closed pane may remain");
        }
    }
}
