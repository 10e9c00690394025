use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::*;
use crate::generated::Error;
use crate::hash;
use crate::override_file::EntryStatus;
use crate::root::RootSource;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/wink");
const SYSTEM: &str = "bffbd7e764172b3209b455e003c7a2d83036e864a9a1a40a1bdbf4c7c5fd74a9";
const SEARCH: &str = "df239b334729018944e30a3060755340fa2d4a3d3a873b1eb0740134cb5094e7";

/// An engine over a temporary directory, with a golden tree in it and a golden export.
struct Harness {
    _dir: tempfile::TempDir,
    root: PathBuf,
    engine: Engine,
}

fn harness(tree: Option<&str>, export: Option<&str>) -> Harness {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("overrides");
    if let Some(tree) = tree {
        let at = root.join("demo.app/code-review");
        fs::create_dir_all(&at).unwrap();
        let from = format!("{GOLDEN}/{tree}/demo.app/code-review/latest.json");
        fs::write(at.join("latest.json"), fs::read(from).unwrap()).unwrap();
    }
    let mut config = Config::new(Ok(OverridesRoot {
        dir: root.clone(),
        source: RootSource::OverridesDir,
        project: None,
    }));
    config.descriptors.files =
        export.map(|name| PathBuf::from(format!("{GOLDEN}/{name}"))).into_iter().collect();
    Harness { _dir: dir, root, engine: Engine::new(config) }
}

fn target() -> Target {
    Target { ns: "demo.app".into(), prompt: "code-review".into(), tag: None }
}

fn section(path: &str, body: &str) -> SectionWrite {
    SectionWrite {
        target: target(),
        section_path: path.into(),
        body: body.into(),
        guards: Guards::default(),
    }
}

fn tool(name: &str, description: Option<&str>, params: &[(&str, &str)]) -> ToolWrite {
    ToolWrite {
        target: target(),
        tool_name: name.into(),
        description: description.map(str::to_owned),
        param_descriptions: params.iter().map(|(k, v)| ((*k).into(), (*v).into())).collect(),
        guards: Guards::default(),
    }
}

fn codes(warnings: &[Warning]) -> Vec<&'static str> {
    warnings.iter().map(|warning| warning.code.as_str()).collect()
}

impl Harness {
    fn file(&self) -> PathBuf {
        self.root.join("demo.app/code-review/latest.json")
    }

    fn text(&self) -> String {
        fs::read_to_string(self.file()).unwrap()
    }

    fn section(&self, path: &str) -> SectionReport {
        self.engine.get_section(&target(), path).unwrap()
    }

    fn delete_section(&self, path: &str) -> SectionReport {
        self.engine.delete_section(&target(), path, &Guards::default(), Mode::Commit).unwrap()
    }

    fn refuse_section(&self, write: &SectionWrite) -> Error {
        let failure = self.engine.write_section(write, Mode::Commit).unwrap_err();
        let kind = failure.kind();
        let raw = failure.erase();
        assert!(raw.effective_hint().is_some(), "{kind:?} has no hint");
        kind
    }

    fn refuse_tool(&self, write: &ToolWrite) -> Error {
        self.engine.write_tool(write, Mode::Commit).unwrap_err().kind()
    }
}

#[test]
fn an_unmodified_section_has_nulls_and_its_default() {
    let harness = harness(None, Some("descriptors.json"));
    let report = harness.section("System");
    assert_eq!(report.section_path, "system");
    assert_eq!((report.status, report.override_body, report.expected_hash), (None, None, None));
    assert_eq!(report.current_hash.as_deref(), Some(SYSTEM));
    assert!(report.default_body.unwrap().starts_with("You review"));
    assert_eq!(report.file.backing_file_path, harness.file().display().to_string());
    assert_eq!(report.placeholders.unwrap(), ["name"]);
    assert_eq!(report.descriptor.source.unwrap().as_str(), "export_file");
    assert!(!harness.root.exists());
    let locked = harness.section("policy");
    assert_eq!(locked.accepts_overrides, Some(false));
    assert_eq!(codes(&locked.warnings), ["not_overridable"]);
}

