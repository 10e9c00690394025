//! Ten mistakes at once: one run of `toolwright check` reports all of them, each with its place.

use std::fs;
use std::path::Path;

use serde_json::Value;
use tempfile::TempDir;

use crate::package::ROOT;
use crate::toolwright;
use toolwright_testing::files::copy;

/// A copy of a real surface.
fn wink() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    copy(&Path::new(ROOT).join("specs/wink"), &folder.path().join("specs/wink"));
    folder
}

/// Replaces a text that is there once. Tells the line, and the column of `at` in what comes there.
fn spoil(folder: &TempDir, file: &str, from: &str, to: &str, at: &str) -> (u64, u64) {
    let path = folder.path().join("specs/wink").join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches(from).count(), 1, "`{from}` in {file}");
    let spoilt = text.replace(from, to);
    let begin = text.find(from).unwrap() + to.find(at).unwrap();
    let before = &spoilt[..begin];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap().chars().count() + 1;
    fs::write(path, spoilt).unwrap();
    (line as u64, column as u64)
}

/// The findings of one run: code, file, line, column.
fn check(folder: &TempDir) -> Vec<(String, String, u64, u64)> {
    let output = toolwright(folder.path(), &["check", "--format", "json"]);
    assert_eq!(output.code, 1);
    let report: Value = serde_json::from_str(&output.stdout).unwrap();
    let findings = report["findings"].as_array().unwrap().iter();
    findings
        .map(|finding| {
            let at = &finding["at"];
            let word = |value: &Value| value.as_str().unwrap().to_owned();
            let number = |name: &str| at[name].as_u64().unwrap();
            (word(&finding["code"]), word(&at["file"]), number("line"), number("column"))
        })
        .collect()
}

/// Spoils and checks: every fault is reported where it is, and nothing else is.
fn all_are_found(faults: &[(&str, &str, &str, &str, &str)]) {
    assert_eq!(faults.len(), 10);
    let folder = wink();
    let mut expected = Vec::new();
    for (code, file, from, to, at) in faults {
        let (line, column) = spoil(&folder, file, from, to, at);
        let file = format!("specs/wink/{file}");
        expected.push(((*code).to_owned(), file, line, column));
    }
    let mut found = check(&folder);
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn ten_mistakes_of_ten_kinds_in_one_file() {
    const FILE: &str = "tools/write_section_override.yaml";
    all_are_found(&[
        ("TW010", FILE, "tool: write_section", "tool: write_sektion", "write_sektion"),
        ("TW003", FILE, "idempotent: true", "idempotnet: true", "idempotnet"),
        ("TW004", FILE, "open_world: false", "open_world: maybe", "maybe"),
        (
            "TW040",
            FILE,
            "ns: {type: string, minLength: 1, maxLength: 1024, description: Namespace of the prompt.}",
            "ns: {type: string, minLength: 1, maxLength: 1024}",
            "ns",
        ),
        ("TW042", FILE, "default: latest", "default: 7", "7"),
        (
            "TW031",
            FILE,
            "section_path: {type: string, minLength",
            "section_path: {type: string, minLenght",
            "minLenght",
        ),
        (
            "TW020",
            FILE,
            "$ref: \"../types.yaml#/$defs/SectionChange\"",
            "$ref: \"../types.yaml#/$defs/SectionChang\"",
            "\"../",
        ),
        ("TW064", FILE, "field: confirm", "field: confrim", "confrim"),
        (
            "TW090",
            FILE,
            "budget: {definition_tokens: 1100",
            "budget: {definition_tokens: 100",
            "budget",
        ),
        (
            "TW072",
            FILE,
            "first_override, given: described, input: {ns: demo.app",
            "first_override, given: described, input: {ns: 7",
            "7",
        ),
    ]);
}

#[test]
fn ten_mistakes_in_ten_places_of_nine_files() {
    all_are_found(&[
        ("TW009", "surface.yaml", "contract: v1", "contract: one", "one"),
        ("TW080", "surface.yaml", "hint: $error.hint", "hint: $error.hnt", "$error"),
        (
            "TW043",
            "types.yaml",
            "enum: [none, export_file,",
            "enum: [none, None, export_file,",
            "None",
        ),
        (
            "TW008",
            "tools/delete_section_override.yaml",
            "effects: destructive",
            "effects: destructiv",
            "destructiv",
        ),
        (
            "TW004",
            "tools/delete_tool_override.yaml",
            "idempotent: true",
            "idempotent: often",
            "often",
        ),
        ("TW003", "tools/get_section_override.yaml", "open_world:", "openworld:", "openworld"),
        ("TW001", "tools/get_tool_override.yaml", "effects: read", "effects: @read", "@"),
        ("TW042", "tools/list_overrides.yaml", "default: 50", "default: 5000", "5000"),
        (
            "TW030",
            "tools/write_section_override.yaml",
            "prompt: {type: string",
            "prompt: {type: strnig",
            "strnig",
        ),
        ("TW064", "tools/write_tool_override.yaml", "field: confirm", "field: confrim", "confrim"),
    ]);
}
