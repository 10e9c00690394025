//! The stream that log lines go to. Writing to it never blocks the caller.
//!
//! A client may not read standard error, and a write to a full pipe blocks. So each line is written
//! without blocking; what the stream does not accept is queued for a thread that may block, and lines
//! that do not fit into the queue are dropped and counted. The next line that fits is preceded by one
//! that reports how many were dropped. Independent of the content of lines.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::os::fd::{AsFd as _, AsRawFd as _, OwnedFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{FileType, Mode, OFlags};
use rustix::net::SendFlags;

/// Maximum size of the queue: more than 2,000 lines, so that a burst of calls loses none.
const QUEUE_BYTES: usize = 512 << 10;
/// Bytes per write of the thread: a pipe takes this many as a whole or waits.
const CHUNK: usize = 4096;
/// Without progress for this long, the stream counts as unread.
const IDLE: Duration = Duration::from_millis(250);
/// Retry interval of the thread for a descriptor that another process made non-blocking.
const PAUSE: Duration = Duration::from_millis(10);

/// Renders the line that reports dropped lines.
type DescribeLoss = Box<dyn Fn(u64) -> String + Send + Sync>;

/// A stream of log lines; clones share it.
#[derive(Clone)]
pub(super) struct LogStream(Arc<Shared>);

struct Shared {
    output: Output,
    describe_loss: DescribeLoss,
    queue: Mutex<Queue>,
    /// The queue has changed.
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// Unwritten bytes, including those that the thread is writing.
    bytes: VecDeque<u8>,
    /// Lines dropped since the last accepted one.
    dropped: u64,
    /// The writer thread is running.
    draining: bool,
}

impl LogStream {
    pub(super) fn new(
        descriptor: OwnedFd,
        describe_loss: impl Fn(u64) -> String + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new(Shared {
            output: Output::of(descriptor),
            describe_loss: Box::new(describe_loss),
            queue: Mutex::default(),
            changed: Condvar::new(),
        }))
    }

    fn write_line(&self, line: &[u8]) {
        let mut queue = self.0.queue();
        let unwritten = if queue.bytes.is_empty() && queue.dropped == 0 {
            match self.0.output.write_now(line) {
                Ok(written) => &line[written..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => line,
                // The stream is closed.
                Err(_) => return,
            }
        } else {
            line
        };
        if unwritten.is_empty() {
            return;
        }
        // The rest of a line always follows its beginning.
        if unwritten.len() == line.len() && queue.bytes.len() + line.len() > QUEUE_BYTES {
            queue.dropped += 1;
            return;
        }
        self.0.queue_loss(&mut queue);
        queue.bytes.extend(unwritten);
        if !queue.draining {
            queue.draining = true;
            let shared = Arc::clone(&self.0);
            let thread = std::thread::Builder::new().name("log".to_owned());
            if thread.spawn(move || shared.drain()).is_err() {
                queue.draining = false;
            }
        }
        self.0.changed.notify_all();
    }

    /// Waits until everything is written, up to `limit`, and only while the stream is being read.
    pub(super) fn flush_within(&self, limit: Duration) {
        let deadline = Instant::now() + limit;
        let mut queue = self.0.queue();
        while !(queue.bytes.is_empty() && queue.dropped == 0) {
            let left = queue.bytes.len();
            let patience = IDLE.min(deadline.saturating_duration_since(Instant::now()));
            let (next, timeout) = self
                .0
                .changed
                .wait_timeout(queue, patience)
                .unwrap_or_else(PoisonError::into_inner);
            queue = next;
            if timeout.timed_out() && queue.bytes.len() >= left {
                return;
            }
        }
    }
}

impl Write for LogStream {
    /// Accepts one whole line per call.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.write_line(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn queue_loss(&self, queue: &mut Queue) {
        if queue.dropped > 0 {
            queue.bytes.extend((self.describe_loss)(queue.dropped).as_bytes());
            queue.dropped = 0;
        }
    }

    /// Writes the queue to the stream, forever.
    fn drain(&self) {
        let mut chunk = Vec::with_capacity(CHUNK);
        let mut queue = self.queue();
        loop {
            if queue.bytes.is_empty() {
                self.queue_loss(&mut queue);
            }
            if queue.bytes.is_empty() {
                queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            chunk.clear();
            chunk.extend(queue.bytes.iter().take(CHUNK));
            drop(queue);
            let written = self.output.write_waiting(&chunk);
            queue = self.queue();
            match written {
                Ok(()) => drop(queue.bytes.drain(..chunk.len())),
                // The stream is closed.
                Err(_) => {
                    queue.bytes.clear();
                    queue.dropped = 0;
                }
            }
            self.changed.notify_all();
        }
    }
}

/// A descriptor, and how to write to it without blocking.
struct Output {
    descriptor: OwnedFd,
    mode: WriteMode,
}

enum WriteMode {
    /// Files and devices, which never block.
    Plain,
    /// A socket, written to with `MSG_DONTWAIT`.
    Socket,
    /// The same pipe or terminal, reopened as non-blocking. A flag on the original descriptor would
    /// affect every process that shares it.
    Reopened(OwnedFd),
    /// Non-blocking writes are not possible; only the thread writes.
    Waiting,
}

impl Output {
    fn of(descriptor: OwnedFd) -> Self {
        let kind = rustix::fs::fstat(&descriptor).map(|stat| FileType::from_raw_mode(stat.st_mode));
        let mode = match kind {
            Ok(FileType::Socket) => WriteMode::Socket,
            Ok(FileType::RegularFile) => WriteMode::Plain,
            Ok(FileType::CharacterDevice) if !rustix::termios::isatty(&descriptor) => {
                WriteMode::Plain
            }
            _ => reopened(&descriptor).map_or(WriteMode::Waiting, WriteMode::Reopened),
        };
        Self { descriptor, mode }
    }

    /// Writes as much as possible without blocking.
    fn write_now(&self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            let written = match &self.mode {
                WriteMode::Plain => rustix::io::write(&self.descriptor, bytes),
                WriteMode::Socket => {
                    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
                    rustix::net::send(&self.descriptor, bytes, flags)
                }
                WriteMode::Reopened(other) => rustix::io::write(other, bytes),
                WriteMode::Waiting => Err(rustix::io::Errno::AGAIN),
            };
            match written {
                Err(rustix::io::Errno::INTR) => {}
                other => return other.map_err(io::Error::from),
            }
        }
    }

    /// Writes all bytes, blocking as long as necessary.
    fn write_waiting(&self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            match rustix::io::write(&self.descriptor, bytes) {
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(written) => bytes = &bytes[written..],
                Err(rustix::io::Errno::INTR) => {}
                Err(rustix::io::Errno::AGAIN) => std::thread::sleep(PAUSE),
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }
}

/// Only on Linux, where opening `/proc/self/fd` creates a new open file description.
fn reopened(descriptor: &OwnedFd) -> Option<OwnedFd> {
    if !cfg!(target_os = "linux") {
        return None;
    }
    let path = format!("/proc/self/fd/{}", descriptor.as_fd().as_raw_fd());
    let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    rustix::fs::open(path, flags, Mode::empty()).ok()
}

#[cfg(test)]
mod tests;
