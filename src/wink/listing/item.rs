//! One file of a listing: identity, state and handles, no bodies.

use std::sync::Arc;

use serde::Serialize;
use toolwright_runtime::{ErrorKind, Failure};

use super::walk::Found;
use crate::descriptor::{Catalog, Described, Prompt};
use crate::descriptor::{assess_section, assess_tool, section_matches, tool_matches};
use crate::failure::Result;
use crate::generated::Error;
use crate::ids::PromptRef;
use crate::override_file::{EntryStatus, Format, OverrideFile};
use crate::store::{Directory, read_file};

/// What is overridden, without the text.
#[derive(Debug, Clone, Serialize)]
pub struct Handle {
    /// Section key, slash form, or tool name.
    pub name: String,
    /// Hash that the entry records.
    pub expected_hash: Option<String>,
    /// What the application does with it.
    pub status: EntryStatus,
    /// Whether it equals the default, where known.
    pub matches_default: Option<bool>,
}

/// Why a file cannot be used.
#[derive(Debug, Clone, Serialize)]
pub struct ItemError {
    /// Code of the error registry.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// What to do.
    pub hint: Option<String>,
}

impl From<Failure<Error>> for ItemError {
    fn from(failure: Failure<Error>) -> Self {
        let code = failure.kind().info().code;
        let raw = failure.erase();
        Self { code, hint: raw.effective_hint().map(str::to_owned), message: raw.message }
    }
}

/// One override file.
#[derive(Debug, Clone, Serialize)]
pub struct Item {
    /// Namespace by the path; none if the path names no prompt.
    pub ns: Option<String>,
    /// Prompt key by the path.
    pub prompt: Option<String>,
    /// Tag by the path.
    pub tag: Option<String>,
    /// Path below the overrides directory.
    pub relative_path: String,
    /// Absolute path.
    pub backing_file_path: String,
    /// SHA-256 of the bytes, if they could be read.
    pub content_hash: Option<String>,
    /// Size in bytes.
    pub size: Option<u64>,
    /// Modification time.
    pub updated_at: Option<String>,
    /// Format of the file.
    pub format: Option<Format>,
    /// Section entries.
    pub section_count: usize,
    /// Tool entries.
    pub tool_count: usize,
    /// Task example overrides, which are carried but not edited.
    pub task_example_count: usize,
    /// Section entries, by key.
    pub sections: Vec<Handle>,
    /// Tool entries, by name.
    pub tools: Vec<Handle>,
    /// Handles left out to keep the answer small.
    pub handles_omitted: usize,
    /// Why the file cannot be used.
    pub error: Option<ItemError>,
}

impl Item {
    /// Size as JSON.
    pub(super) fn json_size(&self) -> usize {
        json_size(self)
    }

    /// Leaves out handles until the item fits, keeping counts.
    pub(super) fn cut_to(&mut self, budget: usize) {
        let mut size = self.json_size();
        while size > budget {
            let Some(dropped) = self.tools.pop().or_else(|| self.sections.pop()) else { return };
            size = size.saturating_sub(json_size(&dropped) + 1);
            self.handles_omitted += 1;
        }
    }
}

/// Counts what would be written.
struct Counter(usize);

impl std::io::Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn json_size(value: &impl Serialize) -> usize {
    let mut counter = Counter(0);
    let written = serde_json::to_writer(&mut counter, value);
    written.map_or(usize::MAX, |()| counter.0)
}

/// Reads items, keeping the last directory open: neighbours share it.
pub(super) struct Reader<'a> {
    root: &'a Directory,
    catalogs: &'a [Arc<Catalog>],
    last: Option<(String, Directory)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(root: &'a Directory, catalogs: &'a [Arc<Catalog>]) -> Self {
        Self { root, catalogs, last: None }
    }

    pub(super) fn read(&mut self, found: &Found) -> Item {
        let relative = found.relative();
        let mut item = Item {
            ns: None,
            prompt: None,
            tag: None,
            relative_path: relative.to_owned(),
            backing_file_path: self.root.path.join(relative).display().to_string(),
            content_hash: None,
            size: None,
            updated_at: None,
            format: None,
            section_count: 0,
            tool_count: 0,
            task_example_count: 0,
            sections: Vec::new(),
            tools: Vec::new(),
            handles_omitted: 0,
            error: None,
        };
        if let Err(failure) = self.fill(&mut item) {
            item.error = Some(failure.into());
        }
        item
    }

    fn fill(&mut self, item: &mut Item) -> Result<()> {
        let components: Vec<&str> = item.relative_path.split('/').collect();
        let identity = PromptRef::from_relative(&components);
        if let Ok(prompt) = &identity {
            item.ns = Some(prompt.ns.as_str().to_owned());
            item.prompt = Some(prompt.prompt.as_str().to_owned());
            item.tag = Some(prompt.tag.as_str().to_owned());
        }
        let (folder, name) =
            item.relative_path.rsplit_once('/').unwrap_or(("", &item.relative_path));
        let Some(raw) =
            self.open(folder)?.map_or(Ok(None), |directory| read_file(directory, name))?
        else {
            return Err(Error::StorageFailed
                .because(format!("`{}` was removed while listing.", item.backing_file_path))
                .hint("List again."));
        };
        item.content_hash = Some(raw.hash());
        item.size = u64::try_from(raw.bytes.len()).ok();
        item.updated_at = Some(raw.updated_at());
        let path = std::path::Path::new(&item.backing_file_path);
        let file = OverrideFile::parse(&raw.bytes, path)?;
        item.format = Some(file.format());
        let described = identity.as_ref().ok().and_then(|prompt| self.prompt(prompt));
        let described = described.as_deref();
        item.sections = file
            .sections()
            .map(|entry| Handle {
                name: entry.key().to_owned(),
                expected_hash: entry.expected_hash().map(str::to_owned),
                status: assess_section(entry, described).status,
                matches_default: section_matches(entry, described),
            })
            .collect();
        item.tools = file
            .tools()
            .map(|entry| Handle {
                name: entry.name().to_owned(),
                expected_hash: entry.expected_contract_hash().map(str::to_owned),
                status: assess_tool(entry, described).status,
                matches_default: tool_matches(entry, described),
            })
            .collect();
        item.section_count = item.sections.len();
        item.tool_count = item.tools.len();
        item.task_example_count = file.task_examples();
        file.check_header(&identity?, path)
    }

    fn open(&mut self, folder: &str) -> Result<Option<&Directory>> {
        if folder.is_empty() {
            return Ok(Some(self.root));
        }
        if self.last.as_ref().is_none_or(|(last, _)| last != folder) {
            let opened = self.root.descend(folder.split('/'))?;
            self.last = opened.map(|directory| (folder.to_owned(), directory));
        }
        Ok(self.last.as_ref().map(|(_, directory)| directory))
    }

    fn prompt(&self, prompt: &PromptRef) -> Option<Arc<Prompt>> {
        let (ns, key) = (prompt.ns.as_str(), prompt.prompt.as_str());
        let described = self.catalogs.iter().find_map(|catalog| catalog.get(ns, key))?;
        match described {
            Described::Prompt(prompt) => Some(Arc::clone(prompt)),
            Described::Broken(_) => None,
        }
    }
}
