//! Dependencies: every direct one of the workspace is explained in `DEPENDENCIES.md`, and nothing
//! else is.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");
const KINDS: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

fn read(file: &str) -> String {
    let path = Path::new(ROOT).join(file);
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn table(file: &str) -> toml::Table {
    read(file).parse().expect("TOML")
}

/// The manifests of the workspace, by their paths.
fn manifests() -> Vec<(String, toml::Table)> {
    let root = table("Cargo.toml");
    let members = root["workspace"]["members"].as_array().expect("a list").clone();
    let members = members.iter().filter_map(toml::Value::as_str);
    let files = members.map(|member| format!("{member}/Cargo.toml"));
    files.chain(["Cargo.toml".to_owned()]).map(|file| (file.clone(), table(&file))).collect()
}

/// What is asked for: its key in the manifest, and how.
fn asked(manifest: &toml::Table) -> impl Iterator<Item = (&String, &toml::Value)> {
    KINDS.iter().filter_map(|kind| manifest.get(*kind)?.as_table()).flatten()
}

fn workspace() -> toml::Table {
    table("Cargo.toml")["workspace"]["dependencies"].as_table().expect("a table").clone()
}

/// The crates of others that a manifest asks for, by the names they have in the registry.
fn direct(manifest: &toml::Table, workspace: &toml::Table) -> BTreeSet<String> {
    let crates = asked(manifest).filter_map(|(name, value)| {
        let shared = workspace.get(name).unwrap_or(value);
        let ours = shared.get("path").is_some() || value.get("path").is_some();
        let package = shared.get("package").and_then(toml::Value::as_str).unwrap_or(name);
        (!ours).then(|| package.to_owned())
    });
    crates.collect()
}

/// The rows of the table: name → why.
fn explained() -> Vec<(String, String)> {
    let text = read("DEPENDENCIES.md");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.map(|row| {
        let (name, rest) = row.split_once("` | ").expect("a name and a reason");
        (name.to_owned(), rest.trim_end_matches('|').trim().to_owned())
    })
    .collect()
}

#[test]
fn every_direct_dependency_is_explained_and_nothing_else() {
    let workspace = workspace();
    let mut wanted: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (file, manifest) in manifests() {
        for name in direct(&manifest, &workspace) {
            wanted.entry(name).or_default().push(file.clone());
        }
    }
    let explained = explained();
    let names: Vec<&String> = explained.iter().map(|(name, _)| name).collect();
    assert!(names.is_sorted(), "the rows are sorted by name: {names:?}");
    let known: BTreeSet<&String> = names.iter().copied().collect();
    assert_eq!(known.len(), names.len(), "a name stands twice");
    let missing: Vec<_> = wanted.iter().filter(|(name, _)| !known.contains(name)).collect();
    assert!(missing.is_empty(), "say in DEPENDENCIES.md why these were chosen: {missing:?}");
    let gone: Vec<_> = known.into_iter().filter(|name| !wanted.contains_key(*name)).collect();
    assert!(gone.is_empty(), "nobody depends on these any more: {gone:?}");
    for (name, why) in explained {
        assert!(why.len() > 10, "why `{name}`?");
    }
}

#[test]
fn the_workspace_lists_no_version_that_nobody_uses() {
    let manifests = manifests();
    let used = manifests.iter().flat_map(|(_, manifest)| asked(manifest));
    let used: BTreeSet<&String> = used.map(|(name, _)| name).collect();
    for name in workspace().keys() {
        assert!(used.contains(name), "`{name}` is listed in Cargo.toml and used by nobody");
    }
}

#[test]
fn every_package_is_pinned_to_one_source_and_checksum() {
    let lock = table("Cargo.lock");
    let manifests = manifests();
    let ours = manifests.iter().filter_map(|(_, manifest)| manifest["package"]["name"].as_str());
    let ours: BTreeSet<&str> = ours.collect();
    for package in lock["package"].as_array().expect("packages") {
        let name = package["name"].as_str().expect("a name");
        match package.get("source").and_then(toml::Value::as_str) {
            Some(source) => {
                assert!(source.starts_with("registry+"), "{name} comes from {source}");
                assert!(package.get("checksum").is_some(), "{name} has no checksum");
            }
            None => assert!(ours.contains(name), "{name} has no source"),
        }
    }
}
