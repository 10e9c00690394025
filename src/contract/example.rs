//! Examples of calls.
//!
//! They stand in the tables of every server, because servers need them: `--mock` answers with them,
//! and the page of an HTTP server shows them. None of them is only for tests, which read the same
//! tables, and all five surfaces have 90 KB of them together.

use serde::Serialize;

/// An example of the spec.
#[derive(Debug)]
pub struct ExampleInfo {
    /// Unique within the tool.
    pub name: &'static str,
    /// State the example starts from; the surface's test kit knows how to make it.
    pub given: Option<&'static str>,
    /// Arguments, JSON text.
    pub input: &'static str,
    /// What is expected.
    pub expect: Expect,
}

/// What an example expects.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Expect<Output = &'static str, Kind = &'static str> {
    /// These members, in a table JSON text, are in the response (objects are compared as subsets).
    Output(Output),
    /// This kind of error.
    Error(Kind),
}
