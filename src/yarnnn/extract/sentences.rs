//! Splits a turn into sentences, with their lists and headings.
//!
//! Supports the Markdown that chats use. Fenced code and tables are skipped.
//! Lines of a wrapped paragraph are joined. Every byte is read a fixed number of
//! times. Knows nothing of what a sentence means.

use super::words::{stop, words};
use crate::model::{ByteSpan, SemanticType};

/// The longest sentence in bytes; what is longer is cut between words.
const LONGEST: usize = 400;

/// The Markdown context of a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Prose,
    Bullet,
    /// `- [ ]`
    Task,
    Heading,
    /// `> …`
    Quoted,
}

/// A sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) span: ByteSpan,
    pub(super) form: Form,
    /// The kind that the heading above announces.
    pub(super) under: Option<SemanticType>,
}

/// Headings that announce a kind of statement.
const HEADINGS: &[(&str, SemanticType)] = &[
    ("action", SemanticType::Action),
    ("actions", SemanticType::Action),
    ("agreed", SemanticType::Decision),
    ("blockers", SemanticType::Problem),
    ("constraints", SemanticType::Constraint),
    ("decided", SemanticType::Decision),
    ("decision", SemanticType::Decision),
    ("decisions", SemanticType::Decision),
    ("goal", SemanticType::Goal),
    ("goals", SemanticType::Goal),
    ("insights", SemanticType::Insight),
    ("issues", SemanticType::Problem),
    ("kpis", SemanticType::Metric),
    ("learnings", SemanticType::Insight),
    ("metrics", SemanticType::Metric),
    ("objectives", SemanticType::Goal),
    ("problems", SemanticType::Problem),
    ("requirements", SemanticType::Constraint),
    ("risks", SemanticType::Problem),
    ("rules", SemanticType::Constraint),
    ("steps", SemanticType::Action),
    ("takeaways", SemanticType::Insight),
    ("tasks", SemanticType::Action),
    ("todo", SemanticType::Action),
    ("todos", SemanticType::Action),
];

/// Words with a capital whose full stop never ends a sentence.
const TITLES: &[&str] = &[
    "Adm", "Art", "Capt", "Col", "Dr", "Fig", "Gen", "Gov", "Hon", "Lt", "Messrs", "Mr", "Mrs",
    "Ms", "Mt", "Prof", "Rep", "Rev", "Sen", "Sgt", "St",
];

/// Words whose full stop ends a sentence only before a capital.
const ABBREVIATIONS: &[&str] = &[
    "al", "approx", "assoc", "ave", "cf", "co", "corp", "dept", "eg", "eq", "esp", "est", "etc",
    "ex", "ie", "inc", "incl", "jr", "ltd", "max", "min", "misc", "nr", "op", "pp", "resp", "sec",
    "sr", "tel", "vol", "vs",
];

/// Words after which a single letter is a name, not an initial (`Plan B.`).
const LETTERED: &[&str] = &[
    "appendix", "class", "grade", "group", "option", "phase", "plan", "section", "series", "type",
];

/// All sentences, in order.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut reader = Reader { text, found: Vec::new(), open: None, under: None };
    // An unclosed fence hides nothing.
    let mut fences = text.lines().filter(|line| fence(line)).count() / 2 * 2;
    let mut fenced = false;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if fence(line) {
            reader.flush();
            fenced = !fenced && fences > 0;
            fences = fences.saturating_sub(1);
        } else if !fenced {
            reader.line(at, line);
        }
        at += line.len();
    }
    reader.flush();
    reader.found
}

fn fence(line: &str) -> bool {
    line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~")
}

struct Reader<'a> {
    text: &'a str,
    found: Vec<Sentence>,
    /// The paragraph that is being read: from, to, form.
    open: Option<(usize, usize, Form)>,
    under: Option<SemanticType>,
}

impl Reader<'_> {
    fn line(&mut self, at: usize, line: &str) {
        let words = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        let end = start + words.len();
        let ruled =
            words.len() >= 3 && words.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'_'));
        if words.is_empty() || words.starts_with('|') || ruled {
            self.flush();
            return;
        }
        let (marker, form) = marker(words);
        if form == Form::Prose
            && let Some((from, to, above)) = self.open
            && above != Form::Heading
            && goes_on(&self.text[from..to], words)
        {
            self.open = Some((from, end, above));
            return;
        }
        self.flush();
        let start = start + marker;
        if start < end {
            self.open = Some((start, end, form));
        }
    }

    /// Ends the paragraph.
    fn flush(&mut self) {
        let Some((from, to, form)) = self.open.take() else { return };
        let paragraph = &self.text[from..to];
        if form == Form::Heading || form == Form::Prose && announces(paragraph) {
            self.under = heading(paragraph);
            if form == Form::Heading {
                let span = ByteSpan { start: from, end: to };
                self.found.push(Sentence { span, form, under: None });
                return;
            }
        } else if form == Form::Prose {
            self.under = None;
        }
        let mut start = 0;
        while start < paragraph.len() {
            let length = sentence(&paragraph[start..]);
            let piece = &paragraph[start..start + length];
            let inside = start + (piece.len() - piece.trim_start().len());
            let span = ByteSpan { start: from + inside, end: from + inside + piece.trim().len() };
            if span.start < span.end {
                self.found.push(Sentence { span, form, under: self.under });
            }
            start += length;
        }
    }
}

