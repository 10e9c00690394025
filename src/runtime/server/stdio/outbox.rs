//! The output buffer.
//!
//! All messages are appended to one buffer, which is written when the transport is about to wait, or
//! by a writer task when the client is slow. If the client does not read, the buffer fills up and
//! the transport stops reading.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::io::Errno;
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::fd::{Output, write_some};

/// Above this nothing more is read from the client.
const FULL: usize = 4 * 1024 * 1024;
/// A larger buffer is shrunk when it is empty.
const MAX_IDLE_BUFFER: usize = 256 * 1024;

/// Shared by the transport, its calls and the writer task.
pub(super) struct Outbox {
    pending: Mutex<Pending>,
    output: Output,
    work: Notify,
    room: Notify,
    /// Cancelled when the client no longer reads.
    gone: CancellationToken,
}

#[derive(Default)]
struct Pending {
    bytes: Vec<u8>,
    /// How much of `bytes` is already written.
    written: usize,
    /// A blocking write is under way with bytes taken from here.
    taken: bool,
    /// The client has closed its end; appended messages are dropped.
    broken: bool,
}

impl Pending {
    fn len(&self) -> usize {
        self.bytes.len() - self.written
    }

    fn is_done(&self) -> bool {
        self.broken || (self.len() == 0 && !self.taken)
    }

    fn advance(&mut self, count: usize) {
        self.written += count;
        if self.len() == 0 {
            self.reset();
        } else if self.written > MAX_IDLE_BUFFER && self.written > self.len() {
            // Or the buffer would grow for as long as the client is never quite done.
            self.bytes.drain(..self.written);
            self.written = 0;
        }
    }

    fn reset(&mut self) {
        self.bytes.clear();
        self.bytes.shrink_to(MAX_IDLE_BUFFER);
        self.written = 0;
    }
}

impl Outbox {
    pub(super) fn new(fd: OwnedFd, gone: CancellationToken) -> io::Result<Arc<Self>> {
        Ok(Arc::new(Self {
            pending: Mutex::default(),
            output: Output::new(fd)?,
            work: Notify::new(),
            room: Notify::new(),
            gone,
        }))
    }

    /// Appends whole messages, without flushing.
    pub(super) fn append(&self, write: impl FnOnce(&mut Vec<u8>)) {
        let mut pending = self.pending();
        if !pending.broken {
            write(&mut pending.bytes);
        }
    }

    /// Lets the writer task flush, after other ready tasks have run.
    pub(super) fn flush_soon(&self) {
        self.work.notify_one();
    }

    /// Writes without blocking, and leaves the rest to the writer task.
    pub(super) fn flush(&self) {
        let mut pending = self.pending();
        if pending.len() == 0 {
            return;
        }
        match self.output.write_now(&pending.bytes[pending.written..]) {
            Some((count, None)) => {
                pending.advance(count);
                drop(pending);
                self.room.notify_waiters();
            }
            Some((count, Some(Errno::AGAIN))) => {
                pending.advance(count);
                self.work.notify_one();
            }
            Some((_, Some(error))) => {
                drop(pending);
                self.fail(&error.into());
            }
            None => self.work.notify_one(),
        }
    }

    /// The client must read before more input is accepted.
    pub(super) fn is_full(&self) -> bool {
        self.pending().len() > FULL
    }

    /// Resolves when the buffer is below its limit.
    pub(super) async fn has_room(&self) {
        self.until(|pending| pending.len() <= FULL).await;
    }

    /// Resolves when everything is written, or never can be.
    pub(super) async fn drained(&self) {
        self.flush();
        self.until(Pending::is_done).await;
    }

    /// The writer task.
    pub(super) async fn run(self: Arc<Self>) {
        while !self.pending().broken {
            self.work.notified().await;
            match &self.output {
                Output::Blocking(fd) => self.write_blocking(fd).await,
                polled => self.write_polled(polled).await,
            }
        }
    }

    async fn write_polled(&self, output: &Output) {
        self.flush();
        while self.pending().len() > 0 {
            if let Err(error) = output.writable().await {
                return self.fail(&error);
            }
            let mut pending = self.pending();
            match output.try_write(&pending.bytes[pending.written..]) {
                Ok(count) => {
                    pending.advance(count);
                    drop(pending);
                    self.room.notify_waiters();
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) => {
                    drop(pending);
                    return self.fail(&error);
                }
            }
        }
    }

    async fn write_blocking(&self, fd: &OwnedFd) {
        loop {
            let bytes = {
                let mut pending = self.pending();
                pending.taken = !pending.bytes.is_empty();
                std::mem::take(&mut pending.bytes)
            };
            self.room.notify_waiters();
            if bytes.is_empty() {
                return;
            }
            let written = match fd.try_clone() {
                Ok(fd) => tokio::task::spawn_blocking(move || write_some(fd, &bytes).1).await,
                Err(error) => return self.fail(&error),
            };
            if !matches!(written, Ok(None)) {
                let error = written.ok().flatten().map_or(io::ErrorKind::Other.into(), Into::into);
                return self.fail(&error);
            }
        }
    }

    fn fail(&self, error: &io::Error) {
        if error.kind() == io::ErrorKind::BrokenPipe {
            tracing::debug!("the client has closed its end");
        } else {
            tracing::warn!(%error, "cannot write to the client");
        }
        self.gone.cancel();
        let mut pending = self.pending();
        pending.taken = false;
        pending.broken = true;
        pending.reset();
        drop(pending);
        self.room.notify_waiters();
    }

    async fn until(&self, condition: impl Fn(&Pending) -> bool) {
        loop {
            let mut changed = std::pin::pin!(self.room.notified());
            changed.as_mut().enable();
            if condition(&self.pending()) {
                return;
            }
            changed.await;
        }
    }

    fn pending(&self) -> MutexGuard<'_, Pending> {
        self.pending.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_that_never_empties_does_not_grow() {
        let mut pending = Pending::default();
        let message = [b'x'; 1024];
        pending.bytes.extend_from_slice(&message);
        for _ in 0..100_000 {
            pending.bytes.extend_from_slice(&message);
            pending.advance(message.len());
        }
        assert_eq!(pending.len(), message.len());
        assert!(pending.bytes.capacity() < 4 * MAX_IDLE_BUFFER, "{}", pending.bytes.capacity());
    }
}
