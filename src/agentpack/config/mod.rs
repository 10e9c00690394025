//! `agentpack.yaml`: what is deployed, from where, to which programs.
//!
//! [`load`] reads and checks, so a [`Config`] is always usable. Paths in it are as written; the sources
//! resolve them. Unknown keys become warnings for `doctor`.

mod document;
mod keys;
mod options;
mod select;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use toolwright_runtime::hidden::is_hidden;
use toolwright_runtime::{ErrorKind, Failure};

use super::content::read_file;
use super::failure::{self, Result};
use super::model::{ModuleType, Target};
use super::paths::{is_inside, posix};
use crate::generated::Error;

use document::Document;
pub use document::{GitSource, LocalPath, Profile, Scope, Source};
pub use options::Options;
pub use select::{selected_modules, selected_targets};

/// The only version of the format.
pub const SUPPORTED_VERSION: u64 = 1;
/// Name in the config repo.
pub const FILE_NAME: &str = "agentpack.yaml";
/// Larger is no config.
const MAX_BYTES: u64 = 16 << 20;
/// What upstream deploys to besides ours: not an error until it is asked for.
const FOREIGN_TARGETS: [&str; 3] = ["export_dir", "jetbrains", "zed"];

/// A config that was checked.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where it was read.
    pub path: PathBuf,
    /// By name; `default` is among them.
    pub profiles: BTreeMap<String, Profile>,
    /// What is deployed to.
    pub targets: BTreeMap<Target, TargetConfig>,
    /// Configured targets that only upstream knows.
    pub foreign_targets: BTreeSet<String>,
    /// As listed; ids are unique.
    pub modules: Vec<Module>,
    /// Unknown keys and names that mean nothing: for `doctor`.
    pub oddities: Vec<String>,
}

/// How one program is deployed to.
#[derive(Debug, Clone)]
pub struct TargetConfig {
    /// User's files, project's files or both.
    pub scope: Scope,
    /// The target's own.
    pub options: Options,
}

/// One asset.
#[derive(Debug, Clone)]
pub struct Module {
    /// Unique.
    pub id: String,
    /// What it is.
    pub module_type: ModuleType,
    /// Turned off modules are in no profile.
    pub enabled: bool,
    /// What profiles select by.
    pub tags: BTreeSet<String>,
    /// None: all.
    pub targets: Option<BTreeSet<Target>>,
    /// Where it comes from.
    pub source: Source,
}

impl Module {
    /// Whether it goes to that target.
    pub fn goes_to(&self, target: Target) -> bool {
        self.targets.as_ref().is_none_or(|targets| targets.contains(&target))
    }

    /// Name of a skill's folder: what follows the first `:` of the id, else a safe form of the id.
    pub fn skill_name(&self) -> String {
        match self.id.split_once(':') {
            Some((_, name)) => name.to_owned(),
            None => super::identity::sanitised(&self.id),
        }
    }
}

/// Reads and checks the config of a repo.
pub fn load(repo: &Path) -> Result<Config> {
    let path = repo.join(FILE_NAME);
    let bytes = match read_file(&path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Err(missing(&path)),
        Err(error) => return Err(failure::io("read", &path, &error)),
    };
    let text = String::from_utf8(bytes)
        .map_err(|error| failure::config(&path, format!("it is not UTF-8: {error}")))?;
    parse(&path, &text)
}

fn missing(path: &Path) -> Failure<Error> {
    let hint = "Run `agentpack init`, or name the config repo with `repo`.";
    Error::ConfigMissing
        .because(format!("There is no config at `{}`.", path.display()))
        .hint(hint)
        .with("path", path)
        .with("path_posix", posix(path))
        .with("hint", hint)
}

/// Checks in upstream's order: version, target names, scopes, `default` profile, modules.
fn parse(path: &Path, text: &str) -> Result<Config> {
    // The untyped reading comes first: it finds duplicate keys, and the version must be checked
    // before anything that another version may have changed.
    let value: serde_yaml::Value =
        serde_yaml::from_str(text).map_err(|error| failure::config(path, error))?;
    check_version(path, &value)?;
    let mut oddities = keys::unknown(&value);
    // Parsing again costs as much as the first time; it is needed only to report the position.
    let document: Document = match serde_yaml::from_value(value) {
        Ok(document) => document,
        Err(_) => serde_yaml::from_str(text).map_err(|error| failure::config(path, error))?,
    };

    let mut targets = BTreeMap::new();
    let mut foreign_targets = BTreeSet::new();
    for (name, target) in document.targets {
        match Target::from_name(&name) {
            Some(known) => {
                let options = Options::new(target.options);
                targets.insert(known, TargetConfig { scope: target.scope, options });
            }
            None if FOREIGN_TARGETS.contains(&name.as_str()) => {
                foreign_targets.insert(name);
            }
            None => return Err(target_unsupported(&name, None)),
        }
    }
    check_scopes(path, &targets)?;
    check_skills_dir(path, &targets)?;
    if !document.profiles.contains_key("default") {
        let what = "profiles: the profile `default` is missing";
        return Err(failure::config(path, what).with("profile", "default"));
    }

    let mut seen = BTreeSet::new();
    let mut modules = Vec::with_capacity(document.modules.len());
    for raw in document.modules {
        if !seen.insert(raw.id.clone()) {
            let what = format!("modules: the id `{}` is there twice", raw.id);
            return Err(failure::config(path, what).with("module_id", raw.id));
        }
        modules.push(module(path, raw, &mut oddities)?);
    }
    for (name, profile) in &document.profiles {
        for id in profile.include_modules.iter().chain(&profile.exclude_modules) {
            if !seen.contains(id) {
                oddities
                    .push(format!("profile `{name}` names the module `{id}`, which is not there"));
            }
        }
    }
    let profiles = document.profiles;
    Ok(Config { path: path.to_owned(), profiles, targets, foreign_targets, modules, oddities })
}

