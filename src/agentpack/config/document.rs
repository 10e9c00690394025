//! The shape of `agentpack.yaml`, as written. Meaning is checked elsewhere.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::model::ModuleType;

#[derive(Deserialize)]
pub(super) struct Document {
    #[serde(default)]
    pub(super) profiles: BTreeMap<String, Profile>,
    #[serde(default)]
    pub(super) targets: BTreeMap<String, Target>,
    #[serde(default)]
    pub(super) modules: Vec<Module>,
}

/// Which modules belong together.
#[derive(Debug, Clone, Default, Deserialize)]
pub struct Profile {
    /// Modules with one of these.
    #[serde(default)]
    pub include_tags: BTreeSet<String>,
    /// And these.
    #[serde(default)]
    pub include_modules: BTreeSet<String>,
    /// But never these.
    #[serde(default)]
    pub exclude_modules: BTreeSet<String>,
}

#[derive(Deserialize)]
pub(super) struct Target {
    #[serde(rename = "mode")]
    _mode: Mode,
    pub(super) scope: Scope,
    #[serde(default)]
    pub(super) options: BTreeMap<String, serde_yaml::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Mode {
    Files,
}

/// Where the files go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// Below the user's home.
    User,
    /// Below the project.
    Project,
    /// Both.
    Both,
}

impl Scope {
    /// Files below the user's home are written.
    pub fn has_user(self) -> bool {
        matches!(self, Self::User | Self::Both)
    }

    /// Files below the project are written.
    pub fn has_project(self) -> bool {
        matches!(self, Self::Project | Self::Both)
    }
}

#[derive(Deserialize)]
pub(super) struct Module {
    pub(super) id: String,
    #[serde(rename = "type")]
    pub(super) module_type: ModuleType,
    #[serde(default = "yes")]
    pub(super) enabled: bool,
    #[serde(default)]
    pub(super) tags: Vec<String>,
    #[serde(default)]
    pub(super) targets: Vec<String>,
    pub(super) source: Sources,
}

fn yes() -> bool {
    true
}

#[derive(Deserialize)]
pub(super) struct Sources {
    #[serde(default)]
    pub(super) local_path: Option<LocalPath>,
    #[serde(default)]
    pub(super) git: Option<GitSource>,
}

/// Where a module comes from.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file or folder.
    Local(LocalPath),
    /// A git repository.
    Git(GitSource),
}

/// A file or folder.
#[derive(Debug, Clone, Deserialize)]
pub struct LocalPath {
    /// Relative to the config repo, or absolute.
    pub path: String,
}

/// A git repository, or a part of one.
#[derive(Debug, Clone, Deserialize)]
pub struct GitSource {
    /// As git understands it.
    pub url: String,
    /// Branch, tag or commit.
    #[serde(rename = "ref", default = "main")]
    pub reference: String,
    /// Folder or file inside.
    #[serde(default)]
    pub subdir: String,
    /// Fetch no history.
    #[serde(default = "yes")]
    pub shallow: bool,
}

fn main() -> String {
    "main".to_owned()
}