/// How many bytes of a line are markup before its words, and what they make it.
fn marker(line: &str) -> (usize, Form) {
    let hashes = line.bytes().take_while(|byte| *byte == b'#').count();
    if (1..=6).contains(&hashes) && line[hashes..].starts_with(' ') {
        return (line.len() - line[hashes..].trim_start().len(), Form::Heading);
    }
    if line.starts_with('>') {
        return (line.len() - line.trim_start_matches(['>', ' ']).len(), Form::Quoted);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = match (1..=3).contains(&digits) {
        true => line[digits..].strip_prefix(['.', ')']),
        false => line.strip_prefix(['-', '*', '+', '•', '–', '◦']),
    };
    let Some(rest) = rest.filter(|rest| rest.starts_with(' ')) else { return (0, Form::Prose) };
    let rest = rest.trim_start();
    let (rest, form) = match rest.strip_prefix("[ ] ") {
        Some(task) => (task.trim_start(), Form::Task),
        None => (rest.strip_prefix("[x] ").unwrap_or(rest), Form::Bullet),
    };
    (line.len() - rest.len(), form)
}

/// Whether a line carries on the paragraph above it.
fn goes_on(above: &str, line: &str) -> bool {
    let last_line = above.rsplit('\n').next().unwrap_or(above);
    if last_line.ends_with(['.', '!', '?', ':', ';', '。', '！', '？']) {
        // The sentence is over, but `.` may belong to an abbreviation and the line go on small.
        return false;
    }
    let small = line.chars().next().is_some_and(char::is_lowercase);
    let last = last_line.rsplit(char::is_whitespace).next().unwrap_or_default();
    small || last_line.len() >= 60 || last_line.ends_with(',') || stop(&last.to_lowercase())
}

/// Whether a paragraph is a line that announces a list: `Next steps:`
fn announces(paragraph: &str) -> bool {
    paragraph.trim_end_matches('*').ends_with(':') && paragraph.len() <= 60
}

fn heading(line: &str) -> Option<SemanticType> {
    words(line).iter().find_map(|word| {
        let known = HEADINGS.binary_search_by(|(known, _)| (*known).cmp(&word.text)).ok()?;
        HEADINGS.get(known).map(|(_, kind)| *kind)
    })
}

/// How long the first sentence is, in bytes. At least one character.
fn sentence(text: &str) -> usize {
    let mut space = 0;
    for (at, found) in text.char_indices() {
        if found.is_whitespace() {
            space = at;
        }
        let after = &text[at + found.len_utf8()..];
        let end = match found {
            '.' | '…' | '!' | '?' => ends(&text[..at], found, after),
            '。' | '！' | '？' => Some(0),
            _ => None,
        };
        if let Some(closing) = end {
            return at + found.len_utf8() + closing;
        }
        if at >= LONGEST {
            return if space > 0 { space } else { at + found.len_utf8() };
        }
    }
    text.len()
}

/// Whether a sentence ends with `mark`: how many bytes of quotes and brackets belong to it.
fn ends(before: &str, mark: char, after: &str) -> Option<usize> {
    // A run of marks longer than this is no punctuation; looking further would not be linear.
    let closers = after.chars().take(16).take_while(|found| "\"'”’)]*_!?.»".contains(*found));
    let closing = closers.map(char::len_utf8).sum();
    let rest = &after[closing..];
    let next = match rest.chars().next() {
        None => return Some(closing),
        Some(space) if space.is_whitespace() => rest.trim_start().chars().next(),
        Some(_) => return None,
    };
    let small = next.is_some_and(char::is_lowercase);
    let dots = after.starts_with('.') || mark == '…' || before.ends_with('.');
    match mark {
        '!' | '?' => Some(closing),
        _ if dots => (!small).then_some(closing),
        _ => (!abbreviated(before, next)).then_some(closing),
    }
}

/// Whether the full stop between `before` and `next` belongs to the last word.
fn abbreviated(before: &str, next: Option<char>) -> bool {
    let mut words = before.rsplit(|found: char| found.is_whitespace() || found == '(');
    let last = words.next().unwrap_or_default();
    let capital = next.is_some_and(char::is_uppercase);
    let lower = last.to_lowercase();
    if TITLES.binary_search(&last).is_ok() {
        return true;
    }
    if ABBREVIATIONS.binary_search(&lower.as_str()).is_ok()
        || matches!(lower.as_str(), "a.m" | "p.m")
    {
        return !capital;
    }
    if lower == "no" {
        return next.is_some_and(|next| next.is_ascii_digit());
    }
    if last.chars().count() == 1 && last.chars().all(char::is_alphabetic) {
        // An initial, unless it is the name of a thing (`Plan B.`).
        let named = words.next().unwrap_or_default().to_lowercase();
        return last.chars().all(char::is_uppercase)
            && LETTERED.binary_search(&named.as_str()).is_err();
    }
    // `U.S.`, `e.g.`
    last.contains('.') && last.split('.').all(|part| part.chars().count() == 1)
}

#[cfg(test)]
mod tests {
    use super::{ABBREVIATIONS, HEADINGS, LETTERED, TITLES};

    #[test]
    fn tables_are_sorted() {
        assert!([ABBREVIATIONS, LETTERED, TITLES].iter().all(|table| table.is_sorted()));
        assert!(HEADINGS.is_sorted_by_key(|(word, _)| *word));
    }
}
