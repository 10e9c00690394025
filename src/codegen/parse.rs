//! From a specs folder to trees with places.
//!
//! Reading yields what could be read plus findings: a broken file never hides the others. Knows
//! which files make up a surface, not what is written in them.

mod files;
mod node;
pub(crate) mod threads;

use std::collections::BTreeMap;
use std::path::Path;

pub(crate) use files::read_surface;
pub use files::{Content, Files, is_read, read_folder};
pub(crate) use node::{Entry, Kind, Node};
use serde_saphyr::Spanned;
use serde_saphyr::options::DuplicateKeyPolicy;

use crate::diagnostics::{FileId, Findings, Place, Sources, code};

/// Deeper nesting than any contract has; it keeps the recursion of all passes harmless.
const MAX_DEPTH: usize = 64;

/// More nodes than any spec file has; aliases of aliases reach it soon.
const MAX_NODES: usize = 50_000;

/// One file that could be read.
#[derive(Debug)]
pub(crate) struct Doc {
    /// Path below the specs folder, with `/`.
    pub(crate) path: String,
    pub(crate) file: FileId,
    pub(crate) root: Node,
}

impl Doc {
    /// File name without folders.
    pub(crate) fn file_name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or(&self.path)
    }

    /// File name without folders and suffix.
    pub(crate) fn stem(&self) -> &str {
        let name = self.file_name();
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
    /// There is a `types.yaml`, but it could not be read.
    pub(crate) types_unread: bool,
    /// There is a tool whose file could not be read.
    pub(crate) tool_unread: bool,
    /// Sorted by path.
    pub(crate) tools: Vec<Doc>,
    /// Sorted by path.
    pub(crate) prompts: Vec<Doc>,
    /// The texts of the prompts' files, by path: a placeholder has no node of its own.
    pub(crate) prompt_texts: BTreeMap<String, String>,
    /// What resources may serve and icons show, by path below the surface's folder, or why it cannot be
    /// read.
    pub(crate) assets: BTreeMap<String, Result<Asset, String>>,
    /// All files could be read; otherwise "unused" cannot be concluded.
    pub(crate) whole: bool,
}

/// A file that a resource may serve.
#[derive(Debug)]
pub(crate) enum Asset {
    /// With the line ends of every checkout.
    Text(String),
    /// What is not UTF-8.
    Bytes(Vec<u8>),
}

/// A file as read: its tree, or where and why there is none.
pub(crate) type Parsed = Result<Node, (Place, String)>;

/// Parses all files. `root` leads the paths in findings.
pub(crate) fn parse(
    root: &Path,
    files: &Files,
    sources: &mut Sources,
    findings: &mut Findings,
) -> Vec<Folder> {
    let mut jobs: Vec<(&str, FileId, &Content)> = Vec::new();
    for (path, content) in files {
        match files::role(path) {
            files::Role::Stray => {
                files::stray(root, path, sources, findings);
                continue;
            }
            files::Role::Asset => continue,
            _ => {}
        }
        let text = content.as_ref().ok().and_then(|bytes| std::str::from_utf8(bytes).ok());
        jobs.push((path, sources.add(files::shown(root, path), text.map(str::to_owned)), content));
    }
    let mut folders: BTreeMap<&str, Vec<(&str, FileId, Parsed)>> = BTreeMap::new();
    for ((path, file, _), parsed) in jobs.iter().zip(threads::map(&jobs, read)) {
        let folder = path.split('/').next().unwrap_or_default();
        folders.entry(folder).or_default().push((path, *file, parsed));
    }
    if folders.is_empty() {
        let file = sources.add(root.to_owned(), None);
        findings
            .add(code::NO_FILE, Place::file(file), "no surface in this folder")
            .help("a surface is a folder with a `surface.yaml` and a `tools/` folder");
    }
    let mut assembled: Vec<Folder> = folders
        .into_iter()
        .map(|(name, files)| assemble(root, name, files, sources, findings))
        .collect();
    for folder in &mut assembled {
        folder.assets = assets(&folder.name, files);
        folder.prompt_texts = of_role(&folder.name, files::Role::Prompt, files)
            .filter_map(|(path, content)| {
                Some((path, String::from_utf8(content.as_ref().ok()?.clone()).ok()?))
            })
            .collect();
    }
    assembled
}

fn assets(surface: &str, files: &Files) -> BTreeMap<String, Result<Asset, String>> {
    let assets = of_role(surface, files::Role::Asset, files);
    assets
        .map(|(path, content)| (path, content.as_deref().map(asset).map_err(Clone::clone)))
        .collect()
}

/// The files of a surface with this role, by path below its folder.
fn of_role<'f>(
    surface: &'f str,
    role: files::Role,
    files: &'f Files,
) -> impl Iterator<Item = (String, &'f Content)> {
    let own = files.iter().filter(move |(path, _)| files::role(path) == role);
    own.filter_map(move |(path, content)| {
        Some((path.strip_prefix(surface)?.strip_prefix('/')?.to_owned(), content))
    })
}

