//! Pages as Markdown. Every text of a contract is escaped: none can become markup, a link or HTML.

use super::html;
use super::page::{Block, Inline, Page, Section, Table, Target};
use super::prose::visible;
use super::{Format, SIGNATURE};

/// The page.
pub(super) fn write(page: &Page) -> String {
    let mut out = Writer { text: format!("<!-- {SIGNATURE} -->\n\n") };
    out.line(&format!("# {}", inlines(&[Inline::Text(page.title.clone())], Place::Line)));
    out.line(&inlines(&page.lead, Place::Line));
    if page.in_catalogue {
        out.line(&format!("[All surfaces]({})", Format::Markdown.file("README")));
    }
    page.sections.iter().for_each(|section| out.section(section, 2));
    let end = out.text.trim_end().len();
    out.text.truncate(end);
    out.text.push('\n');
    out.text
}

/// A table alone.
pub(super) fn table(table: &Table) -> String {
    let mut text = format!("| {} |\n", cells(table.columns.iter().map(|column| escape(column))));
    text.push_str(&format!("|{}\n", "---|".repeat(table.columns.len())));
    for row in &table.rows {
        let anchor = row.anchor.as_deref().map(anchor).unwrap_or_default();
        let cells = cells(row.cells.iter().map(|cell| inlines(cell, Place::Table)));
        text.push_str(&format!("| {anchor}{cells} |\n"));
    }
    text
}

fn cells(cells: impl Iterator<Item = String>) -> String {
    cells.collect::<Vec<_>>().join(" | ")
}

/// What a link can lead to.
fn anchor(id: &str) -> String {
    format!("<a id=\"{}\"></a>", html::escape(id))
}

struct Writer {
    text: String,
}

impl Writer {
    /// A block of its own.
    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push_str("\n\n");
    }

    fn section(&mut self, section: &Section, level: usize) {
        if let Some(id) = &section.anchor {
            self.line(&anchor(id));
        }
        let title = inlines(&section.title, Place::Inside);
        self.line(&format!("{} {title}", "#".repeat(level.min(6))));
        self.blocks(&section.blocks);
        section.sections.iter().for_each(|inner| self.section(inner, level + 1));
    }

    fn blocks(&mut self, blocks: &[Block]) {
        for block in blocks {
            match block {
                Block::Paragraph(text) => self.line(&inlines(text, Place::Line)),
                Block::List(items) => self.list(items.iter().map(|item| ("-".to_owned(), item))),
                Block::Steps(items) => {
                    let numbers = (1..).map(|number| format!("{number}."));
                    self.list(numbers.zip(items));
                }
                Block::Facts(facts) => {
                    for (label, text) in facts {
                        let text = inlines(text, Place::Inside);
                        self.text.push_str(&format!("- **{label}:** {text}\n"));
                    }
                    self.text.push('\n');
                }
                Block::Table(table) => self.line(self::table(table).trim_end()),
                Block::Code(language, text) => self.code(language, text),
                Block::Fold(summary, blocks) => {
                    let summary = html_line(summary);
                    self.line(&format!("<details><summary>{summary}</summary>"));
                    self.blocks(blocks);
                    self.line("</details>");
                }
            }
        }
    }

    fn list<'a>(&mut self, items: impl Iterator<Item = (String, &'a Vec<Inline>)>) {
        for (mark, item) in items {
            self.text.push_str(&format!("{mark} {}\n", inlines(item, Place::Inside)));
        }
        self.text.push('\n');
    }

    fn code(&mut self, language: &str, text: &str) {
        let text = visible(text);
        let fence = "`".repeat(longest_run(&text).max(2) + 1);
        self.line(&format!("{fence}{language}\n{text}\n{fence}"));
    }
}

/// Context of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// At the beginning of a line, where some characters begin a list or a heading.
    Line,
    /// Within a line that cannot be broken.
    Inside,
    /// The same, in a table.
    Table,
}

