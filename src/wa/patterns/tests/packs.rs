//! Packs of the user: overriding, turning off, and mistakes.

use super::super::{PackOptions, Patterns, Scope, pack_files};
use super::{LIMIT, ids, with_pack};
use crate::error::Kind;
use crate::model::Severity;

const REACHED: &str = "core.claude_code:usage_reached";

#[test]
fn short_patterns_are_enough() {
    let pack = "patterns:\n- {id: 'custom:failed', pattern: 'BUILD (?<what>FAILED|BROKEN)', \
                severity: warning}\n- {id: 'custom:digits', pattern: '\\d{6,}'}\n";
    let patterns = with_pack(pack).unwrap();
    let found = patterns.scan("\n12 BUILD BROKEN 1234567", None, Scope::Log);
    assert_eq!(found.len(), 2);
    assert_eq!(found[0].rule_id, "custom:failed");
    assert_eq!(found[0].extracted["what"], "BROKEN");
    assert_eq!(found[0].severity, Severity::Warning);
    assert_eq!(found[0].event_type, "custom.match");
    assert_eq!((found[1].rule_id.as_str(), found[1].severity), ("custom:digits", Severity::Info));
    assert_eq!(patterns.rule("custom:failed").unwrap().extracts, ["what"]);
    assert_eq!(patterns.packs().last().unwrap().id, "custom");
}

#[test]
fn a_rule_of_a_later_pack_replaces_the_one_of_that_name() {
    for name in [REACHED, "claude_code.usage.reached"] {
        let pack = format!(
            "pack: mine\nrules:\n- {{id: '{name}', event_type: usage.mine, severity: info, \
             anchors: ['hit your limit'], description: mine}}\n"
        );
        let patterns = with_pack(&pack).unwrap();
        let found = patterns.scan(LIMIT, None, Scope::Log);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].rule_id.as_str(), found[0].event_type.as_str()),
            (REACHED, "usage.mine")
        );
        assert_eq!(found[0].pack_id, "mine");
        assert_eq!(patterns.rule("claude_code.usage.reached").unwrap().id, REACHED);
        let total: usize = patterns.packs().iter().map(|pack| pack.rules.len()).sum();
        let before: usize =
            Patterns::builtin().unwrap().packs().iter().map(|pack| pack.rules.len()).sum();
        assert_eq!(total, before);
    }
}

