//! A log of lines with a limit; the oldest lines beyond it are dropped.
//!
//! A position is a byte count since the beginning, so it stays valid when old lines are dropped.
//! Knows nothing of terminals.

use std::collections::VecDeque;

use crate::mux::Output;

/// Text is kept and dropped in blocks of about so many bytes.
const BLOCK: usize = 64 << 10;
const SMALLEST_BLOCK: usize = 256;

/// The lines.
pub(crate) struct Ring {
    blocks: VecDeque<Block>,
    end: u64,
    bytes: usize,
    lines: usize,
    limit: Limit,
    block: usize,
}

/// When the oldest lines go.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Limit {
    /// Never more bytes than that.
    Bytes(usize),
    /// A little more than so many lines are kept.
    Lines(usize),
}

/// Whole lines, each with its newline.
struct Block {
    start: u64,
    lines: usize,
    text: String,
}

impl Block {
    fn end(&self) -> u64 {
        self.start + self.text.len() as u64
    }
}

impl Ring {
    pub(crate) fn new(limit: Limit) -> Self {
        let block = match limit {
            Limit::Bytes(bytes) => (bytes / 8).clamp(SMALLEST_BLOCK, BLOCK),
            Limit::Lines(_) => BLOCK,
        };
        Self { blocks: VecDeque::new(), end: 0, bytes: 0, lines: 0, limit, block }
    }

    /// Adds whole lines, each with its newline.
    pub(crate) fn append(&mut self, mut text: &str) {
        while !text.is_empty() {
            let used = self.blocks.back().map_or(self.block, |block| block.text.len());
            let room = self.block.saturating_sub(used);
            let taken = match whole_lines(text, room) {
                0 => {
                    self.blocks.push_back(Block { start: self.end, lines: 0, text: String::new() });
                    match whole_lines(text, self.block) {
                        0 => first_line(text),
                        some => some,
                    }
                }
                some => some,
            };
            let (piece, rest) = text.split_at(taken);
            let lines = count_lines(piece);
            if let Some(block) = self.blocks.back_mut() {
                block.text.push_str(piece);
                block.lines += lines;
            }
            self.end += piece.len() as u64;
            self.bytes += piece.len();
            self.lines += lines;
            text = rest;
            self.drop_oldest();
        }
    }

    fn drop_oldest(&mut self) {
        while self.blocks.len() > 1 {
            let over = match (self.limit, self.blocks.front()) {
                (Limit::Bytes(limit), _) => self.bytes > limit,
                (Limit::Lines(limit), Some(oldest)) => self.lines - oldest.lines >= limit,
                (Limit::Lines(_), None) => false,
            };
            if !over {
                return;
            }
            if let Some(oldest) = self.blocks.pop_front() {
                self.bytes -= oldest.text.len();
                self.lines -= oldest.lines;
            }
        }
    }

    /// Whole lines from `mark` on, about `max_bytes` of them and at least one.
    pub(crate) fn read(&self, mark: u64, max_bytes: usize) -> Output {
        let start = self.blocks.front().map_or(self.end, |block| block.start);
        let mut lost = mark < start || mark > self.end;
        let mut next = if lost { start } else { mark };
        let mut text = String::new();
        let from = self.blocks.partition_point(|block| block.end() <= next);
        for block in self.blocks.iter().skip(from) {
            let mut at = usize::try_from(next - block.start).unwrap_or(usize::MAX);
            if at > 0 && block.text.as_bytes().get(at - 1) != Some(&b'\n') {
                // A mark that was never given out: go on with the next whole line.
                lost = true;
                at += block.text.as_bytes().get(at..).map_or(0, first_line);
                next = block.start + at as u64;
            }
            let rest = block.text.get(at..).unwrap_or_default();
            let taken = match whole_lines(rest, max_bytes.saturating_sub(text.len())) {
                0 if text.is_empty() => first_line(rest),
                some => some,
            };
            text.push_str(&rest[..taken]);
            next += taken as u64;
            if taken < rest.len() {
                break;
            }
        }
        Output { text, next, lost, more: next < self.end }
    }

    /// How many lines there are, at most as many as the limit says.
    pub(crate) fn len(&self) -> usize {
        match self.limit {
            Limit::Bytes(_) => self.lines,
            Limit::Lines(limit) => self.lines.min(limit),
        }
    }

    /// The last `count` lines, without their newlines.
    pub(crate) fn last(&self, count: usize) -> impl Iterator<Item = &str> {
        let mut skip = self.lines.saturating_sub(count.min(self.len()));
        let mut from = 0;
        while let Some(block) = self.blocks.get(from).filter(|block| block.lines <= skip) {
            skip -= block.lines;
            from += 1;
        }
        self.blocks.iter().skip(from).flat_map(|block| block.text.split_terminator('\n')).skip(skip)
    }

