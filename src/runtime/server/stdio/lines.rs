//! Splits the input into lines, none longer than a limit.
//!
//! A longer line is skipped without being stored, except for its first and last bytes: they usually
//! contain the request's id, so that the error can be sent to the right request.

use std::io::{self, BufRead as _};
use std::ops::Range;
use std::os::fd::OwnedFd;

use super::fd::{CHUNK, Input};

/// Bytes kept from the beginning of a skipped line.
const HEAD: usize = 4 * 1024;
/// Bytes kept from the end of a skipped line.
const TAIL: usize = 512;
/// A larger buffer is shrunk when it is empty.
const MAX_IDLE_BUFFER: usize = 1024 * 1024;

/// Lines of one input.
pub(super) struct Lines {
    input: Input,
    buffer: Vec<u8>,
    /// Start of the current line.
    start: usize,
    /// Up to here the current line contains no newline.
    scanned: usize,
    limit: usize,
    skipping: Option<Skipped>,
    ended: bool,
}

/// One line.
#[derive(Debug)]
pub(super) enum Line {
    /// In [`Lines::text`], without its newline.
    Text(Range<usize>),
    /// Longer than the limit.
    TooLong(Skipped),
}

/// The ends of a line that was too long.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Skipped {
    pub(super) head: Vec<u8>,
    pub(super) tail: Vec<u8>,
    pub(super) length: u64,
}

impl Skipped {
    fn skip(&mut self, bytes: &[u8]) {
        let wanted = HEAD.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..wanted]);
        self.tail.extend_from_slice(&bytes[bytes.len().saturating_sub(TAIL)..]);
        let excess = self.tail.len().saturating_sub(TAIL);
        self.tail.drain(..excess);
        self.length += bytes.len() as u64;
    }
}

impl Lines {
    pub(super) fn new(fd: OwnedFd, limit: usize) -> io::Result<Self> {
        Ok(Self {
            input: Input::new(fd)?,
            buffer: Vec::with_capacity(CHUNK),
            start: 0,
            scanned: 0,
            limit,
            skipping: None,
            ended: false,
        })
    }

    /// The next complete line in the buffer.
    pub(super) fn next(&mut self) -> Option<Line> {
        let rest = &self.buffer[self.scanned..];
        // `skip_until` searches as fast as the standard library can.
        let length = io::Cursor::new(rest).skip_until(b'\n').unwrap_or(0);
        let found = length > 0 && rest[length - 1] == b'\n';
        let end = self.scanned + length - usize::from(found);
        if found || (self.ended && (end > self.start || self.skipping.is_some())) {
            let line = self.start..end;
            self.start = end + usize::from(found);
            self.scanned = self.start;
            return Some(match self.skipping.take() {
                None if line.len() <= self.limit => Line::Text(line),
                skipped => {
                    let mut skipped = skipped.unwrap_or_default();
                    skipped.skip(&self.buffer[line]);
                    Line::TooLong(skipped)
                }
            });
        }
        self.scanned = end;
        if self.skipping.is_some() || end - self.start > self.limit {
            let skipping = self.skipping.get_or_insert_default();
            skipping.skip(&self.buffer[self.start..end]);
            self.start = end;
        }
        None
    }

    /// The bytes of a line.
    pub(super) fn text(&self, line: Range<usize>) -> &[u8] {
        &self.buffer[line]
    }

    /// The input has ended.
    pub(super) fn has_ended(&self) -> bool {
        self.ended
    }

    /// Reads more input. Cancel-safe.
    pub(super) async fn read(&mut self) -> io::Result<()> {
        self.buffer.drain(..self.start);
        self.scanned -= self.start;
        self.start = 0;
        if self.buffer.is_empty() {
            self.buffer.shrink_to(MAX_IDLE_BUFFER);
        }
        let count = self.input.read(&mut self.buffer).await?;
        self.ended = count == 0;
        Ok(())
    }

    /// Marks the input as ended.
    pub(super) fn end(&mut self) {
        self.ended = true;
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    async fn lines_of(text: &[u8], limit: usize) -> Vec<Result<String, Skipped>> {
        let (reader, mut writer) = std::io::pipe().unwrap();
        let text = text.to_vec();
        let writing = std::thread::spawn(move || writer.write_all(&text).unwrap());
        let mut lines = Lines::new(reader.into(), limit).unwrap();
        let mut seen = Vec::new();
        loop {
            while let Some(line) = lines.next() {
                seen.push(match line {
                    Line::Text(range) => Ok(String::from_utf8(lines.text(range).to_vec()).unwrap()),
                    Line::TooLong(skipped) => Err(skipped),
                });
            }
            if lines.has_ended() {
                writing.join().unwrap();
                return seen;
            }
            lines.read().await.unwrap();
        }
    }

    #[tokio::test]
    async fn splits_and_keeps_the_last_line_without_newline() {
        let seen = lines_of(b"one\n\ntwo\r\nthree", 100).await;
        let seen: Vec<_> = seen.into_iter().map(Result::unwrap).collect();
        assert_eq!(seen, ["one", "", "two\r", "three"]);
    }

    #[tokio::test]
    async fn a_line_at_the_limit_passes_and_one_above_does_not() {
        let seen = lines_of(b"12345\n123456\n12\n", 5).await;
        assert_eq!(seen[0], Ok("12345".to_owned()));
        assert!(matches!(&seen[1], Err(skipped) if skipped.head == b"123456"));
        assert_eq!(seen[2], Ok("12".to_owned()));
        assert_eq!(seen.len(), 3);
    }

    #[tokio::test]
    async fn a_huge_line_keeps_only_its_ends() {
        let mut text = vec![b'a'; 3 * 1024 * 1024];
        text[0] = b'<';
        text.extend_from_slice(b">\nnext\n");
        let seen = lines_of(&text, 1_000).await;
        let Err(skipped) = &seen[0] else { panic!("{:?}", seen[0]) };
        assert_eq!(skipped.length, 3 * 1024 * 1024 + 1);
        assert_eq!((skipped.head.len(), skipped.head[0]), (HEAD, b'<'));
        assert_eq!((skipped.tail.len(), skipped.tail.last()), (TAIL, Some(&b'>')));
        assert_eq!(seen[1], Ok("next".to_owned()));
    }
}
