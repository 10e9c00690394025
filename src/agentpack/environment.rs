//! The process environment, as the engine sees it.
//!
//! Captured at start (the client's folders are set per call) and passed down: no other part of the
//! engine reads environment variables or the current directory.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::paths::{expand_home, normal};

/// Home, working directory and variables.
#[derive(Debug, Clone, Default)]
pub struct Environment {
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Current directory, absolute.
    pub cwd: PathBuf,
    /// Environment variables.
    pub vars: BTreeMap<String, String>,
    /// Where state, cache and the default config repo are, absolute.
    pub agentpack_home: PathBuf,
    /// Project folder that the server was started for; decides over everything else.
    pub project_dir: Option<PathBuf>,
    /// Folders that the client works in; used when `cwd` is in no git work tree.
    pub client_roots: Vec<PathBuf>,
}

impl Environment {
    /// From variables and a current directory: `HOME`, `AGENTPACK_HOME` (default `~/.agentpack`).
    pub fn new(vars: BTreeMap<String, String>, cwd: PathBuf) -> Self {
        let set = |name: &str| vars.get(name).filter(|value| !value.trim().is_empty());
        let home = set("HOME").map(PathBuf::from);
        let agentpack_home = match (set("AGENTPACK_HOME"), &home) {
            (Some(given), home) => expand_home(given.trim(), home.as_deref()),
            (None, Some(home)) => home.join(".agentpack"),
            (None, None) => PathBuf::from(".agentpack"),
        };
        let agentpack_home = normal(&cwd.join(agentpack_home));
        Self { home, cwd, vars, agentpack_home, project_dir: None, client_roots: Vec::new() }
    }

    /// A variable that is set to something.
    pub fn var(&self, name: &str) -> Option<&str> {
        self.vars.get(name).map(|value| value.trim()).filter(|value| !value.is_empty())
    }

    /// The config repo: as given, relative to the current directory, else the one in the home.
    pub fn repo(&self, given: Option<&Path>) -> PathBuf {
        match given {
            Some(given) => normal(&self.cwd.join(given)),
            None => self.agentpack_home.join("repo"),
        }
    }

    /// Where short-lived files go.
    pub fn temp_dir(&self) -> PathBuf {
        self.var("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), |dir| self.cwd.join(dir))
    }

    /// Git checkouts of module sources.
    pub fn git_cache(&self) -> PathBuf {
        self.agentpack_home.join("cache").join("git")
    }

    /// Snapshots, journal and logs.
    pub fn state_dir(&self) -> PathBuf {
        self.agentpack_home.join("state")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(vars: &[(&str, &str)]) -> Environment {
        let vars = vars.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Environment::new(vars, PathBuf::from("/here"))
    }

    #[test]
    fn the_home_is_chosen_and_expanded() {
        let of = |vars: &[(&str, &str)]| environment(vars).agentpack_home;
        assert_eq!(of(&[("HOME", "/h")]), Path::new("/h/.agentpack"));
        assert_eq!(of(&[("HOME", "/h"), ("AGENTPACK_HOME", "~/ap")]), Path::new("/h/ap"));
        assert_eq!(of(&[("HOME", "/h"), ("AGENTPACK_HOME", "ap")]), Path::new("/here/ap"));
        assert_eq!(of(&[("HOME", "/h"), ("AGENTPACK_HOME", " ")]), Path::new("/h/.agentpack"));
        assert_eq!(of(&[]), Path::new("/here/.agentpack"));
    }

    #[test]
    fn the_repo_is_the_given_one_or_the_default() {
        let environment = environment(&[("HOME", "/h")]);
        assert_eq!(environment.repo(None), Path::new("/h/.agentpack/repo"));
        assert_eq!(environment.repo(Some(Path::new("../r"))), Path::new("/r"));
        assert_eq!(environment.repo(Some(Path::new("/r"))), Path::new("/r"));
    }
}
