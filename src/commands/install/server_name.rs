//! Server names that every client accepts.
//!
//! Clients present tools to their models as `mcp__NAME__TOOL`, and models accept 64 characters.

use toolwright_runtime::contract::SurfaceInfo;

const LONGEST: usize = 64;

/// Checks a name; the error suggests a shorter one.
pub(super) fn check(name: &str, info: &SurfaceInfo) -> Result<(), String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || name.len() > LONGEST || !name.chars().all(allowed) {
        return Err(format!(
            "`{name}` is not a valid server name: use at most {LONGEST} letters, digits, `_` and `-`"
        ));
    }
    let tool = info.tools.iter().map(|tool| tool.portable).max_by_key(|tool| tool.len());
    let tool = tool.unwrap_or_default();
    let room = LONGEST.saturating_sub(full(tool, "").len());
    // If no name is short enough, the tool names are too long; another name would not help.
    if name.len() <= room || room == 0 {
        return Ok(());
    }
    let shorter = name[..room].trim_end_matches(['_', '-']);
    Err(format!(
        "`{}` has more than the {LONGEST} characters that models accept; use --name {shorter}",
        full(tool, name)
    ))
}

fn full(tool: &str, name: &str) -> String {
    format!("mcp__{name}__{tool}")
}
