//! The available workflows: built-in ones and those declared in files.
//!
//! Files are read again when they change. An invalid one is reported and hides no other.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use super::Options;
use super::builtin::BuiltIn;
use super::declared::{self, Declared, MAX_FILE};
use super::model::{BrokenFile, StepInfo, WorkflowInfo};
use crate::error::{Error, Kind};
use crate::patterns::Patterns;

/// Files that are read at most.
const MAX_FILES: usize = 200;

/// How a workflow is defined.
#[derive(Debug, Clone)]
pub(super) enum Definition {
    /// In the program.
    BuiltIn(BuiltIn),
    /// In a file.
    Declared(Arc<Declared>),
}

/// A workflow that can be run.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) definition: Definition,
    pub(super) info: WorkflowInfo,
}

/// All workflows, as of the last check of the files.
#[derive(Debug, Default)]
pub(super) struct Catalogue {
    stamp: Option<Vec<Stamp>>,
    entries: Vec<Entry>,
    broken: Vec<BrokenFile>,
}

/// What shows that a file has changed.
type Stamp = (PathBuf, u64, Option<SystemTime>);

impl Catalogue {
    /// Looks whether files have changed, and reads them again if so.
    pub(super) fn refresh(&mut self, folder: &Path, patterns: &Patterns, options: &Options) {
        let stamp = stamps(&folder.join("workflows"));
        if self.stamp.as_ref() == Some(&stamp) {
            return;
        }
        self.entries = BuiltIn::ALL.into_iter().map(|one| built_in(one, options)).collect();
        self.broken.clear();
        let mut names: BTreeSet<String> =
            self.entries.iter().map(|entry| entry.info.name.clone()).collect();
        for (file, size, _) in stamp.iter().take(MAX_FILES) {
            let entry = read(file, *size, patterns).and_then(|declared| {
                let taken = names.contains(&declared.name);
                if taken {
                    let problem = format!("the name `{}` is taken", declared.name);
                    return Err(Broken { position: None, problem });
                }
                Ok(declared)
            });
            match entry {
                Ok(declared) => {
                    names.insert(declared.name.clone());
                    self.entries.push(entry_of(declared, file, options));
                }
                Err(Broken { position, problem }) => {
                    self.broken.push(BrokenFile { file: file.clone(), position, problem });
                }
            }
        }
        for (file, ..) in stamp.iter().skip(MAX_FILES) {
            let problem = format!("only {MAX_FILES} files are read");
            self.broken.push(BrokenFile { file: file.clone(), position: None, problem });
        }
        self.entries.sort_by(|a, b| a.info.name.cmp(&b.info.name));
        self.stamp = Some(stamp);
    }

    /// By name.
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// By file.
    pub(super) fn broken(&self) -> &[BrokenFile] {
        &self.broken
    }

    /// The workflow of that name.
    pub(super) fn find(&self, name: &str) -> Result<Entry, Error> {
        if let Some(entry) = self.entries.iter().find(|entry| entry.info.name == name) {
            return Ok(entry.clone());
        }
        let names: Vec<&str> = self.entries.iter().map(|entry| entry.info.name.as_str()).collect();
        let error = Kind::Workflow
            .because(format!("There is no workflow `{name}`."))
            .reason("workflow.not_found");
        let suspect = self.broken.iter().find(|broken| {
            broken.file.file_stem().is_some_and(|stem| stem.to_string_lossy() == name)
        });
        Err(match suspect {
            Some(broken) => {
                let file = broken.file.display();
                error.hint(format!("`{file}` cannot be used: {}.", broken.problem))
            }
            None => error.hint(format!("There are: {}.", names.join(", "))),
        })
    }
}

impl Definition {
    /// Its steps, as listed and planned.
    pub(super) fn steps(&self, options: &Options) -> Vec<StepInfo> {
        match self {
            Self::BuiltIn(built_in) => built_in.info(options).steps,
            Self::Declared(declared) => declared.steps.iter().map(declared::Step::info).collect(),
        }
    }

    /// A guess at how long a run takes.
    pub(super) fn estimate_ms(&self) -> u64 {
        match self {
            Self::BuiltIn(built_in) => built_in.estimate_ms(),
            Self::Declared(declared) => {
                let steps = declared.steps.iter();
                steps.map(|step| step.estimate_ms()).sum()
            }
        }
    }
}

fn built_in(built_in: BuiltIn, options: &Options) -> Entry {
    Entry { definition: Definition::BuiltIn(built_in), info: built_in.info(options) }
}

fn entry_of(declared: Declared, file: &Path, options: &Options) -> Entry {
    let keys = declared.steps.iter().chain(&declared.on_abort);
    let destructive = keys.clone().any(declared::Step::may_end_what_runs);
    let info = WorkflowInfo {
        name: declared.name.clone(),
        description: declared.description.clone(),
        enabled: declared.enabled,
        auto_run: declared.enabled && options.auto_run.contains(&declared.name),
        trigger_event_types: declared.triggers.event_types.clone(),
        trigger_rule_ids: declared.triggers.rule_ids.clone(),
        agent_types: declared.triggers.agent_types.clone(),
        steps: declared.steps.iter().map(declared::Step::info).collect(),
        requires_approval: destructive,
        destructive,
        dependencies: Vec::new(),
        file: Some(file.to_owned()),
    };
    Entry { definition: Definition::Declared(Arc::new(declared)), info }
}

/// Why a file cannot be used.
struct Broken {
    position: Option<(usize, usize)>,
    problem: String,
}

fn read(file: &Path, size: u64, patterns: &Patterns) -> Result<Declared, Broken> {
    let plainly = |problem: String| Broken { position: None, problem };
    if size > MAX_FILE {
        return Err(plainly(format!("it has {size} bytes, more than {MAX_FILE}")));
    }
    let text = std::fs::read_to_string(file).map_err(|error| plainly(error.to_string()))?;
    let declared: Declared = serde_yaml::from_str(&text).map_err(|error| Broken {
        position: error.location().map(|place| (place.line(), place.column())),
        problem: error.to_string(),
    })?;
    declared::check(&declared, patterns).map_err(plainly)?;
    Ok(declared)
}

/// The files of the folder, sorted. A folder that is not there has none.
fn stamps(folder: &Path) -> Vec<Stamp> {
    let Ok(files) = std::fs::read_dir(folder) else { return Vec::new() };
    let mut stamps: Vec<Stamp> = files
        .filter_map(|file| {
            let path = file.ok()?.path();
            let yaml = path.extension().is_some_and(|end| end == "yaml" || end == "yml");
            let known = path.metadata().ok().filter(|known| yaml && known.is_file())?;
            Some((path, known.len(), known.modified().ok()))
        })
        .collect();
    stamps.sort();
    stamps
}
