//! Waiting for what happens in another process or thread.

use std::time::{Duration, Instant};

/// Only a broken test waits this long; busy machines take their time.
pub const PATIENCE: Duration = Duration::from_secs(180);

/// Checks again and again until it holds. Panics with `what` after [`PATIENCE`].
#[track_caller]
pub fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    eventually(what, || holds().then_some(()));
}

/// Checks again and again until there is a value. Panics with `what` after [`PATIENCE`].
#[track_caller]
pub fn eventually<T>(what: &str, mut check: impl FnMut() -> Option<T>) -> T {
    let started = Instant::now();
    loop {
        if let Some(found) = check() {
            return found;
        }
        assert!(started.elapsed() < PATIENCE, "never happened: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}
