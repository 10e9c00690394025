//! Edits of single entries. Everything else in the file stays as it is.

use std::collections::BTreeMap;

use super::{Format, OverrideFile};
use crate::ids::{SectionPath, ToolName};
use crate::python_json::{Json, Members};

impl OverrideFile {
    /// Sets a section's text and the hash it is based on. `summary`, `visibility` and
    /// unknown keys survive.
    pub fn set_section(&mut self, path: &SectionPath, expected_hash: &str, body: &str) {
        let mut entry = Members::new();
        for alias in self.section_keys(path) {
            if let Some(Json::Object(members)) = self.sections.remove(&alias) {
                entry = members;
            }
        }
        entry.insert("expected_hash".to_owned(), Json::string(expected_hash));
        entry.insert("body".to_owned(), Json::string(body));
        if self.format == Format::Two {
            entry.insert("path".to_owned(), Json::strings(path.parts()));
        }
        self.sections.insert(path.as_str().to_owned(), Json::Object(entry));
    }

    /// Removes a section's entry, under every key that means it. Returns whether there was one.
    pub fn remove_section(&mut self, path: &SectionPath) -> bool {
        let keys = self.section_keys(path);
        let found = !keys.is_empty();
        for key in keys {
            self.sections.remove(&key);
        }
        found
    }

    /// Removes the section entry under exactly this key. Returns whether there was one.
    pub fn remove_section_key(&mut self, key: &str) -> bool {
        self.sections.remove(key).is_some()
    }

    fn section_keys(&self, path: &SectionPath) -> Vec<String> {
        let entries = self.sections().filter(|entry| entry.is_at(path));
        entries.map(|entry| entry.key().to_owned()).collect()
    }

    /// Replaces a tool's description and parameter texts; other keys of the entry survive.
    pub fn set_tool(
        &mut self,
        name: &ToolName,
        expected_contract_hash: &str,
        description: Option<&str>,
        param_descriptions: &BTreeMap<String, String>,
    ) {
        let mut entry = match self.tools.remove(name.as_str()) {
            Some(Json::Object(members)) => members,
            _ => Members::new(),
        };
        let params = param_descriptions.iter();
        let params = params.map(|(name, text)| (name.clone(), Json::string(text.as_str())));
        entry.insert("expected_contract_hash".to_owned(), Json::string(expected_contract_hash));
        entry.insert("description".to_owned(), description.map_or(Json::Null, Json::string));
        entry.insert("param_descriptions".to_owned(), Json::Object(params.collect()));
        self.tools.insert(name.as_str().to_owned(), Json::Object(entry));
    }

    /// Removes a tool's entry. Returns whether there was one.
    pub fn remove_tool(&mut self, name: &str) -> bool {
        self.tools.remove(name).is_some()
    }
}
