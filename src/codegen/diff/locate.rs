//! Resolves pointers into a file of one version to line and column.

use super::change::Location;
use crate::diagnostics::{self, Place, Sources};
use crate::model::Contract;
use crate::parse::{Doc, Entry, Folder, Node};

/// One version of one surface.
#[derive(Clone, Copy)]
pub(super) struct Side<'a> {
    pub(super) contract: &'a Contract,
    pub(super) folder: &'a Folder,
    pub(super) sources: &'a Sources,
}

/// A file of a surface.
#[derive(Clone, Copy)]
pub(super) enum File<'n> {
    Surface,
    Tool(&'n str),
    Prompt(&'n str),
}

/// What a pointer leads to.
pub(super) struct Found {
    pub(super) place: Place,
    /// It leads all the way.
    pub(super) present: bool,
    /// The way with indices instead of names of list elements.
    pub(super) pointer: String,
}

impl<'a> Side<'a> {
    /// The file of a tool.
    pub(super) fn tool(&self, name: &str) -> Option<&'a Doc> {
        self.folder.tools.iter().find(|doc| doc.stem() == name)
    }

    /// A shared type.
    pub(super) fn shared(&self, name: &str) -> Option<&'a Entry> {
        self.folder.types.as_ref()?.root.get("$defs")?.entry(name)
    }

    /// Follows a pointer as far as it leads. An element of a list may be named by its text, its
    /// `uri`, or its only key.
    pub(super) fn find(&self, file: File<'_>, pointer: &str) -> Found {
        let root = match file {
            File::Surface => self.folder.surface.as_ref().map(|doc| &doc.root),
            File::Tool(name) => self.tool(name).map(|doc| &doc.root),
            File::Prompt(name) => {
                let doc = self.folder.prompts.iter().find(|doc| doc.stem() == name);
                doc.map(|doc| &doc.root)
            }
        };
        match root {
            Some(root) => follow(root, pointer),
            None => Found { place: self.folder.place, present: false, pointer: pointer.to_owned() },
        }
    }

    /// Line and column of a place.
    pub(super) fn location(&self, place: Place, present: bool) -> Location {
        let span = diagnostics::span(place, self.sources);
        let (line, column) = self.sources.line_column(&span);
        Location { span, line, column, present }
    }
}

fn follow(root: &Node, pointer: &str) -> Found {
    let mut node = root;
    let start = root.entries().first().map_or(root.place, |entry| entry.place);
    let mut found = Found { place: start, present: true, pointer: String::new() };
    for step in pointer.split('/').skip(1) {
        let name = step.replace("~1", "/").replace("~0", "~");
        if let Some(entry) = node.entry(&name) {
            found.place = entry.focus();
            found.pointer.push_str(&format!("/{step}"));
            node = &entry.value;
        } else if let Some(index) = element(node, &name) {
            node = &node.elements()[index];
            found.place = node.entries().first().map_or(node.place, |entry| entry.place);
            found.pointer.push_str(&format!("/{index}"));
        } else {
            return Found { present: false, pointer: pointer.to_owned(), ..found };
        }
    }
    found
}

fn element(node: &Node, name: &str) -> Option<usize> {
    let elements = node.elements();
    let named = elements.iter().position(|element| {
        element.text() == Some(name)
            || element.text_of("uri") == Some(name)
            || matches!(element.entries(), [only] if only.key == name)
    });
    named.or_else(|| name.parse().ok().filter(|index| *index < elements.len()))
}

/// A key as a step of a pointer.
pub(super) fn step(key: &str) -> String {
    format!("/{}", key.replace('~', "~0").replace('/', "~1"))
}
