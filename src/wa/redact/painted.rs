//! Redaction of lines that a program repaints with more and more text.
//!
//! A painted line does not show that it is finished: a key that is being typed or printed grows from
//! frame to frame. So what looks like the beginning of a secret at the end of a line counts as one.

use std::collections::HashMap;

use super::shapes::Text;
use super::{MARK, find, stream};

/// The lines of a screen, and each without secrets.
pub struct Painted(HashMap<String, String>);

impl Painted {
    /// Of a screen that is so wide.
    pub fn new(screen: &str, width: Option<usize>) -> Self {
        let clean = stream::lines(screen, width).text;
        let mut lines: HashMap<String, String> = HashMap::new();
        for (shown, clean) in screen.split('\n').zip(clean.split('\n')) {
            let clean = finished(clean);
            // The same line may occur twice; where it is a secret's part counts.
            if clean != shown || !lines.contains_key(shown) {
                lines.insert(shown.to_owned(), clean);
            }
        }
        Self(lines)
    }

    /// One of its lines, without secrets.
    pub fn line(&self, shown: &str) -> String {
        self.0.get(shown).cloned().unwrap_or_else(|| finished(&stream::lines(shown, None).text))
    }
}

/// A line without the beginning of a secret at its end, frames of boxes aside.
fn finished(line: &str) -> String {
    let border = |c: char| c.is_whitespace() || c == '|' || ('\u{2500}'..='\u{259f}').contains(&c);
    let bare = line.trim_end_matches(border);
    let begun = find(bare, 0).begun;
    let rest = &bare[begun..];
    if rest.is_empty()
        || stream::is_port(rest)
        || Text::new(bare).is_placeholder((begun, bare.len()))
    {
        return line.to_owned();
    }
    [&bare[..begun], MARK, &line[bare.len()..]].concat()
}