#[test]
fn writing_gives_the_librarys_bytes() {
    let harness = harness(None, Some("descriptors.json"));
    let body = "Review for $name \u{2014} \u{201c}quotes\u{201d}, tab\there, \u{1f980}.\n";
    let report = harness.engine.write_section(&section("system", body), Mode::Commit).unwrap();
    assert_eq!(report.status, Some(EntryStatus::Current));
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    harness
        .engine
        .write_section(&section("system/style", "Short sentences."), Mode::Commit)
        .unwrap();
    let write = tool(
        "search_docs",
        Some("Search docs; prefer exact phrases."),
        &[("query", "Exact phrase, 1-5 words.")],
    );
    let report = harness.engine.write_tool(&write, Mode::Commit).unwrap();
    let golden = fs::read(format!("{GOLDEN}/v2/demo.app/code-review/latest.json")).unwrap();
    assert_eq!(fs::read(harness.file()).unwrap(), golden);
    assert_eq!(report.file.content_hash.unwrap(), hash::of_bytes(&golden));
    assert_eq!(report.param_descriptions["limit"], "How many hits to return.");
    assert_eq!(
        report.outcome.unwrap(),
        Outcome { changed: true, file_deleted: false, dry_run: false, previous: None }
    );
    let again = harness.engine.write_section(&section("system", body), Mode::Commit).unwrap();
    assert!(!again.outcome.unwrap().changed);
}

#[test]
fn editing_keeps_stale_unknown_and_foreign_data() {
    let harness = harness(Some("foreign-v2"), Some("descriptors.json"));
    harness.engine.write_section(&section("system", "Hi ${name}"), Mode::Commit).unwrap();
    let text = harness.text();
    for kept in ["gone/child", "stale body kept by a careful editor", "\"1..20\"", "list_hits"] {
        assert!(text.contains(kept), "{kept}");
    }
}

#[test]
fn stale_is_a_state() {
    let harness = harness(Some("v2"), Some("descriptors-edited.json"));
    let report = harness.section("system");
    assert_eq!(report.status, Some(EntryStatus::Stale));
    assert!(report.override_body.is_some() && report.current_hash != report.expected_hash);
    assert_eq!(codes(&report.warnings), ["override_ignored"]);
    let write = section("system", "Hello $name");
    let report = harness.engine.write_section(&write, Mode::Commit).unwrap();
    assert_eq!(report.status, Some(EntryStatus::Current));
    assert_eq!(codes(&report.warnings), ["rebased"]);
    assert_eq!(report.outcome.unwrap().previous, Some(EntryStatus::Stale));
    let tool = harness.engine.get_tool(&target(), "search_docs").unwrap();
    assert_eq!(tool.status, Some(EntryStatus::Stale));
    assert_eq!(tool.description.as_deref(), Some("Search the docs."), "the default is in effect");
}

#[test]
fn deleting_what_the_code_no_longer_has() {
    let harness = harness(Some("foreign-v2"), Some("descriptors.json"));
    let report = harness.section("gone/child");
    assert_eq!(report.status, Some(EntryStatus::Unknown));
    let report = harness.delete_section("gone/child");
    assert!(report.outcome.unwrap().changed && report.warnings.is_empty());
    let report = harness.delete_section("gone/child");
    assert!(!report.outcome.unwrap().changed);
    assert_eq!(codes(&report.warnings), ["nothing_to_remove"]);
    harness.delete_section("system");
    let delete = |name| {
        harness.engine.delete_tool(&target(), name, &Guards::default(), Mode::Commit).unwrap()
    };
    let report = delete("search_docs");
    assert_eq!(codes(&report.warnings), ["only_ignored_remain"]);
    harness.delete_section("system/style");
    let last = delete("list_hits");
    assert!(last.outcome.unwrap().file_deleted && last.file.content_hash.is_none());
    assert!(harness.root.exists() && !harness.root.join("demo.app").exists());
    assert_eq!(codes(&delete("list_hits").warnings), ["nothing_to_remove"]);
}

