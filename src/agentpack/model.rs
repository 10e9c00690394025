//! The data model of the engine: targets, roots, outputs, plans, changes.
//!
//! Plain data. Produced by `desired` (outputs), `manifest` (managed files) and `plan` (changes); used by
//! every report and by `apply`, which takes a plan as it was reviewed.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// A program that agent assets are deployed into.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// Claude Code.
    ClaudeCode,
    /// Codex.
    Codex,
    /// Cursor.
    Cursor,
    /// VS Code.
    Vscode,
}

impl Target {
    /// All targets, sorted by name.
    pub const ALL: [Self; 4] = [Self::ClaudeCode, Self::Codex, Self::Cursor, Self::Vscode];

    /// Name in configs, manifests and answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude_code",
            Self::Codex => "codex",
            Self::Cursor => "cursor",
            Self::Vscode => "vscode",
        }
    }

    /// The target of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|target| target.as_str() == name)
    }
}

/// A folder that gets a manifest of its own per target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Root {
    /// The target.
    pub target: Target,
    /// Absolute.
    pub path: PathBuf,
    /// Unmanaged files in it are reported as extra.
    pub scan_extras: bool,
    /// Below the project, not below the user's home.
    pub in_project: bool,
}

/// What a module is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModuleType {
    /// Standing instructions: `AGENTS.md`.
    Instructions,
    /// A folder with `SKILL.md`.
    Skill,
    /// One Markdown file.
    Prompt,
    /// One Markdown file with front matter.
    Command,
}

impl ModuleType {
    /// Name in configs and lockfiles.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Skill => "skill",
            Self::Prompt => "prompt",
            Self::Command => "command",
        }
    }

    /// Name in `explain`, capitalised as upstream does.
    pub fn title(self) -> &'static str {
        match self {
            Self::Instructions => "Instructions",
            Self::Skill => "Skill",
            Self::Prompt => "Prompt",
            Self::Command => "Command",
        }
    }
}

/// The layer that decides a file of a module. Ordered from low to high.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layer {
    /// The module's source.
    Upstream,
    /// `overlays/`.
    Global,
    /// `overlays/machines/`.
    Machine,
    /// `projects/`.
    Project,
}

impl Layer {
    /// Name in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Upstream => "upstream",
            Self::Global => "global",
            Self::Machine => "machine",
            Self::Project => "project",
        }
    }
}

/// The module file that an output, or a part of it, was rendered from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputSource {
    /// The module.
    pub module_id: String,
    /// What it is.
    pub module_type: ModuleType,
    /// Inside the module, with `/`: `AGENTS.md`, `x.md`, `scripts/run.sh`.
    pub module_path: String,
    /// The layer that decides its content.
    pub layer: Layer,
}

/// The bytes of an output. Only rendered and patched outputs are held in memory.
#[derive(Debug, Clone)]
pub enum Content {
    /// A file of the config repo, an overlay or the git cache, deployed as it is.
    File(PathBuf),
    /// Rendered or patched.
    Bytes(Arc<[u8]>),
}

/// One desired file.
#[derive(Debug, Clone)]
pub struct Output {
    /// The target.
    pub target: Target,
    /// Absolute.
    pub path: PathBuf,
    /// Index into [`Desired::roots`] of the deepest root that contains it.
    pub root: usize,
    /// What it holds.
    pub content: Content,
    /// SHA-256 of it, lower-case hex without a prefix.
    pub sha256: String,
    /// Bytes.
    pub size: u64,
    /// Deployed with the executable bit.
    pub executable: bool,
    /// Modules that it comes from, sorted.
    pub module_ids: BTreeSet<String>,
    /// Which file of each of these modules, sorted by module id.
    pub sources: Vec<OutputSource>,
}

/// The desired state of the selected targets.
#[derive(Debug, Default)]
pub struct Desired {
    /// Sorted by target and path.
    pub roots: Vec<Root>,
    /// Sorted by target and path.
    pub outputs: BTreeMap<(Target, PathBuf), Output>,
    /// Warnings.
    pub warnings: Vec<String>,
}

/// What a change does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Op {
    /// The file is not there.
    Create,
    /// The file differs.
    Update,
    /// The file is managed and no longer wanted.
    Delete,
}

/// Whether an update replaces a managed file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum UpdateKind {
    /// One that a manifest names.
    ManagedUpdate,
    /// An unmanaged one.
    AdoptUpdate,
}

/// One planned change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The target.
    pub target: Target,
    /// What.
    pub op: Op,
    /// Absolute.
    pub path: PathBuf,
    /// Hash on disk now; none for a create.
    pub before_sha256: Option<String>,
    /// Hash afterwards; none for a delete.
    pub after_sha256: Option<String>,
    /// For updates.
    pub update_kind: Option<UpdateKind>,
    /// As upstream words it.
    pub reason: &'static str,
    /// The file was edited since it was deployed; the change would lose that (a backup is kept).
    pub local_edits: bool,
    /// Modules that the file comes from, or came from.
    pub module_ids: BTreeSet<String>,
}

/// An entry of a target manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Managed {
    /// Index into [`Desired::roots`].
    pub root: usize,
    /// Hash at the time of the deploy.
    pub sha256: String,
    /// Modules that it came from.
    pub module_ids: BTreeSet<String>,
}

/// What a deploy would do. `apply` takes this very value.
#[derive(Debug, Default)]
pub struct Plan {
    /// Profile that was rendered.
    pub profile: String,
    /// Selected targets, sorted by name.
    pub targets: Vec<Target>,
    /// The desired state.
    pub desired: Arc<Desired>,
    /// Managed files according to the manifests, by target and absolute path.
    pub managed: BTreeMap<(Target, PathBuf), Managed>,
    /// Sorted by target and path.
    pub changes: Vec<Change>,
    /// Roots (indices) with desired files and no usable manifest: an apply writes one.
    pub roots_without_manifest: BTreeSet<usize>,
    /// Roots (indices) that cannot be used, with the reason: no apply while that lasts.
    pub unusable_roots: BTreeMap<usize, String>,
    /// Warnings.
    pub warnings: Vec<String>,
    /// Why project files should not be written here without consent: the project folder is the
    /// user's home or the top of the file system.
    pub unsafe_project: Option<String>,
    /// Project folder that the plan is for.
    pub project_root: PathBuf,
    /// SHA-256 of the lockfile, where there is one.
    pub lockfile_sha256: Option<String>,
}

/// How many changes of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Creates.
    pub create: u64,
    /// Updates.
    pub update: u64,
    /// Deletes.
    pub delete: u64,
}

impl Plan {
    /// Whether applying it writes anything.
    pub fn is_work(&self) -> bool {
        !self.changes.is_empty() || !self.roots_without_manifest.is_empty()
    }

    /// Counts the changes.
    pub fn summary(&self) -> Summary {
        let count = |op| self.changes.iter().filter(|change| change.op == op).count() as u64;
        Summary { create: count(Op::Create), update: count(Op::Update), delete: count(Op::Delete) }
    }
}
