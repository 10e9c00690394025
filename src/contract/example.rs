//! Examples of calls.
//!
//! They are in the tables of every server, because servers use them: `--mock` answers with them, and
//! the web page shows them. Tests read the same tables. All five surfaces have 90 KB of examples
//! together.

use serde::Serialize;

/// An example of the spec.
#[derive(Debug)]
pub struct ExampleInfo {
    /// Unique within the tool.
    pub name: &'static str,
    /// State the example starts from; the surface's tests set it up.
    pub given: Option<&'static str>,
    /// Arguments, JSON text.
    pub input: &'static str,
    /// The expected result.
    pub expect: Expect,
}

/// The expected result of an example.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Expect<Output = &'static str, Kind = &'static str> {
    /// These members are in the response (objects are compared as subsets); JSON text in tables.
    Output(Output),
    /// This kind of error.
    Error(Kind),
}
