//! Snapshots: records of deploys and rollbacks below the agentpack home.
//!
//! The format is upstream's, so that either side can undo what the other did; `project_root` and
//! `roots` are ours and ignored there. A snapshot file that exists is complete: it is written last.

mod store;

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use toolwright_runtime::digest::sha256_hex;

use super::manifest::is_manifest_name;
use super::model::Target;
use super::paths::posix;

pub(crate) use store::{fresh_id, invalid, list, load};

/// A deploy.
pub const DEPLOY: &str = "deploy";
/// A rollback to an earlier event.
pub const ROLLBACK: &str = "rollback";

/// One event.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Snapshot {
    /// `deploy`, `bootstrap` or `rollback`.
    #[serde(default = "deploy")]
    pub kind: String,
    /// Unix nanoseconds in decimal.
    pub id: String,
    /// RFC 3339, UTC.
    pub created_at: String,
    /// Names of the targets.
    pub targets: Vec<String>,
    /// Everything that was managed afterwards.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub managed_files: Vec<ManagedFile>,
    /// What was changed, manifests included.
    pub changes: Vec<AppliedChange>,
    /// Where a rollback went to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rolled_back_to: Option<String>,
    /// Lockfile at that time.
    #[serde(default)]
    pub lockfile_sha256: Option<String>,
    /// Folder of the backups.
    pub backup_root: String,
    /// Project folder; absent in upstream's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub project_root: Option<String>,
    /// Folders that had a manifest; absent in upstream's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub roots: Option<Vec<SnapshotRoot>>,
}

/// A file that was managed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ManagedFile {
    /// Name of the target.
    pub target: String,
    /// Absolute.
    pub path: String,
    /// Of its bytes.
    pub sha256: String,
}

/// A file that was changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedChange {
    /// Name of the target.
    pub target: String,
    /// `create`, `update`, `delete`, `rollback_restore` or `rollback_delete`.
    pub op: String,
    /// Absolute.
    pub path: String,
    /// Where the bytes from before are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub backup_path: Option<String>,
    /// Hash before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_sha256: Option<String>,
    /// Hash afterwards.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_sha256: Option<String>,
}

/// A folder that had a manifest.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct SnapshotRoot {
    /// Name of the target.
    pub target: String,
    /// Absolute.
    pub path: String,
    /// Below the project folder.
    pub in_project: bool,
}

fn deploy() -> String {
    DEPLOY.to_owned()
}

impl Snapshot {
    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = serde_json::to_vec_pretty(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }

    /// Folders that had a manifest: as recorded, else taken from the manifests it wrote. For
    /// those of upstream it is not known whether they are below a project.
    pub(crate) fn known_roots(&self) -> Vec<SnapshotRoot> {
        if let Some(roots) = &self.roots {
            return roots.clone();
        }
        let of = |change: &AppliedChange| {
            let path = Path::new(&change.path);
            if !is_manifest(path) {
                return None;
            }
            let path = path.parent()?.to_str()?.to_owned();
            Some(SnapshotRoot { target: change.target.clone(), path, in_project: true })
        };
        let mut roots: Vec<SnapshotRoot> = self.changes.iter().filter_map(of).collect();
        roots.sort();
        roots.dedup();
        roots
    }
}

/// Whether a file is a target manifest.
pub(crate) fn is_manifest(path: &Path) -> bool {
    path.file_name().and_then(|name| name.to_str()).is_some_and(is_manifest_name)
}

/// Where an agentpack home keeps its snapshots.
pub(crate) fn folder(home: &Path) -> PathBuf {
    home.join("state").join("snapshots")
}

/// The file of a snapshot.
pub(crate) fn file(home: &Path, id: &str) -> PathBuf {
    folder(home).join(format!("{id}.json"))
}

/// Where the bytes from before an event are.
pub(crate) fn backup_root(home: &Path, id: &str) -> PathBuf {
    folder(home).join(id).join("backup")
}

/// Where a deploy keeps a copy of everything it manages.
pub(crate) fn state_root(home: &Path, id: &str) -> PathBuf {
    folder(home).join(id).join("state")
}

/// The copy of `path` below a backup or state root.
pub(crate) fn copy_of(root: &Path, target: &str, path: &Path) -> PathBuf {
    let key = sha256_hex(posix(path).as_bytes());
    root.join(target).join(&key[..16])
}

/// The copy of a target's file below a backup or state root.
pub(crate) fn copy_for(root: &Path, target: Target, path: &Path) -> PathBuf {
    copy_of(root, target.as_str(), path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_upstreams() {
        let snapshot = Snapshot {
            kind: DEPLOY.into(),
            id: "1700000000000000001".into(),
            created_at: "2023-11-14T22:13:20.000000001Z".into(),
            targets: vec!["codex".into()],
            managed_files: vec![ManagedFile {
                target: "codex".into(),
                path: "/h/.codex/AGENTS.md".into(),
                sha256: "aa".into(),
            }],
            changes: vec![AppliedChange {
                target: "codex".into(),
                op: "create".into(),
                path: "/h/.codex/AGENTS.md".into(),
                backup_path: None,
                before_sha256: None,
                after_sha256: Some("aa".into()),
            }],
            rolled_back_to: None,
            lockfile_sha256: None,
            backup_root: "/h/.agentpack/state/snapshots/1700000000000000001/backup".into(),
            project_root: None,
            roots: None,
        };
        let expected = r#"{
  "kind": "deploy",
  "id": "1700000000000000001",
  "created_at": "2023-11-14T22:13:20.000000001Z",
  "targets": [
    "codex"
  ],
  "managed_files": [
    {
      "target": "codex",
      "path": "/h/.codex/AGENTS.md",
      "sha256": "aa"
    }
  ],
  "changes": [
    {
      "target": "codex",
      "op": "create",
      "path": "/h/.codex/AGENTS.md",
      "after_sha256": "aa"
    }
  ],
  "lockfile_sha256": null,
  "backup_root": "/h/.agentpack/state/snapshots/1700000000000000001/backup"
}
"#;
        assert_eq!(String::from_utf8(snapshot.to_bytes()).unwrap(), expected);
        assert_eq!(serde_json::from_str::<Snapshot>(expected).unwrap(), snapshot);
    }

    #[test]
    fn copies_are_found_by_the_hash_of_the_path() {
        let path = Path::new("/h/.codex/AGENTS.md");
        let key = &sha256_hex(b"/h/.codex/AGENTS.md")[..16];
        let copy = copy_for(&state_root(Path::new("/ap"), "7"), Target::Codex, path);
        assert_eq!(copy, Path::new("/ap/state/snapshots/7/state/codex").join(key));
    }

    #[test]
    fn roots_of_upstream_are_where_it_wrote_manifests() {
        let change = |path: &str| AppliedChange {
            target: "codex".into(),
            op: "create".into(),
            path: path.into(),
            backup_path: None,
            before_sha256: None,
            after_sha256: None,
        };
        let text = r#"{"id":"1","created_at":"","targets":[],"changes":[],"backup_root":"",
            "lockfile_sha256":null,"added_later":1}"#;
        let mut snapshot: Snapshot = serde_json::from_str(text).unwrap();
        assert_eq!(snapshot.kind, DEPLOY);
        snapshot.changes = vec![
            change("/h/.codex/AGENTS.md"),
            change("/h/.codex/.agentpack.manifest.codex.json"),
            change("/p/.agentpack.manifest.json"),
        ];
        let paths: Vec<String> = snapshot.known_roots().into_iter().map(|root| root.path).collect();
        assert_eq!(paths, ["/h/.codex", "/p"]);
    }
}
