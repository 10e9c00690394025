//! What a connection is doing and since when, and how long it may.
//!
//! The stream reports what it reads and writes ([`Watched`]), the service when a request has come and
//! when its answer has gone. [`Activity::overdue`] resolves when something takes too long.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::sync::Notify;
use tokio::time::Instant;

use super::options::HttpOptions;

/// How long a connection may do what.
#[derive(Debug, Clone, Copy)]
pub(super) struct Deadlines {
    /// Send the head of a request.
    pub(super) head: Duration,
    /// Stay idle between two requests.
    pub(super) idle: Duration,
    /// Accept nothing of what the server sends.
    pub(super) write: Duration,
}

impl Deadlines {
    pub(super) fn new(options: &HttpOptions) -> Self {
        Self {
            head: options.head_timeout,
            idle: options.idle_timeout,
            write: options.write_timeout,
        }
    }
}

/// What takes too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Overdue {
    Head,
    Idle,
    Write,
    /// Its place is needed for another connection.
    Displaced,
}

/// Waiting for the head of a request, or for the rest of it.
const HEAD: u64 = 0;
/// Between two requests.
const IDLE: u64 = 1;
/// A request is being answered.
const BUSY: u64 = 2;

/// The state of one connection.
pub(super) struct Activity {
    opened: Instant,
    /// Milliseconds since it was opened, times four, plus what it has been doing since.
    doing: AtomicU64,
    /// Milliseconds since it was opened, plus one, at which the client stopped reading; 0 if it reads.
    blocked: AtomicU64,
    displaced: Notify,
}

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            opened: Instant::now(),
            doing: AtomicU64::new(HEAD),
            blocked: AtomicU64::new(0),
            displaced: Notify::new(),
        })
    }

    /// The head of a request is complete.
    pub(super) fn answering(&self) {
        self.set_at(self.now(), BUSY);
    }

    /// The answer is complete.
    pub(super) fn answered(&self) {
        self.set_at(self.now(), IDLE);
    }

    /// Since when it has been waiting for a request; `None` while it answers one.
    pub(super) fn waiting_since(&self) -> Option<Instant> {
        let (doing, since) = self.doing();
        (doing != BUSY).then_some(since)
    }

    /// Ends the connection, because its place is needed.
    pub(super) fn displace(&self) {
        self.displaced.notify_one();
    }

    /// Resolves when it takes too long, or is displaced.
    pub(super) async fn overdue(&self, deadlines: Deadlines) -> Overdue {
        // What begins while this sleeps may have an earlier deadline, but none within this time.
        let shortest = deadlines.head.min(deadlines.idle).min(deadlines.write);
        loop {
            let now = Instant::now();
            let next = match self.next_deadline(deadlines) {
                Some((at, what)) if at <= now => return what,
                Some((at, _)) => at.min(now + shortest),
                None => now + shortest,
            };
            tokio::select! {
                () = tokio::time::sleep_until(next) => {}
                () = self.displaced.notified() => return Overdue::Displaced,
            }
        }
    }

    fn next_deadline(&self, deadlines: Deadlines) -> Option<(Instant, Overdue)> {
        let (doing, since) = self.doing();
        let waiting = match doing {
            HEAD => Some((since + deadlines.head, Overdue::Head)),
            IDLE => Some((since + deadlines.idle, Overdue::Idle)),
            _ => None,
        };
        let blocked = self.blocked.load(Ordering::Relaxed).checked_sub(1);
        let blocked = blocked.map(|at| (self.at(at) + deadlines.write, Overdue::Write));
        [waiting, blocked].into_iter().flatten().min_by_key(|(at, _)| *at)
    }

    fn received(&self) {
        self.received_at(self.now());
    }

    fn received_at(&self, millis: u64) {
        // Only the first byte of a head begins it.
        if self.doing.load(Ordering::Relaxed) & 3 == IDLE {
            self.set_at(millis, HEAD);
        }
    }

    fn wrote(&self, ready: bool) {
        if !ready {
            self.blocked_at(self.now());
        } else if self.blocked.load(Ordering::Relaxed) != 0 {
            self.blocked.store(0, Ordering::Relaxed);
        }
    }

    fn blocked_at(&self, millis: u64) {
        // The first attempt that failed counts.
        let now = millis + 1;
        let _ = self.blocked.compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed);
    }

    fn set_at(&self, millis: u64, doing: u64) {
        self.doing.store(millis << 2 | doing, Ordering::Relaxed);
    }

    fn doing(&self) -> (u64, Instant) {
        let doing = self.doing.load(Ordering::Relaxed);
        (doing & 3, self.at(doing >> 2))
    }

    fn at(&self, millis: u64) -> Instant {
        self.opened + Duration::from_millis(millis)
    }

    fn now(&self) -> u64 {
        u64::try_from(self.opened.elapsed().as_millis()).unwrap_or(u64::MAX >> 3)
    }
}

/// A stream that reports what it reads and writes.
pub(super) struct Watched<S> {
    pub(super) stream: S,
    pub(super) activity: Arc<Activity>,
}

impl<S: AsyncRead + Unpin> AsyncRead for Watched<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(context, buffer);
        if buffer.filled().len() > before {
            self.activity.received();
        }
        read
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for Watched<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.activity.wrote(written.is_ready());
        written
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(context, slices);
        self.activity.wrote(written.is_ready());
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEADLINES: Deadlines = Deadlines {
        head: Duration::from_secs(30),
        idle: Duration::from_secs(75),
        write: Duration::from_secs(20),
    };

    /// What ends the connection, and how many seconds after it was opened.
    fn end(activity: &Activity) -> Option<(Overdue, u64)> {
        let (at, what) = activity.next_deadline(DEADLINES)?;
        Some((what, (at - activity.opened).as_secs()))
    }

    #[test]
    fn each_activity_has_its_own_deadline() {
        let activity = Activity::new();
        assert_eq!(end(&activity), Some((Overdue::Head, 30)));
        activity.set_at(100_000, IDLE);
        assert_eq!(end(&activity), Some((Overdue::Idle, 175)));
        activity.received_at(170_000);
        activity.received_at(190_000);
        assert_eq!(end(&activity), Some((Overdue::Head, 200)), "since the first byte");
        activity.answering();
        assert_eq!((end(&activity), activity.waiting_since()), (None, None));
        activity.blocked_at(300_000);
        activity.blocked_at(310_000);
        assert_eq!(end(&activity), Some((Overdue::Write, 320)), "since the first failure");
        activity.wrote(true);
        assert_eq!(end(&activity), None);
    }

    #[tokio::test]
    async fn what_is_displaced_ends_at_once() {
        let activity = Activity::new();
        activity.answering();
        activity.displace();
        assert_eq!(activity.overdue(DEADLINES).await, Overdue::Displaced);
    }

    #[tokio::test]
    async fn what_begins_while_it_sleeps_is_not_missed() {
        let activity = Activity::new();
        activity.answering();
        let brief = Deadlines { head: Duration::from_millis(20), ..DEADLINES };
        let other = activity.clone();
        let watching = tokio::spawn(async move { other.overdue(brief).await });
        tokio::task::yield_now().await;
        activity.answered();
        activity.received();
        assert_eq!(watching.await.unwrap(), Overdue::Head);
    }
}
