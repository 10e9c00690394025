//! Git sources: from a ref to a commit, from a commit to a checkout in the cache.

use std::path::{Path, PathBuf};

use toolwright_runtime::{ErrorKind, Failure};

use super::{Fetch, Sources, missing};
use crate::config::{GitSource, Module};
use crate::content::{read_file, sha256};
use crate::failure::{self, Result};
use crate::generated::Error;
use crate::git::{Git, NETWORK, failed};
use crate::lockfile::is_commit;
use crate::paths::is_inside;

impl Sources<'_> {
    /// The file or folder of a git source, fetched when it is not in the cache.
    pub(super) fn git(
        &self,
        module: &Module,
        source: &GitSource,
        warnings: &mut Vec<String>,
    ) -> Result<PathBuf> {
        self.check(module, source)?;
        let remote = Remote {
            url: &source.url,
            shown: shown(&source.url),
            folder: self.cache.join(sha256(source.url.as_bytes())),
            git: self.git.clone().with_timeout(NETWORK),
            cwd: self.repo,
        };
        let commit = self.commit(module, source, &remote, warnings)?;
        let checkout = remote.folder.join(&commit);
        if !checkout.is_dir() {
            if self.fetch == Fetch::CacheOnly {
                let what =
                    format!("commit {commit} of `{}` has not been fetched yet", remote.shown);
                return Err(missing(&module.id, &checkout, what));
            }
            remote.fetch(source, &commit)?;
        }
        below(module, &checkout, &source.subdir)
    }

    fn check(&self, module: &Module, source: &GitSource) -> Result<()> {
        let config = self.repo.join(crate::config::FILE_NAME);
        let refuse = |what: String| {
            let what = format!("module `{}`: {what}", module.id);
            Err(failure::config(&config, what).with("module_id", &module.id))
        };
        if !is_safe_url(&source.url) {
            return refuse(format!(
                "source.git.url: `{}` is not a plain git URL",
                source.url.escape_debug()
            ));
        }
        if !is_safe_ref(&source.reference) {
            return refuse(format!(
                "source.git.ref: `{}` is no branch, tag or commit",
                source.reference.escape_debug()
            ));
        }
        if !source.subdir.is_empty() && !is_inside(source.subdir.trim_end_matches('/')) {
            return refuse(format!(
                "source.git.subdir: `{}` is no path inside the repository",
                source.subdir.escape_debug()
            ));
        }
        Ok(())
    }

    /// The locked commit, else what the ref points to, else (offline) what it pointed to last.
    fn commit(
        &self,
        module: &Module,
        source: &GitSource,
        remote: &Remote<'_>,
        warnings: &mut Vec<String>,
    ) -> Result<String> {
        if let Some(locked) = self.lock.and_then(|lock| lock.git.get(&module.id)) {
            if locked.url == source.url {
                return Ok(locked.commit.clone());
            }
            warnings.push(format!(
                "module `{}`: the lockfile is for `{}`, not for `{}`; its commit is not used",
                module.id,
                shown(&locked.url),
                remote.shown
            ));
        }
        if is_commit(&source.reference) {
            return Ok(source.reference.to_lowercase());
        }
        let remembered = remote.remembered(&source.reference);
        if self.fetch == Fetch::CacheOnly {
            return remembered.ok_or_else(|| {
                let what = format!(
                    "`{}` of `{}` has not been fetched yet",
                    source.reference, remote.shown
                );
                missing(&module.id, &remote.folder, what)
            });
        }
        match (remote.resolve(&source.reference), remembered) {
            (Ok(Some(commit)), _) => Ok(commit),
            (Ok(None), _) => {
                let what =
                    format!("`{}` has no branch or tag `{}`", remote.shown, source.reference);
                Err(missing(&module.id, Path::new(&remote.shown), what)
                    .with("url", &remote.shown)
                    .with("ref", &source.reference))
            }
            (Err(failure), Some(commit)) => {
                warnings.push(format!(
                    "module `{}`: `{}` could not be asked for `{}` ({}); commit {commit}, fetched \
                     before, is used",
                    module.id,
                    remote.shown,
                    source.reference,
                    failure.message()
                ));
                Ok(commit)
            }
            (Err(failure), None) => Err(failure.with("module_id", &module.id)),
        }
    }
}

/// A repository elsewhere, and its folder in the cache.
struct Remote<'a> {
    url: &'a str,
    /// The URL without a password.
    shown: String,
    folder: PathBuf,
    git: Git,
    /// Relative URLs start here.
    cwd: &'a Path,
}

