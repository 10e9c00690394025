//! The reference of the spec language: complete, linked, and the same as `docs/spec-language.md`.

use std::path::Path;

use toolwright_codegen::diagnostics::CODES;
use toolwright_codegen::docs;
use toolwright_testing::expected;

fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

#[test]
fn the_reference_in_docs_is_fresh() {
    let file = root().join("docs/spec-language.md");
    let fresh = expected::compare(&file, &docs::reference());
    assert!(fresh.is_ok(), "docs/spec-language.md is stale; run `cargo run -- docs`\n{fresh:?}");
}

#[test]
fn every_key_is_used_by_a_quoted_example_and_every_code_exists() {
    assert_eq!(docs::reference_gaps(), Vec::<String>::new());
}

#[test]
fn every_code_is_linked_from_its_keys_and_back() {
    let page = docs::reference();
    for info in CODES.iter() {
        assert!(page.contains(&format!("<a id=\"code-{}\"></a>", info.code)), "{}", info.code);
    }
    // Findings about files or about any key; all others belong to certain keys.
    let everywhere = ["TW000", "TW001", "TW002", "TW003", "TW004", "TW006", "TW007", "TW099"];
    for info in CODES.iter().filter(|info| !everywhere.contains(&info.code)) {
        let link = format!("[{0}](#code-{0})", info.code);
        assert!(page.contains(&link), "no key names {}", info.code);
    }
}

#[test]
fn links_of_the_reference_resolve() {
    let page = docs::reference();
    for link in page.split("](#").skip(1) {
        let anchor = link.split(')').next().unwrap();
        assert_eq!(page.matches(&format!("<a id=\"{anchor}\"></a>")).count(), 1, "{anchor}");
    }
    for link in page.split("](").skip(1).filter(|link| !link.starts_with('#')) {
        let file = root().join("docs").join(link.split([')', '#']).next().unwrap());
        assert!(file.exists(), "{}", file.display());
    }
}

#[test]
fn the_quoted_fixtures_compile() {
    for folder in ["hello", "notes"] {
        let specs = root().join("tests/specs/valid").join(folder);
        let loaded = toolwright_codegen::load(&specs);
        assert_eq!(loaded.report.to_string(), "");
    }
    let file = root().join("tests/specs/valid/notes/accepted-breaks.yaml");
    let bytes = std::fs::read(&file).unwrap();
    let accepted = toolwright_codegen::diff::Accepted::read(&file, &bytes).unwrap();
    assert_eq!(accepted.entries.len(), 1);
}
