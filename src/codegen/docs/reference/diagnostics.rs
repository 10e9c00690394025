//! The catalogue of diagnostics, linked with the keys that they guard.

use super::super::page::{Block, Inline, Row, Section, Table, Target, anchor, code, joined, text};
use super::keys::{Key, codes, definition};
use super::sections::keys;
use crate::diagnostics::{CODES, Severity};
use crate::docs::prose::prose;

/// The section.
pub(super) fn section() -> Section {
    let mut table = Table::new("Diagnostics", &["code", "severity", "meaning", "keys"]);
    let keys = keys();
    for info in CODES.iter() {
        let guarded: Vec<&Key> =
            keys.iter().filter(|key| key.codes().contains(&info.code)).collect();
        // A map is named only where none of its members is.
        let innermost = guarded.iter().filter(|key| !guarded.iter().any(|inner| key.holds(inner)));
        let mut links = joined(innermost.map(|key| key.link()), ", ");
        if links.is_empty() && codes(definition("schema")).contains(&info.code) {
            let label = Box::new(Inline::Text("every schema".to_owned()));
            links.push(Inline::Link(Target::Here("schemas".to_owned()), label));
        }
        let severity = match info.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let cells = vec![
            code(info.code),
            text(severity),
            prose(info.title),
            if links.is_empty() { text("any") } else { links },
        ];
        table.rows.push(Row { anchor: Some(anchor("code", info.code)), ..Row::new(cells) });
    }
    let mut section = Section::new("diagnostics", "Diagnostics");
    section.blocks = vec![
        Block::Paragraph(prose(
            "`toolwright check` and every build report all findings at once, with file, line and \
             column; a finding can hide others that depend on it. `toolwright explain TW005` prints why a finding matters, with a wrong and a \
             right example. An error stops the build, a warning does not.",
        )),
        Block::Table(table),
    ];
    section
}

/// Codes in the schema that do not exist.
pub(super) fn unknown() -> Vec<String> {
    let known = |code: &&str| !CODES.iter().any(|info| info.code == *code);
    let keys = keys();
    let codes = keys.iter().flat_map(|key| key.codes());
    codes.filter(known).map(|code| format!("unknown code {code}")).collect()
}
