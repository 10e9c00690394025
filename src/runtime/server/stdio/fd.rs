//! The two ends of standard input and output, whatever they are.
//!
//! Shells and most hosts hand over FIFOs, hosts written in Node unix sockets: both are polled
//! without a thread. Files, terminals and anything else cannot be polled and get a blocking
//! fallback.

use std::io;
use std::os::fd::{AsFd, OwnedFd};

use rustix::buffer::spare_capacity;
use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::io::Errno;
use tokio::io::AsyncReadExt as _;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;

/// Most read at once.
pub(super) const CHUNK: usize = 64 * 1024;

/// Whether a descriptor can be polled.
fn is_pollable(fd: &OwnedFd) -> io::Result<bool> {
    let kind = FileType::from_raw_mode(fstat(fd)?.st_mode);
    Ok(matches!(kind, FileType::Fifo | FileType::Socket))
}

/// Puts a descriptor into non-blocking mode for as long as this lives. The mode belongs to the
/// open file, which other processes may share, so the old one comes back at the end.
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
            // Nothing can be done about a failure, and nobody is left to tell.
            let _ = fcntl_setfl(&self.fd, self.before);
        }
    }
}

/// Where lines come from.
pub(super) enum Input {
    /// The pipe may be a socket as well: it only stands for reading alone, and a `UnixStream`
    /// would wake us for writing too.
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

    /// Appends what is there to `buffer`; 0 is the end. Can be dropped while it waits.
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

/// A thread of its own, not one of the runtime's: it may sit in `read` when the server ends, and
/// must not keep it from ending.
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

/// Where messages go.
pub(super) enum Output {
    Polled(NonBlocking),
    Blocking(OwnedFd),
}

impl Output {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        Ok(if is_pollable(&fd)? { Self::Polled(NonBlocking::new(fd)?) } else { Self::Blocking(fd) })
    }

    /// Writes until done or the descriptor takes no more for now; how much went out, and the
    /// error that stopped it. `None` where writing would block.
    pub(super) fn write_now(&self, bytes: &[u8]) -> Option<(usize, Option<Errno>)> {
        match self {
            Self::Polled(mode) => Some(write_some(&mode.fd, bytes)),
            Self::Blocking(_) => None,
        }
    }

    /// Resolves when the descriptor may take more. Polled only now and not all the time: a socket
    /// becomes writable with every answer that the client takes, and would wake us each time.
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

/// Writes until done, would block, or broken; how much went out, and the error that stopped it.
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
