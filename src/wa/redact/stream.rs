//! Redaction of text that arrives in pieces.
//!
//! Settled text is text whose redaction cannot change with what comes next. The caller holds back the
//! rest and passes it again, in front of what came since; so it does not matter where the pieces end.
//! Lines stay lines: a secret that spans several is replaced in each of them.

use std::borrow::Cow;

use super::wrapped::Joined;
use super::{MARK, find, merged};

/// So much of the text before is checked: no secret is announced from further away.
const CONTEXT: usize = 1024;
/// A beginning so near to where the context was cut off is not believed.
const MARGIN: usize = 192;

/// Digits of a port.
const PORT: usize = 5;

/// Where settled text may end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// Anywhere.
    Anywhere,
    /// Behind a line's end.
    Lines,
    /// At the end of the text: what is open there is replaced as if it were a secret.
    End,
}

/// The settled beginning of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Settled {
    /// It, without secrets.
    pub text: String,
    /// How many bytes of the text it covers.
    pub taken: usize,
    /// Bytes that were replaced, in order, and whether a mark replaces them.
    replaced: Vec<(usize, usize, bool)>,
}

impl Settled {
    /// All of a text of so many bytes, which is already redacted.
    pub fn all(text: String, taken: usize) -> Self {
        Self { text, taken, replaced: Vec::new() }
    }

    /// The place in the clean text of a byte of the original one.
    pub fn clean(&self, place: usize) -> usize {
        let mut gone = 0;
        let mut marks = 0;
        for &(start, end, marked) in &self.replaced {
            if place < end {
                return place.min(start) + marks - gone;
            }
            gone += end - start;
            marks += if marked { MARK.len() } else { 0 };
        }
        (place + marks).saturating_sub(gone).min(self.text.len())
    }

    /// The place in the original text of a byte of the clean one; within a mark, where it ends.
    pub fn original(&self, place: usize) -> usize {
        let mut shift = (0, 0);
        for &(start, end, marked) in &self.replaced {
            let (gone, marks) = shift;
            let clean_start = start + marks - gone;
            let mark = if marked { MARK.len() } else { 0 };
            if place <= clean_start {
                break;
            }
            if place < clean_start + mark {
                return end;
            }
            shift = (gone + end - start, marks + mark);
        }
        place + shift.0 - shift.1
    }
}

/// Redacts the part of `text` that is settled. `before` is the preceding text, redacted or not;
/// `width` is that of the screen where lines were broken at its edge.
pub fn settle(before: &str, text: &str, width: Option<usize>, cut: Cut) -> Settled {
    let start = before.ceil_char_boundary(before.len().saturating_sub(CONTEXT));
    let context = &before[start..];
    let whole: Cow<'_, str> =
        if context.is_empty() { text.into() } else { [context, text].concat().into() };
    let base = context.len();
    let margin = if start > 0 { MARGIN } else { 0 };
    let found = find(&whole, margin);
    let (mut secrets, mut open, mut begun) = (found.secrets, found.open, found.begun);
    if let Some(joined) = width.and_then(|width| Joined::of(&whole, width)) {
        let found = find(&joined.text, margin);
        // A line that reaches the edge may go on.
        open = open.min(joined.start(found.open));
        begun = begun.min(joined.start(found.begun));
        secrets.extend(joined.original(found.secrets));
    }
    let continued = continued(context, &whole[base..]);
    if continued > 0 {
        secrets.push((base, base + continued));
        if base + continued == whole.len() {
            (open, begun) = (open.min(base), begun.min(base));
        }
    }
    let mut secrets = merged(secrets);
    let end = match cut {
        Cut::End => {
            let begun = begun.clamp(base, whole.len());
            if begun < whole.len() && !is_port(&whole[begun..]) {
                secrets.push((begun, whole.len()));
                secrets = merged(secrets);
            }
            whole.len()
        }
        Cut::Anywhere => uncut(&whole, &secrets, open.max(base)).max(base),
        Cut::Lines => {
            let mut end = open.max(base);
            loop {
                let line = whole[base..end].rfind('\n').map_or(base, |at| base + at + 1);
                end = uncut(&whole, &secrets, line).max(base);
                if end == line {
                    break end;
                }
            }
        }
    };
    replace(&whole, secrets, base..end, continued > 0 && context.ends_with(MARK))
}

/// Digits behind a host's name, such as `8080`.
pub(super) fn is_port(text: &str) -> bool {
    text.len() <= PORT && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// All of a text, each secret replaced in each of its lines. What is open at its end stays as it is.
pub fn lines(text: &str, width: Option<usize>) -> Settled {
    let found = find(text, 0);
    let mut secrets = found.secrets;
    if let Some(joined) = width.and_then(|width| Joined::of(text, width)) {
        secrets.extend(joined.original(find(&joined.text, 0).secrets));
    }
    replace(text, merged(secrets), 0..text.len(), false)
}

/// No later than `end`, not inside of a secret, and not right behind one or a mark: what follows would
/// look like its rest.
fn uncut(whole: &str, secrets: &[(usize, usize)], mut end: usize) -> usize {
    for &(start, stop) in secrets.iter().rev() {
        if start < end && end <= stop {
            end = start;
        }
    }
    whole[..end].trim_end_matches(MARK).len()
}

/// Bytes of `text` that go on with a secret whose beginning was replaced because it was too long to
/// wait for its end.
fn continued(context: &str, text: &str) -> usize {
    let run = |allowed: &dyn Fn(char) -> bool| text.find(|c| !allowed(c)).unwrap_or(text.len());
    let mut header = context.trim_end();
    let lines = header.len();
    while let Some(rest) = header.strip_suffix(MARK) {
        header = rest.trim_end();
    }
    let announced = header.as_bytes().last_chunk::<16>();
    let announced = announced.is_some_and(|end| end.eq_ignore_ascii_case(b"private key-----"))
        && header.rsplit('\n').next().is_some_and(|line| line.contains("BEGIN"));
    // Of a long key file nothing but marks may be left to be seen.
    let long = context.len() + MARK.len() > CONTEXT && header.len() < MARK.len();
    if header.len() < lines && (announced || long) {
        return run(&|c| c.is_ascii_alphanumeric() || c.is_ascii_whitespace() || "+/=".contains(c));
    }
    if context.ends_with(MARK) {
        return run(&|c| !c.is_whitespace() && !matches!(c, '"' | '\'' | '`' | ',' | ';' | '&'));
    }
    0
}

/// Replaces secrets within a range, line by line. The first one has its mark already when it continues
/// from before.
fn replace(
    whole: &str,
    secrets: Vec<(usize, usize)>,
    range: std::ops::Range<usize>,
    marked: bool,
) -> Settled {
    let base = range.start;
    let mut settled = Settled { taken: range.len(), ..Settled::default() };
    settled.text.reserve(range.len());
    let mut at = base;
    for (start, end) in secrets {
        let (start, end) = (start.max(base), end.min(range.end));
        if start >= end {
            continue;
        }
        let mut line = start;
        for piece in whole[start..end].split_inclusive('\n') {
            let bare = piece.trim_end_matches(['\n', '\r']);
            let (from, to) = (line, line + bare.len());
            line += piece.len();
            if bare.trim().is_empty() {
                continue;
            }
            settled.text.push_str(&whole[at..from]);
            let mark = !(marked && from == base);
            if mark {
                settled.text.push_str(MARK);
            }
            settled.replaced.push((from - base, to - base, mark));
            at = to;
        }
    }
    settled.text.push_str(&whole[at..range.end]);
    settled
}
