//! The rate of lines about refusals: a bucket that fills with time.

/// Lines that may be written at once.
pub(super) const BURST: u64 = 100;
/// One more line after so many nanoseconds: 10 a second.
const INTERVAL: u64 = 100_000_000;

/// Which refusals have a line.
pub(super) struct RefusalLimit {
    left: u64,
    /// When the bucket last gained a line.
    filled: u64,
    omitted: u64,
}

impl Default for RefusalLimit {
    fn default() -> Self {
        Self { left: BURST, filled: 0, omitted: 0 }
    }
}

impl RefusalLimit {
    /// Whether a refusal at this time has a line; one that has none is counted.
    pub(super) fn admit(&mut self, now: u64) -> bool {
        let gained = now.saturating_sub(self.filled) / INTERVAL;
        self.left = self.left.saturating_add(gained).min(BURST);
        self.filled += gained * INTERVAL;
        let admitted = self.left > 0;
        self.left = self.left.saturating_sub(1);
        self.omitted += u64::from(!admitted);
        admitted
    }

    /// The number of refusals without a line since the last one.
    pub(super) fn take_omitted(&mut self) -> u64 {
        std::mem::take(&mut self.omitted)
    }
}
