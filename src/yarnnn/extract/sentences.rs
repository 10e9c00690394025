//! Splits a turn into sentences, list items, rows of tables, comments of code and changed lines.
//!
//! Supports the Markdown that chats use, and the headers of mails. Of fenced code only comments and
//! changed lines are read. Lines of a wrapped paragraph are joined. Every byte is read a
//! fixed number of times. Knows nothing of what a sentence means.

use super::boundaries::{LONGEST, split};
use super::code::{changed, comment};
use super::rows::{headed, is_row, is_rule};
use super::words::{stop, words};
use crate::model::{ByteSpan, SemanticType};

/// The longest line that may be a headline.
const HEADLINE: usize = 70;

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
    /// A row of a table, not its head.
    Row,
    /// A line of code with a comment.
    Comment,
    /// Lines that a patch changes.
    Changed,
    /// `Subject: …`
    Header,
}

/// A sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Sentence {
    pub(super) span: ByteSpan,
    /// The part that says something: of a line of code, its comment.
    pub(super) core: ByteSpan,
    pub(super) form: Form,
    /// A line of its own above others, without an end: probably a headline.
    pub(super) headline: bool,
    /// The kind that the heading above announces.
    pub(super) under: Option<SemanticType>,
}

/// Headings that announce a kind of statement.
const HEADINGS: &[(&str, SemanticType)] = &[
    ("action", SemanticType::Action),
    ("actions", SemanticType::Action),
    ("agreed", SemanticType::Decision),
    ("aufgaben", SemanticType::Action),
    ("beschluss", SemanticType::Decision),
    ("beschlüsse", SemanticType::Decision),
    ("blockers", SemanticType::Problem),
    ("constraints", SemanticType::Constraint),
    ("decided", SemanticType::Decision),
    ("decision", SemanticType::Decision),
    ("decisions", SemanticType::Decision),
    ("decisões", SemanticType::Decision),
    ("deliberações", SemanticType::Decision),
    ("entscheidungen", SemanticType::Decision),
    ("goal", SemanticType::Goal),
    ("goals", SemanticType::Goal),
    ("insights", SemanticType::Insight),
    ("issues", SemanticType::Problem),
    ("kennzahlen", SemanticType::Metric),
    ("kpis", SemanticType::Metric),
    ("learnings", SemanticType::Insight),
    ("maßnahmen", SemanticType::Action),
    ("metas", SemanticType::Goal),
    ("metrics", SemanticType::Metric),
    ("objectives", SemanticType::Goal),
    ("objetivos", SemanticType::Goal),
    ("pendências", SemanticType::Action),
    ("problemas", SemanticType::Problem),
    ("probleme", SemanticType::Problem),
    ("problems", SemanticType::Problem),
    ("regeln", SemanticType::Constraint),
    ("regras", SemanticType::Constraint),
    ("requirements", SemanticType::Constraint),
    ("riscos", SemanticType::Problem),
    ("risiken", SemanticType::Problem),
    ("risks", SemanticType::Problem),
    ("rules", SemanticType::Constraint),
    ("steps", SemanticType::Action),
    ("takeaways", SemanticType::Insight),
    ("tarefas", SemanticType::Action),
    ("tasks", SemanticType::Action),
    ("todo", SemanticType::Action),
    ("todos", SemanticType::Action),
    ("ziele", SemanticType::Goal),
];

/// Words that open a line of a mail's header, in lower case.
const HEADERS: &[&str] = &[
    "an", "assunto", "bcc", "betreff", "cc", "data", "date", "datum", "de", "enviado", "from",
    "gesendet", "para", "sent", "subject", "to", "von",
];

/// Those that begin a header.
const FIRST_HEADERS: &[&str] = &["assunto", "betreff", "de", "from", "subject", "von"];

