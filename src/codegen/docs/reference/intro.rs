//! The beginning of the page: what a spec is, the smallest one, the contents.

use super::super::page::{Block, Inline, Section, Target, Text, text};
use super::quote::{SMALLEST, without_header};
use crate::docs::prose::prose;

/// Below the title.
pub(super) fn lead() -> Text {
    prose(
        "The contract of a surface is a folder of YAML files below `specs/`. The compiler turns it \
         into typed Rust, served tool definitions, tool commands, a mock server, documentation and \
         tests. This page lists every key.",
    )
}

/// The smallest complete surface.
pub(super) fn smallest() -> Section {
    let mut section = Section::new("smallest", "The smallest surface");
    for (path, file) in SMALLEST {
        section.blocks.push(Block::Paragraph(prose(&format!("`{path}`"))));
        section.blocks.push(Block::Code("yaml", without_header(file)));
    }
    section.blocks.push(Block::Paragraph(prose(
        "`toolwright check` reports findings (`--watch`: on every save), and `toolwright new` \
         creates a package like this one. For completion in an editor, begin each file with:",
    )));
    let comment = "# yaml-language-server: $schema=../spec.schema.json";
    section.blocks.push(Block::Code("yaml", comment.to_owned()));
    section.blocks.push(Block::Paragraph(
        [
            text("How the compiler works is described in "),
            page("architecture", "Architecture"),
            text(
                ". Every other example on this page is part of one fixture that the tests compile.",
            ),
        ]
        .concat(),
    ));
    section
}

/// Links to the sections.
pub(super) fn contents(files: &[Section]) -> Section {
    let mut section = Section::new("contents", "Contents");
    let mut items: Vec<Text> = files.iter().map(item).collect();
    items.push(vec![here("diagnostics", Inline::Text("Diagnostics".to_owned()))]);
    section.blocks.push(Block::List(items));
    section
}

fn item(section: &Section) -> Text {
    let link = |section: &Section| {
        let title = section.title.first().cloned();
        section.anchor.as_deref().zip(title).map(|(anchor, title)| here(anchor, title))
    };
    let mut item: Text = link(section).into_iter().collect();
    for (index, inner) in section.sections.iter().filter_map(link).enumerate() {
        item.extend(text(if index == 0 { ": " } else { ", " }));
        item.push(inner);
    }
    item
}

fn here(anchor: &str, label: Inline) -> Inline {
    Inline::Link(Target::Here(anchor.to_owned()), Box::new(label))
}

fn page(file: &str, label: &str) -> Text {
    let target = Target::Page(file.to_owned(), None);
    vec![Inline::Link(target, Box::new(Inline::Text(label.to_owned())))]
}
