//! What clients send, valid and invalid, in random order.

use crate::fixtures::{SurfaceFixture, ToolCall};
use toolwright_testing::random::Random;

/// One thing to send.
#[derive(Debug)]
pub(crate) enum Event {
    /// A call that succeeds.
    Valid(ToolCall),
    /// A call whose answer has this code.
    Invalid(ToolCall, &'static str),
    /// A call that is taken back at once.
    Cancelled(ToolCall),
    /// A request without parameters.
    Method(&'static str),
    /// No message at all.
    Garbage(&'static str),
}

const GARBAGE: [&str; 5] = ["not json", "{\"jsonrpc\":\"2.0\",", "[]", "{}", "[[[[[[[["];

/// Draws events of a surface.
pub(crate) struct Traffic<'a> {
    fixture: &'a SurfaceFixture,
    random: Random,
    written: u64,
}

impl<'a> Traffic<'a> {
    pub(crate) fn new(fixture: &'a SurfaceFixture) -> Self {
        Self { fixture, random: Random::seeded(), written: 0 }
    }

    pub(crate) fn next(&mut self) -> Event {
        let fixture = self.fixture;
        match self.random.below(100) {
            0..60 => Event::Valid(fixture.read.clone()),
            60..70 => {
                Event::Invalid(fixture.invalid.clone(), fixture.info.builtin.invalid_arguments.code)
            }
            70..80 => Event::Invalid(fixture.refused.0.clone(), fixture.refused.1),
            80..85 => {
                self.written += 1;
                Event::Valid((fixture.write)(self.written))
            }
            85..90 => Event::Cancelled(fixture.slow.as_ref().unwrap_or(&fixture.read).clone()),
            90..93 => Event::Method("tools/list"),
            93..96 => Event::Method("no/such/method"),
            _ => Event::Garbage(GARBAGE[self.random.below(GARBAGE.len())]),
        }
    }
}
