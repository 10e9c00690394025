//! Adds and removes members between braces without changing any other byte.
//!
//! Works on byte ranges and knows neither JSON nor TOML beyond their comments. Removing an added member
//! restores the old text, with one exception that is reported: an empty pair of braces that was
//! spread over several lines.

use std::ops::Range;

/// Ends of lines and line comments, including a lone carriage return.
const LINE_ENDS: [char; 2] = ['\n', '\r'];

/// The comment syntax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Comments {
    /// `// …` and `/* … */`.
    Slashes,
    /// `# …`.
    Hash,
}

impl Comments {
    /// The first position that is not blank, comma or comment.
    pub(super) fn skip(self, text: &str, range: Range<usize>) -> usize {
        let between = tokens(text, range.clone(), self);
        let word = between.iter().find_map(|token| {
            let blank = &text[token.range.clone()];
            let at = token.range.start + blank.len() - blank.trim_start().len();
            (token.kind == Kind::Blank && at < token.range.end).then_some(at)
        });
        word.unwrap_or(range.end)
    }
}

/// A list in braces.
#[derive(Debug)]
pub(super) struct Braces {
    /// Between the braces.
    pub inner: Range<usize>,
    /// From each key to the end of its value.
    pub members: Vec<Range<usize>>,
    /// The comment syntax of its language.
    pub comments: Comments,
}

/// The layout of a text.
#[derive(Debug, Clone)]
pub(super) struct Layout {
    /// The line ending.
    pub newline: &'static str,
    /// One step of indentation.
    pub unit: String,
    /// There is more than one line, or none yet.
    pub lines: bool,
    /// Blanks after colons and commas.
    pub spaced: bool,
}

impl Layout {
    /// The layout of a text.
    pub(super) fn of(text: &str) -> Self {
        let newline = match text.find('\n') {
            Some(at) if text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        };
        let indented = text.lines().find_map(|line| {
            let blank = &line[..line.len() - line.trim_start_matches([' ', '\t']).len()];
            (!blank.is_empty() && line.trim_start().starts_with('"')).then_some(blank)
        });
        let text = text.trim();
        Self {
            newline,
            unit: indented.unwrap_or("  ").to_owned(),
            lines: text.is_empty() || text.contains('\n') || text == "{}",
            spaced: !text.contains("\":") || text.contains("\": "),
        }
    }
}

/// A text with a new member.
#[derive(Debug)]
pub(super) struct Inserted {
    /// The whole text.
    pub text: String,
    /// Empty braces were spread over several lines.
    pub spread: bool,
}

impl Braces {
    /// Appends a member. `write` gets its indentation, or `None` on a single line.
    pub(super) fn insert(
        &self,
        text: &str,
        layout: &Layout,
        write: &dyn Fn(Option<&str>) -> String,
    ) -> Inserted {
        let inner = &text[self.inner.clone()];
        match self.members.last() {
            Some(last) => Inserted { text: self.append(text, layout, last, write), spread: false },
            None if inner.is_empty() && layout.lines => {
                let outer = indentation(text, self.inner.start);
                let indent = format!("{outer}{}", layout.unit);
                let (newline, member) = (layout.newline, write(Some(&indent)));
                let added = format!("{newline}{indent}{member}{newline}{outer}");
                Inserted { text: spliced(text, &[(self.inner.start, &added)]), spread: true }
            }
            None => {
                let at = tokens(text, self.inner.clone(), self.comments)
                    .iter()
                    .rfind(|token| token.kind != Kind::Blank)
                    .map_or(self.inner.start, |token| token.range.end);
                let added = if breaks(inner) {
                    let indent = indentation(text, self.inner.start) + &layout.unit;
                    format!("{}{indent}{}", layout.newline, write(Some(&indent)))
                } else if inner.is_empty() {
                    write(None)
                } else {
                    format!(" {}", write(None))
                };
                Inserted { text: spliced(text, &[(at, &added)]), spread: false }
            }
        }
    }

