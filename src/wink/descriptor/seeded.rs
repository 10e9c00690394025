//! A fallback descriptor, inferred from an override file.
//!
//! Paths, names and the recorded hashes are known; the default text only where the entry is an untouched
//! seed, recognised because its text has the hash it records.

use super::model::{Prompt, Section, SourceName, Tool};
use crate::hash;
use crate::ids::PromptRef;
use crate::override_file::OverrideFile;

/// Describes a prompt by its override file.
pub fn from_file(prompt: &PromptRef, file: &OverrideFile, origin: &str) -> Prompt {
    let sections = file.sections().filter_map(|entry| {
        let recorded = entry.expected_hash().filter(|recorded| hash::is_digest(recorded))?;
        let body = entry.body().filter(|body| hash::of_text(body) == recorded);
        Some(Section {
            path: entry.path()?,
            number: None,
            title: None,
            content_hash: Some(recorded.to_owned()),
            accepts_overrides: true,
            body: body.map(str::to_owned),
            placeholders: None,
            params: None,
            flaw: None,
        })
    });
    let tools = file.tools().filter_map(|entry| {
        let recorded = entry.expected_contract_hash().filter(|hash| hash::is_digest(hash))?;
        Some(Tool {
            name: entry.name().to_owned(),
            path: Vec::new(),
            contract_hash: Some(recorded.to_owned()),
            accepts_overrides: true,
            description: None,
            param_descriptions: None,
            parameters: None,
            flaw: None,
        })
    });
    Prompt {
        ns: prompt.ns.clone(),
        key: prompt.prompt.clone(),
        name: None,
        sections: sections.collect(),
        tools: tools.collect(),
        source: SourceName::SeededFile,
        origin: origin.to_owned(),
        library: None,
        format: Some(file.format()),
    }
}
