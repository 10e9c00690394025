//! Random numbers whose seed is told, so that a failure can be run again.

/// Seeded by the clock, or by `WORLDFORGE_TEST_SEED`.
#[derive(Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new() -> Self {
        let given = std::env::var("WORLDFORGE_TEST_SEED").ok().and_then(|text| text.parse().ok());
        let since = std::time::UNIX_EPOCH.elapsed().expect("a clock after 1970");
        let seed = given.unwrap_or(since.as_nanos() as u64 | 1);
        eprintln!("WORLDFORGE_TEST_SEED={seed}");
        Self { state: seed }
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// From 0 up to, not including, `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        (self.next() >> 16) as usize % end
    }

    pub(crate) fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    pub(crate) fn yes(&mut self) -> bool {
        self.below(2) == 0
    }

    /// Something like an id that nobody has.
    pub(crate) fn id(&mut self) -> String {
        format!("{:016x}{:08x}", self.next() | 1 << 63, self.next() as u32)
    }
}