impl Remote<'_> {
    /// The commit of a branch or tag, by asking.
    fn resolve(&self, reference: &str) -> Result<Option<String>> {
        let peeled = format!("refs/tags/{reference}^{{}}");
        let wanted = [
            reference.to_owned(),
            format!("refs/heads/{reference}"),
            peeled,
            format!("refs/tags/{reference}"),
        ];
        let mut args = vec!["ls-remote", "--", self.url];
        args.extend(wanted.iter().map(String::as_str));
        let answer = self.git(self.cwd, &args)?;
        let found = |name: &str| {
            answer.lines().find_map(|line| {
                let (commit, found) = line.split_once('\t')?;
                (found == name && is_commit(commit)).then(|| commit.to_owned())
            })
        };
        let commit = wanted.iter().find_map(|name| found(name));
        if let Some(commit) = &commit {
            self.remember(reference, commit);
        }
        Ok(commit)
    }

    fn memory(&self, reference: &str) -> PathBuf {
        self.folder.join(format!("ref-{}", &sha256(reference.as_bytes())[..16]))
    }

    fn remembered(&self, reference: &str) -> Option<String> {
        let bytes = read_file(&self.memory(reference), 100).ok()?;
        let commit = String::from_utf8(bytes).ok()?.trim().to_owned();
        (is_commit(&commit) && self.folder.join(&commit).is_dir()).then_some(commit)
    }

    /// Best effort: without it, only the next offline call is poorer.
    fn remember(&self, reference: &str, commit: &str) {
        let path = self.memory(reference);
        if read_file(&path, 100).is_ok_and(|known| known == commit.as_bytes()) {
            return;
        }
        let write = || -> std::io::Result<()> {
            std::fs::create_dir_all(&self.folder)?;
            let file = tempfile::NamedTempFile::new_in(&self.folder)?;
            std::fs::write(file.path(), commit)?;
            file.persist(&path)?;
            Ok(())
        };
        if let Err(error) = write() {
            tracing::debug!("could not remember `{}`: {error}", path.display());
        }
    }

    /// Makes the checkout beside its place and moves it there, so that it is whole or absent.
    fn fetch(&self, source: &GitSource, commit: &str) -> Result<()> {
        let io = |error: std::io::Error| failure::io("write", &self.folder, &error);
        std::fs::create_dir_all(&self.folder).map_err(io)?;
        let work =
            tempfile::Builder::new().prefix(".fetch-").tempdir_in(&self.folder).map_err(io)?;
        let dir = work.path();
        self.git(dir, &["init", "-q"])?;
        // Relative URLs are relative to the config repo, and git runs elsewhere here.
        let local = self.cwd.join(self.url);
        let url =
            if local.exists() { local.to_string_lossy().into_owned() } else { self.url.to_owned() };
        let alone = ["fetch", "-q", "--no-tags", "--depth=1", "--", &url, commit];
        // Some servers serve single commits, others only whole branches.
        if !source.shallow || self.git(dir, &alone).is_err() {
            let heads = "+refs/heads/*:refs/remotes/origin/*";
            let tags = "+refs/tags/*:refs/tags/*";
            self.git(dir, &["fetch", "-q", "--", &url, heads, tags])?;
        }
        self.git(dir, &["checkout", "-q", "--detach", commit])?;
        let place = self.folder.join(commit);
        match std::fs::rename(dir, &place) {
            Ok(()) => {
                // It is in its place and no longer a temp folder.
                let _ = work.keep();
                Ok(())
            }
            // Another process was faster, with the same commit.
            Err(_) if place.is_dir() => Ok(()),
            Err(error) => Err(failure::io("write", &place, &error)),
        }
    }

    /// Runs git without letting a password of the URL into an error.
    fn git(&self, cwd: &Path, args: &[&str]) -> Result<String> {
        let hide = |text: &str| text.replace(self.url, &self.shown);
        let hidden: Vec<String> = args.iter().map(|arg| hide(arg)).collect();
        let finished = self.git.run(cwd, args).map_err(|failure| {
            let kind = failure.kind();
            kind.because(hide(failure.message())).with("args", &hidden).with("cwd", cwd)
        })?;
        if finished.success() {
            return Ok(finished.text());
        }
        let failure: Failure<Error> = failed(cwd, &hidden, hide(&finished.how()));
        Err(failure.with("url", &self.shown).with("stderr", hide(&finished.stderr)))
    }
}

/// The part of a checkout that is the module. A link may not lead out of the checkout.
fn below(module: &Module, checkout: &Path, subdir: &str) -> Result<PathBuf> {
    let path = checkout.join(subdir.trim_end_matches('/'));
    let real = path.canonicalize().map_err(|error| missing(&module.id, &path, error))?;
    let inside = checkout.canonicalize().is_ok_and(|checkout| real.starts_with(checkout));
    if !inside {
        return Err(failure::module(&module.id, &path, "it is a link out of the repository"));
    }
    Ok(path)
}

/// No options, no helper programs (`ext::…`), nothing that a terminal would interpret.
fn is_safe_url(url: &str) -> bool {
    let scheme_end = url.find("::").unwrap_or(usize::MAX);
    let helper = url
        .get(..scheme_end)
        .is_some_and(|name| name.chars().all(|c| c.is_ascii_alphanumeric() || "+-.".contains(c)));
    !url.trim().is_empty() && !url.starts_with('-') && !helper && !url.chars().any(char::is_control)
}

fn is_safe_ref(reference: &str) -> bool {
    let odd = |c: char| c.is_control() || c.is_whitespace() || "~^:?*[\\".contains(c);
    !reference.is_empty()
        && !reference.starts_with('-')
        && !reference.contains("..")
        && !reference.chars().any(odd)
}

/// The URL for messages, without user and password.
fn shown(url: &str) -> String {
    match url.split_once("://") {
        Some((scheme, rest)) => {
            let host_end = rest.find('/').unwrap_or(rest.len());
            match rest[..host_end].rfind('@') {
                Some(at) => format!("{scheme}://…@{}", &rest[at + 1..]),
                None => url.to_owned(),
            }
        }
        None => url.to_owned(),
    }
}