fn asset(bytes: &[u8]) -> Asset {
    match std::str::from_utf8(bytes) {
        Ok(text) => Asset::Text(text.replace("\r\n", "\n")),
        Err(_) => Asset::Bytes(bytes.to_vec()),
    }
}

fn assemble(
    root: &Path,
    name: &str,
    files: Vec<(&str, FileId, Parsed)>,
    sources: &mut Sources,
    findings: &mut Findings,
) -> Folder {
    let mut folder = Folder {
        name: name.to_owned(),
        place: Place::default(),
        surface: None,
        types: None,
        types_unread: false,
        tool_unread: false,
        tools: Vec::new(),
        prompts: Vec::new(),
        prompt_texts: BTreeMap::new(),
        assets: BTreeMap::new(),
        whole: true,
    };
    let mut has_surface = false;
    for (path, file, parsed) in files {
        let role = files::role(path);
        has_surface |= role == files::Role::Surface;
        let Some(doc) = accept(path, file, parsed, findings) else {
            folder.whole = false;
            folder.types_unread |= role == files::Role::Types;
            folder.tool_unread |= role == files::Role::Tool;
            continue;
        };
        let slot = match role {
            files::Role::Surface => &mut folder.surface,
            files::Role::Types => &mut folder.types,
            files::Role::Prompt => {
                folder.prompts.push(doc);
                continue;
            }
            _ => {
                folder.tools.push(doc);
                continue;
            }
        };
        if let Some(first) = slot {
            findings
                .add(code::DUPLICATE_NAME, Place::file(doc.file), "duplicate file")
                .also(Place::file(first.file), "the same with another extension")
                .help("remove one of the two");
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
                .help("it names the surface: `surface`, `title`, `contract`, `instructions`");
        }
    }
    folder
}

/// Reports what is wrong with a file as such.
fn accept(path: &str, file: FileId, parsed: Parsed, findings: &mut Findings) -> Option<Doc> {
    let root = match parsed {
        Ok(root) => root,
        Err((place, message)) if place == Place::file(file) => {
            findings.add(code::NO_FILE, place, message);
            return None;
        }
        Err((place, message)) => {
            findings
                .add(code::BAD_YAML, place, format!("invalid YAML: {message}"))
                .label("parsing stopped here");
            return None;
        }
    };
    if !matches!(root.kind, Kind::Map(_)) {
        findings
            .add(code::WRONG_TYPE, root.place, "a spec file must be a map")
            .label(format!("this is {}", root.describe()));
        return None;
    }
    duplicates(&root, findings);
    Some(Doc { path: path.to_owned(), file, root })
}

fn read((_, file, content): &(&str, FileId, &Content)) -> Parsed {
    read_tree(*file, content)
}

/// The tree of one file.
pub(crate) fn read_tree(file: FileId, content: &Content) -> Parsed {
    let nowhere = Place::file(file);
    let bytes =
        content.as_ref().map_err(|error| (nowhere, format!("cannot read this file: {error}")))?;
    let text =
        std::str::from_utf8(bytes).map_err(|_| (nowhere, "this file is not UTF-8".to_owned()))?;
    let options = serde_saphyr::options! {
        strict_booleans: true,
        with_snippet: false,
        budget: serde_saphyr::budget! { max_depth: MAX_DEPTH, max_nodes: MAX_NODES },
        // Both pairs reach the visitor, so that a duplicate is reported with the first one.
        duplicate_keys: DuplicateKeyPolicy::LastWins,
    };
    serde_saphyr::from_str_with_options::<Spanned<node::Raw>>(text, options)
        .map(|raw| node::place_tree(raw, file))
        .map_err(|error| {
            let place =
                error.location().map_or(nowhere, |location| node::place_in(location, file, text));
            let message = error.without_snippet().to_string();
            let message = match message.split(" at line ").next() {
                Some(budget) if budget.starts_with("budget breached") => {
                    "the file is too large or nested too deeply"
                }
                Some(message) => message,
                None => &message,
            };
            (widen(place, text), message.to_owned())
        })
}

/// A syntax error is often a point; a caret needs a character.
fn widen(place: Place, text: &str) -> Place {
    if place.end > place.start {
        return place;
    }
    let last = u32::try_from(text.trim_end().len()).unwrap_or(u32::MAX);
    let start = place.start.min(last.saturating_sub(1));
    Place { start, end: start + 1, ..place }
}

fn duplicates(node: &Node, findings: &mut Findings) {
    let entries = node.entries();
    let mut seen: BTreeMap<&str, Place> = BTreeMap::new();
    for entry in entries {
        if let Some(first) = seen.insert(&entry.key, entry.place) {
            findings
                .add(code::DUPLICATE_KEY, entry.place, format!("duplicate key `{}`", entry.key))
                .label("again here")
                .also(first, "first here")
                .help("remove one of the two");
        }
        duplicates(&entry.value, findings);
    }
    for element in node.elements() {
        duplicates(element, findings);
    }
}
