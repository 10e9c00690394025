//! Random numbers whose seed is printed, so that a failure can be reproduced.

/// Seeded by the name of the test, so that unrelated changes do not fail at random; or by
/// `TOOLWRIGHT_TEST_SEED`, where `clock` asks for other numbers every time.
#[derive(Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// A generator; prints its seed.
    pub fn seeded() -> Self {
        let given = std::env::var("TOOLWRIGHT_TEST_SEED").unwrap_or_default();
        let seed: u64 = match given.as_str() {
            "clock" => {
                std::time::UNIX_EPOCH.elapsed().expect("a clock after 1970").as_nanos() as u64
            }
            text => text.parse().unwrap_or_else(|_| of_this_test()),
        };
        // Nothing ever follows a zero.
        let seed = seed | 1;
        eprintln!("TOOLWRIGHT_TEST_SEED={seed}");
        Self { state: seed }
    }

    /// The next number.
    pub fn number(&mut self) -> u64 {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state
    }

    /// From 0 up to, not including, `end`.
    pub fn below(&mut self, end: usize) -> usize {
        (self.number() >> 16) as usize % end
    }

    /// One of them.
    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len())]
    }

    /// True or false.
    pub fn yes(&mut self) -> bool {
        self.below(2) == 0
    }

    /// 24 hexadecimal digits.
    pub fn id(&mut self) -> String {
        format!("{:016x}{:08x}", self.number() | 1 << 63, self.number() as u32)
    }

    /// A random id in the form of a UUID.
    pub fn uuid(&mut self) -> String {
        let (high, low) = (self.number(), self.number());
        let hex = format!("{high:016x}{low:016x}");
        let parts = [(0, 8), (8, 12), (12, 16), (16, 20), (20, 32)];
        parts.map(|(from, to)| hex[from..to].to_owned()).join("-")
    }
}

/// A number that belongs to the running test: its thread has its name.
fn of_this_test() -> u64 {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or_default();
    // FNV-1a: the same in every run, which the hashes of the standard library do not promise.
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
