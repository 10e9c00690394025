//! The table of `SECURITY.md`: every promise names the tests that hold it, and they are there.

use std::collections::BTreeSet;
use std::path::Path;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What a reader expects to find an answer about.
const TOPICS: [&str; 12] = [
    "paths that lead elsewhere",
    "symbolic links",
    "malformed, huge or deeply nested input",
    "text that only looks right",
    "header injection",
    "log injection",
    "guessing",
    "replayed and forged confirmations",
    "web pages that reach a local server",
    "one tenant reading another's data",
    "secrets in logs",
    "hostile specs",
];

/// The cells of each row of the table of promises.
fn rows() -> Vec<Vec<String>> {
    let text = std::fs::read_to_string(Path::new(ROOT).join("SECURITY.md")).expect("readable");
    let (_, table) = text.split_once("## What is promised").expect("a section");
    let (table, _) = table.split_once("\n## ").expect("another section");
    let lines = table.lines().filter(|line| line.starts_with("| "));
    let lines = lines.skip(1).map(|line| line.trim_matches('|').split('|'));
    lines.map(|cells| cells.map(|cell| cell.trim().to_owned()).collect()).collect()
}

/// The tests in a cell: files, each followed by functions of it.
fn named(cell: &str) -> Vec<(String, Vec<String>)> {
    let code = cell.split('`').skip(1).step_by(2);
    let mut tests: Vec<(String, Vec<String>)> = Vec::new();
    for text in code {
        match text.strip_suffix(".rs") {
            Some(_) => tests.push((text.to_owned(), Vec::new())),
            None => tests.last_mut().expect("a file first").1.push(text.to_owned()),
        }
    }
    tests
}

#[test]
fn every_promise_names_tests_that_are_there() {
    let rows = rows();
    assert!(rows.len() > TOPICS.len(), "{rows:?}");
    for row in &rows {
        let [against, _, tests] = row.as_slice() else { panic!("three cells a row: {row:?}") };
        let tests = named(tests);
        assert!(!tests.is_empty(), "no test is named against {against}");
        for (file, functions) in tests {
            let text = std::fs::read_to_string(Path::new(ROOT).join(&file));
            let text = text.unwrap_or_else(|error| panic!("{against}: {file}: {error}"));
            assert!(!functions.is_empty(), "{against}: which tests of {file}?");
            for function in functions {
                let there = text.contains(&format!("fn {function}("));
                assert!(there, "{against}: {file} has no {function}");
            }
        }
    }
}

#[test]
fn every_topic_has_its_row() {
    let rows = rows();
    for topic in TOPICS {
        assert!(rows.iter().any(|row| row[0].contains(topic)), "no row against {topic}");
    }
}

#[test]
fn every_test_of_this_suite_holds_a_promise() {
    let kept: BTreeSet<String> = rows()
        .iter()
        .flat_map(|row| named(row.last().expect("cells")))
        .flat_map(|(file, functions)| {
            functions.into_iter().map(move |name| format!("{file} {name}"))
        })
        .collect();
    for entry in std::fs::read_dir(Path::new(ROOT).join("tests/security")).expect("a folder") {
        let path = entry.expect("an entry").path();
        let name = path.file_name().and_then(|name| name.to_str()).expect("a name").to_owned();
        if ["security_table.rs", "dependencies.rs"].contains(&name.as_str()) {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("readable");
        for test in text.split("#[test]\nfn ").skip(1).filter_map(|rest| rest.split('(').next()) {
            let entry = format!("tests/security/{name} {test}");
            assert!(kept.contains(&entry), "SECURITY.md does not name {entry}");
        }
    }
}
