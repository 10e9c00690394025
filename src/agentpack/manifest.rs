//! Target manifests: each root's list of the files that agentpack manages.
//!
//! Reading never fails: an unusable manifest is a warning and counts as missing, so that at worst files
//! are treated as unmanaged. Produces the bytes of a manifest and leaves writing to `transaction`.

use std::collections::BTreeSet;
use std::io;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::content::{OnDisk, on_disk, read_file};
use super::model::{Root, Target};
use super::paths::is_inside;

/// The only version of the format.
const SCHEMA_VERSION: u32 = 1;
/// What all targets shared before each got a manifest of its own.
const LEGACY_NAME: &str = ".agentpack.manifest.json";
/// Larger is no manifest.
const MAX_BYTES: u64 = 64 << 20;

/// One managed file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// Below the root, with `/`.
    pub path: String,
    /// Hash at the time of the deploy, lower-case hex.
    pub sha256: String,
    /// Modules that it came from.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub module_ids: BTreeSet<String>,
}

/// A manifest that can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Manifest {
    /// Sorted by path; all of them stay below the root.
    pub entries: Vec<Entry>,
    /// The deploy that wrote it.
    pub snapshot_id: Option<String>,
    /// It has the name that all targets shared.
    pub legacy: bool,
}

/// What was found in a root.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ManifestState {
    /// None: there is none, or none that can be used.
    pub manifest: Option<Manifest>,
    /// Why not, and which entries were passed over.
    pub warnings: Vec<String>,
}

#[derive(Serialize, Deserialize)]
struct Document {
    schema_version: u32,
    generated_at: String,
    tool: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    snapshot_id: Option<String>,
    managed_files: Vec<Entry>,
}

/// Name of a target's manifest in a root.
pub fn file_name(target: Target) -> String {
    format!(".agentpack.manifest.{}.json", target.as_str())
}

/// Whether a file of that name is a manifest, of whichever target and age.
pub fn is_manifest_name(name: &str) -> bool {
    name == LEGACY_NAME
        || name
            .strip_prefix(".agentpack.manifest.")
            .and_then(|rest| rest.strip_suffix(".json"))
            .is_some_and(|target| !target.is_empty())
}

/// Reads the manifest of a root: the target's own, else the old shared one if it is the target's.
pub fn read(root: &Root) -> ManifestState {
    let mut state = ManifestState::default();
    for (name, legacy) in [(file_name(root.target), false), (LEGACY_NAME.to_owned(), true)] {
        let path = root.path.join(name);
        match text(&path) {
            Ok(None) => continue,
            Ok(Some(bytes)) => match parse(&bytes, root, legacy, &path, &mut state.warnings) {
                Ok(Some(manifest)) => {
                    if legacy {
                        state.warnings.push(format!(
                            "target manifest `{}` has the old name; the next deploy writes `{}`",
                            path.display(),
                            file_name(root.target)
                        ));
                    }
                    state.manifest = Some(manifest);
                }
                Ok(None) => {}
                Err(why) => state.warnings.push(ignored(&path, why)),
            },
            Err(why) => state.warnings.push(ignored(&path, why)),
        }
        return state;
    }
    state
}

fn ignored(path: &Path, why: impl std::fmt::Display) -> String {
    format!("target manifest `{}` is ignored: {why}", path.display())
}

fn text(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match on_disk(path)? {
        OnDisk::Missing => Ok(None),
        OnDisk::File(_) => read_file(path, MAX_BYTES).map(Some),
        OnDisk::Link { .. } => Err(io::Error::other("it is a symbolic link")),
        OnDisk::Other(what) => Err(io::Error::other(format!("it is {what}"))),
    }
}

/// `Ok(None)`: an old shared manifest of another target, which is ignored.
fn parse(
    bytes: &[u8],
    root: &Root,
    legacy: bool,
    path: &Path,
    warnings: &mut Vec<String>,
) -> Result<Option<Manifest>, String> {
    let document: Document = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    if document.tool != root.target.as_str() {
        if legacy {
            return Ok(None);
        }
        return Err(format!("it is the manifest of `{}`", document.tool));
    }
    if document.schema_version != SCHEMA_VERSION {
        return Err(format!(
            "schema_version is {}, and only {SCHEMA_VERSION} is known",
            document.schema_version
        ));
    }
    let mut entries = document.managed_files;
    entries.retain(|entry| {
        let inside = is_inside(&entry.path);
        if !inside {
            warnings.push(format!(
                "target manifest `{}`: the entry `{}` leaves the root and is passed over",
                path.display(),
                entry.path.escape_debug()
            ));
        }
        inside
    });
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    entries.dedup_by(|a, b| a.path == b.path);
    Ok(Some(Manifest { entries, snapshot_id: document.snapshot_id, legacy }))
}

