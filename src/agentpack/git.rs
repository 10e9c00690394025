//! Runs git.
//!
//! Every run has a cleaned environment, never prompts, runs no hooks, allows only ordinary protocols,
//! takes no optional locks, and has a time limit.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolwright_runtime::{ErrorKind, Failure};

use super::environment::Environment;
use super::failure::Result;
use super::paths::posix;
use crate::generated::Error;
use toolwright_platform::process::{self, Program};

pub(crate) use toolwright_platform::process::Finished;

/// Enough for anything local.
pub(crate) const LOCAL: Duration = Duration::from_secs(30);
/// For what talks to another machine.
pub(crate) const NETWORK: Duration = Duration::from_secs(120);

/// Variables of git's own that a user sets on purpose and that cannot redirect us to another
/// repository.
const KEPT: [&str; 12] = [
    "GIT_AUTHOR_EMAIL",
    "GIT_AUTHOR_NAME",
    "GIT_COMMITTER_EMAIL",
    "GIT_COMMITTER_NAME",
    "GIT_CONFIG_GLOBAL",
    "GIT_CONFIG_NOSYSTEM",
    "GIT_CONFIG_SYSTEM",
    "GIT_EXEC_PATH",
    "GIT_PROXY_COMMAND",
    "GIT_SSH",
    "GIT_SSH_COMMAND",
    "GIT_SSL_CAINFO",
];

/// Settings that hold for every run.
const SETTINGS: [&str; 10] = [
    "-c",
    "core.hooksPath=/dev/null",
    "-c",
    "core.fsmonitor=false",
    "-c",
    "core.quotePath=false",
    "-c",
    "advice.detachedHead=false",
    "-c",
    "gc.auto=0",
];

/// How git is run.
#[derive(Debug, Clone)]
pub struct Git {
    program: Option<PathBuf>,
    vars: BTreeMap<String, String>,
    timeout: Duration,
}

impl Git {
    /// Finds git on the environment's `PATH`. A missing git is an error of the first run.
    pub fn new(environment: &Environment) -> Self {
        let program = process::find("git", environment.var("PATH"));
        let mut vars = environment.vars.clone();
        vars.retain(|name, _| !name.starts_with("GIT_") || KEPT.contains(&name.as_str()));
        for (name, value) in [
            ("GIT_TERMINAL_PROMPT", "0"),
            ("GIT_ASKPASS", "true"),
            ("SSH_ASKPASS", "true"),
            ("GIT_OPTIONAL_LOCKS", "0"),
            ("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"),
            ("GIT_PAGER", "cat"),
            ("GIT_EDITOR", "true"),
            ("LC_ALL", "C"),
        ] {
            vars.insert(name.to_owned(), value.to_owned());
        }
        if !vars.contains_key("GIT_SSH_COMMAND") && !vars.contains_key("GIT_SSH") {
            vars.insert("GIT_SSH_COMMAND".to_owned(), "ssh -o BatchMode=yes".to_owned());
        }
        Self { program, vars, timeout: LOCAL }
    }

    /// Another time limit.
    #[must_use]
    pub fn with_timeout(mut self, timeout: Duration) -> Self {
        self.timeout = timeout;
        self
    }

    /// One more variable.
    #[must_use]
    pub fn with_var(mut self, name: &str, value: impl Into<String>) -> Self {
        self.vars.insert(name.to_owned(), value.into());
        self
    }

    /// Whether there is a git to run.
    pub fn is_present(&self) -> bool {
        self.program.is_some()
    }

    /// Runs git in `cwd`; a refusal of git's is not a failure here.
    pub fn run(&self, cwd: &Path, args: &[impl AsRef<OsStr>]) -> Result<Finished> {
        self.run_with_input(cwd, args, b"")
    }

    /// The same, with something to read.
    pub fn run_with_input(
        &self,
        cwd: &Path,
        args: &[impl AsRef<OsStr>],
        input: &[u8],
    ) -> Result<Finished> {
        let Some(path) = &self.program else {
            return Err(not_found(cwd, args));
        };
        let program =
            Program { path, cwd: Some(cwd), vars: Some(&self.vars), timeout: self.timeout };
        let mut all: Vec<OsString> = SETTINGS.iter().map(OsString::from).collect();
        all.extend(args.iter().map(|arg| arg.as_ref().to_owned()));
        program.run(&all, input).map_err(|error| match error {
            process::Error::Io(error) => {
                failed(cwd, args, format!("could not be started: {error}"))
            }
            process::Error::TimedOut(stderr) => {
                let limit = self.timeout.as_secs_f32();
                failed(cwd, args, format!("did not end within {limit} s")).with("stderr", stderr)
            }
        })
    }

