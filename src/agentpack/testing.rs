//! A temporary machine for tests: home, agentpack home, config repo, project.

use std::collections::BTreeMap;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::environment::Environment;
use super::failure::Result;
use super::git::Git;
use super::model::Target;
use super::workspace::{Selection, Workspace};

/// A temp folder with everything that the engine reads.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
}

impl Sandbox {
    /// With empty folders `home`, `home/.agentpack/repo` and `project`.
    pub(crate) fn new() -> Self {
        let sandbox = Self { dir: tempfile::tempdir().unwrap() };
        for name in ["home/.agentpack/repo", "project"] {
            sandbox.dir(name);
        }
        sandbox
    }

    /// The path of something in it. Links of the temp folder are resolved.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(name)
    }

    /// A folder, created if missing.
    pub(crate) fn dir(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    /// Writes a file and the folders above it.
    pub(crate) fn write(&self, name: &str, text: &str) -> PathBuf {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        path
    }

    /// Reads a file.
    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// A file of the config repo.
    pub(crate) fn repo(&self, name: &str, text: &str) -> PathBuf {
        self.write(&format!("home/.agentpack/repo/{name}"), text)
    }

    /// `agentpack.yaml` with profile `default` including the tag `all`, the given targets
    /// (`name: scope`) and modules (`id, type, path`).
    pub(crate) fn config(&self, targets: &[(&str, &str)], modules: &[(&str, &str, &str)]) {
        let mut text = "version: 1\nprofiles:\n  default: {include_tags: [all]}\n".to_owned();
        text.push_str("targets:\n");
        for (name, rest) in targets {
            let rest =
                if rest.contains(':') { (*rest).to_owned() } else { format!("scope: {rest}") };
            text.push_str(&format!("  {name}: {{mode: files, {rest}}}\n"));
        }
        text.push_str("modules:\n");
        for (id, kind, path) in modules {
            text.push_str(&format!(
                "  - {{id: '{id}', type: {kind}, tags: [all], source: {{local_path: {{path: '{path}'}}}}}}\n"
            ));
        }
        self.repo("agentpack.yaml", &text);
    }

    /// The environment of a server started in `project`.
    pub(crate) fn environment(&self) -> Environment {
        let path = std::env::var("PATH").unwrap();
        let home = self.path("home").display().to_string();
        let temp = self.dir("tmp").display().to_string();
        let vars = [
            ("HOME", home.as_str()),
            ("PATH", &path),
            ("TMPDIR", &temp),
            ("HOSTNAME", "Test Box"),
            ("GIT_CONFIG_NOSYSTEM", "1"),
            ("GIT_AUTHOR_NAME", "a"),
            ("GIT_AUTHOR_EMAIL", "a@b"),
            ("GIT_COMMITTER_NAME", "a"),
            ("GIT_COMMITTER_EMAIL", "a@b"),
        ];
        let vars: BTreeMap<_, _> =
            vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Environment::new(vars, self.path("project"))
    }

    /// Opens the config repo with the default profile.
    pub(crate) fn open(&self, target: Option<Target>) -> Result<Workspace> {
        Workspace::open(&self.environment(), Selection { target, ..Selection::default() })
    }

    /// A git repository with one commit of everything in the folder.
    pub(crate) fn commit(&self, name: &str) -> String {
        let dir = self.dir(name);
        let git = Git::new(&self.environment());
        if !dir.join(".git").exists() {
            git.ok(&dir, &["init", "-q", "-b", "main"]).unwrap();
        }
        git.ok(&dir, &["add", "-A"]).unwrap();
        git.ok(&dir, &["commit", "-qm", "state"]).unwrap();
        git.ok(&dir, &["rev-parse", "HEAD"]).unwrap()
    }

    /// Every file below the sandbox with its bytes, to prove that nothing was written. The folder
    /// for short-lived files is left out, and so are the insides of git.
    pub(crate) fn everything(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        let mut folders = vec![self.path("")];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let metadata = path.symlink_metadata().unwrap();
                if metadata.is_dir() {
                    if !path.ends_with("tmp") && !path.ends_with(".git") {
                        found.insert(path.clone(), Vec::new());
                        folders.push(path);
                    }
                } else if metadata.is_file() {
                    found.insert(path.clone(), std::fs::read(&path).unwrap());
                }
            }
        }
        found
    }
}

/// Writes an executable file.
pub(crate) fn script(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}
