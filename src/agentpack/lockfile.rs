//! `agentpack.lock.json`: which commit of a git module is meant.
//!
//! A lockfile that is there is obeyed; one that cannot be read stops the call, because going on
//! would silently take newer sources than the user agreed to.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use toolwright_runtime::{ErrorKind, Failure};

use super::content::{read_file, sha256};
use super::failure::{self, Result};
use super::paths::posix;
use crate::generated::Error;

/// Name in the config repo.
pub const FILE_NAME: &str = "agentpack.lock.json";
/// The only version of the format.
const SUPPORTED_VERSION: u64 = 1;
/// Larger is no lockfile.
const MAX_BYTES: u64 = 256 << 20;

/// What is locked.
#[derive(Debug, Clone, Default)]
pub struct Lockfile {
    /// SHA-256 of the file itself.
    pub sha256: String,
    /// Git modules by id.
    pub git: BTreeMap<String, LockedGit>,
}

/// One git module.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct LockedGit {
    /// Where it was resolved.
    pub url: String,
    /// Full commit id.
    pub commit: String,
}

#[derive(Deserialize)]
struct Document {
    modules: Vec<Module>,
}

#[derive(Deserialize)]
struct Module {
    id: String,
    resolved_source: ResolvedSource,
}

#[derive(Deserialize)]
struct ResolvedSource {
    #[serde(default)]
    git: Option<LockedGit>,
}

/// Reads the lockfile of a config repo, where there is one.
pub fn load(repo: &Path) -> Result<Option<Lockfile>> {
    let path = repo.join(FILE_NAME);
    let bytes = match read_file(&path, MAX_BYTES) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failure::io("read", &path, &error)),
    };
    parse(&path, &bytes).map(Some)
}

fn parse(path: &Path, bytes: &[u8]) -> Result<Lockfile> {
    let value: serde_json::Value =
        serde_json::from_slice(bytes).map_err(|error| invalid(path, error))?;
    match value.get("version").and_then(serde_json::Value::as_u64) {
        Some(SUPPORTED_VERSION) => {}
        Some(other) => {
            return Err(Error::LockfileUnsupportedVersion
                .because(format!(
                    "`{}`: version {other} is not supported, only {SUPPORTED_VERSION}.",
                    path.display()
                ))
                .with("path", path)
                .with("path_posix", posix(path))
                .with("version", other)
                .with("supported", [SUPPORTED_VERSION]));
        }
        None => return Err(invalid(path, "`version` is missing or no number")),
    }
    let document: Document = serde_json::from_value(value).map_err(|error| invalid(path, error))?;
    let mut git = BTreeMap::new();
    for module in document.modules {
        let Some(locked) = module.resolved_source.git else { continue };
        if !is_commit(&locked.commit) {
            let what = format!("module `{}`: `{}` is no commit id", module.id, locked.commit);
            return Err(invalid(path, what).with("module_id", module.id));
        }
        git.insert(module.id, locked);
    }
    Ok(Lockfile { sha256: sha256(bytes), git })
}

/// Whether `text` names one commit and nothing else.
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn invalid(path: &Path, what: impl std::fmt::Display) -> Failure<Error> {
    Error::LockfileInvalid
        .because(format!("`{}` cannot be used: {what}", path.display()))
        .hint("Make it anew with `agentpack lock`, or restore it from version control.")
        .with("path", path)
        .with("path_posix", posix(path))
        .with("error", what.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMMIT: &str = "0123456789abcdef0123456789abcdef01234567";

    fn read(text: &str) -> Result<Lockfile> {
        parse(Path::new("/r/agentpack.lock.json"), text.as_bytes())
    }

    #[test]
    fn locked_commits_are_read() {
        let text = format!(
            r#"{{"version": 1, "generated_at": "x", "modules": [
                {{"id": "a", "type": "skill", "resolved_version": "local", "sha256": "",
                  "resolved_source": {{"local_path": {{"path": "p"}}, "git": null}}, "file_manifest": []}},
                {{"id": "b", "type": "skill", "resolved_version": "{COMMIT}", "sha256": "",
                  "resolved_source": {{"local_path": null,
                    "git": {{"url": "u", "commit": "{COMMIT}", "subdir": ""}}}}, "file_manifest": []}}
            ]}}"#
        );
        let lock = read(&text).unwrap();
        assert_eq!(lock.git.len(), 1);
        assert_eq!(lock.git["b"], LockedGit { url: "u".to_owned(), commit: COMMIT.to_owned() });
        assert_eq!(lock.sha256, sha256(text.as_bytes()));
    }

    #[test]
    fn what_cannot_be_used_is_never_ignored() {
        for (text, why) in [
            ("{", "EOF"),
            ("[]", "`version` is missing"),
            (r#"{"version": 1}"#, "modules"),
            (
                r#"{"version":1,"modules":[{"id":"m","resolved_source":{"git":{"url":"u","commit":"--upload-pack=x"}}}]}"#,
                "no commit id",
            ),
        ] {
            let failure = read(text).unwrap_err();
            assert_eq!(failure.kind(), Error::LockfileInvalid, "{text}");
            assert!(failure.message().contains(why), "{failure}");
        }
        let failure = read(r#"{"version": 7, "modules": []}"#).unwrap_err();
        assert_eq!(failure.kind(), Error::LockfileUnsupportedVersion);
        assert_eq!(failure.erase().details["supported"], serde_json::json!([1]));
    }
}
