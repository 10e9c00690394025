//! Cuts captured text into segments that store a repeated line once.
//!
//! A program that prints the same line over and over costs next to nothing to store and index, and
//! the exact text can be restored.

use std::ops::Range;

/// Maximum bytes of text in a segment.
pub(super) const SEGMENT_BYTES: usize = 64 * 1024;
/// A segment is ended at a line's end when its text would be longer than this: small segments
/// make exact hits. A line is never cut for it.
const SEGMENT_TEXT: usize = 8 * 1024;
/// How far back from the end of an overlong line a blank is looked for, to cut there.
const CUT_BACK: usize = 4 * 1024;
/// What a run costs; one that saves less is not worth it.
const RUN_BYTES: usize = 12;

/// A segment to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Piece {
    /// Which bytes of the text.
    pub(super) span: Range<usize>,
    /// Those bytes, a repeated line standing once.
    pub(super) text: String,
    /// Which parts of `text` are repeated; empty when none.
    pub(super) runs: Vec<u8>,
}

/// Cuts `text` into segments.
pub(super) fn pieces(text: &str) -> Vec<Piece> {
    let mut pieces = Vec::new();
    let mut piece = Piece { span: 0..0, text: String::new(), runs: Vec::new() };
    while piece.span.end < text.len() {
        let rest = &text[piece.span.end..];
        let line = first_line(rest);
        let full = piece.span.len() + line.len() > SEGMENT_BYTES
            || piece.text.len() + line.len() > SEGMENT_TEXT;
        if full && !piece.span.is_empty() {
            let end = piece.span.end;
            let next = Piece { span: end..end, text: String::new(), runs: Vec::new() };
            pieces.push(std::mem::replace(&mut piece, next));
        }
        let room = ((SEGMENT_BYTES - piece.span.len()) / line.len()).max(1);
        let times = repeats(rest.as_bytes(), line.as_bytes(), room);
        let saved = line.len() * (times - 1);
        // One that saves nothing is taken line by line.
        let times = if saved > RUN_BYTES { times } else { 1 };
        if times > 1 {
            for number in [piece.text.len(), line.len(), times] {
                // All three are at most SEGMENT_BYTES.
                let number = u32::try_from(number).unwrap_or(u32::MAX);
                piece.runs.extend_from_slice(&number.to_le_bytes());
            }
        }
        piece.text.push_str(line);
        piece.span.end += line.len() * times;
    }
    if !piece.span.is_empty() {
        pieces.push(piece);
    }
    pieces
}

/// The first line of `text` with its end, or as much of it as a segment takes.
fn first_line(text: &str) -> &str {
    let line = text.find('\n').map_or(text, |end| &text[..=end]);
    if line.len() <= SEGMENT_BYTES {
        return line;
    }
    let end = line.floor_char_boundary(SEGMENT_BYTES);
    let from = line.floor_char_boundary(end - CUT_BACK);
    // Words, and secrets, stay whole where the line has blanks.
    let blank = line[from..end].rfind(char::is_whitespace).map(|at| from + at);
    match blank {
        Some(at) => &line[..line.ceil_char_boundary(at + 1)],
        None => &line[..end],
    }
}

/// How often `line` occurs at the beginning of `text`, up to `most`.
fn repeats(text: &[u8], line: &[u8], most: usize) -> usize {
    if line.last() != Some(&b'\n') {
        return 1;
    }
    text.chunks_exact(line.len()).take(most).take_while(|chunk| *chunk == line).count()
}

/// The same runs after the text around them has changed; `place` maps a byte's position.
pub fn moved(runs: &[u8], place: impl Fn(usize) -> usize) -> Vec<u8> {
    let mut moved = Vec::with_capacity(runs.len());
    for run in runs.chunks_exact(RUN_BYTES) {
        let [at, len, times] = [0, 4, 8].map(|at| number(run, at).unwrap_or(0));
        let start = place(at);
        for number in [start, place(at + len) - start, times] {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            moved.extend_from_slice(&number.to_le_bytes());
        }
    }
    moved
}

/// Bytes of the exact text.
pub fn length(text: &str, runs: &[u8]) -> usize {
    let more = runs.chunks_exact(RUN_BYTES).map(|run| {
        let [len, times] = [4, 8].map(|at| number(run, at).unwrap_or(0));
        len * times.saturating_sub(1)
    });
    text.len() + more.sum::<usize>()
}

fn number(run: &[u8], at: usize) -> Option<usize> {
    let bytes = run.get(at..at + 4)?.try_into().ok()?;
    usize::try_from(u32::from_le_bytes(bytes)).ok()
}

/// The exact text again; `None` when `runs` do not fit `text`.
pub(super) fn expand(text: &str, runs: &[u8]) -> Option<String> {
    let mut whole = String::with_capacity(text.len());
    let mut done = 0;
    for run in runs.chunks(RUN_BYTES) {
        let (at, len, times) = (number(run, 0)?, number(run, 4)?, number(run, 8)?);
        whole.push_str(text.get(done..at)?);
        whole.push_str(&text.get(at..at + len)?.repeat(times));
        done = at + len;
    }
    whole.push_str(text.get(done..)?);
    Some(whole)
}

#[cfg(test)]
mod tests;
