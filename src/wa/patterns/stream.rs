//! Scans text that arrives in pieces.

use std::sync::Arc;

use super::Inner;
use super::detection::Detection;
use super::rule::Scope;
use crate::model::Agent;

/// What is kept of the text before.
const OVERLAP: usize = 2048;

/// One pane's scanner of printed text: finds what is split between two pieces, once.
#[derive(Debug, Clone)]
pub struct Scanner {
    inner: Arc<Inner>,
    tail: String,
    /// Reported matches that reach into `tail`: rule, and where in `tail` they end.
    reported: Vec<(String, usize)>,
}

impl Scanner {
    pub(super) fn new(inner: Arc<Inner>) -> Self {
        Self { inner, tail: String::new(), reported: Vec::new() }
    }

    /// Looks at the next piece. `agent` is who runs in the pane now.
    pub fn feed(&mut self, text: &str, agent: Option<Agent>) -> Vec<Detection> {
        if text.is_empty() {
            return Vec::new();
        }
        let before = self.tail.len();
        let mut whole = std::mem::take(&mut self.tail);
        whole.push_str(text);
        let mut found = self.inner.engine.scan(&whole, agent, Scope::Log);
        // A match that ends before the new piece was seen then; one that goes on from it may have
        // been, with a shorter end.
        found.retain(|detection| {
            let again = |(rule, end): &(String, usize)| {
                *rule == detection.rule_id && detection.span.0 < *end
            };
            detection.span.1 > before && !self.reported.iter().any(again)
        });
        let keep = tail_start(&whole);
        let known = self.reported.drain(..);
        let new = found.iter().map(|found| (found.rule_id.clone(), found.span.1));
        self.reported = known.chain(new).filter(|(_, end)| *end > keep).collect();
        for (_, end) in &mut self.reported {
            *end -= keep;
        }
        self.tail = whole.split_off(keep);
        for detection in &mut found {
            let (start, end) = detection.span;
            detection.span = (start.saturating_sub(before), end - before);
        }
        found
    }

    /// Forgets what came before: what follows does not continue it.
    pub fn reset(&mut self) {
        self.tail.clear();
        self.reported.clear();
    }
}

/// Beginning of the last lines that fit; of the last bytes, where one line is longer.
fn tail_start(text: &str) -> usize {
    let Some(lowest) = text.len().checked_sub(OVERLAP) else { return 0 };
    let lowest = text.ceil_char_boundary(lowest);
    match text.as_bytes()[lowest..].iter().position(|byte| *byte == b'\n') {
        Some(index) if lowest + index + 1 < text.len() => lowest + index + 1,
        _ => lowest,
    }
}
