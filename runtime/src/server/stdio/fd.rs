//! The two ends of standard input and output, whatever they are.
//!
//! Shells and most hosts hand over FIFOs, hosts written in Node unix sockets: both are polled
//! without a thread. Files, terminals and anything else cannot be polled and get a blocking
//! fallback.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as StdUnixStream;

use rustix::fs::{FileType, OFlags, fcntl_getfl, fcntl_setfl, fstat};
use rustix::io::Errno;
use tokio::io::AsyncReadExt as _;
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::sync::mpsc;

/// Most read at once.
pub(super) const CHUNK: usize = 64 * 1024;

/// What a descriptor is, as far as polling goes.
enum Kind {
    Fifo,
    Socket,
    Other,
}

fn kind(fd: &OwnedFd) -> io::Result<Kind> {
    Ok(match FileType::from_raw_mode(fstat(fd)?.st_mode) {
        FileType::Fifo => Kind::Fifo,
        FileType::Socket => Kind::Socket,
        _ => Kind::Other,
    })
}

/// Puts a descriptor into non-blocking mode for as long as this lives. The mode belongs to the
/// open file, which other processes may share, so the old one comes back at the end.
struct NonBlocking {
    fd: OwnedFd,
    before: OFlags,
}

impl NonBlocking {
    fn new(fd: &OwnedFd) -> io::Result<Self> {
        let before = fcntl_getfl(fd)?;
        fcntl_setfl(fd, before | OFlags::NONBLOCK)?;
        Ok(Self { fd: fd.try_clone()?, before })
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

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    UnixStream::from_std(StdUnixStream::from(fd))
}

/// Something polled, and the mode it needs for that.
pub(super) struct Polled<T> {
    io: T,
    _mode: NonBlocking,
}

impl<T> Polled<T> {
    fn new(fd: OwnedFd, open: impl FnOnce(OwnedFd) -> io::Result<T>) -> io::Result<Self> {
        let mode = NonBlocking::new(&fd)?;
        Ok(Self { io: open(fd)?, _mode: mode })
    }
}

/// Where lines come from.
pub(super) enum Input {
    Fifo(Polled<pipe::Receiver>),
    Socket(Polled<UnixStream>),
    Thread(mpsc::Receiver<io::Result<Vec<u8>>>),
}

impl Input {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        Ok(match kind(&fd)? {
            Kind::Fifo => Self::Fifo(Polled::new(fd, pipe::Receiver::from_owned_fd)?),
            Kind::Socket => Self::Socket(Polled::new(fd, socket)?),
            Kind::Other => Self::Thread(spawn_reader(fd)?),
        })
    }

    /// Appends what is there to `buffer`; 0 is the end. Can be dropped while it waits.
    pub(super) async fn read(&mut self, buffer: &mut Vec<u8>) -> io::Result<usize> {
        buffer.reserve(CHUNK);
        match self {
            Self::Fifo(fifo) => fifo.io.read_buf(buffer).await,
            Self::Socket(socket) => socket.io.read_buf(buffer).await,
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
            let read = match rustix::io::read(&fd, rustix::buffer::spare_capacity(&mut chunk)) {
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
    Fifo(Polled<pipe::Sender>),
    Socket(Polled<UnixStream>),
    Blocking(OwnedFd),
}

impl Output {
    pub(super) fn new(fd: OwnedFd) -> io::Result<Self> {
        Ok(match kind(&fd)? {
            Kind::Fifo => Self::Fifo(Polled::new(fd, pipe::Sender::from_owned_fd)?),
            Kind::Socket => Self::Socket(Polled::new(fd, socket)?),
            Kind::Other => Self::Blocking(fd),
        })
    }

    /// Writes until done or the descriptor takes no more for now; how much went out, and the
    /// error that stopped it. `None` where writing would block.
    pub(super) fn write_now(&self, bytes: &[u8]) -> Option<(usize, Option<Errno>)> {
        match self {
            Self::Fifo(fifo) => Some(write_some(&fifo.io, bytes)),
            Self::Socket(socket) => Some(write_some(&socket.io, bytes)),
            Self::Blocking(_) => None,
        }
    }

    /// Resolves when the descriptor may take more.
    pub(super) async fn writable(&self) -> io::Result<()> {
        match self {
            Self::Fifo(fifo) => fifo.io.writable().await,
            Self::Socket(socket) => socket.io.writable().await,
            Self::Blocking(_) => Ok(()),
        }
    }

    /// Writes once through the runtime, which so learns whether the descriptor is full.
    pub(super) fn try_write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Fifo(fifo) => fifo.io.try_write(bytes),
            Self::Socket(socket) => socket.io.try_write(bytes),
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
