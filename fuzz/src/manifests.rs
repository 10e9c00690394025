//! What agentpack reads beside its modules: configs, target manifests, snapshots, lockfiles and
//! front matter. Whatever is accepted keeps the promises that the rest of the engine builds on.
//!
//! The first byte says which of them the rest is. They are read from a folder, as ever.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::LazyLock;

use agentpack::model::{ModuleType, Root, Target};
use agentpack::paths::is_inside;
use agentpack::snapshot::Snapshot;
use agentpack::{config, frontmatter, lockfile, manifest};
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::new().expect("a temporary folder"));

/// Reads `data` as one of the files.
pub fn run(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    match kind {
        b'c' => reads_config(rest),
        b'm' => reads_manifest(rest),
        b's' => reads_snapshot(rest),
        b'l' => reads_lockfile(rest),
        b'f' => drop(frontmatter::parse(&String::from_utf8_lossy(rest))),
        _ => {}
    }
}

fn put(name: &str, bytes: &[u8]) -> &'static Path {
    let folder = FOLDER.path();
    std::fs::write(folder.join(name), bytes).expect("a file in a temporary folder");
    folder
}

fn reads_config(bytes: &[u8]) {
    let repo = put(config::FILE_NAME, bytes);
    let (first, second) = (config::load(repo), config::load(repo));
    let config = match (first, second) {
        (Ok(first), Ok(second)) => {
            assert_eq!(first.oddities, second.oddities);
            first
        }
        (Err(first), Err(second)) => {
            return assert_eq!(first.message(), second.message());
        }
        (first, second) => panic!("accepted only once: {first:?}, {second:?}"),
    };
    let ids: BTreeSet<&str> = config.modules.iter().map(|module| module.id.as_str()).collect();
    assert_eq!(ids.len(), config.modules.len(), "ids are unique");
    assert!(config.profiles.contains_key("default"));
    for module in &config.modules {
        assert!(!module.id.trim().is_empty() && !module.id.contains(char::is_control));
        if module.module_type == ModuleType::Skill {
            assert!(is_inside(&module.skill_name()), "{}", module.id);
        }
    }
    for name in config.profiles.keys() {
        let chosen = config::selected_modules(&config, name).expect("a profile that is there");
        assert!(chosen.is_sorted_by(|one, next| one.id < next.id));
        assert!(chosen.iter().all(|module| module.enabled));
    }
    for target in [None].into_iter().chain(Target::ALL.map(Some)) {
        drop(config::selected_targets(&config, target, &mut Vec::new()));
    }
}

fn reads_manifest(bytes: &[u8]) {
    let target = Target::Codex;
    let path = put(&manifest::file_name(target), bytes).to_owned();
    let root = Root { target, path, scan_extras: false, in_project: true };
    let state = manifest::read(&root);
    assert!(state.manifest.is_some() || !state.warnings.is_empty(), "silently ignored");
    let Some(read) = state.manifest else { return };
    assert!(read.entries.iter().all(|entry| is_inside(&entry.path)));
    assert!(read.entries.is_sorted_by(|one, next| one.path < next.path));
    let at = "2026-01-16T10:00:00Z".parse().expect("a time");
    let written = manifest::bytes(target, &read.entries, read.snapshot_id.as_deref(), at);
    put(&manifest::file_name(target), &written);
    let again = manifest::read(&root);
    assert_eq!(again.manifest.as_ref(), Some(&read), "written and read again");
    assert!(again.warnings.is_empty(), "{:?}", again.warnings);
}

fn reads_snapshot(bytes: &[u8]) {
    let Ok(snapshot) = serde_json::from_slice::<Snapshot>(bytes) else { return };
    let written = snapshot.to_bytes();
    let again: Snapshot = serde_json::from_slice(&written).expect("what was written");
    assert_eq!(again, snapshot);
    assert_eq!(again.to_bytes(), written);
}

fn reads_lockfile(bytes: &[u8]) {
    let Ok(lock) = lockfile::load(put(lockfile::FILE_NAME, bytes)) else { return };
    let lock = lock.expect("the file that was written");
    assert!(lock.git.values().all(|locked| lockfile::is_commit(&locked.commit)));
    assert_eq!(lock.sha256, toolwright_runtime::digest::sha256_hex(bytes));
}
