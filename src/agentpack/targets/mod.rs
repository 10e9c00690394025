//! What is rendered for each target, and where it goes.
//!
//! A target is a list of `Sink`s: a root and what is rendered into it. Everything else here is common to
//! all targets. Reads no files but the modules' own and writes none.

mod claude_code;
mod codex;
mod cursor;
mod markers;
#[cfg(test)]
mod tests;
mod vscode;

use std::path::{Path, PathBuf};

use toolwright_runtime::ErrorKind;

use super::compose::{Composed, ComposedFile};
use super::config::{Config, Module, TargetConfig};
use super::content::read;
use super::environment::Environment;
use super::failure::{self, Result};
use super::identity::module_fs_key;
use super::model::{Content, ModuleType, OutputSource, Root, Target};
use super::validate::{INSTRUCTIONS, single_markdown};
use crate::generated::Error;

pub(crate) use cursor::rule;
pub(crate) use markers::aggregate;
pub(crate) use vscode::prompt_name;

/// Where things are on this machine.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Places<'a> {
    /// Home and variables.
    pub environment: &'a Environment,
    /// The project's folder.
    pub project: &'a Path,
}

impl Places<'_> {
    /// The user's home; a target that needs it cannot do without.
    fn home(&self, target: Target) -> Result<PathBuf> {
        self.environment.home.clone().ok_or_else(|| {
            let name = target.as_str();
            Error::RootUnusable
                .because(format!(
                    "The target `{name}` has user scope, and the home of the user is not known: \
                     HOME is not set."
                ))
                .hint("Start the server with HOME set, or set the scope of the target to project.")
                .with("target", name)
        })
    }
}

/// A root and what goes into it.
struct Sink {
    root: PathBuf,
    scan_extras: bool,
    in_project: bool,
    renders: Renders,
}

