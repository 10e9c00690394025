//! One override file, lossless: what is not understood or not touched is written back as it was.
//!
//! Knows the two file formats and the library's reading rules; knows no directories and no locks.

mod edit;
mod entry;
mod hints;
mod parse;
#[cfg(test)]
mod tests;

use serde::Serialize;

use super::ids::{PromptRef, SectionPath};
use super::python_json::{Json, Members, pretty};

pub use entry::{EntryStatus, Known, SectionEntry, ToolEntry, Verdict};

/// The `version` of an override file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(into = "u8")]
pub enum Format {
    /// Library releases 0.5 to 0.18.
    One,
    /// Library releases from 0.19 on.
    Two,
}

impl Format {
    /// The number written as `version`.
    pub fn number(self) -> u8 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }

    /// The format of that number.
    pub fn from_number(number: i64) -> Option<Self> {
        match number {
            1 => Some(Self::One),
            2 => Some(Self::Two),
            _ => None,
        }
    }

    /// Which library releases read it, for messages.
    pub fn releases(self) -> &'static str {
        match self {
            Self::One => "0.5 to 0.18",
            Self::Two => "0.19 and later",
        }
    }
}

impl From<Format> for u8 {
    fn from(format: Format) -> u8 {
        format.number()
    }
}

/// A parsed file. `parse` is in its own module, edits in theirs.
#[derive(Debug, Clone, PartialEq)]
pub struct OverrideFile {
    format: Format,
    /// Everything but the two containers of entries.
    members: Members,
    sections: Members,
    tools: Members,
}

impl OverrideFile {
    /// An empty file with its header.
    pub fn new(prompt: &PromptRef, format: Format) -> Self {
        let mut members = Members::new();
        let header = [
            ("ns", prompt.ns.as_str()),
            ("prompt_key", prompt.prompt.as_str()),
            ("tag", prompt.tag.as_str()),
        ];
        for (name, value) in header {
            members.insert(name.to_owned(), Json::string(value));
        }
        members.insert("version".to_owned(), Json::Number(format.number().to_string()));
        Self { format, members, sections: Members::new(), tools: Members::new() }
    }

    /// Its format.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Every section entry, by key.
    pub fn sections(&self) -> impl Iterator<Item = SectionEntry<'_>> {
        let format = self.format;
        self.sections.iter().map(move |(key, value)| SectionEntry::new(key, value, format))
    }

    /// Every tool entry, by name.
    pub fn tools(&self) -> impl Iterator<Item = ToolEntry<'_>> {
        self.tools.iter().map(|(name, value)| ToolEntry::new(name, value))
    }

    /// The entry of a section. Keys such as `/system/` mean the same section; the last one counts.
    pub fn section(&self, path: &SectionPath) -> Option<SectionEntry<'_>> {
        self.sections().filter(|entry| entry.is_at(path)).last()
    }

    /// The entry under exactly this key, for keys that are no section path.
    pub fn section_by_key(&self, key: &str) -> Option<SectionEntry<'_>> {
        let (key, value) = self.sections.get_key_value(key)?;
        Some(SectionEntry::new(key, value, self.format))
    }

    /// The entry of a tool.
    pub fn tool(&self, name: &str) -> Option<ToolEntry<'_>> {
        let (name, value) = self.tools.get_key_value(name)?;
        Some(ToolEntry::new(name, value))
    }

    /// How many task example overrides the library would read.
    pub fn task_examples(&self) -> usize {
        match self.format {
            Format::One => 0,
            Format::Two => {
                let list = self.members.get("task_example_overrides");
                list.and_then(Json::as_array).map_or(0, <[Json]>::len)
            }
        }
    }

    /// Whether nothing is overridden any more.
    pub fn is_empty(&self) -> bool {
        self.sections.is_empty() && self.tools.is_empty() && self.task_examples() == 0
    }

    /// Top-level keys that the library does not know and would drop.
    pub fn extra_keys(&self) -> Vec<&str> {
        let known = ["version", "ns", "prompt_key", "tag", "task_example_overrides"];
        self.members.keys().map(String::as_str).filter(|key| !known.contains(key)).collect()
    }

    /// The bytes that the library would write for the same content.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut members = self.members.clone();
        members.insert("sections".to_owned(), Json::Object(self.sections.clone()));
        members.insert("tools".to_owned(), Json::Object(self.tools.clone()));
        if self.format == Format::Two {
            let name = "task_example_overrides";
            if members.get(name).is_none_or(|examples| *examples == Json::Null) {
                members.insert(name.to_owned(), Json::Array(Vec::new()));
            }
        }
        pretty(&Json::Object(members)).into_bytes()
    }
}
