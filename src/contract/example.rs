//! Examples of calls.

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
