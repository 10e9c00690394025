//! Override files of wink, in both formats: an edit keeps everything else byte for byte.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use wink::ids::{SectionPath, ToolName};
use wink::override_file::{Known, OverrideFile};
use wink::{placeholders, python_json};

const HASH: &str = "bffbd7e764172b3209b455e003c7a2d83036e864a9a1a40a1bdbf4c7c5fd74a9";
/// Entries besides those of the file that are edited.
const SECTIONS: [&str; 2] = ["system", "a/b"];
const TOOLS: [&str; 2] = ["search", "0"];

/// Reads `data` as an override file and edits it.
pub fn run(data: &[u8]) {
    if let Ok(text) = std::str::from_utf8(data) {
        reads_what_json_says(text);
        placeholders::scan(text);
    }
    let Ok(file) = OverrideFile::parse(data, Path::new("x.json")) else { return };
    let written = file.to_bytes();
    let again = OverrideFile::parse(&written, Path::new("x.json")).expect("what was written");
    assert_eq!(again.to_bytes(), written, "reading and writing settle at once");

    let body = String::from_utf8_lossy(data);
    let own = file.sections().filter_map(|entry| entry.path());
    for path in own.chain(SECTIONS.iter().filter_map(|text| SectionPath::parse(text).ok())) {
        edits_one_section(&file, &path, &body);
    }
    let own = file.tools().filter_map(|entry| ToolName::parse(entry.name()).ok());
    for name in own.chain(TOOLS.iter().filter_map(|text| ToolName::parse(text).ok())) {
        edits_one_tool(&file, &name, &body);
    }
    for known in [Known::Undescribed, Known::Hash(HASH), Known::Locked, Known::Absent] {
        file.sections().for_each(|entry| drop(entry.assess(known, &|path| path.len() > 3)));
        file.tools().for_each(|entry| drop(entry.assess(known)));
    }
}

/// What strict JSON accepts is accepted, with the same meaning; what is refused is refused at a
/// place inside of the text.
fn reads_what_json_says(text: &str) {
    let strict = serde_json::from_str::<Value>(text);
    match (strict, python_json::parse(text)) {
        (Ok(strict), Ok(value)) => {
            for written in [python_json::compact(&value), python_json::pretty(&value)] {
                let back: Value = serde_json::from_str(&written).expect("JSON");
                assert!(same(&back, &strict), "{written}");
            }
        }
        (Ok(_), Err(error)) => panic!("JSON is refused: {error}"),
        (Err(_), Ok(_)) => {}
        (Err(_), Err(error)) => {
            let line = text.split('\n').nth(error.line - 1).expect("a line of the text");
            assert!(error.column <= line.chars().count() + 1, "{error}");
        }
    }
}

/// Python knows no negative zero without a fraction.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            one == other || one.as_f64() == Some(0.0) && other.as_f64() == Some(0.0)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            one.len() == other.len()
                && one
                    .iter()
                    .zip(other)
                    .all(|(one, other)| one.0 == other.0 && same(one.1, other.1))
        }
        _ => one == other,
    }
}

fn edits_one_section(file: &OverrideFile, path: &SectionPath, body: &str) {
    let mut edited = file.clone();
    edited.set_section(path, HASH, body);
    let entry = edited.section(path).expect("the section that was set");
    assert_eq!((entry.expected_hash(), entry.body()), (Some(HASH), Some(body)));
    if let Some(before) = file.section(path) {
        assert_eq!(entry.summary(), before.summary());
        assert_eq!(entry.visibility(), before.visibility());
    }
    let mut bare = file.clone();
    assert_eq!(bare.remove_section(path), file.section(path).is_some());
    assert!(edited.remove_section(path) && edited.section(path).is_none());
    assert_eq!(edited.to_bytes(), bare.to_bytes(), "everything but {}", path.as_str());
}

fn edits_one_tool(file: &OverrideFile, name: &ToolName, body: &str) {
    let mut edited = file.clone();
    let params = BTreeMap::from([("query".to_owned(), body.to_owned())]);
    edited.set_tool(name, HASH, Some(body), &params);
    let entry = edited.tool(name.as_str()).expect("the tool that was set");
    assert_eq!((entry.description(), entry.param_descriptions()), (Some(body), params));
    let mut bare = file.clone();
    assert_eq!(bare.remove_tool(name.as_str()), file.tool(name.as_str()).is_some());
    assert!(edited.remove_tool(name.as_str()));
    assert_eq!(edited.to_bytes(), bare.to_bytes(), "everything but {}", name.as_str());
}
