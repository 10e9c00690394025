//! Files of a specs folder.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use crate::diagnostics::{Findings, Place, Sources, code};

/// Bytes of a file, or why they cannot be had.
pub type Content = Result<Vec<u8>, String>;

/// Spec files by their path below the specs folder, with `/`.
pub type Files = BTreeMap<String, Content>;

/// What a file is to its surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    Surface,
    Types,
    Tool,
    Prompt,
    /// A file that a resource may serve, or an icon show.
    Asset,
    Stray,
}

/// Tells what a file is by its path, such as `wa/tools/send.yaml`.
pub(super) fn role(path: &str) -> Role {
    let Some((_, inside)) = path.split_once('/') else { return Role::Stray };
    match inside {
        "surface.yaml" | "surface.json" => Role::Surface,
        "types.yaml" | "types.json" => Role::Types,
        _ => match inside.split_once('/') {
            Some(("tools", name)) if is_yaml_or_json(name) => Role::Tool,
            Some(("prompts", name)) if is_yaml_or_json(name) => Role::Prompt,
            Some(("tools" | "prompts", _)) => Role::Stray,
            _ if inside.contains('/') => Role::Asset,
            _ => Role::Stray,
        },
    }
}

fn is_yaml_or_json(name: &str) -> bool {
    name.ends_with(".yaml") || name.ends_with(".json")
}

/// A path for messages: as given, with `/`.
pub(super) fn shown(root: &Path, path: &str) -> PathBuf {
    let root = root.to_string_lossy();
    let root = if cfg!(windows) { root.replace('\\', "/") } else { root.into_owned() };
    match root.trim_end_matches('/') {
        "" => PathBuf::from(path),
        root => PathBuf::from(format!("{root}/{path}")),
    }
}

/// Known files beside specs.
fn known_neighbour(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    matches!(name, "spec.schema.json" | "accepted-breaks.yaml" | "accepted-breaks.schema.json")
}

/// Reports a file that looks like a spec and is not read.
pub(super) fn stray(root: &Path, path: &str, sources: &mut Sources, findings: &mut Findings) {
    if known_neighbour(path) {
        return;
    }
    let file = sources.add(shown(root, path), None);
    let help = if path.ends_with(".yml") {
        "rename it to `.yaml`".to_owned()
    } else if path.contains('/') {
        "a surface has `surface.yaml`, `types.yaml`, `tools/<tool>.yaml` and `prompts/<prompt>.yaml`"
            .to_owned()
    } else {
        "name the folder above the surfaces, such as `specs`".to_owned()
    };
    findings.add(code::STRAY_FILE, Place::file(file), "this file is ignored").help(help);
}

/// Deeper folders than any surface has; it keeps links that lead upwards harmless.
const MAX_FOLDERS: usize = 4;

/// Reads what could be spec files, two levels, and the other folders of a surface, which hold what
/// its resources serve. Hidden files are left out.
pub fn read_folder(specs: &Path) -> io::Result<Files> {
    let mut files = Files::new();
    for (name, path) in list(specs)? {
        if path.is_dir() {
            collect_surface(&name, &path, &mut files)?;
        } else {
            collect(&name, &path, &mut files);
        }
    }
    Ok(files)
}

/// Like [`read_folder`], for one surface only.
pub(crate) fn read_surface(specs: &Path, surface: &str) -> io::Result<Files> {
    let mut files = Files::new();
    collect_surface(surface, &specs.join(surface), &mut files)?;
    Ok(files)
}

fn collect_surface(name: &str, folder: &Path, files: &mut Files) -> io::Result<()> {
    for (inner, path) in list(folder)? {
        if !path.is_dir() {
            collect(&format!("{name}/{inner}"), &path, files);
        } else if matches!(inner.as_str(), "tools" | "prompts") {
            for (file, path) in list(&path)? {
                collect(&format!("{name}/{inner}/{file}"), &path, files);
            }
        } else {
            collect_assets(&format!("{name}/{inner}"), &path, MAX_FOLDERS, files)?;
        }
    }
    Ok(())
}

/// Whether a file at this path below a specs folder is part of it, for those who read specs from
/// elsewhere than a folder.
pub fn is_read(path: &str) -> bool {
    let parts: Vec<&str> = path.split('/').collect();
    if parts.iter().any(|part| part.starts_with('.')) {
        return false;
    }
    match parts.as_slice() {
        [_] | [_, _] | [_, "tools" | "prompts", _] => is_spec(path),
        [_, "tools" | "prompts", ..] => false,
        _ => parts.len() <= MAX_FOLDERS + 2,
    }
}

fn is_spec(name: &str) -> bool {
    let suffix = [".yaml", ".yml", ".json"].iter().any(|suffix| name.ends_with(suffix));
    suffix && !known_neighbour(name)
}

fn collect(name: &str, path: &Path, files: &mut Files) {
    if is_spec(name) {
        let content = std::fs::read(path).map_err(|error| error.to_string());
        files.insert(name.to_owned(), content);
    }
}

fn collect_assets(name: &str, folder: &Path, depth: usize, files: &mut Files) -> io::Result<()> {
    for (inner, path) in list(folder)? {
        let name = format!("{name}/{inner}");
        if !path.is_dir() {
            files.insert(name, std::fs::read(&path).map_err(|error| error.to_string()));
        } else if depth > 1 {
            collect_assets(&name, &path, depth - 1, files)?;
        }
    }
    Ok(())
}

fn list(folder: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    let mut entries = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if !name.starts_with('.') {
            entries.push((name, entry.path()));
        }
    }
    entries.sort();
    Ok(entries)
}
