use std::path::Path;

use super::*;
use crate::generated::Error;
use crate::hash;
use crate::ids::ToolName;

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/wink");
const SYSTEM: &str = "bffbd7e764172b3209b455e003c7a2d83036e864a9a1a40a1bdbf4c7c5fd74a9";

fn golden(name: &str) -> Vec<u8> {
    std::fs::read(format!("{GOLDEN}/{name}/demo.app/code-review/latest.json")).unwrap()
}

fn parse(text: &str) -> OverrideFile {
    OverrideFile::parse(text.as_bytes(), Path::new("x.json")).unwrap()
}

fn refused(bytes: &[u8]) -> (Error, String) {
    let failure = OverrideFile::parse(bytes, Path::new("x.json")).unwrap_err();
    (failure.kind(), failure.erase().effective_hint().unwrap_or_default().to_owned())
}

fn path(text: &str) -> SectionPath {
    SectionPath::parse(text).unwrap()
}

#[test]
fn golden_files_come_back_byte_for_byte() {
    for name in ["v1", "v2", "seed-v1", "seed-v2"] {
        let bytes = golden(name);
        let mut file = OverrideFile::parse(&bytes, Path::new(name)).unwrap();
        assert_eq!(file.to_bytes(), bytes, "{name}: parsed and written");
        let before = file.clone();
        for entry in before.sections() {
            let at = entry.path().unwrap();
            file.set_section(&at, entry.expected_hash().unwrap(), entry.body().unwrap());
        }
        for entry in before.tools() {
            file.set_tool(
                &ToolName::parse(entry.name()).unwrap(),
                entry.expected_contract_hash().unwrap(),
                entry.description(),
                &entry.param_descriptions(),
            );
        }
        assert_eq!(file.to_bytes(), bytes, "{name}: every entry rewritten");
    }
}

#[test]
fn golden_files_can_be_created_from_nothing() {
    let prompt = PromptRef::parse("demo.app", "code-review", None).unwrap();
    for (name, format) in [("v1", Format::One), ("v2", Format::Two)] {
        let bytes = golden(name);
        let model = OverrideFile::parse(&bytes, Path::new(name)).unwrap();
        assert_eq!(model.format(), format);
        let mut file = OverrideFile::new(&prompt, format);
        for entry in model.sections() {
            file.set_section(
                &entry.path().unwrap(),
                entry.expected_hash().unwrap(),
                entry.body().unwrap(),
            );
        }
        for entry in model.tools() {
            file.set_tool(
                &ToolName::parse(entry.name()).unwrap(),
                entry.expected_contract_hash().unwrap(),
                entry.description(),
                &entry.param_descriptions(),
            );
        }
        assert_eq!(file.to_bytes(), bytes, "{name}");
    }
}

#[test]
fn editing_one_entry_keeps_everything_else() {
    let mut file = parse(
        r#"{"version": 1.0, "ns": "a", "prompt_key": "b", "tag": "t", "note": 12345678901234567890123,
            "sections": {"/s/": {"body": "x", "summary": "kept", "extra": [1e5], "expected_hash": "?"},
                         "gone": {"body": null}},
            "tools": null}"#,
    );
    file.set_section(&path("s"), SYSTEM, "new");
    let text = String::from_utf8(file.to_bytes()).unwrap();
    for kept in [
        "\"version\": 1.0",
        "12345678901234567890123",
        "\"kept\"",
        "100000.0",
        "\"gone\"",
        "\"tools\": {}",
    ] {
        assert!(text.contains(kept), "{kept} in {text}");
    }
    assert!(!text.contains("/s/"), "the alias became the canonical key");
    assert!(!text.contains("\"path\""), "format 1 has no path");
    assert!(file.remove_section(&path("gone")) && !file.remove_section(&path("gone")));
}

