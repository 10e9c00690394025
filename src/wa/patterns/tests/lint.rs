//! Lint: the built-in packs are clean, and each kind of mistake is found.

use super::super::{PackOptions, Patterns};
use crate::error::Kind;

#[test]
fn the_builtin_packs_pass_the_strictest_lint() {
    let patterns = Patterns::builtin().unwrap();
    let report = patterns.lint(None, true, true).unwrap();
    assert_eq!((report.errors, report.warnings), (Vec::new(), Vec::new()));
    assert!(report.passed && report.rules_checked == report.total_rules);
    let coverage = report.fixture_coverage.unwrap();
    assert_eq!(coverage.rules_with_fixtures, report.total_rules);
    assert!(coverage.rules_without_fixtures.is_empty() && coverage.total_fixtures > 130);
    let one = patterns.lint(Some("core.gemini"), false, true).unwrap();
    assert!(one.passed && one.rules_checked == 6 && one.fixture_coverage.is_none());
    let error = patterns.lint(Some("core.gemni"), false, false).unwrap_err();
    assert_eq!(error.kind, Kind::InvalidArguments);
    assert!(error.hint.unwrap().contains("core.gemini"));
}

/// One mistake each: what to change in a good rule, and whether that is an error, of which
/// category, and what is said.
const MISTAKES: [(&str, &str, bool, &str, &str); 24] = [
    ("mine:good", "minegood", true, "naming", "form `pack:name`"),
    ("mine:good", "mine:Good", true, "naming", "form `pack:name`"),
    ("mine:good", "other:good", true, "naming", "is not its pack"),
    ("pack: mine", "pack: core.codex", true, "naming", "must be about `codex`"),
    ("my.alias", "codex.usage.reached", true, "naming", "more than one rule"),
    ("my.alias", "My Alias", true, "naming", "not words separated by dots"),
    ("some.event", "event", true, "naming", "form `topic.what`"),
    ("a_workflow", "A-Workflow", true, "naming", "snake_case"),
    ("What it means.", " ", false, "naming", "no description"),
    ("needle (?<n>", "needle ((?<n>", true, "regex", "cannot be used: unclosed group"),
    ("extracts: [n]", "extracts: [n, m]", true, "regex", "which the regex does not capture"),
    ("extracts: [n]", "extracts: []", true, "regex", "which `extracts` does not name"),
    ("changing: []", "changing: [m]", true, "regex", "`changing` names `m`"),
    (">[0-9]+)", ">(?:[0-9]+)+)", false, "regex", "nests unbounded repetitions"),
    ("needle (?<n>", "needle .*.*.*(?<n>", false, "regex", "three wildcards"),
    ("needle (?<n>", "needle(?:needle |LONG) (?<n>", false, "regex", "more than 500"),
    ("needle (?<n>", "needle  (?<n>", false, "regex", "two spaces"),
    ("[needle]", "[]", false, "regex", ""),
    ("[needle]", "[noodle]", false, "regex", "without any of the anchors"),
    ("[needle]", "[needle, ne]", false, "regex", "too short"),
    ("[needle]", "[needle, NEEDLE]", false, "regex", "listed twice"),
    ("{text: needle 7,", "{text: noodle 7,", true, "fixture", "example 1 does not match"),
    ("{n: '7'}", "{n: '8'}", true, "fixture", "example 1 extracts other values (n)"),
    ("[needle x]", "[needle 8]", true, "fixture", "near miss 1 matches"),
];

const GOOD: &str = "pack: mine
agent: any
rules:
- id: mine:good
  aliases: [my.alias]
  event_type: some.event
  severity: info
  description: What it means.
  workflow: a_workflow
  anchors: [needle]
  regex: 'needle (?<n>[0-9]+)'
  extracts: [n]
  changing: []
  matches: [{text: needle 7, extracted: {n: '7'}}]
  near_misses: [needle x]
";

fn lint(text: &str) -> super::super::LintReport {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.yaml");
    std::fs::write(&file, text).unwrap();
    let options = PackOptions { files: vec![file], ..PackOptions::default() };
    let pack = text.lines().next().unwrap().strip_prefix("pack: ");
    Patterns::load_usable(&options).0.lint(pack, true, true).unwrap()
}

#[test]
fn a_good_rule_has_no_mistakes() {
    let report = lint(GOOD);
    assert_eq!((report.errors, report.warnings), (Vec::new(), Vec::new()));
}

#[test]
fn each_mistake_is_found() {
    for (good, bad, is_error, category, message) in MISTAKES {
        assert!(GOOD.contains(good), "{good}");
        let long = "x".repeat(600);
        let report = lint(&GOOD.replace(good, bad).replace("LONG", &long));
        let (these, others) = match is_error {
            true => (&report.errors, &report.warnings),
            false => (&report.warnings, &report.errors),
        };
        if message.is_empty() {
            // Anchors may be left away where the regex has literals.
            assert!(report.passed, "{report:?}");
            continue;
        }
        let found = these.iter().any(|i| i.category == category && i.message.contains(message));
        assert!(found, "{bad}: {these:?} {others:?}");
        assert!(!report.passed);
    }
}

#[test]
fn more_mistakes_that_take_more_than_one_change() {
    let nothing =
        GOOD.replace("[needle]", "[]").replace("'needle (?<n>[0-9]+)'", r"'(?<n>[0-9]+)'");
    assert!(lint(&nothing).warnings.iter().any(|i| i.message.contains("runs on all text")));
    let bare = GOOD.replace("  regex: 'needle (?<n>[0-9]+)'\n", "");
    assert!(lint(&bare).errors.iter().any(|i| i.message.contains("has no regex")));
    let empty = GOOD.replace("  regex: 'needle (?<n>[0-9]+)'\n", "").replace("[needle]", "[]");
    assert!(lint(&empty).errors.iter().any(|i| i.message.contains("neither anchors nor")));
    let untested = GOOD.split("  matches:").next().unwrap();
    let report = lint(untested);
    assert_eq!(report.warnings.iter().filter(|i| i.category == "fixture").count(), 2);
    assert_eq!(report.fixture_coverage.unwrap().rules_without_fixtures, ["mine:good"]);
}

#[test]
fn warnings_fail_only_a_strict_lint() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.yaml");
    std::fs::write(&file, GOOD.replace("What it means.", " ")).unwrap();
    let patterns =
        Patterns::load(&PackOptions { files: vec![file], ..PackOptions::default() }).unwrap();
    assert!(patterns.lint(Some("mine"), true, false).unwrap().passed);
    assert!(!patterns.lint(Some("mine"), true, true).unwrap().passed);
}