fn check_version(path: &Path, value: &serde_yaml::Value) -> Result<()> {
    match value.get("version").map(|version| (version, version.as_u64())) {
        Some((_, Some(SUPPORTED_VERSION))) => Ok(()),
        Some((_, Some(other))) => Err(Error::ConfigUnsupportedVersion
            .because(format!(
                "`{}`: version: {other} is not supported, only {SUPPORTED_VERSION}.",
                path.display()
            ))
            .with("path", path)
            .with("version", other)
            .with("supported", [SUPPORTED_VERSION])),
        Some(_) => Err(failure::config(path, "version: must be the number 1")),
        None => Err(failure::config(path, "version: is missing; it must be 1")),
    }
}

fn check_scopes(path: &Path, targets: &BTreeMap<Target, TargetConfig>) -> Result<()> {
    for (target, config) in targets {
        let project_only = matches!(target, Target::Cursor | Target::Vscode);
        if project_only && config.scope == Scope::User {
            let name = target.as_str();
            let what = format!("targets.{name}.scope: {name} has no user scope");
            return Err(failure::config(path, what)
                .with("target", name)
                .with("allowed_scopes", ["project", "both"]));
        }
    }
    Ok(())
}

/// `skills_dir` is joined to the home and to the project, so it must stay below them.
fn check_skills_dir(path: &Path, targets: &BTreeMap<Target, TargetConfig>) -> Result<()> {
    let dir = targets.get(&Target::Codex).and_then(|codex| codex.options.text("skills_dir"));
    match dir {
        Some(dir) if !is_inside(dir) => {
            let what = format!("targets.codex.options.skills_dir: `{dir}` is no relative folder");
            Err(failure::config(path, what).with("target", "codex"))
        }
        _ => Ok(()),
    }
}

fn module(path: &Path, raw: document::Module, oddities: &mut Vec<String>) -> Result<Module> {
    let refuse = |what: String| failure::config(path, what).with("module_id", &raw.id);
    if raw.id.trim().is_empty() {
        return Err(refuse("modules: a module has an empty id".to_owned()));
    }
    // The id becomes part of a comment in aggregated instructions, and users read it in plans.
    if raw.id.chars().any(is_hidden) || raw.id.contains("-->") {
        let id = raw.id.escape_debug();
        return Err(refuse(format!("modules: the id `{id}` has characters that no id may have")));
    }
    let mut targets = BTreeSet::new();
    for name in &raw.targets {
        match Target::from_name(name) {
            Some(target) => {
                targets.insert(target);
            }
            None if FOREIGN_TARGETS.contains(&name.as_str()) => oddities
                .push(format!("module `{}` goes to `{name}`, which is not supported here", raw.id)),
            None => return Err(target_unsupported(name, Some(&raw.id))),
        }
    }
    let source = match (raw.source.local_path, raw.source.git) {
        (Some(local), None) => Source::Local(local),
        (None, Some(git)) => Source::Git(git),
        (local, _) => {
            let how = if local.is_some() { "both" } else { "none" };
            return Err(refuse(format!(
                "module `{}`: source must have exactly one of local_path and git, it has {how}",
                raw.id
            )));
        }
    };
    let checked = Module {
        module_type: raw.module_type,
        enabled: raw.enabled,
        tags: raw.tags.into_iter().collect(),
        targets: (!raw.targets.is_empty()).then_some(targets),
        source,
        id: raw.id.clone(),
    };
    if checked.module_type == ModuleType::Skill && !is_inside(&checked.skill_name()) {
        return Err(refuse(format!(
            "module `{}`: a skill of that name would be written outside its folder",
            raw.id.escape_debug()
        )));
    }
    Ok(checked)
}

/// A target in the config that cannot be deployed to.
fn target_unsupported(name: &str, module_id: Option<&str>) -> Failure<Error> {
    let allowed = Target::ALL.map(Target::as_str);
    let whose = module_id.map_or_else(String::new, |id| format!("module `{id}`: "));
    let failure = Error::TargetUnsupported
        .because(format!("{whose}the target `{name}` is not supported here."))
        .hint(format!("Use one of {}.", allowed.join(", ")))
        .with("target", name)
        .with("allowed", allowed)
        .with("reason_code", "target_not_compiled")
        .with(
            "next_actions",
            [
                "inspect_help_json",
                "edit_manifest_targets",
                "rebuild_with_target_feature",
                "retry_command",
            ],
        );
    match module_id {
        Some(id) => failure.with("module_id", id),
        None => failure,
    }
}