#[test]
fn emptiness_counts_task_examples() {
    let header = r#""ns": "a", "prompt_key": "b", "tag": "t""#;
    let with = |version, list| {
        parse(&format!(
            r#"{{"version": {version}, {header}, "task_example_overrides": {list}, "note": 1}}"#
        ))
    };
    assert!(with(2, "[]").is_empty());
    assert!(!with(2, r#"[{"path": []}]"#).is_empty());
    assert!(with(1, r#"[{"path": []}]"#).is_empty(), "format 1 ignores the key");
    assert_eq!(with(2, "[]").extra_keys(), ["note"]);
}

#[test]
fn files_that_are_not_override_files() {
    assert_eq!(refused(b"\xef\xbb\xbf{}").0, Error::OverrideFileMalformed);
    assert!(refused(b"\xef\xbb\xbf{}").1.contains("BOM"));
    assert_eq!(refused(b"{\"a\": \"\xff\"}").0, Error::OverrideFileMalformed);
    assert_eq!(refused(b"[]").0, Error::OverrideFileMalformed);
    assert_eq!(refused(b"{").0, Error::OverrideFileMalformed);
    assert_eq!(refused(b"{\"version\": NaN}").0, Error::OverrideFileMalformed);
    assert_eq!(refused(br#"{"version": 2, "sections": []}"#).0, Error::OverrideFileMalformed);
    assert_eq!(refused(br#"{"version": 2, "tools": 1}"#).0, Error::OverrideFileMalformed);
    let examples = br#"{"version": 2, "task_example_overrides": {}}"#;
    assert_eq!(refused(examples).0, Error::OverrideFileMalformed);
    assert_eq!(refused(br#"{"version": 3, "ns": "a"}"#).0, Error::FormatUnsupported);
    assert!(refused(br#"{"version": "1", "ns": "a"}"#).1.contains("without quotes"));
    assert!(refused(br#"{"sections": {}}"#).1.contains("no header"));
}

#[test]
fn versions_compare_as_in_python() {
    for (text, format) in
        [("1", Format::One), ("1.0", Format::One), ("true", Format::One), ("2.0", Format::Two)]
    {
        assert_eq!(parse(&format!(r#"{{"version": {text}}}"#)).format(), format, "{text}");
    }
}

#[test]
fn header_must_agree_with_the_path() {
    let file = OverrideFile::parse(&golden("v2"), Path::new("x")).unwrap();
    let right = PromptRef::parse("demo.app", "code-review", None).unwrap();
    let wrong = PromptRef::parse("demo.app", "code-review", Some("v2")).unwrap();
    assert!(file.check_header(&right, Path::new("x")).is_ok());
    let failure = file.check_header(&wrong, Path::new("x")).unwrap_err();
    assert_eq!(failure.kind(), Error::OverrideFileMismatch);
    assert!(failure.message().contains("`tag` \"latest\""), "{}", failure.message());
}

fn assess(entry: &str, known: Known<'_>, version: u8) -> Verdict {
    let file = parse(&format!(r#"{{"version": {version}, "sections": {{"s.t": {entry}}}}}"#));
    file.sections().next().unwrap().assess(known, &|path| path == "s/t")
}

#[test]
fn sections_are_assessed_in_the_librarys_order() {
    use EntryStatus::{Current, Invalid, Locked, Stale, Unknown, Unverified};
    let here = Known::Hash(SYSTEM);
    let zeros = "0".repeat(64);
    let entry = |hash: &str, rest: &str| format!(r#"{{"expected_hash": "{hash}", {rest}}}"#);
    let status = |entry: &str, known, version| assess(entry, known, version).status;
    assert_eq!(status(&entry(SYSTEM, r#""body": """#), here, 2), Current);
    assert_eq!(status(&entry(&zeros, r#""body": null"#), here, 2), Stale);
    assert_eq!(status(&entry(SYSTEM, r#""body": null"#), here, 2), Invalid);
    assert_eq!(status(&entry("ABC", r#""body": "x""#), here, 2), Invalid);
    assert_eq!(status(&entry("ABC", r#""body": 1"#), Known::Absent, 2), Unknown);
    assert_eq!(status(&entry("ABC", r#""body": 1"#), Known::Locked, 2), Locked);
    assert_eq!(status("7", Known::Absent, 2), Invalid);
    let loud = entry(SYSTEM, r#""body": "x", "visibility": "FULL""#);
    assert_eq!(status(&loud, Known::Absent, 2), Invalid);
    assert!(assess(&loud, here, 2).problem.unwrap().contains("lower case"));
    assert_eq!(status(&loud, here, 1), Current);
    assert_eq!(status(&entry(SYSTEM, r#""body": "x", "summary": 1"#), here, 2), Invalid);
    assert_eq!(status(&entry(SYSTEM, r#""body": "x""#), Known::Undescribed, 2), Unverified);
    let dotted = assess(&entry(SYSTEM, r#""body": "x""#), Known::Absent, 2);
    assert!(dotted.problem.unwrap().contains("should be `s/t`"));
}

#[test]
fn tools_are_assessed_in_the_librarys_order() {
    use EntryStatus::{Current, Invalid, Stale, Unknown};
    let assess = |entry: &str, known| {
        let file = parse(&format!(r#"{{"version": 2, "tools": {{"t": {entry}}}}}"#));
        file.tool("t").unwrap().assess(known).status
    };
    let entry = |rest: &str| format!(r#"{{"expected_contract_hash": "{SYSTEM}"{rest}}}"#);
    let other = hash::of_text("other");
    assert_eq!(assess(&entry(""), Known::Hash(SYSTEM)), Current);
    assert_eq!(assess(&entry(r#", "description": 1"#), Known::Hash(SYSTEM)), Invalid);
    assert_eq!(assess(&entry(r#", "description": 1"#), Known::Hash(&other)), Stale);
    assert_eq!(assess(&entry(r#", "param_descriptions": []"#), Known::Hash(SYSTEM)), Invalid);
    assert_eq!(assess(&entry(r#", "param_descriptions": {"a": 1}"#), Known::Hash(SYSTEM)), Invalid);
    assert_eq!(assess("{}", Known::Absent), Unknown);
    assert_eq!(assess("{}", Known::Hash(SYSTEM)), Invalid);
}
