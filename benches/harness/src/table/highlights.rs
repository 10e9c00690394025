//! The rows that `docs/benchmarks.md` and the picture show, and the names of their columns.

use super::{
    FASTMCP, FLOOR, MACROS, MACROS_STATELESS, OURS, PY_LOW, PY_MCP, Row, TS_SDK, TS_SERVER, Table,
};

/// A row under a name for readers.
pub(super) struct Highlight<'a> {
    pub(super) title: &'static str,
    pub(super) row: &'a Row,
}

/// Section, row and size, and what they are called.
const CHOSEN: [(&str, &str, Option<f64>, &str); 8] = [
    ("tools/call", "round trip, pipes", None, "round trip of a call"),
    ("tools/call", "calls over pipes", Some(1_000.0), "1,000 calls at once"),
    (
        "tools/call with a text, there and back",
        "round trip",
        Some(100.0),
        "text of 100 KB and back",
    ),
    ("tools/call over HTTP", "echo", Some(1.0), "HTTP, 1 client"),
    ("tools/call over HTTP", "echo", Some(64.0), "HTTP, 64 clients"),
    ("tools/call over HTTP", "echo", Some(512.0), "HTTP, 512 clients"),
    ("start to first answer", "echo", None, "start to first answer"),
    ("resident memory", "peak, echo", Some(1_000.0), "peak memory, 1,000 calls at once"),
];

/// Columns, and what they are called.
pub(super) const NAMES: [(&str, &str); 9] = [
    (OURS, "Toolwright"),
    (FLOOR, "bare loop"),
    (MACROS, "rmcp macros"),
    (MACROS_STATELESS, "rmcp, stateless"),
    (TS_SDK, "TypeScript sdk"),
    (TS_SERVER, "TypeScript server"),
    (PY_LOW, "Python mcp, low level"),
    (PY_MCP, "Python mcp"),
    (FASTMCP, "Python fastmcp"),
];

impl Table {
    pub(super) fn highlights(&self) -> Vec<Highlight<'_>> {
        let find = |(section, what, size, title): (&str, &str, Option<f64>, &'static str)| {
            Some(Highlight { title, row: self.row(section, what, size)? })
        };
        CHOSEN.into_iter().filter_map(find).collect()
    }

    /// What was compared, in words.
    pub(super) fn made_of(&self) -> String {
        let packages = self.versions.iter().map(|(name, version)| format!("{name} {version}"));
        packages.collect::<Vec<_>>().join(", ")
    }
}
