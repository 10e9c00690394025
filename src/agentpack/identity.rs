//! Names that are derived, not chosen: the machine, the project, a module's folder name.
//!
//! All of them appear in paths that upstream reads too, so their rules may not change.

use std::path::{Path, PathBuf};
use std::time::Duration;

use super::content::sha256;
use super::environment::Environment;
use super::git::Git;
use toolwright_platform::process::{self, Program};

/// How long a module id may be in a folder's name.
const KEY_LENGTH: usize = 64;

/// The machine: what was asked for, else the environment's names, else the host's.
pub fn machine_id(environment: &Environment, asked: Option<&str>) -> String {
    const NAMES: [&str; 3] = ["AGENTPACK_MACHINE_ID", "HOSTNAME", "COMPUTERNAME"];
    let named = NAMES.iter().filter_map(|name| environment.var(name));
    asked
        .into_iter()
        .chain(named)
        .map(normal_machine_id)
        .find(|id| !id.is_empty())
        .or_else(|| hostname(environment).map(|name| normal_machine_id(&name)))
        .filter(|id| !id.is_empty())
        .unwrap_or_else(|| "unknown".to_owned())
}

/// Lower case, and one `-` for every run of other characters, none at the ends.
fn normal_machine_id(text: &str) -> String {
    let lower = text.trim().to_lowercase();
    let kept = |c: char| matches!(c, 'a'..='z' | '0'..='9' | '_' | '-');
    let mut id = String::with_capacity(lower.len());
    let mut gap = false;
    for c in lower.chars() {
        if kept(c) {
            id.push(c);
        } else if !gap {
            id.push('-');
        }
        gap = !kept(c);
    }
    id.trim_matches('-').to_owned()
}

fn hostname(environment: &Environment) -> Option<String> {
    let path = process::find("hostname", environment.var("PATH"))?;
    let program = Program {
        path: &path,
        cwd: Some(Path::new("/")),
        vars: Some(&environment.vars),
        timeout: Duration::from_secs(5),
    };
    let no_arguments: [&str; 0] = [];
    program.run(&no_arguments, b"").ok().filter(process::Finished::success).map(|done| done.text())
}

/// The project that project-scope files go to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Project {
    /// Absolute.
    pub root: PathBuf,
    /// Names its overlays.
    pub id: String,
    /// Why nothing should be written into it without consent.
    pub unsafe_reason: Option<String>,
}

impl Project {
    /// The configured folder, else the git work tree around `cwd`, else the client's folder, else
    /// `cwd` itself.
    pub fn find(environment: &Environment, git: &Git) -> Self {
        let plain = |root: &Path| (root.to_owned(), false);
        let (root, in_git) = match (&environment.project_dir, environment.client_roots.first()) {
            (Some(dir), _) => (environment.cwd.join(dir), true),
            (None, client) => {
                let tree = |dir: &Path| work_tree(git, dir).map(|root| (root, true));
                tree(&environment.cwd).unwrap_or_else(|| match client {
                    Some(client) => tree(client).unwrap_or_else(|| plain(client)),
                    None => plain(&environment.cwd),
                })
            }
        };
        let origin = if in_git { origin(git, &root) } else { None };
        let id = project_id(&root, origin.as_deref());
        let unsafe_reason = unsafe_reason(&root, environment.home.as_deref());
        Self { root, id, unsafe_reason }
    }
}

fn work_tree(git: &Git, dir: &Path) -> Option<PathBuf> {
    let found = git.run(dir, &["rev-parse", "--show-toplevel"]).ok()?;
    let top = found.text();
    (found.success() && !top.is_empty()).then(|| PathBuf::from(top))
}

fn origin(git: &Git, root: &Path) -> Option<String> {
    let found = git.run(root, &["remote", "get-url", "origin"]).ok()?;
    let url = found.text().trim().to_owned();
    (found.success() && !url.is_empty()).then_some(url)
}

/// First 16 hex digits of the hash of the normalised origin, else of the canonical root.
pub fn project_id(root: &Path, origin: Option<&str>) -> String {
    let subject = match origin {
        Some(url) => normal_url(url),
        None => root.canonicalize().unwrap_or_else(|_| root.to_owned()).display().to_string(),
    };
    sha256(subject.as_bytes())[..16].to_owned()
}

/// `git@host:a/b.git` and `https://host/a/b` are the same project.
fn normal_url(url: &str) -> String {
    let url = url.trim();
    let url = url.strip_suffix(".git").unwrap_or(url);
    let url = match url.strip_prefix("git@") {
        Some(rest) => rest.replacen(':', "/", 1),
        None => {
            let rest = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
            rest.unwrap_or(url).to_owned()
        }
    };
    url.to_lowercase()
}

