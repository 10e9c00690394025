//! The chain of sources: export files, then the export command, then registry modules.
//!
//! The last resort, a seeded override file, is read by the engine. Results are cached until a file or a
//! watched path changes.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_runtime::{ErrorKind, Failure};

use super::cache::{self, Stamp};
use super::catalog::{Catalog, Described};
use super::command::ExportCommand;
use super::model::{Prompt, SourceName};
use crate::failure::Result;
use crate::generated::Error;
use crate::ids::{Namespace, PromptKey};
use crate::suggest;

/// Where descriptors come from.
#[derive(Debug, Clone, Default)]
pub struct Config {
    /// Configured export files, or directories of `*.json`. A missing one is an error.
    pub files: Vec<PathBuf>,
    /// Default path when no file is configured. A missing one is no error.
    pub default_file: Option<PathBuf>,
    /// A command that prints an export.
    pub command: Option<ExportCommand>,
    /// The shipped exporter over Python modules; see [`ExportCommand::for_modules`].
    pub registry: Option<ExportCommand>,
}

/// The result of a lookup.
#[derive(Debug, Clone)]
pub enum Lookup {
    /// Its descriptor.
    Found(Arc<Prompt>),
    /// There are sources, but none has the prompt. Carries similar names.
    NotFound(Vec<String>),
    /// There is no source.
    NoSource,
}

/// The sources with their caches. Cheap to query; safe to share.
#[derive(Debug)]
pub struct Descriptors {
    config: Config,
    files: Mutex<Option<Cached>>,
    command: Mutex<Option<Cached>>,
    registry: Mutex<Option<Cached>>,
}

#[derive(Debug, Clone)]
struct Cached {
    stamps: Vec<Stamp>,
    catalog: Arc<Catalog>,
}

impl Descriptors {
    /// Sources as configured. Reads nothing yet.
    pub fn new(config: Config) -> Self {
        Self {
            config,
            files: Mutex::default(),
            command: Mutex::default(),
            registry: Mutex::default(),
        }
    }

    /// Default path of the export, for messages.
    pub fn default_file(&self) -> Option<&std::path::Path> {
        self.config.default_file.as_deref()
    }

    /// The descriptor from the first source that has the prompt.
    pub fn lookup(&self, ns: &Namespace, key: &PromptKey) -> Result<Lookup> {
        let mut any = false;
        let mut names = Vec::new();
        for source in SOURCES {
            let Some(catalog) = self.catalog(source)? else { continue };
            any = true;
            match catalog.get(ns.as_str(), key.as_str()) {
                Some(Described::Prompt(prompt)) => return Ok(Lookup::Found(Arc::clone(prompt))),
                Some(Described::Broken(problem)) => return Err(invalid(problem)),
                None => {}
            }
            if let Some(problem) = catalog.problems().first() {
                return Err(invalid(problem));
            }
            names.extend(catalog.names());
        }
        if !any {
            return Ok(Lookup::NoSource);
        }
        let wanted = format!("{}/{}", ns.as_str(), key.as_str());
        Ok(Lookup::NotFound(suggest::near(&wanted, names.iter().map(String::as_str))))
    }

    /// The catalogs of all sources that answer, in order, and the failures of those that do not.
    pub fn catalogs(&self) -> (Vec<Arc<Catalog>>, Vec<Failure<Error>>) {
        let (mut catalogs, mut failures) = (Vec::new(), Vec::new());
        for source in SOURCES {
            match self.catalog(source) {
                Ok(catalog) => catalogs.extend(catalog),
                Err(failure) => failures.push(failure),
            }
        }
        (catalogs, failures)
    }

    fn catalog(&self, source: SourceName) -> Result<Option<Arc<Catalog>>> {
        match source {
            SourceName::ExportFile => Ok(self.read_files()),
            SourceName::ExportCommand => {
                from_command(self.config.command.as_ref(), &self.command, source)
            }
            SourceName::RegistryModules => {
                from_command(self.config.registry.as_ref(), &self.registry, source)
            }
            SourceName::SeededFile => Ok(None),
        }
    }

    fn read_files(&self) -> Option<Arc<Catalog>> {
        let mut paths = self.config.files.clone();
        if paths.is_empty() {
            let default = self.config.default_file.clone()?;
            if !default.exists() {
                return None;
            }
            paths.push(default);
        }
        let files = cache::export_files(&paths);
        let stamps: Vec<Stamp> = files.iter().map(|file| cache::stamp(file)).collect();
        let mut cached = self.files.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(cached) = cached.as_ref().filter(|cached| cached.stamps == stamps) {
            return Some(Arc::clone(&cached.catalog));
        }
        let mut catalog = Catalog::default();
        for file in files {
            let origin = file.display().to_string();
            match std::fs::read_to_string(&file) {
                Ok(text) => catalog.add(&text, SourceName::ExportFile, &origin),
                Err(error) => catalog
                    .add_problem(format!("Descriptor export `{origin}` cannot be read: {error}.")),
            }
        }
        let catalog = Arc::new(catalog);
        *cached = Some(Cached { stamps, catalog: Arc::clone(&catalog) });
        Some(catalog)
    }
}

const SOURCES: [SourceName; 3] =
    [SourceName::ExportFile, SourceName::ExportCommand, SourceName::RegistryModules];

fn from_command(
    command: Option<&ExportCommand>,
    cached: &Mutex<Option<Cached>>,
    source: SourceName,
) -> Result<Option<Arc<Catalog>>> {
    let Some(command) = command else { return Ok(None) };
    let mut cached = cached.lock().unwrap_or_else(PoisonError::into_inner);
    let stamps = cache::watch(&command.watch);
    let fresh = |cached: &&Cached| !command.watch.is_empty() && cached.stamps == stamps;
    if let Some(cached) = cached.as_ref().filter(fresh) {
        return Ok(Some(Arc::clone(&cached.catalog)));
    }
    let output = command.run()?;
    let mut catalog = Catalog::default();
    catalog.add(&output, source, &command.display());
    let catalog = Arc::new(catalog);
    *cached = Some(Cached { stamps, catalog: Arc::clone(&catalog) });
    Ok(Some(catalog))
}

fn invalid(problem: &str) -> Failure<Error> {
    Error::DescriptorInvalid
        .because(problem)
        .hint("Export the descriptors again from the application's current code.")
}