/// What is rendered into a root.
#[derive(Clone, Copy)]
enum Renders {
    /// All instructions in one file of that name.
    Instructions(&'static str),
    /// Each instructions module as a Cursor rule.
    Rules,
    /// Each prompt under its file name.
    Prompts,
    /// Each prompt under its VS Code name.
    PromptFiles,
    /// Each skill in a folder.
    Skills,
    /// Each command under its file name.
    Commands,
}

/// One file that a target should have, before equal ones are merged.
pub(super) struct Candidate {
    /// The target.
    pub(super) target: Target,
    /// Absolute.
    pub(super) path: PathBuf,
    /// Index of the deepest root that contains it.
    pub(super) root: usize,
    /// What it holds.
    pub(super) content: Content,
    /// Keeps the executable bit of its source.
    pub(super) keeps_mode: bool,
    /// The bit, where the content is not a file.
    pub(super) executable: Option<bool>,
    /// What it was rendered from, sorted by module.
    pub(super) sources: Vec<OutputSource>,
}

fn sinks(target: Target, config: &TargetConfig, places: Places<'_>) -> Result<Vec<Sink>> {
    match target {
        Target::ClaudeCode => claude_code::sinks(config, places),
        Target::Codex => codex::sinks(config, places),
        Target::Cursor => Ok(cursor::sinks(config, places)),
        Target::Vscode => Ok(vscode::sinks(config, places)),
    }
}

/// The roots of the given targets, sorted by target and path, each once.
pub(crate) fn roots(config: &Config, targets: &[Target], places: Places<'_>) -> Result<Vec<Root>> {
    let mut roots: Vec<Root> = Vec::new();
    for target in targets {
        let Some(target_config) = config.targets.get(target) else { continue };
        for sink in sinks(*target, target_config, places)? {
            match roots.iter_mut().find(|root| root.target == *target && root.path == sink.root) {
                Some(known) => {
                    known.scan_extras |= sink.scan_extras;
                    known.in_project |= sink.in_project;
                }
                None => roots.push(Root {
                    target: *target,
                    path: sink.root,
                    scan_extras: sink.scan_extras,
                    in_project: sink.in_project,
                }),
            }
        }
    }
    roots.sort_by(|a, b| (a.target, &a.path).cmp(&(b.target, &b.path)));
    Ok(roots)
}

/// Renders the modules (sorted by id, validated) for one target.
pub(super) fn render(
    config: &TargetConfig,
    target: Target,
    modules: &[(&Module, &Composed)],
    places: Places<'_>,
    roots: &[Root],
) -> Result<Vec<Candidate>> {
    let modules: Vec<_> =
        modules.iter().filter(|(module, _)| module.goes_to(target)).copied().collect();
    let mut out = Vec::new();
    for sink in sinks(target, config, places)? {
        let first = out.len();
        let of_type = |wanted| {
            modules.iter().copied().filter(move |(module, _)| module.module_type == wanted)
        };
        match sink.renders {
            Renders::Instructions(name) => {
                let all: Vec<_> = of_type(ModuleType::Instructions).collect();
                out.extend(instructions(target, sink.root.join(name), &all)?);
            }
            Renders::Rules => {
                for (module, composed) in of_type(ModuleType::Instructions) {
                    let Some(piece) = composed.files.get(INSTRUCTIONS) else { continue };
                    let path = sink.root.join(format!("{}.mdc", module_fs_key(&module.id)));
                    let body = bytes(module, INSTRUCTIONS, piece)?;
                    let content = Content::Bytes(rule(&module.id, &body).into());
                    let sources = vec![source(module, INSTRUCTIONS, piece)];
                    out.push(plain(target, path, content, sources));
                }
            }
            Renders::Prompts | Renders::PromptFiles | Renders::Commands => {
                let wanted = match sink.renders {
                    Renders::Commands => ModuleType::Command,
                    _ => ModuleType::Prompt,
                };
                for (module, composed) in of_type(wanted) {
                    let (name, piece) = single_markdown(module, composed)?;
                    let base = name.rsplit('/').next().unwrap_or(name);
                    let base = match sink.renders {
                        Renders::PromptFiles => prompt_name(base),
                        _ => base.to_owned(),
                    };
                    let sources = vec![source(module, name, piece)];
                    out.push(plain(target, sink.root.join(base), piece.content.clone(), sources));
                }
            }
            Renders::Skills => {
                for (module, composed) in of_type(ModuleType::Skill) {
                    let folder = sink.root.join(module.skill_name());
                    for (name, piece) in &composed.files {
                        let sources = vec![source(module, name, piece)];
                        let file = plain(target, folder.join(name), piece.content.clone(), sources);
                        out.push(Candidate {
                            keeps_mode: true,
                            executable: piece.executable,
                            ..file
                        });
                    }
                }
            }
        }
        place(roots, &sink.root, target, &mut out[first..])?;
    }
    Ok(out)
}

/// Finds the deepest root of each candidate: the sink's own, unless another one is nested in it.
fn place(roots: &[Root], own: &Path, target: Target, candidates: &mut [Candidate]) -> Result<()> {
    let here = |root: &Root| root.target == target && root.path.starts_with(own);
    let mut nested: Vec<(usize, &Root)> =
        roots.iter().enumerate().filter(|(_, root)| here(root)).collect();
    nested.sort_by_key(|(_, root)| std::cmp::Reverse(root.path.components().count()));
    for candidate in candidates {
        let found = match nested.as_slice() {
            [(only, _)] => Some(*only),
            several => {
                let deepest =
                    several.iter().find(|(_, root)| candidate.path.starts_with(&root.path));
                deepest.map(|(index, _)| *index)
            }
        };
        candidate.root = found.ok_or_else(|| {
            Error::Unexpected
                .because(format!("`{}` is in no root of its target.", candidate.path.display()))
        })?;
    }
    Ok(())
}

/// One module is deployed as it is; several are wrapped in markers.
fn instructions(
    target: Target,
    path: PathBuf,
    modules: &[(&Module, &Composed)],
) -> Result<Option<Candidate>> {
    let mut found = Vec::new();
    for (module, composed) in modules {
        if let Some(piece) = composed.files.get(INSTRUCTIONS) {
            found.push((*module, piece));
        }
    }
    let content = match found.as_slice() {
        [] => return Ok(None),
        [(_, piece)] => piece.content.clone(),
        several => {
            let mut sections = Vec::with_capacity(several.len());
            for (module, piece) in several {
                sections.push((module.id.as_str(), bytes(module, INSTRUCTIONS, piece)?));
            }
            Content::Bytes(aggregate(&sections).into())
        }
    };
    let sources = found.iter().map(|(module, piece)| source(module, INSTRUCTIONS, piece)).collect();
    Ok(Some(plain(target, path, content, sources)))
}

fn plain(target: Target, path: PathBuf, content: Content, sources: Vec<OutputSource>) -> Candidate {
    Candidate { target, path, root: 0, content, keeps_mode: false, executable: None, sources }
}

fn source(module: &Module, name: &str, piece: &ComposedFile) -> OutputSource {
    OutputSource {
        module_id: module.id.clone(),
        module_type: module.module_type,
        module_path: name.to_owned(),
        layer: piece.layer,
    }
}

fn bytes(module: &Module, name: &str, piece: &ComposedFile) -> Result<Vec<u8>> {
    read(&piece.content).map_err(|error| {
        let path = match &piece.content {
            Content::File(path) => path.as_path(),
            Content::Bytes(_) => Path::new(name),
        };
        failure::io("read", path, &error).with("module_id", &module.id)
    })
}
