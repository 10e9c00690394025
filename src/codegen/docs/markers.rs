//! Tables between markers of a document.
//!
//! A document has `<!-- tools:wink -->` … `<!-- /tools:wink -->`, and the same with `errors`,
//! `settings`, `guards`, `toolsets`, `profiles` and `prompts`. The text between is replaced; everything else
//! stays.

use std::fmt::Write as _;

use super::page::Table;
use super::{markdown, tables};
use crate::model::Contract;

/// A table and how many of its columns a document shows.
type Kind = (&'static str, fn(&Contract) -> Table, usize);

const KINDS: [Kind; 7] = [
    ("tools", tables::tools, 4),
    ("errors", tables::errors, 3),
    ("settings", tables::settings, 5),
    ("guards", tables::guards, 4),
    ("toolsets", tables::toolsets, 2),
    ("profiles", tables::profiles, 6),
    ("prompts", tables::prompts, 4),
];

/// Replaces the text between markers. An unknown or unclosed marker is an error.
pub fn refresh(document: &str, contracts: &[Contract]) -> Result<String, String> {
    let mut fresh = String::with_capacity(document.len());
    let mut rest = document;
    while let Some(marker) = next_marker(rest) {
        let name = marker.name;
        let closing = format!("<!-- /{name} -->");
        let Some(end) = marker.after.find(&closing) else {
            return Err(format!("the marker `{name}` is not closed by `{closing}`"));
        };
        let table = table(&marker, contracts)?;
        let _ = write!(fresh, "{}<!-- {name} -->\n{table}{closing}", marker.before);
        rest = &marker.after[end + closing.len()..];
    }
    fresh.push_str(rest);
    Ok(fresh)
}

/// An opening marker and what is around it.
struct Marker<'a> {
    before: &'a str,
    name: &'a str,
    kind: &'static Kind,
    surface: &'a str,
    after: &'a str,
}

fn next_marker(text: &str) -> Option<Marker<'_>> {
    let mut from = 0;
    loop {
        let start = from + text[from..].find("<!-- ")?;
        let name_start = start + "<!-- ".len();
        let end = name_start + text[name_start..].find(" -->")?;
        let name = &text[name_start..end];
        let known = name.split_once(':').and_then(|(kind, surface)| {
            KINDS.iter().find(|(known, ..)| *known == kind).map(|kind| (kind, surface))
        });
        if let Some((kind, surface)) = known {
            let (before, after) = (&text[..start], &text[end + " -->".len()..]);
            return Some(Marker { before, name, kind, surface, after });
        }
        from = end;
    }
}

fn table(marker: &Marker<'_>, contracts: &[Contract]) -> Result<String, String> {
    let contract = contracts
        .iter()
        .find(|contract| contract.name == marker.surface)
        .ok_or_else(|| format!("the marker `{}` names no surface under specs/", marker.name))?;
    let (_, table, columns) = marker.kind;
    Ok(markdown::table(&table(contract).first_columns(*columns).unlinked()))
}