    fn append(
        &self,
        text: &str,
        layout: &Layout,
        last: &Range<usize>,
        write: &dyn Fn(Option<&str>) -> String,
    ) -> String {
        let first = self.members.first().map_or(last.start, |first| first.start);
        let in_lines =
            breaks(&text[self.inner.start..first]) || breaks(&text[last.end..self.inner.end]);
        let after = tokens(text, last.end..self.inner.end, self.comments);
        let comma = after.iter().position(|token| token.kind == Kind::Comma);
        // After the comma and the comments on its line, which belong to the previous member.
        let mut at = comma.map_or(last.end, |comma| after[comma].range.end);
        for token in &after[comma.map_or(0, |comma| comma + 1)..] {
            match token.kind {
                Kind::Blank if breaks(&text[token.range.clone()]) => break,
                Kind::Blank => {}
                _ => at = token.range.end,
            }
        }
        let member = if in_lines {
            let indent = indentation(text, last.start);
            format!("{}{indent}{}", layout.newline, write(Some(&indent)))
        } else {
            format!("{}{}", if layout.spaced { " " } else { "" }, write(None))
        };
        match comma {
            Some(_) => spliced(text, &[(at, &format!("{member},"))]),
            None => spliced(text, &[(last.end, ","), (at, &member)]),
        }
    }

    /// Removes a member, with its comma and the blanks before it. For a last member without a comma,
    /// removes the previous comma. Blanks that end a comment are kept, because without the line break
    /// the comment would swallow what follows; the blanks after the member are removed instead.
    pub(super) fn remove(&self, text: &str, index: usize) -> String {
        let Some(member) = self.members.get(index) else { return text.to_owned() };
        let from = match index.checked_sub(1).and_then(|index| self.members.get(index)) {
            Some(before) => before.end,
            None => self.inner.start,
        };
        let to = self.members.get(index + 1).map_or(self.inner.end, |next| next.start);
        let before = tokens(text, from..member.start, self.comments);
        let after = tokens(text, member.end..to, self.comments);
        let comma = |tokens: &[Token]| {
            tokens.iter().find(|token| token.kind == Kind::Comma).map(|token| token.range.clone())
        };
        let behind = after.iter().take_while(|token| token.kind != Kind::Comment);
        let behind: Vec<&Token> = behind.filter(|token| token.kind == Kind::Blank).collect();
        let ends_line = behind.iter().any(|token| breaks(&text[token.range.clone()]));
        let blanks = match &before[..] {
            [.., comment, _] if is_line_comment(text, comment) && !ends_line => behind,
            [.., last] if last.kind == Kind::Blank => vec![last],
            _ => Vec::new(),
        };
        let blanks = blanks.into_iter().map(|token| token.range.clone());
        let comma = comma(&after).or_else(|| comma(&before));
        cut(text, blanks.chain(comma).chain([member.clone()]).collect())
    }
}

/// Whether a line ends here.
fn breaks(text: &str) -> bool {
    text.contains(LINE_ENDS)
}

/// The indentation of the line at a position.
fn indentation(text: &str, at: usize) -> String {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    text[line..at].chars().take_while(|c| matches!(c, ' ' | '\t')).collect()
}

/// Inserts texts at ascending positions.
fn spliced(text: &str, pieces: &[(usize, &str)]) -> String {
    let mut out = String::new();
    let mut from = 0;
    for (at, piece) in pieces {
        out.push_str(&text[from..*at]);
        out.push_str(piece);
        from = *at;
    }
    out + &text[from..]
}

/// Removes ranges that do not overlap.
fn cut(text: &str, mut ranges: Vec<Range<usize>>) -> String {
    ranges.sort_by_key(|range| range.start);
    let mut out = text.to_owned();
    for range in ranges.into_iter().rev() {
        out.replace_range(range, "");
    }
    out
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Blank,
    Comma,
    Comment,
}

#[derive(Debug)]
struct Token {
    kind: Kind,
    range: Range<usize>,
}

/// Whether the token is a line comment.
fn is_line_comment(text: &str, token: &Token) -> bool {
    token.kind == Kind::Comment && !text[token.range.clone()].starts_with("/*")
}

/// The tokens between members. A run of blanks is one token; a line comment does not include the end
/// of the line.
fn tokens(text: &str, range: Range<usize>, comments: Comments) -> Vec<Token> {
    let mut found = Vec::new();
    let mut at = range.start;
    while at < range.end {
        let rest = &text[at..range.end];
        let (kind, length) = match (comments, rest.as_bytes()) {
            (_, [b',', ..]) => (Kind::Comma, 1),
            (Comments::Slashes, [b'/', b'*', ..]) => {
                (Kind::Comment, rest[2..].find("*/").map_or(rest.len(), |end| end + 4))
            }
            (Comments::Slashes, [b'/', b'/', ..]) | (Comments::Hash, [b'#', ..]) => {
                (Kind::Comment, rest.find(LINE_ENDS).unwrap_or(rest.len()))
            }
            _ => (Kind::Blank, rest.find([',', '/', '#']).unwrap_or(rest.len()).max(1)),
        };
        found.push(Token { kind, range: at..at + length });
        at += length;
    }
    found
}
