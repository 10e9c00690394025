//! The branch: objects and a ref, created without touching the user's checkout.
//!
//! A temporary index holds the tree of `HEAD` plus the proposed files; nothing in the work tree,
//! the index or `HEAD` changes, so nothing has to be restored when a step fails.

use std::ffi::OsString;
use std::path::Path;

use toolwright_runtime::{ErrorKind, Failure};

use super::Request;
use super::collect::File;
use crate::failure::{self, Result};
use crate::generated::Error;
use crate::git::{self, Git};
use crate::paths::posix;
use crate::workspace::Workspace;

/// Files that are named in one command line.
const PER_RUN: usize = 100;

/// The outcome.
pub(super) enum Made {
    Branch(String),
    /// Git would not commit, for this reason.
    NotCommitted(String),
}

/// Creates a branch with one commit on top of `HEAD`, whatever `HEAD` is.
pub(super) fn make(workspace: &Workspace, request: &Request<'_>, files: &[File]) -> Result<Made> {
    let (repo, git) = (workspace.repo.as_path(), &workspace.git);
    check_repo(repo, git)?;
    let name = match request.branch {
        Some(name) => name.to_owned(),
        None => default_name(request, files),
    };
    check_name(repo, git, &name)?;
    let temp = workspace.environment.temp_dir();
    let dir = tempfile::Builder::new()
        .prefix("agentpack-propose-")
        .tempdir_in(&temp)
        .map_err(|error| failure::io("create a folder in", &temp, &error))?;
    let index = dir.path().join("index");
    let git = git.clone().with_var("GIT_INDEX_FILE", index.to_string_lossy());
    let head = head(repo, &git)?;
    let tree = tree(repo, &git, head.as_deref(), files)?;
    let commit = match commit(repo, &git, request, head.as_deref(), &tree)? {
        Ok(commit) => commit,
        Err(why) => return Ok(Made::NotCommitted(why)),
    };
    let reference = format!("refs/heads/{name}");
    // The empty old value: it must not exist. It may have been created a moment ago.
    let args = ["update-ref", "-m", "agentpack evolve propose", &reference, &commit, ""];
    let finished = git.run(repo, &args)?;
    if finished.success() {
        return Ok(Made::Branch(name));
    }
    Err(branch_invalid(&name, &format!("git cannot create it: {}", finished.stderr)))
}

fn check_repo(repo: &Path, git: &Git) -> Result<()> {
    let detailed = |failure: Failure<Error>, hint: &str| {
        failure
            .hint(hint)
            .with("command", "evolve propose")
            .with("repo", repo)
            .with("repo_posix", posix(repo))
            .with("hint", hint)
    };
    if repo.join(".git").symlink_metadata().is_err() {
        let failure = Error::GitRepoRequired
            .because(format!("The config repo `{}` is no git repository.", repo.display()));
        return Err(detailed(failure, "Run `git init` there and commit, then propose again."));
    }
    let status = git.ok(repo, &["status", "--porcelain", "--untracked-files=normal"])?;
    if status.is_empty() {
        return Ok(());
    }
    let failure = Error::GitWorktreeDirty
        .because(format!(
            "The config repo `{}` has changes that are not committed, first `{}`.",
            repo.display(),
            status.lines().next().unwrap_or_default().trim()
        ))
        .with("changes", status.lines().count());
    Err(detailed(failure, "Commit or stash them, then propose again."))
}

fn default_name(request: &Request<'_>, files: &[File]) -> String {
    let mut ids: Vec<&str> = files.iter().map(|file| file.candidate.module_id.as_str()).collect();
    ids.dedup();
    let module = match (request.module_id, ids.as_slice()) {
        (Some(id), _) | (None, &[id]) => id.chars().map(safe).collect(),
        _ => "multi".to_owned(),
    };
    let scope = request.scope.as_str();
    let (now, nanos) = (request.now.strftime("%Y%m%dT%H%M%SZ"), request.now.subsec_nanosecond());
    format!("evolve/propose-{scope}-{module}-{now}-{nanos:09}")
}

fn safe(char: char) -> char {
    if char.is_ascii_alphanumeric() || matches!(char, '-' | '_') { char } else { '_' }
}

fn check_name(repo: &Path, git: &Git, name: &str) -> Result<()> {
    let reference = format!("refs/heads/{name}");
    let odd = name.starts_with('-') || name == "HEAD";
    if odd || !git.run(repo, &["check-ref-format", &reference])?.success() {
        return Err(branch_invalid(name, "it is not a name that git accepts for a branch"));
    }
    if git.run(repo, &["show-ref", "--verify", "--quiet", &reference])?.success() {
        return Err(branch_invalid(name, "a branch of that name exists already")
            .with("reason_code", "branch_exists"));
    }
    Ok(())
}

fn branch_invalid(name: &str, why: &str) -> Failure<Error> {
    let hint = "Choose another `branch`, or leave it out for a generated name.";
    Error::BranchInvalid
        .because(format!("The branch `{name}` cannot be created: {why}."))
        .hint(hint)
        .with("branch", name)
        .with("error", why)
        .with("hint", hint)
}

/// The commit to build on; none in a repository without one.
fn head(repo: &Path, git: &Git) -> Result<Option<String>> {
    let args = ["rev-parse", "--verify", "--quiet", "HEAD^{commit}"];
    let finished = git.run(repo, &args)?;
    Ok(finished.success().then(|| finished.text()))
}

fn tree(repo: &Path, git: &Git, head: Option<&str>, files: &[File]) -> Result<String> {
    match head {
        Some(head) => git.ok(repo, &["read-tree", head])?,
        None => git.ok(repo, &["read-tree", "--empty"])?,
    };
    let mut entries: Vec<OsString> = Vec::new();
    for file in files {
        let path = &file.candidate.file;
        // With the path, so that the repo's attributes hold as for `git add`.
        let args = ["hash-object", "-w", "--stdin", &format!("--path={path}")];
        let hashed = git.run_with_input(repo, &args, &file.bytes)?;
        if !hashed.success() {
            return Err(git::failed(repo, &args, hashed.how()));
        }
        let mode = if file.executable { "100755" } else { "100644" };
        entries.push(format!("{mode},{},{path}", hashed.text()).into());
    }
    for entries in entries.chunks(PER_RUN) {
        // Unlike `--index-info`, refuses to replace a file with a folder.
        let mut args: Vec<OsString> = vec!["update-index".into(), "--add".into()];
        for entry in entries {
            args.extend(["--cacheinfo".into(), entry.clone()]);
        }
        git.ok(repo, &args)?;
    }
    git.ok(repo, &["write-tree"])
}

/// The inner error is git's reason not to commit, such as a missing identity.
fn commit(
    repo: &Path,
    git: &Git,
    request: &Request<'_>,
    head: Option<&str>,
    tree: &str,
) -> Result<std::result::Result<String, String>> {
    let date = format!("{} +0000", request.now.as_second());
    let git = git
        .clone()
        .with_var("GIT_AUTHOR_DATE", date.as_str())
        .with_var("GIT_COMMITTER_DATE", date.as_str());
    let message = format!("Propose edits of deployed files ({} overlays)", request.scope.as_str());
    let mut args = vec!["commit-tree", tree, "-m", &message];
    if let Some(head) = head {
        args.extend(["-p", head]);
    }
    let finished = git.run(repo, &args)?;
    if finished.success() {
        return Ok(Ok(finished.text()));
    }
    Ok(Err(format!(
        "evolve.propose: nothing was committed and no branch was created, because git {} — if it \
         does not know who you are, set user.name and user.email in `{}` and propose again",
        finished.how(),
        repo.display()
    )))
}