/// All sentences, in order.
pub(super) fn sentences(text: &str) -> Vec<Sentence> {
    let mut reader =
        Reader { text, found: Vec::new(), open: None, under: None, mail: false, table: false };
    // An unclosed fence hides nothing.
    let mut fences = text.lines().filter(|line| fence(line)).count() / 2 * 2;
    let mut fenced = false;
    let mut at = 0;
    let mut lines = text.split_inclusive('\n').peekable();
    let mut above = "";
    while let Some(line) = lines.next() {
        let below = lines.peek().copied().unwrap_or_default();
        if fence(line) {
            reader.flush();
            fenced = !fenced && fences > 0;
            fences = fences.saturating_sub(1);
        } else if fenced {
            reader.code(at, line);
        } else {
            reader.line(at, line, above, below);
        }
        at += line.len();
        above = line;
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
    /// Whether the line above was a mail's header.
    mail: bool,
    /// Whether the line above was part of a table.
    table: bool,
}

impl Reader<'_> {
    fn line(&mut self, at: usize, line: &str, above: &str, below: &str) {
        let words = line.trim();
        let start = at + (line.len() - line.trim_start().len());
        let end = start + words.len();
        let mail = header(words, self.mail);
        let table = is_row(words, above.trim(), below.trim());
        let headed = table && !self.table && headed(words, below.trim());
        (self.mail, self.table) = (mail, table);
        let ruled = is_rule(words)
            || words.len() >= 3
                && words.bytes().all(|byte| matches!(byte, b'-' | b'=' | b'*' | b'_'));
        if words.is_empty() || ruled || headed {
            self.flush();
            return;
        }
        if table || mail {
            self.flush();
            self.push(ByteSpan { start, end }, if mail { Form::Header } else { Form::Row });
            return;
        }
        let (marker, form) = marker(words);
        if form == Form::Prose
            && let Some((from, to, above)) = self.open
            && !matches!(above, Form::Heading | Form::Changed)
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

    /// A line of fenced code.
    fn code(&mut self, at: usize, line: &str) {
        let end = at + line.trim_end().len();
        if changed(line.trim_end()) {
            match self.open {
                Some((from, _, Form::Changed)) if end - from <= LONGEST => {
                    self.open = Some((from, end, Form::Changed));
                }
                _ => {
                    self.flush();
                    self.open = Some((at, end, Form::Changed));
                }
            }
            return;
        }
        self.flush();
        let Some(comment) = comment(line) else { return };
        let start = at + (line.len() - line.trim_start().len());
        let core = ByteSpan { start: at + comment.start, end: at + comment.end };
        // Code is kept as context unless it is more than the comment.
        let more = words(&self.text[start..core.start]).len()
            > words(&self.text[core.start..core.end]).len();
        let span = if more { core } else { ByteSpan { start, end } };
        let form = Form::Comment;
        self.found.push(Sentence { span, core, form, headline: false, under: None });
    }

    fn push(&mut self, span: ByteSpan, form: Form) {
        let under = self.under.filter(|_| form != Form::Heading);
        self.found.push(Sentence { span, core: span, form, headline: false, under });
    }

    /// Ends the paragraph.
    fn flush(&mut self) {
        let Some((from, to, form)) = self.open.take() else { return };
        let paragraph = &self.text[from..to];
        if form == Form::Heading || form == Form::Prose && announces(paragraph) {
            self.under = heading(paragraph);
            if form == Form::Heading {
                return self.push(ByteSpan { start: from, end: to }, form);
            }
        } else if form == Form::Prose {
            self.under = None;
        }
        if form == Form::Changed {
            return self.push(ByteSpan { start: from, end: to }, form);
        }
        let headline = form == Form::Prose && self.headline(from, to);
        for piece in split(paragraph) {
            let span = ByteSpan { start: from + piece.start, end: from + piece.end };
            self.found.push(Sentence { span, core: span, form, headline, under: self.under });
        }
    }

    /// Whether a paragraph stands like a headline: short, without an end, between empty lines, and
    /// above something.
    fn headline(&self, from: usize, to: usize) -> bool {
        let paragraph = &self.text[from..to];
        let (above, below) = (&self.text[..from], &self.text[to..]);
        let blank = |text: &str| text.trim_start_matches([' ', '\t', '\r']).starts_with("\n\n");
        paragraph.len() <= HEADLINE
            && !paragraph.ends_with(|last: char| ".!?:;,…\"”)".contains(last))
            && (above.is_empty() || above.trim_end_matches([' ', '\t']).ends_with("\n\n"))
            && (blank(below) && !below.trim_start().is_empty()
                || from == 0 && below.starts_with('\n'))
    }
}

/// Whether a line belongs to the header of a mail; `on` after another such line.
fn header(line: &str, on: bool) -> bool {
    let Some((name, _)) = line.split_once(": ") else { return false };
    let name = name.trim_matches('*');
    let known = |table: &[&str]| table.binary_search(&name.to_lowercase().as_str()).is_ok();
    name.len() <= 10
        && name.starts_with(char::is_uppercase)
        && if on { known(HEADERS) } else { known(FIRST_HEADERS) }
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

#[cfg(test)]
mod tests {
    use super::{FIRST_HEADERS, HEADERS, HEADINGS};

    #[test]
    fn tables_are_sorted() {
        assert!(HEADERS.is_sorted() && FIRST_HEADERS.is_sorted());
        assert!(HEADINGS.is_sorted_by_key(|(word, _)| *word));
    }
}
