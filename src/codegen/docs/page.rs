//! A page of the catalogue as data: sections, blocks, inline text. Builders create it and writers
//! render it, so all formats have the same content.
//!
//! Texts are stored unescaped; every writer escapes all of them.

use serde_json::Value;

use super::prose;

/// A page: the catalogue's index, or one surface.
pub(super) struct Page {
    /// What the file is called, without its ending.
    pub(super) file: String,
    pub(super) title: String,
    /// Text below the title.
    pub(super) lead: Text,
    pub(super) sections: Vec<Section>,
    /// It is part of a catalogue that has an index.
    pub(super) in_catalogue: bool,
}

/// A heading and its content.
#[derive(Default)]
pub(super) struct Section {
    pub(super) anchor: Option<String>,
    pub(super) title: Text,
    /// What a search finds it as.
    pub(super) item: Option<Item>,
    pub(super) blocks: Vec<Block>,
    pub(super) sections: Vec<Section>,
}

/// Things that a search finds.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Item {
    Tool,
    Error,
    Setting,
}

/// A run of inlines.
pub(super) type Text = Vec<Inline>;

/// A piece of text.
#[derive(Clone)]
pub(super) enum Inline {
    Text(String),
    Code(String),
    /// A new line within the paragraph.
    Break,
    Link(Target, Box<Inline>),
    Badge(Tone, String),
}

/// Where a link leads.
#[derive(Clone)]
pub(super) enum Target {
    /// An anchor of the same page.
    Here(String),
    /// Another page of the catalogue, and an anchor of it.
    Page(String, Option<String>),
}

/// Meaning of a badge. The label states it; the tone only colours it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Tone {
    /// The least: a weak guard, or a call that changes nothing.
    Plain,
    Notice,
    Strong,
    Danger,
}

/// Part of a section.
pub(super) enum Block {
    Paragraph(Text),
    /// Bullets.
    List(Vec<Text>),
    /// Steps that have an order.
    Steps(Vec<Text>),
    /// Short labels with what belongs to them.
    Facts(Vec<(&'static str, Text)>),
    Table(Table),
    Code(&'static str, String),
    /// Collapsed by default.
    Fold(Text, Vec<Block>),
}

/// A table.
pub(super) struct Table {
    /// What it lists, for those who cannot see it.
    pub(super) label: String,
    pub(super) columns: Vec<String>,
    pub(super) rows: Vec<Row>,
}

/// A row of a table.
#[derive(Default)]
pub(super) struct Row {
    pub(super) anchor: Option<String>,
    pub(super) item: Option<Item>,
    /// How deep it is nested in the rows above.
    pub(super) depth: usize,
    pub(super) cells: Vec<Text>,
}

impl Section {
    /// A section that can be linked to.
    pub(super) fn new(anchor: &str, title: &str) -> Self {
        Self { anchor: Some(anchor.to_owned()), title: text(title), ..Self::default() }
    }

    /// A section that is only a part of the one around it.
    pub(super) fn part(title: &str, blocks: Vec<Block>) -> Self {
        Self { title: text(title), blocks, ..Self::default() }
    }
}

impl Table {
    pub(super) fn new(label: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        Self { label: label.to_owned(), columns, rows: Vec::new() }
    }

    /// The first columns alone.
    pub(super) fn first_columns(mut self, count: usize) -> Self {
        self.columns.truncate(count);
        self.rows.iter_mut().for_each(|row| row.cells.truncate(count));
        self
    }

    /// Without links and anchors, for documents that have other pages around it.
    pub(super) fn unlinked(mut self) -> Self {
        for row in &mut self.rows {
            row.anchor = None;
            for inline in row.cells.iter_mut().flatten() {
                if let Inline::Link(_, inner) = inline {
                    *inline = (**inner).clone();
                }
            }
        }
        self
    }
}

impl Row {
    pub(super) fn new(cells: Vec<Text>) -> Self {
        Self { cells, ..Self::default() }
    }
}

/// A run of plain text.
pub(super) fn text(text: &str) -> Text {
    vec![Inline::Text(text.to_owned())]
}

/// A run of code.
pub(super) fn code(text: &str) -> Text {
    vec![Inline::Code(text.to_owned())]
}

/// Nothing to say.
pub(super) fn none() -> Text {
    text("–")
}

/// The text that means yes or no.
pub(super) fn yes_or_no(yes: bool) -> Text {
    text(if yes { "yes" } else { "no" })
}

/// A value of JSON as code.
pub(super) fn value(value: &Value) -> Inline {
    Inline::Code(prose::json_line(value))
}

/// Texts with something between them.
pub(super) fn joined(parts: impl IntoIterator<Item = Text>, between: &str) -> Text {
    let mut all = Text::new();
    for part in parts {
        if !all.is_empty() {
            all.push(Inline::Text(between.to_owned()));
        }
        all.extend(part);
    }
    all
}

/// An anchor: what it is about and its name. Distinct names have distinct anchors.
pub(super) fn anchor(kind: &str, name: &str) -> String {
    let mut anchor = format!("{kind}-");
    for c in name.chars() {
        if c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-') {
            anchor.push(c);
        } else {
            anchor.push_str(&format!("~{:x}~", u32::from(c)));
        }
    }
    anchor
}