#[test]
fn invalid_keys_can_be_read_and_deleted() {
    let harness = harness(Some("v2"), Some("descriptors.json"));
    let text = harness.text().replace("\"system/style\":", "\"System Style\":");
    fs::write(harness.file(), text).unwrap();
    assert_eq!(harness.section("System Style").status, Some(EntryStatus::Unknown));
    assert!(harness.delete_section("System Style").outcome.unwrap().changed);
    assert!(!harness.text().contains("System Style"));
}

#[test]
fn dry_runs_report_and_write_nothing() {
    let harness = harness(None, Some("descriptors.json"));
    let write = section("system", "Hello $name");
    let dry = harness.engine.write_section(&write, Mode::DryRun).unwrap();
    assert!(dry.outcome.unwrap().dry_run && dry.outcome.unwrap().changed);
    assert_eq!(dry.override_body.as_deref(), Some("Hello $name"));
    assert!(!harness.root.exists());
    let real = harness.engine.write_section(&write, Mode::Commit).unwrap();
    assert_eq!(dry.file.content_hash, real.file.content_hash);
    let dry = harness
        .engine
        .delete_section(&target(), "system", &Guards::default(), Mode::DryRun)
        .unwrap();
    assert!(dry.outcome.unwrap().file_deleted && harness.file().exists());
}

#[test]
fn guards_hold() {
    let harness = harness(Some("v2"), Some("descriptors.json"));
    let report = harness.section("system");
    let with = |guards| SectionWrite { guards, ..section("system", "Hello $name") };
    let zeros = "0".repeat(64);
    let bad = [
        (Guards { expected_hash: Some(zeros.clone()), ..Guards::default() }, Error::HashMismatch),
        (Guards { descriptor_hash: Some(zeros.clone()), ..Guards::default() }, Error::HashMismatch),
        (
            Guards { descriptor_version: Some(9), ..Guards::default() },
            Error::DescriptorVersionMismatch,
        ),
        (
            Guards { if_content_hash: Some(zeros.clone()), ..Guards::default() },
            Error::ContentChanged,
        ),
    ];
    let before = harness.text();
    for (guards, kind) in bad {
        assert_eq!(harness.refuse_section(&with(guards)), kind);
    }
    assert_eq!(harness.text(), before);
    let good = Guards {
        expected_hash: Some(SYSTEM.into()),
        descriptor_version: Some(1),
        descriptor_hash: report.descriptor.hash,
        if_content_hash: report.file.content_hash,
    };
    harness.engine.write_section(&with(good), Mode::Commit).unwrap();
    let mut write = tool("search_docs", None, &[]);
    write.guards.expected_hash = Some(zeros.clone());
    assert_eq!(harness.refuse_tool(&write), Error::HashMismatch);
    write.guards.expected_hash = Some(SEARCH.into());
    let report = harness.engine.write_tool(&write, Mode::Commit).unwrap();
    assert_eq!(codes(&report.warnings), ["no_effect"]);
    assert_eq!(report.override_description, None, "the entry was replaced");
    let guards = Guards { expected_hash: Some(zeros), ..Guards::default() };
    let refused = harness.engine.delete_section(&target(), "system", &guards, Mode::Commit);
    assert_eq!(refused.unwrap_err().kind(), Error::HashMismatch);
}

