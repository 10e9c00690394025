//! From a specs folder to trees with places.
//!
//! Reading yields what could be read plus findings: a broken file never hides the others. Knows
//! which files make up a surface, not what is written in them.

mod files;
mod node;

use std::collections::BTreeMap;
use std::path::Path;

pub(crate) use files::read_folder;
pub use files::{Content, Files};
pub(crate) use node::{Entry, Kind, Node};
use serde_saphyr::Spanned;
use serde_saphyr::options::DuplicateKeyPolicy;

use crate::diagnostics::{FileId, Findings, Place, Sources, code};

/// Deeper nesting than any contract has; it keeps the recursion of all passes harmless.
const MAX_DEPTH: usize = 64;

/// One file that could be read.
#[derive(Debug)]
pub(crate) struct Doc {
    /// Path below the specs folder, with `/`.
    pub(crate) path: String,
    pub(crate) file: FileId,
    pub(crate) root: Node,
}

impl Doc {
    /// File name without folders and suffix.
    pub(crate) fn stem(&self) -> &str {
        let name = self.path.rsplit('/').next().unwrap_or(&self.path);
        name.rsplit_once('.').map_or(name, |(stem, _)| stem)
    }
}

/// The files of one surface.
#[derive(Debug)]
pub(crate) struct Folder {
    pub(crate) name: String,
    /// `surface.yaml`, also where it is missing.
    pub(crate) place: Place,
    pub(crate) surface: Option<Doc>,
    pub(crate) types: Option<Doc>,
    /// Sorted by path.
    pub(crate) tools: Vec<Doc>,
    /// Every file could be read; otherwise "nobody uses this" proves nothing.
    pub(crate) whole: bool,
}

/// Parses all files. `root` leads the paths in findings.
pub(crate) fn parse(
    root: &Path,
    files: &Files,
    sources: &mut Sources,
    findings: &mut Findings,
) -> Vec<Folder> {
    let mut folders: BTreeMap<&str, Vec<(&str, &Content)>> = BTreeMap::new();
    for (path, content) in files {
        match path.split_once('/') {
            Some((folder, _)) => folders.entry(folder).or_default().push((path, content)),
            None => files::stray(root, path, sources, findings),
        }
    }
    if folders.is_empty() {
        let file = sources.add(root.to_owned(), None);
        findings
            .add(code::NO_FILE, Place::file(file), "there is no surface in this folder")
            .help("a surface is a folder with a `surface.yaml` and a `tools/` folder");
    }
    folders
        .into_iter()
        .map(|(name, files)| parse_folder(root, name, files, sources, findings))
        .collect()
}

fn parse_folder(
    root: &Path,
    name: &str,
    files: Vec<(&str, &Content)>,
    sources: &mut Sources,
    findings: &mut Findings,
) -> Folder {
    let mut folder = Folder {
        name: name.to_owned(),
        place: Place::default(),
        surface: None,
        types: None,
        tools: Vec::new(),
        whole: true,
    };
    let mut has_surface = false;
    for (path, content) in files {
        let role = files::role(path);
        if role == files::Role::Stray {
            files::stray(root, path, sources, findings);
            continue;
        }
        let doc = parse_file(root, path, content, sources, findings);
        folder.whole &= doc.is_some();
        has_surface |= role == files::Role::Surface;
        let Some(doc) = doc else { continue };
        let slot = match role {
            files::Role::Surface => &mut folder.surface,
            files::Role::Types => &mut folder.types,
            _ => {
                folder.tools.push(doc);
                continue;
            }
        };
        if let Some(first) = slot {
            findings
                .add(code::DUPLICATE_NAME, Place::file(doc.file), "this file is there twice")
                .also(Place::file(first.file), "with another suffix")
                .help("keep one of the two");
        } else {
            *slot = Some(doc);
        }
    }
    if let Some(doc) = &folder.surface {
        folder.place = doc.root.entries().first().map_or(doc.root.place, |entry| entry.place);
    } else {
        folder.whole = false;
        let file = sources.add(files::shown(root, &format!("{name}/surface.yaml")), None);
        folder.place = Place::file(file);
        if !has_surface {
            findings
                .add(code::NO_FILE, folder.place, format!("surface `{name}` has no `surface.yaml`"))
                .help("it says who the surface is: `surface`, `title`, `contract`, `instructions`");
        }
    }
    folder
}

fn parse_file(
    root: &Path,
    path: &str,
    content: &Content,
    sources: &mut Sources,
    findings: &mut Findings,
) -> Option<Doc> {
    let shown = files::shown(root, path);
    let text = content.as_ref().ok().and_then(|bytes| std::str::from_utf8(bytes).ok());
    let file = sources.add(shown, text.map(str::to_owned));
    let Some(text) = text else {
        let why = match content {
            Err(error) => format!("cannot read this file: {error}"),
            Ok(_) => "this file is not UTF-8".to_owned(),
        };
        findings.add(code::NO_FILE, Place::file(file), why);
        return None;
    };
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH },
        // Both pairs reach the visitor, so that every duplicate is reported with its twin.
        duplicate_keys: DuplicateKeyPolicy::LastWins,
    };
    match serde_saphyr::from_str_with_options::<Spanned<node::Raw>>(text, options) {
        Ok(raw) => {
            let root = node::place_tree(raw, file);
            if !matches!(root.kind, Kind::Map(_)) {
                findings
                    .add(code::WRONG_TYPE, root.place, "a spec file is a map of keys to values")
                    .label(format!("this is {}", root.describe()));
                return None;
            }
            duplicates(&root, findings);
            Some(Doc { path: path.to_owned(), file, root })
        }
        Err(error) => {
            let place = error
                .location()
                .map_or(Place::file(file), |location| node::place_in(location, file, text));
            let message = error.without_snippet().to_string();
            let message = message.split(" at line ").next().unwrap_or(&message).to_owned();
            findings
                .add(code::BAD_YAML, widen(place, text), format!("not readable as YAML: {message}"))
                .label("reading stopped here");
            None
        }
    }
}

/// A syntax error is often a point; a caret needs a character.
fn widen(place: Place, text: &str) -> Place {
    if place.end > place.start {
        return place;
    }
    let last = u32::try_from(text.trim_end().len()).unwrap_or(u32::MAX);
    let start = place.start.min(last.saturating_sub(1));
    Place { start, end: (start + 1).min(last), ..place }
}

fn duplicates(node: &Node, findings: &mut Findings) {
    let entries = node.entries();
    let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
    for entry in entries {
        if let Some(first) = seen.insert(&entry.key, entry.place) {
            findings
                .add(code::DUPLICATE_KEY, entry.place, format!("key `{}` twice", entry.key))
                .label("again here")
                .also(first, "first here")
                .help("only one of them can count; remove the other");
        }
        duplicates(&entry.value, findings);
    }
    for element in node.elements() {
        duplicates(element, findings);
    }
}
