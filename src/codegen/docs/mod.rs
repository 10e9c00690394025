//! Documents from contracts: the catalogue as Markdown or as a static site, tables between the markers
//! of a document, and the reference of the spec language.
//!
//! Builders turn a contract into a page; writers render it, so all formats have the same content.
//! Nothing here reads files, clock or environment: the same contracts give the same bytes.

mod envelope;
mod guards;
mod html;
mod index;
mod markdown;
mod markers;
mod page;
mod prompts;
mod prose;
mod reference;
mod registration;
mod schema_text;
mod surface;
mod tables;
mod tool;

pub use markers::refresh;
pub use reference::{gaps as reference_gaps, is_reference, reference};

use crate::model::Contract;

/// How pages are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// Markdown as code hosts render it.
    Markdown,
    /// Pages that need nothing but a browser: no network, no other file.
    Html,
}

/// A file of a catalogue.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct File {
    /// Name without folders.
    pub name: String,
    /// What is in it.
    pub text: String,
}

/// Marks generated pages near their beginning.
pub const SIGNATURE: &str = "Written by `toolwright docs` from the contract. Changes will be lost.";

/// The catalogue of all contracts: an index and one page for each.
pub fn catalogue(contracts: &[Contract], format: Format) -> Vec<File> {
    let index = match format {
        Format::Markdown => "README",
        Format::Html => "index",
    };
    let pages = contracts.iter().map(|contract| surface::page(contract, true));
    std::iter::once(index::page(contracts, index))
        .chain(pages)
        .map(|page| File { name: format.file(&page.file), text: format.write(&page) })
        .collect()
}

/// The page of one contract on its own, without links to others.
pub fn page(contract: &Contract, format: Format) -> String {
    format.write(&surface::page(contract, false))
}

/// Whether a file was generated here.
pub fn is_ours(text: &str) -> bool {
    text.lines().take(2).any(|line| line.contains(SIGNATURE))
}

impl Format {
    fn write(self, page: &page::Page) -> String {
        match self {
            Self::Markdown => markdown::write(page),
            Self::Html => html::write(page),
        }
    }

    fn file(self, name: &str) -> String {
        match self {
            Self::Markdown => format!("{name}.md"),
            Self::Html => format!("{name}.html"),
        }
    }
}

/// What a surface's page is called: its name, unless the index is called so.
fn file_name(surface: &str) -> &str {
    match surface {
        "index" => "index-surface",
        "readme" => "readme-surface",
        other => other,
    }
}
