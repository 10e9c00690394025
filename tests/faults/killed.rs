//! kill -9 of the server in the middle of writes, again and again.

use std::time::{Duration, Instant};

use crate::stream::Stream;
use toolwright_testing::random::Random;

crate::table::fault!("killed (`kill -9`) in the middle of a write" on Ordinary);

const KILLS: usize = 12;

fn make(stream: &mut Stream) -> String {
    let mut random = Random::new();
    stream.writes(1);
    let usual = (0..3).map(|_| {
        let started = Instant::now();
        stream.writes(1);
        started.elapsed()
    });
    let usual = usual.min().expect("some writes");
    let mut kills = 0;
    // A machine that is too busy to wake us in time lets every write end before its kill; then some
    // more are killed without a pause.
    while kills < KILLS || (kills < 2 * KILLS && !stream.has_doubts()) {
        let call = stream.prepare().unwrap_or_else(|refusal| panic!("{refusal:?}"));
        // From the first moment to well after the end.
        let pause = match kills < KILLS {
            true => usual.mul_f64(random.below(1500) as f64 / 1000.0),
            false => Duration::ZERO,
        };
        let begun = stream.begin(call);
        std::thread::sleep(pause);
        stream.kill(begun);
        stream.start();
        stream.check();
        kills += 1;
    }
    assert!(stream.has_doubts(), "every kill came after the answer");
    stream.recovers();
    format!("old or new, {KILLS} of {KILLS}")
}
