//! Memory, descriptors and threads of a process over a run, as the kernel counts them.

use crate::stdio::OUTSTANDING;

/// How many samples are taken.
const SAMPLES: usize = 200;
/// What the last quarter of a run may have above the second, in percent.
const ALLOWED_PERCENT: u64 = 5;

/// One sample of a process.
#[derive(Debug, Clone, Copy)]
struct Sample {
    resident_kib: u64,
    descriptors: u64,
    threads: u64,
}

/// All samples of one process.
pub(crate) struct ProcessUsage {
    name: String,
    process: u32,
    every: usize,
    samples: Vec<Sample>,
}

impl ProcessUsage {
    /// For a run of so many calls.
    pub(crate) fn new(name: &str, process: u32, calls: usize) -> Self {
        let every = (calls / SAMPLES).max(1);
        Self { name: name.to_owned(), process, every, samples: Vec::new() }
    }

    /// Takes the samples that are due after so many calls.
    pub(crate) fn after(&mut self, calls: usize) {
        while self.samples.len() < calls / self.every {
            self.samples.push(look(self.process));
        }
    }

    /// The process has not grown between the second and the last quarter.
    pub(crate) fn is_flat(&self) {
        let percent = |second: u64| second * ALLOWED_PERCENT / 100;
        // Pools of threads and of connections to a database have one for each call under way, and
        // under load there may be more of those late than early. Nothing else may keep one.
        let pooled = |_| OUTSTANDING as u64;
        self.grows_at_most("KiB resident", |sample| sample.resident_kib, percent);
        self.grows_at_most("descriptors", |sample| sample.descriptors, pooled);
        self.grows_at_most("threads", |sample| sample.threads, pooled);
    }

    fn grows_at_most(&self, what: &str, read: fn(&Sample) -> u64, allowed: impl Fn(u64) -> u64) {
        let quarter = self.samples.len() / 4;
        assert!(quarter >= 10, "{}: {} samples say nothing", self.name, self.samples.len());
        let quarters = self.samples.chunks(quarter).take(4);
        let medians: Vec<u64> = quarters.map(|quarter| median(quarter.iter().map(read))).collect();
        eprintln!("{}: {what} by quarter: {medians:?}", self.name);
        let (second, last) = (medians[1], medians[3]);
        let name = &self.name;
        assert!(last <= second + allowed(second), "{name}: {what} grew from {second} to {last}");
    }
}

fn look(process: u32) -> Sample {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).expect("it lives");
    let number = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name)).expect("a line");
        let digits = line.split_whitespace().next().expect("a number");
        digits.parse().expect("a number")
    };
    let descriptors = std::fs::read_dir(format!("/proc/{process}/fd")).expect("it lives").count();
    Sample {
        resident_kib: number("VmRSS:"),
        descriptors: descriptors as u64,
        threads: number("Threads:"),
    }
}

fn median(values: impl Iterator<Item = u64>) -> u64 {
    let mut values: Vec<u64> = values.collect();
    values.sort_unstable();
    values[values.len() / 2]
}
