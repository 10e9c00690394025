//! The compiler against the fixtures of `tests/specs`. Add a folder there, get a test.
//!
//! `base/` is a sound surface; each folder of `invalid/` replaces or adds files and says in
//! `expected.txt` what the compiler has to say. `UPDATE_EXPECTED=1 cargo test` writes the answers.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed helper is a failed test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toolwright_codegen::diagnostics::{CODES, Colour, Severity};
use toolwright_codegen::{Files, Loaded, load, load_files};
use toolwright_testing::expected;

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/specs")
}

fn folders(parent: &str) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = std::fs::read_dir(fixtures().join(parent))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    assert!(!found.is_empty(), "no fixtures in {parent}");
    found
}

fn add_files(folder: &Path, below: &Path, files: &mut Files) {
    for entry in std::fs::read_dir(below).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_files(folder, &path, files);
        } else if path.file_name().is_some_and(|name| name != "expected.txt") {
            let name = path.strip_prefix(folder).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, Ok(std::fs::read(&path).unwrap()));
        }
    }
}

fn overlaid(fixture: &Path) -> Loaded {
    let mut files = Files::new();
    let base = fixtures().join("base");
    add_files(&base, &base, &mut files);
    add_files(fixture, fixture, &mut files);
    load_files(Path::new("specs"), &files)
}

#[test]
fn the_base_of_the_invalid_fixtures_is_sound() {
    let loaded = load(&fixtures().join("base"));
    assert_eq!(loaded.report.render(Colour::Never), "");
    assert_eq!(loaded.contracts.len(), 1);
}

#[test]
fn each_invalid_fixture_is_reported_as_expected() {
    let mut failures = Vec::new();
    for fixture in folders("invalid") {
        let name = fixture.file_name().unwrap().to_string_lossy().into_owned();
        let actual = overlaid(&fixture).report.render(Colour::Never);
        if actual.is_empty() {
            failures.push(format!("{name}: nothing is reported"));
            continue;
        }
        if let Err(changed) = expected::compare(&fixture.join("expected.txt"), &actual) {
            failures.push(format!("{name}: {changed}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n\n"));
}

#[test]
fn a_surface_with_errors_has_no_contract_and_one_with_warnings_has() {
    for fixture in folders("invalid") {
        let loaded = overlaid(&fixture);
        let demo = loaded.contracts.iter().any(|contract| contract.name == "demo");
        let blamed = |finding: &toolwright_codegen::diagnostics::Diagnostic| {
            finding.severity == Severity::Error && finding.span.file.starts_with("specs/demo")
        };
        let broken = loaded.report.diagnostics.iter().any(blamed);
        assert_eq!(demo, !broken, "{}", fixture.display());
    }
}

#[test]
fn every_code_is_produced_by_some_fixture() {
    let produced: BTreeSet<&str> = folders("invalid")
        .iter()
        .flat_map(|fixture| overlaid(fixture).report.diagnostics)
        .map(|finding| finding.code)
        .collect();
    // A defect of the compiler and a refusal of the emitter have no spec that brings them about.
    let all: BTreeSet<&str> = CODES
        .iter()
        .map(|info| info.code)
        .filter(|code| !["TW000", "TW099"].contains(code))
        .collect();
    let missing: Vec<_> = all.difference(&produced).collect();
    assert!(missing.is_empty(), "no fixture produces {missing:?}");
}

#[test]
fn codes_are_unique_sorted_and_explained_with_an_example() {
    let codes: Vec<&str> = CODES.iter().map(|info| info.code).collect();
    let mut sorted = codes.clone();
    sorted.sort_unstable();
    sorted.dedup();
    assert_eq!(codes, sorted);
    for info in CODES.iter() {
        assert!(info.explain.len() > 100, "{} is hardly explained", info.code);
    }
}

#[test]
fn valid_fixtures_have_no_findings_at_all() {
    for fixture in folders("valid") {
        let loaded = load(&fixture);
        let name = fixture.display();
        assert_eq!(loaded.report.render(Colour::Never), "", "{name}");
        assert!(!loaded.contracts.is_empty(), "{name}");
    }
}

#[test]
fn findings_have_a_json_form_with_line_and_column() {
    let report = overlaid(&fixtures().join("invalid/unknown_key")).report;
    let json = report.to_json();
    let finding = &json["findings"][0];
    assert_eq!(json["schemaVersion"], 1);
    assert_eq!(finding["at"]["file"], "specs/demo/tools/get.yaml");
    assert!(finding["at"]["line"].as_u64().unwrap() >= 1);
    assert!(finding["code"].as_str().unwrap().starts_with("TW"));
}

#[test]
fn coloured_text_is_the_plain_text_with_escapes() {
    let report = overlaid(&fixtures().join("invalid/unknown_key")).report;
    let coloured = report.render(Colour::Always);
    assert!(coloured.contains("\u{1b}["));
    let mut plain = String::new();
    let mut rest = coloured.as_str();
    while let Some((before, after)) = rest.split_once('\u{1b}') {
        plain.push_str(before);
        rest = after.split_once('m').map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    assert_eq!(plain, report.render(Colour::Never));
}

#[test]
fn a_folder_that_is_not_there_is_a_finding() {
    let report = load(Path::new("no/such/folder")).report;
    let text = report.render(Colour::Never);
    assert!(text.contains("error[TW002]"), "{text}");
    assert!(text.contains("no/such/folder"), "{text}");
}
