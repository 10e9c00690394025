//! Reads the rest of a secret once its beginning is found. Forward only, and never the same byte again
//! and again, which makes redaction linear.

use std::cell::Cell;

/// Spaces around `=` that still belong together.
const MAX_GAP: usize = 16;

/// A text, and what was learnt about it on the way.
pub(super) struct Text<'a> {
    pub(super) bytes: &'a [u8],
    /// The end of the text was checked: what follows it could change the answer.
    touched: Cell<bool>,
    /// Where the secret would begin at the earliest, whatever follows the text.
    begins: Cell<usize>,
    /// The last run of each class: beginnings inside of it need not walk to its end again.
    runs: [Run; 5],
}

/// A run of bytes of one class.
#[derive(Clone, Copy, Default)]
struct Run {
    start: usize,
    end: usize,
    /// After its last digit; 0 when it has none.
    digits_end: usize,
}

/// Classes of runs that may be long and are entered at many places.
#[derive(Clone, Copy)]
enum Class {
    Key,
    Unquoted,
    Quoted(u8),
}

impl Class {
    fn index(self) -> usize {
        match self {
            Self::Key => 0,
            Self::Unquoted => 1,
            Self::Quoted(b'"') => 2,
            Self::Quoted(b'\'') => 3,
            Self::Quoted(_) => 4,
        }
    }

    fn has(self, byte: u8) -> bool {
        match self {
            Self::Key => key(byte),
            Self::Unquoted => {
                !byte.is_ascii_whitespace()
                    && !matches!(byte, b'"' | b'\'' | b'`' | b',' | b';' | b'&' | b')' | b'\\')
            }
            Self::Quoted(quote) => byte != quote && !matches!(byte, b'\n' | b'\\'),
        }
    }
}

/// Letters, digits and what else keys are made of.
pub(super) fn key(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'~' | b'+' | b'/' | b'=' | b'-')
}

/// What a name is made of.
pub(super) fn name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