fn unsafe_reason(root: &Path, home: Option<&Path>) -> Option<String> {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let here = real(root);
    if here.parent().is_none() {
        return Some(format!(
            "the project folder is `{}`, the top of the file system",
            root.display()
        ));
    }
    let is_home = home.is_some_and(|home| real(home) == here);
    is_home.then(|| format!("the project folder is `{}`, the home of the user", root.display()))
}

/// Folder name of a module: readable, safe, unique.
pub fn module_fs_key(id: &str) -> String {
    let (readable, hash) = key_parts(id);
    let cut: String = readable.chars().take(KEY_LENGTH).collect();
    format!("{cut}--{hash}")
}

/// What older versions wrote: the same without the limit.
pub fn legacy_module_fs_key(id: &str) -> String {
    let (readable, hash) = key_parts(id);
    format!("{readable}--{hash}")
}

fn key_parts(id: &str) -> (String, String) {
    (sanitised(id), sha256(id.as_bytes())[..10].to_owned())
}

/// The id with `_` for everything but letters, digits, `_` and `-`.
pub fn sanitised(id: &str) -> String {
    let kept = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    id.chars().map(|c| if kept(c) { c } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::Sandbox;

    #[test]
    fn module_keys_equal_upstream() {
        assert_eq!(module_fs_key("instructions:base"), "instructions_base--d39861fff1");
        assert_eq!(module_fs_key("skill:hello"), "skill_hello--8fd21882e8");
        let long = format!("skill:{}", "x".repeat(100));
        assert_eq!(module_fs_key(&long).len(), 64 + 2 + 10);
        assert_eq!(legacy_module_fs_key(&long).len(), 106 + 2 + 10);
    }

    #[test]
    fn project_ids_equal_upstream() {
        let id = |url| project_id(Path::new("/"), Some(url));
        assert_eq!(id("https://example.com/Org/Demo.git"), "0e942f07d06fb6fb");
        assert_eq!(id(" git@example.com:Org/Demo.git\n"), "0e942f07d06fb6fb");
        assert_eq!(id("http://example.com/org/demo"), "0e942f07d06fb6fb");
        assert_ne!(id("ssh://git@example.com/org/demo"), "0e942f07d06fb6fb");
        assert_eq!(project_id(Path::new("/"), None), sha256(b"/")[..16]);
    }

    #[test]
    fn machine_ids_are_normalised_and_searched_in_order() {
        let sandbox = Sandbox::new();
        let mut environment = sandbox.environment();
        assert_eq!(machine_id(&environment, Some(" My  Mac!! ")), "my-mac");
        assert_eq!(machine_id(&environment, None), "test-box");
        assert_eq!(machine_id(&environment, Some("--- ---")), "test-box");
        environment.vars.insert("AGENTPACK_MACHINE_ID".to_owned(), "First_1".to_owned());
        assert_eq!(machine_id(&environment, None), "first_1");
        environment.vars.clear();
        assert_eq!(machine_id(&environment, None), "unknown");
    }

    #[test]
    fn the_project_is_the_work_tree_around_the_current_folder() {
        let sandbox = Sandbox::new();
        let git = Git::new(&sandbox.environment());
        let mut environment = sandbox.environment();
        let alone = Project::find(&environment, &git);
        assert_eq!(alone.root, sandbox.path("project"));
        assert_eq!(alone.unsafe_reason, None);

        sandbox.write("project/deep/file", "x");
        sandbox.commit("project");
        git.ok(&environment.cwd, &["remote", "add", "origin", "https://example.com/Org/Demo.git"])
            .unwrap();
        environment.cwd = sandbox.path("project/deep");
        let found = Project::find(&environment, &git);
        assert_eq!(found.root, sandbox.path("project"));
        assert_eq!(found.id, "0e942f07d06fb6fb");

        environment.project_dir = Some(sandbox.path("project/deep"));
        assert_eq!(Project::find(&environment, &git).root, sandbox.path("project/deep"));
    }

    #[test]
    fn the_clients_folder_is_used_when_the_server_runs_nowhere() {
        let sandbox = Sandbox::new();
        sandbox.write("project/deep/file", "x");
        sandbox.commit("project");
        let mut environment = sandbox.environment();
        let git = Git::new(&environment);
        environment.cwd = PathBuf::from("/");
        let at_top = Project::find(&environment, &git);
        assert!(at_top.unsafe_reason.unwrap().contains("top of the file system"));
        environment.client_roots = vec![sandbox.path("project/deep")];
        assert_eq!(Project::find(&environment, &git).root, sandbox.path("project"));
        environment.cwd = sandbox.path("home");
        environment.client_roots.clear();
        let at_home = Project::find(&environment, &git);
        assert!(at_home.unsafe_reason.unwrap().contains("home of the user"));
    }
}