/// The bytes of a manifest. They do not depend on the order of the entries.
pub fn bytes(
    target: Target,
    entries: &[Entry],
    snapshot_id: Option<&str>,
    generated_at: jiff::Timestamp,
) -> Vec<u8> {
    let mut entries = entries.to_vec();
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    let document = Document {
        schema_version: SCHEMA_VERSION,
        generated_at: format!("{generated_at:.9}"),
        tool: target.as_str().to_owned(),
        snapshot_id: snapshot_id.map(str::to_owned),
        managed_files: entries,
    };
    // Strings and numbers only: this cannot fail.
    let mut bytes = serde_json::to_vec_pretty(&document).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn root(dir: &tempfile::TempDir) -> Root {
        let path = dir.path().to_owned();
        Root { target: Target::Codex, path, scan_extras: false, in_project: true }
    }

    fn entry(path: &str) -> Entry {
        let module_ids = BTreeSet::from(["instructions:base".to_owned()]);
        Entry { path: path.to_owned(), sha256: "ab".repeat(32), module_ids }
    }

    #[test]
    fn bytes_are_the_documented_format_and_read_back() {
        let dir = tempfile::tempdir().unwrap();
        let at = "2026-01-16T10:00:00.5Z".parse().unwrap();
        let plain = Entry { module_ids: BTreeSet::new(), ..entry("a/b.md") };
        let bytes = bytes(Target::Codex, &[entry("c.md"), plain.clone()], Some("17"), at);
        let hash = "ab".repeat(32);
        let expected = format!(
            r#"{{
  "schema_version": 1,
  "generated_at": "2026-01-16T10:00:00.500000000Z",
  "tool": "codex",
  "snapshot_id": "17",
  "managed_files": [
    {{
      "path": "a/b.md",
      "sha256": "{hash}"
    }},
    {{
      "path": "c.md",
      "sha256": "{hash}",
      "module_ids": [
        "instructions:base"
      ]
    }}
  ]
}}
"#
        );
        assert_eq!(String::from_utf8(bytes.clone()).unwrap(), expected);
        std::fs::write(dir.path().join(".agentpack.manifest.codex.json"), bytes).unwrap();
        let state = read(&root(&dir));
        let manifest = state.manifest.unwrap();
        assert_eq!(manifest.entries, [plain, entry("c.md")]);
        assert_eq!(manifest.snapshot_id.as_deref(), Some("17"));
        assert!(state.warnings.is_empty() && !manifest.legacy);
    }

    #[test]
    fn the_old_name_is_read_for_its_own_target_only() {
        let dir = tempfile::tempdir().unwrap();
        let old = dir.path().join(LEGACY_NAME);
        let at = jiff::Timestamp::UNIX_EPOCH;
        std::fs::write(&old, bytes(Target::Vscode, &[entry("a")], None, at)).unwrap();
        assert_eq!(read(&root(&dir)), ManifestState::default());
        std::fs::write(&old, bytes(Target::Codex, &[entry("a")], None, at)).unwrap();
        let state = read(&root(&dir));
        assert!(state.manifest.unwrap().legacy);
        assert!(state.warnings[0].contains("old name"));
        let own = dir.path().join(file_name(Target::Codex));
        std::fs::write(own, bytes(Target::Codex, &[entry("b")], None, at)).unwrap();
        let state = read(&root(&dir));
        assert_eq!(state.manifest.unwrap().entries, [entry("b")]);
    }

    #[test]
    fn what_cannot_be_used_is_a_warning() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file_name(Target::Codex));
        let at = jiff::Timestamp::UNIX_EPOCH;
        let good = String::from_utf8(bytes(Target::Codex, &[entry("a")], None, at)).unwrap();
        let cases = [
            ("{".to_owned(), "EOF"),
            (good.replace("\"codex\"", "\"vscode\""), "manifest of `vscode`"),
            (good.replace("schema_version\": 1", "schema_version\": 2"), "only 1 is known"),
        ];
        for (text, why) in cases {
            std::fs::write(&path, text).unwrap();
            let state = read(&root(&dir));
            assert!(state.manifest.is_none());
            assert!(state.warnings[0].contains(why), "{:?}", state.warnings);
            assert!(state.warnings[0].contains(path.to_str().unwrap()));
        }
        std::fs::remove_file(&path).unwrap();
        std::fs::create_dir(&path).unwrap();
        assert!(read(&root(&dir)).warnings[0].contains("it is a folder"));
    }

    #[test]
    fn entries_that_leave_the_root_are_passed_over() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join(file_name(Target::Codex));
        let entries = [entry("/etc/passwd"), entry("../x"), entry("a/../../x"), entry("fine")];
        let at = jiff::Timestamp::UNIX_EPOCH;
        std::fs::write(path, bytes(Target::Codex, &entries, None, at)).unwrap();
        let state = read(&root(&dir));
        assert_eq!(state.manifest.unwrap().entries, [entry("fine")]);
        assert_eq!(state.warnings.len(), 3);
        assert!(state.warnings[0].contains("leaves the root"), "{:?}", state.warnings);
    }

    #[test]
    fn manifests_are_known_by_name() {
        for name in [LEGACY_NAME, ".agentpack.manifest.zed.json", ".agentpack.manifest.codex.json"]
        {
            assert!(is_manifest_name(name), "{name}");
        }
        for name in ["agentpack.manifest.json", ".agentpack.manifest..json", "x.json"] {
            assert!(!is_manifest_name(name), "{name}");
        }
    }
}
