//! Time, randomness and ids, injected so that answers can be reproduced.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;

/// A source of time.
pub trait Clock: Send + Sync {
    /// Now, UTC.
    fn now(&self) -> Timestamp;
    /// Monotonic nanoseconds from an arbitrary start, for durations.
    fn ticks(&self) -> u64;
}

/// A source of random bytes.
pub trait Ids: Send + Sync {
    /// Fills `bytes` with unpredictable bytes.
    fn fill(&self, bytes: &mut [u8]);

    /// `bytes` random bytes as lower-case hex.
    fn hex(&self, bytes: usize) -> String {
        let mut raw = vec![0; bytes];
        self.fill(&mut raw);
        crate::digest::hex(&raw)
    }
}

/// The machine's clock.
#[derive(Debug)]
pub struct SystemClock {
    start: std::time::Instant,
}

impl Default for SystemClock {
    fn default() -> Self {
        Self { start: std::time::Instant::now() }
    }
}

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn ticks(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_nanos()).unwrap_or(u64::MAX)
    }
}

/// The operating system's random bytes.
#[derive(Debug, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn fill(&self, bytes: &mut [u8]) {
        let mut filled = 0;
        while filled < bytes.len() {
            match rustix::rand::getrandom(
                &mut bytes[filled..],
                rustix::rand::GetRandomFlags::empty(),
            ) {
                Ok(count) => filled += count,
                Err(rustix::io::Errno::INTR) => {}
                // Without entropy no token may be issued; stopping is the only safe answer.
                Err(_) => std::process::abort(),
            }
        }
    }
}

/// A clock that tests set.
#[derive(Debug)]
pub struct FixedClock {
    milliseconds: AtomicU64,
}

impl FixedClock {
    /// A clock that shows the given epoch milliseconds.
    pub fn at(milliseconds: u64) -> Self {
        Self { milliseconds: AtomicU64::new(milliseconds) }
    }

    /// Moves forward.
    pub fn advance(&self, milliseconds: u64) {
        self.milliseconds.fetch_add(milliseconds, Ordering::Relaxed);
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        let milliseconds = self.milliseconds.load(Ordering::Relaxed);
        i64::try_from(milliseconds)
            .ok()
            .and_then(|ms| Timestamp::from_millisecond(ms).ok())
            .unwrap_or(Timestamp::UNIX_EPOCH)
    }

    fn ticks(&self) -> u64 {
        self.milliseconds.load(Ordering::Relaxed).saturating_mul(1_000_000)
    }
}

/// Deterministic ids for tests: a counter.
#[derive(Debug, Default)]
pub struct CountingIds {
    next: AtomicU64,
}

impl Ids for CountingIds {
    fn fill(&self, bytes: &mut [u8]) {
        let number = self.next.fetch_add(1, Ordering::Relaxed).to_be_bytes();
        bytes.fill(0);
        let tail = bytes.len().min(number.len());
        let start = bytes.len() - tail;
        bytes[start..].copy_from_slice(&number[number.len() - tail..]);
    }
}
