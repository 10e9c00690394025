//! Compares entries with a descriptor: applied or not, equal to the default or not.
//!
//! The rules are in `override_file`; this applies them to a described prompt.

use super::model::Prompt;
use crate::hash;
use crate::ids::SectionPath;
use crate::override_file::{Known, SectionEntry, ToolEntry, Verdict};

/// The verdict on a section entry; `prompt` is none without a descriptor.
pub(crate) fn assess_section(entry: SectionEntry<'_>, prompt: Option<&Prompt>) -> Verdict {
    let Some(prompt) = prompt else {
        return entry.assess(Known::Undescribed, &|_| false);
    };
    let is_section =
        |path: &str| SectionPath::parse(path).is_ok_and(|path| prompt.section(&path).is_some());
    entry.assess(prompt.known_section(entry.path().as_ref()), &is_section)
}

/// The same for a tool.
pub(crate) fn assess_tool(entry: ToolEntry<'_>, prompt: Option<&Prompt>) -> Verdict {
    match prompt {
        Some(prompt) => entry.assess(prompt.known_tool(entry.name())),
        None => entry.assess(Known::Undescribed),
    }
}

/// Whether a section entry repeats the default. A text with the recorded hash is the default it
/// was made from, whatever the code has now.
pub(crate) fn section_matches(entry: SectionEntry<'_>, prompt: Option<&Prompt>) -> Option<bool> {
    let body = entry.body()?;
    let section = entry.path().and_then(|path| prompt?.section(&path));
    match section.and_then(|section| section.body.as_deref()) {
        Some(default) => Some(default == body),
        None if section.is_some_and(|section| section.content_hash.is_some()) => {
            let current = section.and_then(|section| section.content_hash.as_deref());
            Some(current.is_some_and(|current| hash::is_of_text(body, current)))
        }
        None => {
            let expected = entry.expected_hash()?;
            hash::is_of_text(body, expected).then_some(true)
        }
    }
}

/// Whether a tool entry repeats the defaults.
pub(crate) fn tool_matches(entry: ToolEntry<'_>, prompt: Option<&Prompt>) -> Option<bool> {
    let tool = prompt?.tool(entry.name())?;
    let description = match (entry.description(), tool.description.as_deref()) {
        (None, _) => true,
        (Some(text), default) => text == default?,
    };
    let params = entry.param_descriptions();
    if params.is_empty() {
        return Some(description);
    }
    let defaults = tool.param_descriptions.as_ref()?;
    Some(description && params.iter().all(|(name, text)| defaults.get(name) == Some(text)))
}
