//! Which directory holds the overrides, and why that one.
//!
//! Everything comes in as parameters: no environment, no current directory of its own. A root is
//! never guessed and nothing is created here.

use std::path::{Path, PathBuf};

use serde::Serialize;
use toolwright_runtime::ErrorKind;

use super::failure::Result;
use crate::generated::Error;
use toolwright_platform::paths::normal;

/// Where the library keeps overrides below a project's root.
pub const DEFAULT_RELATIVE: &str = ".weakincentives/prompts/overrides";
/// Default path of a descriptor export below a project's root.
pub const DEFAULT_EXPORT: &str = ".weakincentives/prompts/descriptors.json";

/// Why a directory was chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RootSource {
    /// It was configured itself.
    OverridesDir,
    /// It is the library's default below the configured workspace.
    WorkspaceRoot,
    /// It is the library's default below the git repository around the current directory.
    GitRoot,
}

impl RootSource {
    /// The name in answers.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::OverridesDir => "overrides_dir",
            Self::WorkspaceRoot => "workspace_root",
            Self::GitRoot => "git_root",
        }
    }
}

/// The chosen directory. It may not exist yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OverridesRoot {
    /// The overrides directory, absolute.
    pub dir: PathBuf,
    /// Why this one.
    pub source: RootSource,
    /// The project it belongs to, where known.
    pub project: Option<PathBuf>,
}

impl OverridesRoot {
    /// Default path of the export, always outside the overrides directory.
    pub fn default_export(&self) -> Option<PathBuf> {
        self.project.as_ref().map(|project| project.join(DEFAULT_EXPORT))
    }
}

/// Chooses: the configured directory, else the workspace's, else the git repository's.
///
/// A relative `overrides_dir` is below `workspace_root`, else below `cwd`. Paths are expected
/// with `~` and variables already expanded.
pub fn resolve(
    overrides_dir: Option<&Path>,
    workspace_root: Option<&Path>,
    cwd: Option<&Path>,
) -> Result<OverridesRoot> {
    let absolute = |path: &Path| match cwd {
        Some(cwd) => Some(normal(&cwd.join(path))),
        None => path.is_absolute().then(|| normal(path)),
    };
    let workspace = workspace_root.and_then(absolute);
    let git = || cwd.and_then(git_root);
    if let Some(dir) = overrides_dir {
        let dir = workspace.as_ref().map_or_else(|| dir.to_owned(), |base| base.join(dir));
        if let Some(dir) = absolute(&dir) {
            let project = workspace.or_else(|| git_root(&dir)).or_else(git);
            return Ok(OverridesRoot { dir, source: RootSource::OverridesDir, project });
        }
    }
    if let Some(project) = workspace {
        let dir = project.join(DEFAULT_RELATIVE);
        return Ok(OverridesRoot {
            dir,
            source: RootSource::WorkspaceRoot,
            project: Some(project),
        });
    }
    if let Some(project) = git() {
        let dir = project.join(DEFAULT_RELATIVE);
        return Ok(OverridesRoot { dir, source: RootSource::GitRoot, project: Some(project) });
    }
    let place =
        cwd.map_or_else(|| "an unknown directory".to_owned(), |cwd| format!("`{}`", cwd.display()));
    Err(Error::OverridesRootUnknown
        .because(format!(
            "The overrides directory is not known: none is configured, and the server \
             runs in {place}, which is in no git repository."
        ))
        .hint(
            "Set WINK_OVERRIDES_DIR (or --overrides-dir, or `overrides_dir` in the settings file) to \
             the overrides directory, or WINK_WORKSPACE_ROOT to the project, and restart the server.",
        )
        .with("cwd", cwd)
        .with("settings", ["WINK_OVERRIDES_DIR", "WINK_WORKSPACE_ROOT"]))
}

/// Nearest ancestor that holds `.git`, a directory or a worktree's file: what git itself finds.
pub fn git_root(from: &Path) -> Option<PathBuf> {
    let found = from.ancestors().find(|candidate| candidate.join(".git").exists())?;
    Some(found.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_reason_wins() {
        let dir = tempfile::tempdir().unwrap();
        let repo = dir.path().join("repo");
        let deep = repo.join("a/b");
        std::fs::create_dir_all(&deep).unwrap();
        std::fs::write(repo.join(".git"), "gitdir: elsewhere").unwrap();

        let found = resolve(None, None, Some(&deep)).unwrap();
        assert_eq!(found.source, RootSource::GitRoot);
        assert_eq!(found.dir, repo.join(DEFAULT_RELATIVE));
        assert_eq!(found.default_export(), Some(repo.join(DEFAULT_EXPORT)));
        assert!(!found.dir.exists(), "nothing is created");

        let found = resolve(None, Some(Path::new("/w")), Some(&deep)).unwrap();
        assert_eq!(
            (found.source, found.dir),
            (RootSource::WorkspaceRoot, Path::new("/w").join(DEFAULT_RELATIVE))
        );

        let found = resolve(Some(Path::new("o/../p")), Some(Path::new("/w")), Some(&deep)).unwrap();
        assert_eq!((found.source, found.dir), (RootSource::OverridesDir, "/w/p".into()));

        let found = resolve(Some(Path::new("o")), None, Some(&deep)).unwrap();
        assert_eq!(found.dir, deep.join("o"));
    }

    #[test]
    fn the_root_is_never_guessed() {
        for cwd in [Some(Path::new("/")), None] {
            let failure = resolve(None, None, cwd).unwrap_err();
            assert_eq!(failure.kind(), Error::OverridesRootUnknown);
        }
    }
}