#[test]
fn what_would_break_the_application_is_refused() {
    let harness = harness(None, Some("descriptors.json"));
    for body in ["cost $5", "$unknown", "${Name}", "a ${name"] {
        assert_eq!(
            harness.refuse_section(&section("system", body)),
            Error::BodyNotRenderable,
            "{body}"
        );
    }
    assert_eq!(harness.refuse_section(&section("system", "a\0")), Error::TextNotStorable);
    let long = "x".repeat((1 << 20) + 1);
    assert_eq!(harness.refuse_section(&section("system", &long)), Error::TextNotStorable);
    assert_eq!(harness.refuse_section(&section("policy", "x")), Error::SectionLocked);
    assert_eq!(harness.refuse_section(&section("system.style", "x")), Error::SectionNotFound);
    assert_eq!(harness.refuse_section(&section("a b", "x")), Error::InvalidIdentifier);
    let mut other = section("system", "x");
    other.target.prompt = "code-revue".into();
    assert_eq!(harness.refuse_section(&other), Error::PromptNotFound);
    let long = "x".repeat(201);
    for text in ["", " ", "naïve", &long] {
        let write = tool("search_docs", Some(text), &[]);
        assert_eq!(harness.refuse_tool(&write), Error::DescriptionNotAccepted, "{text}");
    }
    assert_eq!(
        harness.refuse_tool(&tool("search_docs", None, &[("q", "x")])),
        Error::UnknownParameter
    );
    assert_eq!(harness.refuse_tool(&tool("search_doc", None, &[])), Error::ToolNotFound);
    assert_eq!(harness.refuse_tool(&tool("audit", Some("x"), &[])), Error::ToolLocked);
    assert_eq!(
        harness.refuse_tool(&tool("search_docs", None, &[("query", "a\0")])),
        Error::TextNotStorable
    );
    assert!(!harness.root.exists());
    let dropped =
        harness.engine.write_section(&section("system", "$$5 only"), Mode::Commit).unwrap();
    assert_eq!(codes(&dropped.warnings), ["placeholder_dropped"]);
    let fine = tool("search_docs", Some(&"x".repeat(200)), &[]);
    harness.engine.write_tool(&fine, Mode::Commit).unwrap();
}

#[test]
fn errors_carry_what_is_needed_to_go_on() {
    let harness = harness(None, Some("descriptors.json"));
    let failure = harness.engine.get_section(&target(), "system.style").unwrap_err().erase();
    assert!(failure.message.contains("Did you mean `system/style`"), "{}", failure.message);
    assert_eq!(failure.details["ns"], "demo.app");
    assert_eq!(failure.details["suggestions"][0], "system/style");
    let write = section("system", "cost\n é $5");
    let failure = harness.engine.write_section(&write, Mode::Commit).unwrap_err().erase();
    assert_eq!(failure.details["stray"][0]["line"], 2);
    assert_eq!(failure.details["stray"][0]["column"], 4);
}

#[test]
fn a_seeded_file_can_be_edited_without_an_export() {
    let harness = harness(Some("seed-v1"), None);
    let report = harness.section("system");
    assert_eq!(report.status, Some(EntryStatus::Unverified));
    assert_eq!((report.matches_default, report.current_hash), (Some(true), None));
    assert!(report.default_body.is_some());
    assert_eq!(codes(&report.warnings), ["staleness_unknown"]);
    let report =
        harness.engine.write_section(&section("system", "Hi $name"), Mode::Commit).unwrap();
    assert_eq!(report.expected_hash.as_deref(), Some(SYSTEM));
    assert_eq!(report.file.format, Some(Format::One), "the format is kept");
    let report =
        harness.engine.write_section(&section("system", "Hi $nome"), Mode::Commit).unwrap();
    assert_eq!(codes(&report.warnings), ["staleness_unknown", "placeholder_unverified"]);
    let report =
        harness.engine.write_tool(&tool("list_hits", Some("All."), &[("x", "y")]), Mode::Commit);
    assert!(codes(&report.unwrap().warnings).contains(&"parameter_unverified"));
    assert_eq!(harness.refuse_section(&section("policy", "x")), Error::NoDescriptor);
    assert_eq!(harness.refuse_tool(&tool("audit", None, &[])), Error::NoDescriptor);
    let missing = harness.engine.get_section(&target(), "policy").unwrap_err();
    assert_eq!(missing.kind(), Error::NoDescriptor);
}

