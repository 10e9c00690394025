//! The error registry.

/// One registry entry.
#[derive(Debug, PartialEq, Eq)]
pub struct ErrorInfo {
    /// Key in the spec, `pane_not_found`.
    pub kind: &'static str,
    /// Code on the wire, `WA-MCP-0007`.
    pub code: &'static str,
    /// When it happens.
    pub when: &'static str,
    /// The same call may succeed later.
    pub retryable: bool,
    /// What to do next.
    pub next: Option<&'static str>,
    /// Other names of this error.
    pub aliases: &'static [&'static str],
    /// Answered as a JSON-RPC error with this code instead of a tool result.
    pub jsonrpc: Option<i32>,
    /// Exit status of the tool command.
    pub exit: u8,
    /// Details that every failure of this kind carries, a JSON object as text.
    pub details: &'static str,
}

/// Registry entries used by the runtime.
#[derive(Debug)]
pub struct BuiltinErrors {
    /// Arguments that do not match the schema.
    pub invalid_arguments: &'static ErrorInfo,
    /// An unknown tool; `None` means JSON-RPC −32602.
    pub unknown_tool: Option<&'static ErrorInfo>,
    /// A bug: a panic, an undeclared code, an answer that does not match the schema.
    pub internal: &'static ErrorInfo,
}
