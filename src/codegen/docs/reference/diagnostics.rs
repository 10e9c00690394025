//! The catalogue of diagnostics, linked with the keys that they guard.

use super::super::page::{Block, Row, Section, Table, anchor, code, joined, text};
use super::sections::keys;
use crate::diagnostics::{CODES, Severity};
use crate::docs::prose::prose;

/// The section.
pub(super) fn section() -> Section {
    let mut table = Table::new("Diagnostics", &["code", "severity", "meaning", "keys"]);
    let keys = keys();
    for info in CODES.iter() {
        let guarded = keys.iter().filter(|key| key.codes().contains(&info.code));
        let guarded = joined(guarded.map(|key| key.link()), ", ");
        let severity = match info.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
        };
        let cells = vec![
            code(info.code),
            text(severity),
            prose(info.title),
            if guarded.is_empty() { text("any") } else { guarded },
        ];
        table.rows.push(Row { anchor: Some(anchor("code", info.code)), ..Row::new(cells) });
    }
    let mut section = Section::new("diagnostics", "Diagnostics");
    section.blocks = vec![
        Block::Paragraph(prose(
            "`toolwright check` and every build report all findings at once, with file, line and \
             column. `toolwright explain TW005` prints why a finding matters, with a wrong and a \
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
