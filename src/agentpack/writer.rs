//! A writer: holds the lock of an agentpack home, after recovering from any crash.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::failure::Result;
use super::lock::Lock;
use super::transaction::{FaultInjector, Recovered, recover};

/// The only writer of a home while it lives. Created per operation, not kept.
#[derive(Debug)]
pub(crate) struct Writer {
    home: PathBuf,
    recovered: Recovered,
    faults: FaultInjector,
    _lock: Lock,
}

impl Writer {
    /// Waits for the lock of a home, then finishes or undoes what a crash interrupted there.
    pub(crate) fn open(home: &Path, operation: &str, wait: Duration) -> Result<Self> {
        let lock = Lock::take(home, operation, wait)?;
        let recovered = recover(home)?;
        Ok(Self { home: home.to_owned(), recovered, faults: FaultInjector::none(), _lock: lock })
    }

    /// For tests: interrupts what this writer does.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn with_faults(mut self, faults: FaultInjector) -> Self {
        self.faults = faults;
        self
    }

    /// What was recovered after a crash.
    pub(crate) fn recovered(&self) -> &Recovered {
        &self.recovered
    }

    pub(crate) fn home(&self) -> &Path {
        &self.home
    }

    pub(crate) fn faults(&self) -> &FaultInjector {
        &self.faults
    }
}

/// Finishes or undoes what a crash interrupted, at the start of a server. A home that does not exist,
/// has no journal, or is being written is left alone.
pub(crate) fn recover_at_start(home: &Path) -> Result<Recovered> {
    let pending = super::transaction::pending(home)?;
    if pending.is_empty() || pending.iter().any(|journal| journal.running) {
        return Ok(Recovered::default());
    }
    Ok(Writer::open(home, "recovery", Duration::ZERO)?.recovered)
}
