//! Standard input and output as asynchronous streams, whatever kind of file they are.
//!
//! Shells and most hosts use FIFOs, hosts written in Node use Unix sockets: both are polled without a
//! thread. Files, terminals and anything else cannot be polled and use a blocking fallback.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::io::Errno;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;

/// Maximum bytes per read.
pub(super) const CHUNK: usize = 64 * 1024;

/// Whether a descriptor can be polled.
fn is_pollable(fd: &OwnedFd) -> io::Result<bool> {
    let kind = FileType::from_raw_mode(fstat(fd)?.st_mode);
    Ok(matches!(kind, FileType::Fifo | FileType::Socket))
}

/// Keeps a descriptor in non-blocking mode. The mode belongs to the open file, which other processes
/// may share, so it is restored on drop.
pub(super) struct NonBlocking {
    fd: OwnedFd,
    before: OFlags,
}

impl NonBlocking {
    fn new(fd: OwnedFd) -> io::Result<Self> {
        let before = fcntl_getfl(&fd)?;
        fcntl_setfl(&fd, before | OFlags::NONBLOCK)?;
        Ok(Self { fd, before })
    }
}

impl Drop for NonBlocking {
    fn drop(&mut self) {
        if !self.before.contains(OFlags::NONBLOCK) {
            // Nothing can be done about a failure here.
            let _ = fcntl_setfl(&self.fd, self.before);
        }
    }
}

/// The input stream.
pub(super) enum Input {
    /// May also be a socket: a pipe receiver polls for reading only, while a `UnixStream` would wake
    /// us for writing too.
    Polled {
        pipe: pipe::Receiver,
        _mode: NonBlocking,
    },
    Thread(mpsc::Receiver<io::Result<Vec<u8>>>),
}

impl Input {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        if !is_pollable(&fd)? {
            return Ok(Self::Thread(spawn_reader(fd)?));
        }
        let mode = NonBlocking::new(fd.try_clone()?)?;
        Ok(Self::Polled { pipe: pipe::Receiver::from_owned_fd_unchecked(fd)?, _mode: mode })
    }

    /// Appends available bytes to `buffer`; 0 means end of input. Cancel-safe.
    pub(super) async fn read(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        buffer.reserve(CHUNK);
        match self {
            Self::Polled { pipe, .. } => pipe.read_buf(buffer).await,
            Self::Thread(chunks) => match chunks.recv().await {
                None => Ok(0),
                Some(Err(error)) => Err(error),
                Some(Ok(chunk)) => {
                    buffer.extend_from_slice(&chunk);
                    Ok(chunk.len())
                }
            },
        }
    }
}

/// Uses its own thread instead of the runtime's blocking pool: it may be blocked in `read` when the
/// server exits, and must not delay that.
fn spawn_reader(fd: OwnedFd) -> io::Result<mpsc::Receiver<io::Result<Vec<u8>>>> {
    let (chunks, received) = mpsc::channel(4);
    std::thread::Builder::new().name("stdin".to_owned()).spawn(move || {
        loop {
            let mut chunk = Vec::with_capacity(CHUNK);
            let read = match rustix::io::read(&fd, spare_capacity(&mut chunk)) {
                Ok(0) => return,
                Ok(_) => Ok(chunk),
                Err(Errno::INTR) => continue,
                Err(error) => Err(io::Error::from(error)),
            };
            let failed = read.is_err();
            if chunks.blocking_send(read).is_err() || failed {
                return;
            }
        }
    })?;
    Ok(received)
}

/// The output stream.
pub(super) enum Output {
    Polled(NonBlocking),
    Blocking(OwnedFd),
}

impl Output {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        Ok(if is_pollable(&fd)? { Self::Polled(NonBlocking::new(fd)?) } else { Self::Blocking(fd) })
    }

    /// Writes until done or the descriptor would block; returns the bytes written and the error that
    /// stopped it. `None` for a blocking descriptor.
    pub(super) fn write_now(&self, bytes: &[u8]) -> Option<(usize, Option<Errno>)> {
        match self {
            Self::Polled(mode) => Some(write_some(&mode.fd, bytes)),
            Self::Blocking(_) => None,
        }
    }

    /// Resolves when the descriptor may be writable. Registered only while waiting: a socket becomes
    /// writable with every answer that the client reads, and would wake us each time.
    pub(super) async fn writable(&self) -> io::Result<()> {
        if let Self::Polled(mode) = self {
            let polled = pipe::Sender::from_owned_fd_unchecked(mode.fd.try_clone()?)?;
            polled.writable().await?;
        }
        Ok(())
    }

    /// Writes once.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Polled(mode) => Ok(rustix::io::write(&mode.fd, bytes)?),
            Self::Blocking(_) => Err(io::ErrorKind::WouldBlock.into()),
        }
    }
}

/// Writes until done or an error occurs; returns the bytes written and the error.
pub(super) fn write_some(fd: impl AsFd, bytes: &[u8]) -> (usize, Option<Errno>) {
    let mut written = 0;
    while written < bytes.len() {
        match rustix::io::write(&fd, &bytes[written..]) {
            Ok(count) => written += count,
            Err(Errno::INTR) => {}
            Err(error) => return (written, Some(error)),
        }
    }
    (written, None)
}