    /// Removes the newest line.
    pub(crate) fn pop(&mut self) -> Option<String> {
        while self.blocks.back()?.text.is_empty() {
            self.blocks.pop_back();
        }
        let block = self.blocks.back_mut()?;
        block.text.pop();
        let line = block.text.split_off(block.text.rfind('\n').map_or(0, |newline| newline + 1));
        let bytes = line.len() + 1;
        block.lines -= 1;
        self.lines -= 1;
        self.bytes -= bytes;
        self.end -= bytes as u64;
        Some(line)
    }

    /// Forgets all lines; places stay true.
    pub(crate) fn clear(&mut self) {
        self.blocks.clear();
        self.bytes = 0;
        self.lines = 0;
    }
}

/// Bytes of the whole lines that fit into `room`.
fn whole_lines(text: &str, room: usize) -> usize {
    if text.len() <= room {
        return text.len();
    }
    let fitting = &text.as_bytes()[..room];
    fitting.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1)
}

/// Bytes of the first line.
fn first_line(text: impl AsRef<[u8]>) -> usize {
    let text = text.as_ref();
    text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |newline| newline + 1)
}

fn count_lines(text: &str) -> usize {
    text.bytes().filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(range: std::ops::Range<u32>) -> String {
        range.map(|number| format!("line {number}\n")).collect()
    }

    fn read_all(ring: &Ring, mut mark: u64, max_bytes: usize) -> String {
        let mut all = String::new();
        loop {
            let output = ring.read(mark, max_bytes);
            assert!(!output.lost);
            all.push_str(&output.text);
            mark = output.next;
            if !output.more {
                return all;
            }
        }
    }

    #[test]
    fn every_line_is_read_once_whatever_the_steps() {
        let mut ring = Ring::new(Limit::Bytes(1 << 20));
        let mut expected = String::new();
        for step in 0..100 {
            let text = numbers(step * step..(step + 1) * (step + 1));
            ring.append(&text);
            expected.push_str(&text);
        }
        for max_bytes in [0, 1, 9, 100, 4096, 70_000, 1 << 20] {
            assert!(read_all(&ring, 0, max_bytes) == expected, "{max_bytes}");
        }
        let end = ring.read(0, usize::MAX).next;
        assert_eq!(
            ring.read(end, 100),
            Output { text: String::new(), next: end, lost: false, more: false }
        );
    }

    #[test]
    fn what_went_over_the_limit_is_reported_as_lost_once() {
        let mut ring = Ring::new(Limit::Bytes(2048));
        ring.append(&numbers(0..10));
        let mark = ring.read(0, usize::MAX).next;
        ring.append(&numbers(10..2000));
        let output = ring.read(mark, usize::MAX);
        assert!(output.lost && output.text.len() <= 2048 && output.text.len() > 1000);
        assert!(output.text.starts_with("line ") && output.text.ends_with("line 1999\n"));
        assert!(!ring.read(output.next, usize::MAX).lost);
    }

    #[test]
    fn marks_that_were_never_given_out_do_no_harm() {
        let mut ring = Ring::new(Limit::Bytes(1 << 20));
        ring.append("ä first\nsecond\n");
        assert_eq!(ring.read(1, 100).text, "second\n");
        assert!(ring.read(1, 100).lost);
        assert_eq!(ring.read(1000, 100).text, "ä first\nsecond\n");
        assert!(ring.read(1000, 100).lost);
    }

    #[test]
    fn one_line_longer_than_a_block_stays_whole() {
        let long = format!("{}\n", "x".repeat(200_000));
        let mut ring = Ring::new(Limit::Bytes(1 << 20));
        ring.append("before\n");
        ring.append(&format!("{long}after\n"));
        assert_eq!(ring.read(7, 10).text, long);
        assert_eq!(read_all(&ring, 0, 10), format!("before\n{long}after\n"));
    }

    #[test]
    fn last_lines_and_taking_them_out() {
        let mut ring = Ring::new(Limit::Lines(10_000));
        ring.append(&numbers(0..50_000));
        assert_eq!(ring.len(), 10_000);
        assert_eq!(ring.last(2).collect::<Vec<_>>(), ["line 49998", "line 49999"]);
        assert_eq!(ring.last(usize::MAX).count(), 10_000);
        assert_eq!(ring.last(usize::MAX).next(), Some("line 40000"));
        assert_eq!(ring.pop().as_deref(), Some("line 49999"));
        assert_eq!(ring.last(1).next(), Some("line 49998"));
        ring.clear();
        assert_eq!((ring.len(), ring.pop()), (0, None));
    }
}
