//! Names of servers that every client takes.
//!
//! Clients hand tools to their models as `mcp__NAME__TOOL`, and models take 64 characters.

use toolwright_runtime::contract::SurfaceInfo;

const LONGEST: usize = 64;

/// Says what is wrong with a name, and a name that would do.
pub(super) fn check(name: &str, info: &SurfaceInfo) -> Result<(), String> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if name.is_empty() || name.len() > LONGEST || !name.chars().all(allowed) {
        return Err(format!(
            "`{name}` is no name for a server: letters, digits, `_` and `-`, at most {LONGEST}"
        ));
    }
    let tool = info.tools.iter().map(|tool| tool.portable).max_by_key(|tool| tool.len());
    let tool = tool.unwrap_or_default();
    let room = LONGEST.saturating_sub(full(tool, "").len());
    // Where no name is short enough, the tools are to blame; another name would not help.
    if name.len() <= room || room == 0 {
        return Ok(());
    }
    let shorter = name[..room].trim_end_matches(['_', '-']);
    Err(format!(
        "`{}` has more than {LONGEST} characters, which models do not take; say --name {shorter}",
        full(tool, name)
    ))
}

fn full(tool: &str, name: &str) -> String {
    format!("mcp__{name}__{tool}")
}