    /// Runs git and expects it to succeed; its output without the newline at the end.
    pub fn ok(&self, cwd: &Path, args: &[impl AsRef<OsStr>]) -> Result<String> {
        let finished = self.run(cwd, args)?;
        if finished.success() {
            Ok(finished.text())
        } else {
            Err(failed(cwd, args, finished.how()).with("stderr", finished.stderr))
        }
    }
}

fn command_line(args: &[impl AsRef<OsStr>]) -> Vec<String> {
    args.iter().map(|arg| arg.as_ref().to_string_lossy().into_owned()).collect()
}

fn not_found(cwd: &Path, args: &[impl AsRef<OsStr>]) -> Failure<Error> {
    let args = command_line(args);
    Error::GitNotFound
        .because(format!("git is needed for `git {}` and is not on PATH.", args.join(" ")))
        .hint("Install git, or start the server with a PATH that has it.")
        .with("cwd", cwd)
        .with("cwd_posix", posix(cwd))
        .with("args", args)
        .with("hint", "Install git, or start the server with a PATH that has it.")
}

/// A run of git that did not do what was needed. `how` completes "`git …` in `…` {how}".
pub(crate) fn failed(
    cwd: &Path,
    args: &[impl AsRef<OsStr>],
    how: impl std::fmt::Display,
) -> Failure<Error> {
    let args = command_line(args);
    Error::GitFailed
        .because(format!("`git {}` in `{}` {how}", args.join(" "), cwd.display()))
        .with("cwd", cwd)
        .with("cwd_posix", posix(cwd))
        .with("args", args)
        .with("error", how.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn runs_in_a_clean_environment_and_reports_gits_errors() {
        let sandbox = testing::Sandbox::new();
        let mut environment = sandbox.environment();
        environment.vars.insert("GIT_DIR".to_owned(), "/elsewhere".to_owned());
        environment.vars.insert("GIT_WORK_TREE".to_owned(), "/elsewhere".to_owned());
        let git = Git::new(&environment);
        let dir = sandbox.dir("project");
        git.ok(&dir, &["init", "-q"]).unwrap();
        let top = git.ok(&dir, &["rev-parse", "--show-toplevel"]).unwrap();
        assert_eq!(Path::new(&top), dir.canonicalize().unwrap());

        let failure = git.ok(&dir, &["rev-parse", "--verify", "nothing"]).unwrap_err();
        assert_eq!(failure.kind(), Error::GitFailed);
        assert!(failure.message().contains("rev-parse --verify nothing"), "{failure}");
        assert!(failure.message().contains("fatal:"), "{failure}");
        assert!(!git.run(&dir, &["rev-parse", "--verify", "nothing"]).unwrap().success());
    }

    #[test]
    fn a_missing_git_is_reported() {
        let sandbox = testing::Sandbox::new();
        let mut environment = sandbox.environment();
        environment.vars.insert("PATH".to_owned(), "/nowhere".to_owned());
        let git = Git::new(&environment);
        assert!(!git.is_present());
        let failure = git.run(Path::new("/"), &["status"]).unwrap_err();
        assert_eq!(failure.kind(), Error::GitNotFound);
        assert_eq!(failure.erase().details["args"], serde_json::json!(["status"]));
    }

    #[test]
    fn no_hook_and_no_helper_protocol_runs() {
        let sandbox = testing::Sandbox::new();
        let git = Git::new(&sandbox.environment());
        let dir = sandbox.dir("project");
        git.ok(&dir, &["init", "-q"]).unwrap();
        let hook = dir.join(".git/hooks/post-checkout");
        let witness = dir.join("witness");
        testing::script(&hook, &format!("#!/bin/sh\ntouch {}\n", witness.display()));
        std::fs::write(dir.join("a"), "a").unwrap();
        git.ok(&dir, &["add", "a"]).unwrap();
        git.ok(&dir, &["commit", "-qm", "a"]).unwrap();
        git.ok(&dir, &["checkout", "-qb", "other"]).unwrap();
        let url = format!("ext::touch {}", witness.display());
        assert!(!git.run(&dir, &["ls-remote", "--", &url]).unwrap().success());
        assert!(!witness.exists());
    }
}
