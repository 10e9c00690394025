//! Verifies a descriptor: its texts and schemas must have the hashes that it states.
//!
//! A part that does not is flagged, so that it alone is refused and the rest stays usable.

use super::model::{Section, Tool};
use crate::hash;
use crate::python_json::Json;

/// Why a section's description cannot be trusted.
pub(super) fn section_flaw(section: &Section) -> Option<String> {
    let stated = section.content_hash.as_deref()?;
    if !hash::is_digest(stated) {
        return Some("`content_hash` is no digest of 64 lower-case hex digits".to_owned());
    }
    let actual = hash::of_text(section.body.as_deref()?);
    (actual != stated)
        .then(|| format!("`content_hash` is {stated}, but the hash of `body` is {actual}"))
}

/// Why a tool's description cannot be trusted.
pub(super) fn tool_flaw(
    tool: &Tool,
    params: Option<&Json>,
    result: Option<&Json>,
) -> Option<String> {
    let stated = tool.contract_hash.as_deref()?;
    if !hash::is_digest(stated) {
        return Some("`contract_hash` is no digest of 64 lower-case hex digits".to_owned());
    }
    let actual = hash::of_contract(tool.description.as_deref()?, params?, result?);
    (actual != stated).then(|| {
        format!("`contract_hash` is {stated}, but description and schemas hash to {actual}")
    })
}
