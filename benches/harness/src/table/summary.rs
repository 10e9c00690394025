//! The README's part: three rows of absolute figures that say what was called and what was measured.
//! Ratios and all other rows are in `markdown`.

use super::{
    FASTMCP, MACROS, MACROS_STATELESS, OURS, PY_LOW, PY_MCP, Row, TS_SDK, TS_SERVER, Table, number,
};

/// Section, row, size, and the sentence that describes the measurement.
const ROWS: [(&str, &str, Option<f64>, &str); 3] = [
    (
        "tools/call",
        "round trip, pipes",
        None,
        "`echo` with six arguments (200 bytes) over stdio, one call after another: median time per call",
    ),
    (
        "tools/call",
        "calls over pipes",
        Some(1_000.0),
        "the same call over stdio, 1,000 in flight: calls per second",
    ),
    (
        "tools/call over HTTP",
        "echo",
        Some(64.0),
        "the same call over HTTP, 64 connections, one in flight on each: calls per second",
    ),
];

const COLUMNS: [(&str, &[&str]); 4] = [
    ("Toolwright", &[OURS]),
    ("rmcp macros", &[MACROS, MACROS_STATELESS]),
    ("TypeScript SDKs", &[TS_SDK, TS_SERVER]),
    ("Python SDKs", &[PY_LOW, PY_MCP, FASTMCP]),
];

impl Table {
    pub(crate) fn to_summary(&self) -> String {
        let names: Vec<&str> = COLUMNS.iter().map(|(name, _)| *name).collect();
        let mut text = format!("| called and measured | {} |\n", names.join(" | "));
        text.push_str(&format!("|---|{}\n", "--:|".repeat(COLUMNS.len())));
        for (section, what, size, sentence) in ROWS {
            let Some(row) = self.row(section, what, size) else { continue };
            let cells = COLUMNS.map(|(_, servers)| figures(row, servers));
            text.push_str(&format!("| {sentence} | {} |\n", cells.join(" | ")));
        }
        text
    }
}

/// The lowest and the highest figure of a family, with the unit.
fn figures(row: &Row, servers: &[&str]) -> String {
    let mut figures: Vec<f64> = servers.iter().filter_map(|server| row.figure(server)).collect();
    figures.sort_by(f64::total_cmp);
    match &figures[..] {
        [] => "–".to_owned(),
        [one] => row.quantity(*one),
        [least, .., most] => format!("{}–{}", number(*least), row.quantity(*most)),
    }
}