#[test]
fn without_any_source_writes_say_what_is_missing() {
    let harness = harness(None, None);
    assert_eq!(harness.refuse_section(&section("system", "x")), Error::NoDescriptor);
    let failure = harness.engine.get_tool(&target(), "search_docs").unwrap_err();
    assert_eq!(failure.kind(), Error::NoDescriptor);
    assert_eq!(codes(&harness.delete_section("system").warnings), ["nothing_to_remove"]);
    assert!(!harness.root.exists());
}

#[test]
fn a_prompt_that_no_export_knows_can_be_read_and_cleaned() {
    let harness = harness(Some("v2"), Some("descriptors.json"));
    let other = Target { tag: None, ns: "other".into(), prompt: "code-review".into() };
    let at = harness.root.join("other/code-review");
    fs::create_dir_all(&at).unwrap();
    fs::write(at.join("latest.json"), harness.text().replace("demo.app", "other")).unwrap();
    let report = harness.engine.get_section(&other, "system").unwrap();
    assert_eq!(report.status, Some(EntryStatus::Unverified));
    assert_eq!(codes(&report.warnings), ["prompt_not_exported"]);
    let report =
        harness.engine.delete_section(&other, "system", &Guards::default(), Mode::Commit).unwrap();
    assert!(report.outcome.unwrap().changed);
}

#[test]
fn formats_are_kept_and_mismatches_reported() {
    let old = harness(Some("v1"), Some("descriptors.json"));
    let report = old.engine.write_section(&section("system", "Hi $name"), Mode::Commit).unwrap();
    assert_eq!(codes(&report.warnings), ["format_disagrees"]);
    assert!(old.text().contains("\"version\": 1") && !old.text().contains("\"path\""));

    let dir = tempfile::tempdir().unwrap();
    let export = dir.path().join("d.json");
    let text = fs::read_to_string(format!("{GOLDEN}/descriptors.json")).unwrap();
    fs::write(&export, text.replace("\"override_format\": 2", "\"override_format\": 1")).unwrap();
    let mut config = Config::new(Ok(OverridesRoot {
        dir: dir.path().join("o"),
        source: RootSource::OverridesDir,
        project: None,
    }));
    config.descriptors.files = vec![export];
    let report = Engine::new(config).write_section(&section("system", "$name"), Mode::Commit);
    assert_eq!(report.unwrap().file.format, Some(Format::One));
}

#[test]
fn flawed_parts_are_refused_by_name() {
    let dir = tempfile::tempdir().unwrap();
    let export = dir.path().join("d.json");
    let text = fs::read_to_string(format!("{GOLDEN}/descriptors.json")).unwrap();
    let text = text.replace("Use plain", "Use plainer").replace("List every hit.", "List all.");
    fs::write(&export, text).unwrap();
    let mut config = Config::new(Ok(OverridesRoot {
        dir: dir.path().join("o"),
        source: RootSource::OverridesDir,
        project: None,
    }));
    config.descriptors.files = vec![export];
    let engine = Engine::new(config);
    let failure = engine.write_section(&section("system/style", "x"), Mode::Commit).unwrap_err();
    assert_eq!(failure.kind(), Error::DescriptorInvalid);
    assert!(failure.message().contains("system/style"));
    let failure = engine.write_tool(&tool("list_hits", None, &[]), Mode::Commit).unwrap_err();
    assert_eq!(failure.kind(), Error::DescriptorInvalid);
    engine.write_section(&section("system", "$name"), Mode::Commit).unwrap();
    let report = engine.get_section(&target(), "system/style").unwrap();
    assert_eq!(codes(&report.warnings), ["descriptor_flawed"]);
}

