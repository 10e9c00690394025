//! What clients send, good and bad, in a random order.

use crate::homes::{Ask, Home};
use toolwright_testing::random::Random;

/// One thing to send.
#[derive(Debug)]
pub(crate) enum Event {
    /// A call that succeeds.
    Good(Ask),
    /// A call whose answer has this code.
    Bad(Ask, &'static str),
    /// A call that is taken back at once.
    Cancelled(Ask),
    /// A request without parameters.
    Method(&'static str),
    /// No message at all.
    Garbage(&'static str),
}

const GARBAGE: [&str; 5] = ["not json", "{\"jsonrpc\":\"2.0\",", "[]", "{}", "[[[[[[[["];

/// Draws events of a surface.
pub(crate) struct Mix<'a> {
    home: &'a Home,
    random: Random,
    written: u64,
}

impl<'a> Mix<'a> {
    pub(crate) fn new(home: &'a Home) -> Self {
        Self { home, random: Random::seeded(), written: 0 }
    }

    pub(crate) fn next(&mut self) -> Event {
        let home = self.home;
        match self.random.below(100) {
            0..60 => Event::Good(home.read.clone()),
            60..70 => Event::Bad(home.invalid.clone(), home.info.builtin.invalid_arguments.code),
            70..80 => Event::Bad(home.refused.0.clone(), home.refused.1),
            80..85 => {
                self.written += 1;
                Event::Good((home.write)(self.written))
            }
            85..90 => Event::Cancelled(home.slow.as_ref().unwrap_or(&home.read).clone()),
            90..93 => Event::Method("tools/list"),
            93..96 => Event::Method("no/such/method"),
            _ => Event::Garbage(GARBAGE[self.random.below(GARBAGE.len())]),
        }
    }
}