fn inlines(inlines: &[Inline], place: Place) -> String {
    let mut text = String::new();
    for inline in inlines {
        match inline {
            Inline::Text(plain) if place == Place::Line && at_line_start(&text) => {
                text.push_str(&escape_start(&escape(plain)));
            }
            Inline::Text(plain) => text.push_str(&escape(plain)),
            Inline::Code(code) => text.push_str(&code_span(code, place)),
            Inline::Break if place == Place::Line => text.push_str("\\\n"),
            Inline::Break => text.push(' '),
            Inline::Link(target, inner) => {
                let place = if place == Place::Line { Place::Inside } else { place };
                let label = self::inlines(std::slice::from_ref(inner), place);
                text.push_str(&format!("[{label}]({})", address(target)));
            }
            // The label of an effect says enough; that of a guard belongs to its name.
            Inline::Badge(_, label) if text.is_empty() => text.push_str(&escape(label)),
            Inline::Badge(_, label) => text.push_str(&format!("({})", escape(label))),
        }
    }
    text
}

/// Text where a line is HTML, which it is up to the next blank one.
fn html_line(text: &[Inline]) -> String {
    let line: String = text
        .iter()
        .map(|inline| match inline {
            Inline::Text(text) | Inline::Badge(_, text) => html::escape(text),
            Inline::Code(code) => format!("<code>{}</code>", html::escape(code)),
            Inline::Break => " ".to_owned(),
            Inline::Link(_, inner) => html_line(std::slice::from_ref(inner)),
        })
        .collect();
    line.replace('\n', " ")
}

fn address(target: &Target) -> String {
    match target {
        Target::Here(anchor) => format!("#{anchor}"),
        Target::Page(page, None) => Format::Markdown.file(page),
        Target::Page(page, Some(anchor)) => format!("{}#{anchor}", Format::Markdown.file(page)),
    }
}

fn at_line_start(text: &str) -> bool {
    text.is_empty() || text.ends_with('\n')
}

/// Text escaped for Markdown. Harmless characters stay as they are, so that the source is readable.
fn escape(text: &str) -> String {
    let text = visible(&text.replace('\n', " "));
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        let after = rest.peek().copied().unwrap_or(' ');
        let escape = match c {
            '`' | '*' | '[' | ']' | '|' => true,
            '\\' => after.is_ascii_punctuation(),
            '_' => !(before.is_alphanumeric() && after.is_alphanumeric()),
            '~' => after != '/',
            _ => false,
        };
        match c {
            '<' => escaped.push_str("&lt;"),
            '&' if after.is_ascii_alphanumeric() || after == '#' => escaped.push_str("&amp;"),
            _ => {
                if escape {
                    escaped.push('\\');
                }
                escaped.push(c);
            }
        }
        before = c;
    }
    escaped
}

/// Keeps the first characters of a line from beginning a block.
fn escape_start(text: &str) -> String {
    let text = text.trim_start();
    if text.starts_with(['#', '>', '-', '+', '=']) {
        return format!("\\{text}");
    }
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    if digits > 0 && rest.starts_with(['.', ')']) {
        return format!("{number}\\{rest}");
    }
    text.to_owned()
}

/// Code within a line. In tables, and there alone, a pipe needs a backslash within code, too.
fn code_span(code: &str, place: Place) -> String {
    let mut code = visible(&code.replace(['\n', '\t'], " "));
    if place == Place::Table {
        code = code.replace('|', "\\|");
    }
    let run = longest_run(&code);
    if run == 0 {
        return format!("`{code}`");
    }
    let fence = "`".repeat(run + 1);
    format!("{fence} {code} {fence}")
}

fn longest_run(text: &str) -> usize {
    let runs = text.split(|c| c != '`').map(str::len);
    runs.max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_cannot_become_markup() {
        assert_eq!(escape("<b>&amp; a_b _c_ *d*"), "&lt;b>&amp;amp; a_b \\_c\\_ \\*d\\*");
        assert_eq!(escape("[x](y) | `z`"), "\\[x\\](y) \\| \\`z\\`");
        assert_eq!(escape(r"\x03 \* C:\"), r"\x03 \\\* C:\");
        assert_eq!(escape_start("1. one"), "1\\. one");
        assert_eq!(escape_start("# one"), "\\# one");
    }

    #[test]
    fn code_is_fenced_by_more_backticks_than_it_has() {
        assert_eq!(code_span("a", Place::Inside), "`a`");
        assert_eq!(code_span("a``b", Place::Inside), "``` a``b ```");
        assert_eq!(code_span("a|b", Place::Table), "`a\\|b`");
        let mut out = Writer { text: String::new() };
        out.code("json", "```");
        assert_eq!(out.text, "````json\n```\n````\n\n");
    }
}
