//! Two folders: exit status, formats, accepted breaks, broken sides.

use serde_json::Value;

use super::{ROOT, diff, pair, stderr, stdout};

#[test]
fn what_breaks_fails_and_what_adds_does_not() {
    let breaking = pair("argument_removed");
    let output = diff(breaking.path(), &["old", "new"]);
    assert_eq!(output.status.code(), Some(1));
    let text = stdout(&output);
    assert!(text.contains("breaking[argument-removed]"), "{text}");
    assert!(text.trim_end().ends_with("verdict: major (1 breaking)"), "{text}");

    let additive = pair("argument_added");
    let output = diff(additive.path(), &["old", "new"]);
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn a_folder_is_no_different_from_itself() {
    let output = diff(ROOT.as_ref(), &["specs", "specs"]);
    assert_eq!(output.status.code(), Some(0));
    let text = stdout(&output);
    // Beside what was accepted for a change that has landed.
    let mut rest =
        text.lines().filter(|line| !line.ends_with("is no longer needed; remove the entry"));
    assert_eq!((rest.next(), rest.next()), (Some("verdict: none (no change)"), None), "{text}");
}

#[test]
fn json_is_one_object_and_always_the_same_bytes() {
    let pair = pair("several_at_once");
    let run = || stdout(&diff(pair.path(), &["old", "new", "--format", "json"]));
    let text = run();
    assert_eq!(text, run());
    assert_eq!(text.lines().count(), 1);
    let value: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!((&value["verdict"], &value["breaking"]), (&"major".into(), &3.into()));
    let rules: Vec<&str> =
        value["changes"].as_array().unwrap().iter().filter_map(|c| c["rule"].as_str()).collect();
    assert!(rules.contains(&"guard-removed"), "{rules:?}");
    assert_eq!(value["changes"][0]["new"]["file"], "new/demo/tools/find.yaml");
}

#[test]
fn workflow_commands_are_one_line_each() {
    let pair = pair("several_at_once");
    let output = diff(pair.path(), &["old", "new", "--format", "github"]);
    let text = stdout(&output);
    let (last, commands) =
        text.trim_end().rsplit_once('\n').map(|(rest, last)| (last, rest)).expect("several lines");
    assert!(last.starts_with("verdict: major"), "{text}");
    for line in commands.lines() {
        let known = ["::error file=", "::notice file="].iter().any(|start| line.starts_with(start));
        assert!(known, "{line}");
    }
    assert_eq!(commands.lines().filter(|line| line.starts_with("::error ")).count(), 3);
}

#[test]
fn a_side_that_does_not_compile_is_shown_and_not_compared() {
    let pair = pair("argument_removed");
    let spec = pair.path().join("old/demo/tools/find.yaml");
    let text = std::fs::read_to_string(&spec).expect("a spec");
    std::fs::write(&spec, text.replace("effects: read", "efects: read")).expect("writable");
    let output = diff(pair.path(), &["old", "new"]);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!(stdout(&output), "");
    let said = stderr(&output);
    assert!(said.contains("`old` do not compile"), "{said}");
    assert!(said.contains("error[TW003]") && said.contains("did you mean `effects`"), "{said}");
}

#[test]
fn accepted_breaks_beside_the_new_specs_pass_with_their_reason() {
    let pair = pair("argument_removed");
    let file = pair.path().join("new/accepted-breaks.yaml");
    let entry = "- {rule: argument-removed, surface: demo, subject: find, reason: never used}\n";
    std::fs::write(&file, entry).expect("writable");
    let output = diff(pair.path(), &["old", "new"]);
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert!(text.contains("accepted[argument-removed]"), "{text}");
    assert!(text.contains("accepted: never used"), "{text}");

    // The other way round it was never there.
    let output = diff(pair.path(), &["new", "old", "--accepted", "new/accepted-breaks.yaml"]);
    let text = stdout(&output);
    assert!(text.contains("warning: new/accepted-breaks.yaml:1:4"), "{text}");
    assert!(text.contains("no longer needed"), "{text}");
    assert_eq!(output.status.code(), Some(0), "{text}");
}

#[test]
fn accepted_breaks_need_a_reason_and_a_file() {
    let pair = pair("argument_removed");
    let file = pair.path().join("new/accepted-breaks.yaml");
    std::fs::write(&file, "- {rule: argument-removed, surface: demo, subject: find}\n").unwrap();
    let output = diff(pair.path(), &["old", "new"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("must have the key `reason`"), "{}", stderr(&output));

    let output = diff(pair.path(), &["old", "new", "--accepted", "nowhere.yaml"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("`nowhere.yaml`"), "{}", stderr(&output));
}

#[test]
fn the_accepted_breaks_of_this_repository_fit_their_schema() {
    let schema = std::fs::read_to_string(format!("{ROOT}/specs/accepted-breaks.schema.json"));
    let schema: Value = serde_json::from_str(&schema.expect("a schema")).expect("JSON");
    let validator = jsonschema::validator_for(&schema).expect("a schema");
    let entry = |text: &str| serde_json::from_str::<Value>(text).expect("JSON");
    let file = std::fs::read_to_string(format!("{ROOT}/specs/accepted-breaks.yaml"));
    let file: Value = serde_yaml::from_str(&file.expect("a file")).expect("YAML");
    assert!(validator.is_valid(&file), "{file}");
    let whole = r#"[{"rule": "tool-removed", "surface": "a", "subject": "b", "reason": "c"}]"#;
    assert!(validator.is_valid(&entry(whole)));
    assert!(!validator.is_valid(&entry(r#"[{"rule": "tool-removed", "surface": "a"}]"#)));
    let output = diff(ROOT.as_ref(), &["specs", "specs"]);
    assert_eq!(stderr(&output), "", "the file is readable");
}
