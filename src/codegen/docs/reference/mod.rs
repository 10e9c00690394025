//! The reference of the spec language, `docs/spec-language.md`: generated from
//! `specs/spec.schema.json`, the table of diagnostics and fixtures that the tests compile.
//!
//! Knows no surface. Whatever it says about a key is in the schema; this module only arranges it.

mod diagnostics;
mod groups;
mod intro;
mod keys;
mod quote;
mod sections;

use super::page::{Page, Section};
use super::{Format, is_ours};

/// Title of the page, by which an existing one is recognized.
const TITLE: &str = "The spec language";

/// The reference as Markdown.
pub fn reference() -> String {
    let files = sections::files();
    let sections = [intro::smallest(), intro::contents(&files)]
        .into_iter()
        .chain(files)
        .chain([diagnostics::section()])
        .collect::<Vec<Section>>();
    Format::Markdown.write(&Page {
        file: "spec-language".to_owned(),
        title: TITLE.to_owned(),
        lead: intro::lead(),
        sections,
        in_catalogue: false,
    })
}

/// Whether the text of a file is the reference, of this version or another.
pub fn is_reference(text: &str) -> bool {
    is_ours(text) && text.lines().take(4).any(|line| line.strip_prefix("# ") == Some(TITLE))
}

/// Keys of the schema that no quoted example uses, and unknown codes; the tests expect none.
pub fn gaps() -> Vec<String> {
    sections::gaps().into_iter().chain(diagnostics::unknown()).collect()
}