impl<'a> Text<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self {
            bytes: text.as_bytes(),
            touched: Cell::new(false),
            begins: Cell::new(0),
            runs: [Run::default(); 5],
        }
    }

    /// Before a beginning at `start` is read.
    pub(super) fn begin(&self, start: usize) {
        self.touched.set(false);
        self.begins.set(start);
    }

    /// A secret of the beginning that is read now starts here or later.
    pub(super) fn begins_at(&self, start: usize) {
        self.begins.set(start);
    }

    /// Where a secret may begin that more text would show; `None` when more text changes nothing.
    pub(super) fn open(&self) -> Option<usize> {
        self.touched.get().then(|| self.begins.get())
    }

    pub(super) fn at(&self, index: usize) -> Option<u8> {
        if index >= self.bytes.len() {
            self.touched.set(true);
        }
        self.bytes.get(index).copied()
    }

    /// Whether `text` is at this position, as far as the bytes go.
    pub(super) fn stands(&self, start: usize, text: &[u8]) -> bool {
        let rest = &self.bytes[start.min(self.bytes.len())..];
        if rest.len() < text.len() && text.starts_with(rest) {
            self.touched.set(true);
        }
        rest.starts_with(text)
    }

    /// Not preceded by a name character: `sk-` in `task-` is no beginning.
    pub(super) fn fresh(&self, start: usize) -> bool {
        start.checked_sub(1).and_then(|before| self.at(before)).is_none_or(|byte| !name(byte))
    }

    /// The bytes there, as they are: the search for beginnings ignores letter case.
    pub(super) fn exactly(&self, start: usize, end: usize, one_of: &[&str]) -> bool {
        one_of.iter().any(|text| self.bytes[start..end] == *text.as_bytes())
    }

    /// End of the run of such bytes.
    pub(super) fn run(&self, from: usize, allowed: impl Fn(u8) -> bool) -> usize {
        let rest = &self.bytes[from.min(self.bytes.len())..];
        let length = rest.iter().position(|byte| !allowed(*byte));
        if length.is_none() {
            self.touched.set(true);
        }
        from + length.unwrap_or(rest.len())
    }

    /// The run there, and whether it has a digit. Walks each run once.
    fn walked(&mut self, from: usize, class: Class) -> (usize, bool) {
        let known = self.runs[class.index()];
        if !(known.start..known.end).contains(&from) {
            let end = self.run(from, |byte| class.has(byte));
            let digit = self.bytes[from..end].iter().rposition(u8::is_ascii_digit);
            let digits_end = digit.map_or(0, |index| from + index + 1);
            self.runs[class.index()] = Run { start: from, end, digits_end };
        }
        let known = self.runs[class.index()];
        if known.end == self.bytes.len() {
            self.touched.set(true);
        }
        (known.end, known.digits_end > from)
    }

    /// A run of key characters, at least so long, with a digit: names and prose have none.
    pub(super) fn key_with_digit(&mut self, from: usize, min: usize) -> Option<(usize, usize)> {
        let (end, digit) = self.walked(from, Class::Key);
        (digit && end - from >= min).then_some((from, end))
    }

    /// After a name: `=`, `:` or `=>`, perhaps with quotes and spaces. Returns where the value begins
    /// and its quote.
    fn assigned(&self, from: usize) -> Option<(usize, Option<u8>)> {
        let mut at = from;
        if self.at(at) == Some(b'\\') {
            at += 1;
        }
        if matches!(self.at(at), Some(b'"' | b'\'' | b'`')) {
            at += 1;
        }
        at = self.gap(at);
        match (self.at(at)?, self.at(at + 1)) {
            (b':', Some(b'=')) | (b'=', Some(b'>')) => at += 2,
            // `==` compares and `::` is a path.
            (b'=', Some(b'=')) | (b':', Some(b':')) => return None,
            (b'=' | b':', _) => at += 1,
            _ => return None,
        }
        Some(self.opened(self.gap(at)))
    }

    /// After a name: the value that is assigned to it, or an option's argument.
    pub(super) fn given(&self, start: usize, end: usize) -> Option<(usize, Option<u8>)> {
        // While the sign or the value is still to come, nothing that is there can be the secret.
        self.begins_at(self.bytes.len());
        let given = self.assigned(end).or_else(|| self.argument(start, end));
        if let Some((from, _)) = given {
            self.begins_at(from);
        }
        given
    }

    /// After an option such as `--password`: spaces or `=`.
    fn argument(&self, start: usize, end: usize) -> Option<(usize, Option<u8>)> {
        let option = self.bytes[start.saturating_sub(32)..start].rsplit(|byte| !name(*byte)).next();
        let option = option?.starts_with(b"--");
        (option && self.at(end) == Some(b' ')).then(|| self.opened(self.gap(end)))
    }

    /// Words of the line before a place, nearest first, in at most so many bytes.
    pub(super) fn line_before(&self, place: usize, most: usize) -> impl Iterator<Item = &'a [u8]> {
        let before = &self.bytes[place.saturating_sub(most)..place];
        let line = before.rsplit(|byte| *byte == b'\n').next().unwrap_or_default();
        line.rsplit(|byte| !name(*byte)).filter(|word| !word.is_empty())
    }

    fn gap(&self, from: usize) -> usize {
        let most = (from + MAX_GAP).min(self.bytes.len());
        self.run(from, |byte| matches!(byte, b' ' | b'\t')).min(most.max(from))
    }

    pub(super) fn opened(&self, mut at: usize) -> (usize, Option<u8>) {
        if self.at(at) == Some(b'\\') && matches!(self.at(at + 1), Some(b'"' | b'\'')) {
            at += 1;
        }
        match self.at(at) {
            Some(quote @ (b'"' | b'\'' | b'`')) => (at + 1, Some(quote)),
            _ => (at, None),
        }
    }

    /// A value of any characters, to the closing quote or to where an unquoted one ends; and
    /// whether it has a digit.
    pub(super) fn value(&mut self, (start, quote): (usize, Option<u8>)) -> (usize, usize, bool) {
        let class = quote.map_or(Class::Unquoted, Class::Quoted);
        let (end, digit) = self.walked(start, class);
        (start, end, digit)
    }

    /// Not a secret: a placeholder, a word of a language, or code that fetches the value.
    pub(super) fn is_placeholder(&self, (start, end): (usize, usize)) -> bool {
        const WORDS: [&[u8]; 14] = [
            b"none",
            b"null",
            b"nil",
            b"true",
            b"false",
            b"string",
            b"str",
            b"text",
            b"required",
            b"optional",
            b"undefined",
            b"password",
            b"secret",
            b"prompt",
        ];
        let value = &self.bytes[start..end];
        let Some(first) = value.first() else { return true };
        if matches!(first, b'$' | b'<' | b'{' | b'%' | b'*' | b'[' | b'(' | b'=' | b'|') {
            return true;
        }
        if WORDS.iter().any(|word| value.eq_ignore_ascii_case(word)) {
            return true;
        }
        let path =
            self.run(start, |byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.'));
        if path < end {
            return matches!(self.bytes[path], b'(' | b'[');
        }
        value.contains(&b'.') && !value.ends_with(b".")
    }
}
