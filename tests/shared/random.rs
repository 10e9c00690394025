//! Random numbers whose seed is told, so that a failure can be run again.

/// Seeded by the clock, or by `TOOLWRIGHT_TEST_SEED`.
#[derive(Debug)]
pub(crate) struct Random {
    state: u64,
}

impl Random {
    pub(crate) fn new() -> Self {
        let given = std::env::var("TOOLWRIGHT_TEST_SEED").ok().and_then(|text| text.parse().ok());
        let since = std::time::UNIX_EPOCH.elapsed().expect("a clock after 1970");
        let seed = given.unwrap_or(since.as_nanos() as u64 | 1);
        eprintln!("TOOLWRIGHT_TEST_SEED={seed}");
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

    /// 24 hexadecimal digits.
    pub(crate) fn id(&mut self) -> String {
        format!("{:016x}{:08x}", self.next() | 1 << 63, self.next() as u32)
    }

    /// Something like an id that nobody has.
    pub(crate) fn uuid(&mut self) -> String {
        let (high, low) = (self.next(), self.next());
        let hex = format!("{high:016x}{low:016x}");
        let parts = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
        parts.map(|(from, to)| hex[from..to].to_owned()).join("-")
    }
}