#[test]
fn later_files_win_over_earlier_ones() {
    let folder = tempfile::tempdir().unwrap();
    let rule = |severity: &str| {
        format!("patterns: [{{id: 'custom:x', pattern: 'needle', severity: {severity}}}]")
    };
    std::fs::write(folder.path().join("b.yml"), rule("critical")).unwrap();
    std::fs::write(folder.path().join("a.yaml"), rule("info")).unwrap();
    std::fs::write(folder.path().join("notes.txt"), "not a pack").unwrap();
    let files = pack_files(folder.path()).unwrap();
    assert_eq!(files.len(), 2);
    let patterns = Patterns::load(&PackOptions { files, ..PackOptions::default() }).unwrap();
    let found = patterns.scan("a needle", None, Scope::Log);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].severity, Severity::Critical);
    assert_eq!(pack_files(&folder.path().join("none")).unwrap(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn packs_and_rules_can_be_turned_off_and_severities_changed() {
    let load = |options: PackOptions| Patterns::load(&options).unwrap();
    let off = load(PackOptions {
        disabled_packs: vec!["core.claude_code".to_owned()],
        ..PackOptions::default()
    });
    assert!(off.scan(LIMIT, None, Scope::All).is_empty());
    assert!(off.rule(REACHED).is_some() && !off.pack("core.claude_code").unwrap().enabled);
    let off = load(PackOptions {
        disabled_rules: vec!["claude_code.usage.reached".to_owned()],
        ..PackOptions::default()
    });
    assert!(off.scan(LIMIT, None, Scope::All).is_empty() && !off.rule(REACHED).unwrap().enabled);
    let mild = load(PackOptions {
        severity_overrides: [("claude_code.usage.reached".to_owned(), Severity::Info)].into(),
        ..PackOptions::default()
    });
    assert_eq!(mild.scan(LIMIT, None, Scope::All)[0].severity, Severity::Info);
}

#[test]
fn an_unknown_name_in_a_setting_is_reported_with_similar_names() {
    let options = PackOptions {
        disabled_rules: vec!["core.codex:usage_reachd".to_owned()],
        ..PackOptions::default()
    };
    let error = Patterns::load(&options).unwrap_err();
    assert_eq!(error.kind, Kind::Config);
    assert!(error.message.contains("disabled_rules"), "{error}");
    assert!(error.hint.unwrap().contains("core.codex:usage_reached"));
    let (usable, errors) = Patterns::load_usable(&options);
    assert_eq!(errors.len(), 1);
    assert_eq!(ids(&usable, LIMIT, None, Scope::Log), [REACHED]);
}

#[test]
fn an_invalid_pack_is_reported_with_file_rule_and_position() {
    let rule = "event_type: a.b, severity: info, description: x";
    let cases = [
        ("rules: [", "line 2 column 1"),
        ("pack: mine\nrulez: []\n", "rulez"),
        ("pack: mine\nrules:\n- {id: 'mine:x', event_type: a.b, severity: loud}\n", "line 3"),
        (&format!("pack: mine\nrules:\n- {{id: 'mine:x', {rule}, anchor: ['x']}}\n"), "anchor"),
        (
            &format!("pack: mine\nrules:\n- {{id: 'mine:x', {rule}, regex: 'abc('}}\n"),
            "rule `mine:x` (line 3): the regex cannot be used: unclosed group at character 4",
        ),
        (
            &format!("pack: mine\nrules:\n- {{id: 'mine:x', {rule}}}\n"),
            "neither anchors nor a regex",
        ),
        (&format!("rules:\n- {{id: 'mine:x', {rule}, anchors: [' ']}}\n"), "an anchor is empty"),
        (&format!("rules:\n- {{id: 'mine:x', {rule}, anchors: [x]}}\n"), "only one character"),
        (&format!("rules:\n- {{id: 'mine:x', {rule}, regex: 'a*'}}\n"), "matches everywhere"),
        (
            "patterns:\n- {id: 'custom:a', pattern: 'aaaa'}\n- {id: 'custom:a', pattern: 'bbbb'}\n",
            "rule `custom:a` (line 2): the id is used twice",
        ),
        ("patterns: [{id: 'custom:a', pattern: '(?:a{1000}){1000}'}]", "too big"),
    ];
    for (text, expected) in cases {
        let error = with_pack(text).unwrap_err();
        assert_eq!(error.kind, Kind::Config, "{text}");
        assert!(error.message.contains("mine.yaml"), "{error}");
        assert!(error.message.contains(expected), "{error}");
        assert!(error.hint.is_some());
    }
    let missing = PackOptions { files: vec!["/nowhere/x.yaml".into()], ..PackOptions::default() };
    assert!(Patterns::load(&missing).unwrap_err().message.contains("/nowhere/x.yaml"));
}

#[test]
fn one_bad_rule_does_not_take_the_others_with_it() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("mine.yaml");
    let text =
        "patterns:\n- {id: 'custom:bad', pattern: '('}\n- {id: 'custom:good', pattern: 'needle'}\n";
    std::fs::write(&file, text).unwrap();
    let lost = folder.path().join("lost.yaml");
    let files = vec![file, lost];
    let (patterns, errors) =
        Patterns::load_usable(&PackOptions { files, ..PackOptions::default() });
    assert_eq!(errors.len(), 2);
    assert_eq!(ids(&patterns, "needle", None, Scope::Log), ["custom:good"]);
    assert!(!patterns.rule("custom:bad").unwrap().enabled);
    let report = patterns.lint(None, false, false).unwrap();
    assert!(!report.passed);
    let reported: Vec<&str> = report.errors.iter().map(|issue| issue.rule_id.as_str()).collect();
    assert!(
        reported.contains(&"custom:bad") && reported.iter().any(|id| id.ends_with("lost.yaml"))
    );
}
