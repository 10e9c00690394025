//! From trees to [`Contract`]s: defaults filled in, `$ref`s within the surface, globs expanded.
//!
//! Missing or invalid parts are reported and replaced by a harmless default, so that the checks can
//! continue; a contract with errors never leaves the front end.

mod fields;
mod guards;
mod icons;
mod order;
mod prompts;
mod refs;
mod resources;
mod settings;
mod surface;
mod template;
mod tool;

use std::collections::{BTreeMap, BTreeSet};

pub(crate) use fields::{Fields, unquoted};
pub(crate) use guards::BUILTIN;
pub(crate) use prompts::PromptDraft;
pub(crate) use refs::{Refs, def_name};
use sha2::Digest as _;

use crate::diagnostics::{Findings, Place};
use crate::model::{Contract, Effects};
use crate::parse::{Doc, Entry, Folder, Node};

/// A contract with its parsed trees, for checks that need locations.
pub(crate) struct Draft<'a> {
    pub(crate) folder: &'a Folder,
    pub(crate) contract: Contract,
    /// Same order as the contract's tools.
    pub(crate) tools: Vec<ToolDraft<'a>>,
    /// Same order as the contract's prompts.
    pub(crate) prompts: Vec<PromptDraft<'a>>,
    /// Shared types by name.
    pub(crate) types: BTreeMap<&'a str, &'a Entry>,
    pub(crate) rules: Vec<Rule>,
    /// All files could be read; otherwise "unused" cannot be concluded.
    pub(crate) whole: bool,
    /// Every tool could be read; otherwise "there is no such tool" proves nothing.
    pub(crate) all_tools: bool,
    /// Kinds that come from the surroundings: one example in the whole surface is enough.
    pub(crate) ambient: BTreeSet<String>,
}

/// What the checks need to know of a tool beyond the model.
pub(crate) struct ToolDraft<'a> {
    pub(crate) doc: &'a Doc,
    /// The schema itself, also where it is another tool's.
    pub(crate) input: Option<&'a Node>,
    pub(crate) output: Option<&'a Node>,
    /// Input or output is written in another file, which reports its faults.
    pub(crate) borrowed_input: bool,
    pub(crate) borrowed_output: bool,
    /// Kinds that the tool itself lists.
    pub(crate) listed: Vec<(String, Place)>,
    /// Locations of the examples and constraints of the model; unreadable ones are in neither.
    pub(crate) examples: Vec<&'a Node>,
    pub(crate) constraints: Vec<&'a Node>,
}

impl ToolDraft<'_> {
    /// Location of the tool's name.
    pub(crate) fn place(&self) -> Place {
        self.doc.root.entry("tool").map_or(
            self.doc.root.entries().first().map_or(self.doc.root.place, |entry| entry.place),
            Entry::focus,
        )
    }

    /// Location of a key, or of the tool's name.
    pub(crate) fn place_of(&self, key: &str) -> Place {
        self.doc.root.entry(key).map_or_else(|| self.place(), |entry| entry.place)
    }

    /// Location of the value at a pointer into the tool's file.
    pub(crate) fn locate(&self, pointer: &str) -> Place {
        self.doc.root.locate(pointer)
    }
}

/// A promise of `surface.yaml` about all its tools.
pub(crate) struct Rule {
    pub(crate) place: Place,
    /// Empty: any.
    pub(crate) effects: Vec<Effects>,
    pub(crate) name: Option<String>,
    pub(crate) has_guard: String,
}

/// Resolves one surface.
pub(crate) fn resolve<'a>(folder: &'a Folder, out: &mut Findings) -> Draft<'a> {
    let mut refs = Refs::new(folder, out);
    let types = refs.types(out);
    let mut draft = surface::read(folder, &mut refs, out);
    draft.contract.types = types;
    let tools = tool::read_all(folder, &draft.contract, &mut refs, out);
    draft.all_tools = !folder.tool_unread && tools.len() == folder.tools.len();
    draft.whole = folder.whole && draft.all_tools;
    for (tool, source) in tools {
        draft.contract.tools.push(tool);
        draft.tools.push(source);
    }
    surface::finish(&mut draft, out);
    prompts::read_all(&mut draft, out);
    draft.contract.icons = icons::read_all(&draft, out);
    draft.types = refs.entries;
    draft.contract.property_order = order::read(folder);
    draft.contract.digest = digest(&draft.contract);
    draft
}

/// SHA-256 of the contract as sorted, compact JSON.
fn digest(contract: &Contract) -> String {
    // Through `Value`, whose maps are sorted; the contract holds nothing that JSON cannot say.
    let text = serde_json::to_value(contract).map(|value| value.to_string()).unwrap_or_default();
    sha2::Sha256::digest(text.as_bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}