#[test]
fn broken_files_are_reported_and_left_alone() {
    let harness = harness(Some("v2"), Some("descriptors.json"));
    for (text, kind) in [
        ("{".to_owned(), Error::OverrideFileMalformed),
        (harness.text().replace("\"version\": 2", "\"version\": 3"), Error::FormatUnsupported),
        (
            harness.text().replace("\"tag\": \"latest\"", "\"tag\": \"x\""),
            Error::OverrideFileMismatch,
        ),
    ] {
        fs::write(harness.file(), &text).unwrap();
        assert_eq!(harness.refuse_section(&section("system", "$name")), kind);
        let delete =
            harness.engine.delete_section(&target(), "system", &Guards::default(), Mode::Commit);
        assert_eq!(delete.unwrap_err().kind(), kind);
        assert_eq!(harness.text(), text);
    }
}

#[test]
fn an_entry_that_the_library_rejects_is_reported() {
    let harness = harness(Some("v2"), Some("descriptors.json"));
    let text = harness.text().replace("\"body\": \"Short sentences.\"", "\"body\": null");
    fs::write(harness.file(), text).unwrap();
    assert_eq!(codes(&harness.section("system").warnings), ["file_rejected"]);
    assert_eq!(harness.section("system/style").status, Some(EntryStatus::Invalid));
    harness.engine.write_section(&section("system/style", "ok"), Mode::Commit).unwrap();
    assert!(harness.section("system").warnings.is_empty());
}

#[test]
fn task_examples_keep_the_file() {
    let harness = harness(Some("v2"), Some("descriptors.json"));
    let example = "\"task_example_overrides\": [{\"path\": [], \"index\": -1, \"n\": 1e5}]";
    fs::write(harness.file(), harness.text().replace("\"task_example_overrides\": []", example))
        .unwrap();
    harness.delete_section("system");
    harness.delete_section("system/style");
    let report = harness
        .engine
        .delete_tool(&target(), "search_docs", &Guards::default(), Mode::Commit)
        .unwrap();
    assert!(!report.outcome.unwrap().file_deleted && report.warnings.is_empty());
    assert!(harness.text().contains("100000.0"));
}

#[test]
fn foreign_keys_that_go_with_the_file_are_named() {
    let harness = harness(Some("v2"), Some("descriptors.json"));
    fs::write(harness.file(), harness.text().replace("\"tools\": {", "\"note\": 1, \"tools\": {"))
        .unwrap();
    harness.delete_section("system");
    harness.delete_section("system/style");
    let report = harness
        .engine
        .delete_tool(&target(), "search_docs", &Guards::default(), Mode::Commit)
        .unwrap();
    assert!(report.outcome.unwrap().file_deleted);
    assert_eq!(codes(&report.warnings), ["extra_keys_dropped"]);
}

#[test]
fn an_unknown_root_fails_every_call() {
    let root = crate::root::resolve(None, None, Some(Path::new("/")));
    let engine = Engine::new(Config::new(root));
    let failure = engine.list(&ListRequest::default()).unwrap_err();
    assert_eq!(failure.kind(), Error::OverridesRootUnknown);
    let failure = engine.get_section(&target(), "system").unwrap_err();
    assert_eq!(failure.kind(), Error::OverridesRootUnknown);
}

#[test]
fn tool_defaults_are_returned_without_an_override() {
    let harness = harness(None, Some("descriptors.json"));
    let report = harness.engine.get_tool(&target(), "search_docs").unwrap();
    assert_eq!(report.status, None);
    assert_eq!(report.description.as_deref(), Some("Search the docs index."));
    assert_eq!(report.current_contract_hash.as_deref(), Some(SEARCH));
    assert_eq!(report.override_param_descriptions, BTreeMap::new());
    assert_eq!(report.param_descriptions.len(), 2);
    let locked = harness.engine.get_tool(&target(), "audit").unwrap();
    assert_eq!(codes(&locked.warnings), ["not_overridable"]);
}
