//! The contract diff against the pairs of `tests/specs/diff`: one folder, one kind of change, one
//! test.
//!
//! Both versions are `base/` with the files of `old/` or `new/` laid over it; `expected.txt` is the
//! report. `UPDATE_EXPECTED=1 cargo test` writes it; read it before you keep it.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed helper is a failed test")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use toolwright_codegen::diagnostics::Colour;
use toolwright_codegen::diff::{Accepted, Change, Diff, Impact, Level, RULES, Version, changelog};
use toolwright_codegen::{Files, Loaded, load_files};
use toolwright_testing::expected;

/// The day on which the fixtures are judged.
const TODAY: &str = "2026-01-01";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/specs/diff")
}

fn add_files(root: &Path, below: &Path, files: &mut Files) {
    let Ok(entries) = std::fs::read_dir(below) else { return };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            add_files(root, &path, files);
        } else {
            let name = path.strip_prefix(root).unwrap().to_str().unwrap().replace('\\', "/");
            files.insert(name, Ok(std::fs::read(&path).unwrap()));
        }
    }
}

fn files(kind: &str, side: &str) -> Files {
    let mut files = Files::new();
    for folder in [fixtures().join("base"), fixtures().join(kind).join(side)] {
        add_files(&folder, &folder, &mut files);
    }
    files
}

fn load(kind: &str, side: &str) -> Loaded {
    let loaded = load_files(Path::new(side), &files(kind, side));
    assert!(!loaded.report.has_errors(), "{kind}/{side}:\n{}", loaded.report);
    loaded
}

fn version<'a>(name: &'a str, loaded: &'a Loaded) -> Version<'a> {
    Version { name, revision: None, loaded }
}

/// Hands the diff of a pair to a test.
fn with_diff<T>(kind: &str, test: impl FnOnce(Diff<'_>) -> T) -> T {
    let (old, new) = (load(kind, "old"), load(kind, "new"));
    test(Diff::new(version("old", &old), version("new", &new), Some(TODAY)))
}

fn check(kind: &str) {
    let (old, new) = (load(kind, "old"), load(kind, "new"));
    let diff = |from, to| Diff::new(from, to, Some(TODAY));
    let (from, to) = (version("old", &old), version("new", &new));
    let there = diff(from, to);
    assert!(!there.changes.is_empty(), "nothing changes");
    there.changes.iter().for_each(consistent);
    assert!(!diff(to, from).changes.is_empty(), "the way back changes nothing");
    for same in [from, to] {
        let nothing = diff(same, same);
        assert_eq!(nothing.impact(), Impact::None, "{:?}", nothing.changes);
    }

    let file = expected_file(kind);
    let actual = there.to_text(Colour::Never);
    expected::compare(&file, &actual).unwrap();
}

fn expected_file(kind: &str) -> PathBuf {
    fixtures().join(kind).join("expected.txt")
}

/// What every change owes its readers.
fn consistent(change: &Change) {
    let spots = [&change.old, &change.new];
    assert!(spots.iter().any(|location| location.is_some()), "{} has no place", change.message);
    assert!(change.pointer.starts_with('/'), "{}", change.pointer);
    assert!(!change.message.ends_with('.') && !change.message.contains('\n'), "{}", change.message);
    assert!(!(change.rule.breaking && change.rule.level == Level::Prose));
}

/// One test for each folder.
macro_rules! kinds {
    ($($kind:ident)*) => {
        mod kind {
            $(#[test] fn $kind() { super::check(stringify!($kind)); })*
        }
        const KINDS: &[&str] = &[$(stringify!($kind)),*];
    };
}

kinds! {
    argument_added
    argument_alias_added
    argument_alias_changed
    argument_alias_removed
    argument_deprecated
    argument_deprecation_removed
    argument_description_changed
    argument_of_a_shared_type_described_beside_it
    argument_removed
    argument_renamed
    argument_renamed_with_alias
    arguments_closed
    arguments_opened
    bound_loosened
    bound_tightened
    budget_lowered
    budget_raised
    builtin_error_changed
    command_changed
    config_added
    config_changed
    const_changed
    constraint_added
    constraint_loosened
    constraint_removed
    constraint_tightened
    contract_version_changed
    default_added
    default_changed
    default_removed
    deprecated_added
    deprecated_removed
    deprecation_changed
    description_changed
    effects_lowered
    effects_raised
    enum_added
    enum_narrowed
    enum_removed
    enum_widened
    envelope_changed
    envelope_element_changed
    envelope_member_added
    envelope_member_removed
    error_added
    error_alias_added
    error_alias_removed
    error_code_changed
    error_code_reused
    error_details_added
    error_details_changed
    error_exit_changed
    error_jsonrpc_changed
    error_kind_renamed
    error_next_changed
    error_removed
    error_retryable_changed
    error_when_changed
    examples_changed
    format_changed
    format_removed
    guard_added
    guard_admission_changed
    guard_binding_changed
    guard_field_changed
    guard_identity_changed
    guard_issuer_changed
    guard_message_changed
    guard_order_changed
    guard_parameter_words_changed
    guard_parameters_changed
    guard_refusal_changed
    guard_rehearsal_changed
    guard_removed
    guard_replaced_by_a_stronger_one
    guard_replaced_by_a_weaker_one
    guard_replaced_by_an_equal_one
    guard_strength_lowered
    guard_strength_raised
    guard_strengthened_by_ttl
    guard_strengthened_by_unless
    guard_undeclared
    guard_weakened_by_a_missing_project
    guard_weakened_by_a_stand_in
    guard_weakened_by_ttl
    guard_weakened_by_unless
    guard_words_changed
    handling_changed
    icons_changed
    idempotence_gained
    idempotence_lost
    identity_added
    identity_changed
    identity_removed
    instructions_changed
    items_bound_added
    length_tightened
    meta_added
    meta_changed
    names_prefix_changed
    open_world_gained
    open_world_lost
    output_added
    output_bound_loosened
    output_bound_tightened
    output_closed
    output_default_changed
    output_deprecated
    output_deprecation_removed
    output_enum_narrowed
    output_enum_widened
    output_format_added
    output_format_changed
    output_made_optional
    output_made_required
    output_opened
    output_pattern_added
    output_pattern_changed
    output_removed
    output_renamed
    output_type_changed
    output_type_narrowed
    output_type_widened
    output_variant_added
    output_variant_removed
    pattern_changed
    pattern_removed
    promise_added
    promise_removed
    prompt_added
    prompt_argument_added
    prompt_argument_narrowed
    prompt_argument_optional
    prompt_argument_removed
    prompt_argument_required
    prompt_argument_widened
    prompt_offer_changed
    prompt_offered
    prompt_removed
    prompt_words_changed
    required_added
    required_argument_added
    required_argument_gets_a_default
    required_removed
    resource_added
    resource_arguments_changed
    resource_member_changed
    resource_not_found_changed
    resource_removed
    resource_source_changed
    resource_subscription_added
    resource_subscription_removed
    resource_text_changed
    resource_type_changed
    resource_variable_renamed
    resource_words_changed
    role_added
    role_for_every_tool_added
    role_narrowed
    role_removed
    role_widened
    role_widened_by_a_new_tool
    role_widened_by_a_renamed_tool
    secret_gained
    secret_lost
    setting_added
    setting_alias_added
    setting_alias_removed
    setting_choices_narrowed
    setting_choices_widened
    setting_default_changed
    setting_env_added
    setting_env_changed
    setting_flag_added
    setting_flag_changed
    setting_range_loosened
    setting_range_tightened
    setting_removed
    setting_renamed
    setting_renamed_with_alias
    setting_type_changed
    setting_words_changed
    several_at_once
    since_changed
    sunset_earlier
    surface_added
    surface_removed
    surface_title_changed
    title_changed
    tool_added
    tool_error_added
    tool_error_removed
    tool_listed
    tool_removed
    tool_removed_after_its_sunset
    tool_removed_before_its_sunset
    tool_removed_with_the_version_of_its_sunset
    tool_removed_without_a_sunset
    tool_renamed
    tool_renamed_and_the_old_one_kept
    tool_unlisted
    toolset_added
    toolset_budget_raised
    toolset_narrowed
    toolset_removed
    toolset_widened
    type_changed
    type_description_changed
    type_may_be_null
    type_narrowed
    type_no_longer_null
    type_of_inputs_and_outputs_narrowed
    type_of_inputs_and_outputs_requires_more
    type_of_inputs_and_outputs_widened
    type_renamed_only
    type_widened
    type_written_out
    undescribed_reason_changed
    variant_added
    variant_removed
    weak_guard_acceptance_removed
    weak_guard_accepted
    weak_guard_reason_changed
}

#[test]
fn every_folder_is_listed_as_a_test() {
    let mut folders: Vec<String> = std::fs::read_dir(fixtures())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "base")
        .collect();
    folders.sort();
    assert_eq!(folders, KINDS);
}

#[test]
fn every_rule_is_brought_about_by_some_pair() {
    let reports: String = KINDS
        .iter()
        .map(|kind| std::fs::read_to_string(expected_file(kind)).unwrap_or_default())
        .collect();
    let missing: Vec<&str> = RULES
        .iter()
        .map(|rule| rule.id)
        .filter(|id| !reports.contains(&format!("[{id}]")))
        .collect();
    assert!(missing.is_empty(), "no pair brings about {missing:?}");
}

#[test]
fn any_two_versions_can_be_compared_and_shown() {
    let versions: Vec<Loaded> = KINDS.iter().step_by(7).map(|kind| load(kind, "new")).collect();
    for (old, new) in versions.iter().zip(versions.iter().skip(1)) {
        let diff = Diff::new(version("a", old), version("b", new), None);
        diff.changes.iter().for_each(consistent);
        let shown = [diff.to_text(Colour::Always), diff.to_github(), diff.to_changelog()];
        assert!(shown.iter().all(|text| !text.is_empty()));
        let json = diff.to_json();
        assert_eq!(json["changes"].as_array().map(Vec::len), Some(diff.changes.len()));
    }
}

#[test]
fn rules_are_unique_and_written_in_kebab_case_with_reasons() {
    let ids: Vec<&str> = RULES.iter().map(|rule| rule.id).collect();
    let unique: BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(ids.len(), unique.len());
    for rule in RULES.iter() {
        assert!(rule.id.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{}", rule.id);
        assert!(rule.doc.ends_with('.') && !rule.hint.is_empty(), "{}", rule.id);
    }
}

#[test]
fn a_change_of_a_shared_type_is_told_once_with_all_its_users() {
    with_diff("type_of_inputs_and_outputs_widened", |diff| {
        let [change] = diff.changes.as_slice() else { panic!("{:?}", diff.changes) };
        assert_eq!(change.rule.id, "output-enum-widened", "the worst use decides");
        assert_eq!(change.subject, "type Unit");
        assert_eq!(change.pointer, "/$defs/Unit/enum");
        let users: Vec<String> =
            change.affects.iter().map(|(tool, used)| format!("{tool} {}", used.word())).collect();
        assert_eq!(users, ["find input", "measure input", "measure output"]);
    });
}

#[test]
fn places_are_where_the_thing_is_written() {
    with_diff("output_removed", |diff| {
        let change = &diff.changes[0];
        let (old, new) = (change.old.as_ref().unwrap(), change.new.as_ref().unwrap());
        assert_eq!(old.span.file, Path::new("old/demo/types.yaml"));
        assert_eq!((old.line, old.column, old.present), (10, 7, true));
        // The parent stands for what is gone.
        assert_eq!((new.line, new.column, new.present), (7, 5, false));
    });
}

#[test]
fn pointers_lead_to_elements_of_lists_by_their_index() {
    with_diff("guard_weakened_by_ttl", |diff| {
        assert_eq!(diff.changes[0].pointer, "/guards/2/two_stage/ttl");
    });
    with_diff("tool_error_added", |diff| assert_eq!(diff.changes[0].pointer, "/errors/1"));
}

#[test]
fn a_sunset_counts_on_the_day_itself_and_never_where_the_day_is_unknown() {
    let kind = "tool_removed_before_its_sunset";
    let (old, new) = (load(kind, "old"), load(kind, "new"));
    let rule = |today: Option<&str>| {
        Diff::new(version("old", &old), version("new", &new), today).changes[0].rule.id
    };
    assert_eq!(rule(Some("2029-12-31")), "tool-removed-early");
    assert_eq!(rule(Some("2030-01-01")), "tool-removed-after-sunset");
    assert_eq!(rule(None), "tool-removed-early");
}

fn accepted(text: &str) -> Accepted {
    Accepted::read(Path::new("specs/accepted-breaks.yaml"), text.as_bytes()).unwrap()
}

#[test]
fn an_accepted_break_is_told_with_its_reason_and_does_not_fail() {
    with_diff("output_removed", |mut diff| {
        assert_eq!(diff.impact(), Impact::Major);
        diff.accept(&accepted(
            "- {rule: output-removed, surface: demo, subject: type Thing, reason: nobody read it}",
        ));
        assert_eq!(diff.impact(), Impact::Minor);
        assert!(diff.stale.is_empty());
        let text = diff.to_text(Colour::Never);
        assert!(text.contains("accepted[output-removed]"), "{text}");
        assert!(text.contains("accepted: nobody read it"), "{text}");
        assert!(text.contains("verdict: minor (1 accepted)"), "{text}");
    });
}

#[test]
fn an_accepted_break_may_name_the_very_place() {
    with_diff("output_removed", |mut diff| {
        let entry = |pointer: &str| {
            accepted(&format!(
                "- rule: output-removed\n  surface: demo\n  subject: type Thing#{pointer}\n  \
                 reason: nobody read it\n  since: v2\n"
            ))
        };
        diff.accept(&entry("/$defs/Thing/properties/note"));
        assert_eq!((diff.impact(), diff.stale.len()), (Impact::Major, 1));
        diff.accept(&entry("/$defs/Thing/properties/size"));
        assert_eq!(diff.impact(), Impact::Minor);
    });
}

#[test]
fn an_accepted_break_that_matches_nothing_is_no_longer_needed() {
    with_diff("output_added", |mut diff| {
        diff.accept(&accepted(
            "# a comment\n- {rule: tool-removed, surface: demo, subject: find, reason: x}\n",
        ));
        let text = diff.to_text(Colour::Never);
        assert!(text.contains("specs/accepted-breaks.yaml:2:4"), "{text}");
        assert!(text.contains("no longer needed"), "{text}");
        assert_eq!(diff.impact(), Impact::Minor);
    });
}

#[test]
fn accepted_breaks_that_could_mean_anything_are_refused() {
    let cases = [
        ("- {rule: tool-removed, surface: a, subject: b}", "must have the key `reason`"),
        ("- {rule: tool-removed, surface: a, subject: b, reason: \" \"}", "`reason` is empty"),
        ("- {rule: tool-remved, surface: a, subject: b, reason: c}", "did you mean `tool-removed`"),
        ("- {rule: tool-added, surface: a, subject: b, reason: c}", "not a breaking rule"),
        ("- {rule: tool-removed, surface: a, subjekt: b, reason: c}", "did you mean `subject`"),
        ("rule: tool-removed", "accepted breaks must be a list"),
        ("- [", "invalid YAML"),
    ];
    for (text, expected) in cases {
        let report = Accepted::read(Path::new("a.yaml"), text.as_bytes()).unwrap_err();
        assert!(report.to_string().contains(expected), "{text}:\n{report}");
        assert!(report.to_string().contains("a.yaml:1:"), "{report}");
    }
    for nothing in ["", "[]", "# none\n"] {
        assert!(accepted(nothing).entries.is_empty());
    }
}

#[test]
fn the_json_form_is_the_same_bytes_and_has_places_in_both_versions() {
    let json = || with_diff("several_at_once", |diff| diff.to_json().to_string());
    assert_eq!(json(), json());
    let value: serde_json::Value = serde_json::from_str(&json()).unwrap();
    assert_eq!(value["verdict"], "major");
    for change in value["changes"].as_array().unwrap() {
        for side in ["old", "new"] {
            assert!(change[side]["line"].as_u64().unwrap() >= 1, "{change}");
            assert!(change[side]["file"].as_str().unwrap().starts_with(side), "{change}");
        }
    }
}

#[test]
fn workflow_commands_point_into_the_new_version_and_escape_what_they_say() {
    let (old, mut new_files) = (load("base", "old"), files("base", "new"));
    let find = "demo/tools/find.yaml";
    let text = String::from_utf8(new_files[find].clone().unwrap()).unwrap();
    let text = text.replace("enum: [fast, slow]", "enum: [\"100%, or: so\"]");
    new_files.insert(find.to_owned(), Ok(text.into_bytes()));
    let new = load_files(Path::new("sp,ecs"), &new_files);
    let diff = Diff::new(version("old", &old), version("new", &new), None);
    let text = diff.to_github();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 3, "{text}");
    let start =
        "::error file=sp%2Cecs/demo/tools/find.yaml,line=12,col=26,title=wire enum-narrowed";
    assert!(lines[0].starts_with(start), "{text}");
    assert!(lines[0].contains("100%25, or: so"), "{text}");
    assert!(lines[0].contains("%0Awas old/demo/tools/find.yaml:12:33%0Ahelp: "), "{text}");
    assert!(lines[1].starts_with("::notice file="), "{text}");
    assert_eq!(lines[2], "verdict: major (1 breaking, 1 additive)");
}

#[test]
fn a_changelog_groups_what_breaks_what_is_new_and_counts_words() {
    let section = with_diff("several_at_once", |mut diff| {
        diff.accept(&accepted(
            "- {rule: guard-removed, surface: shop, subject: buy, reason: the till asks}",
        ));
        diff.to_changelog()
    });
    insta::assert_snapshot!(section);
    let document = "# Changes\n\n<!-- changes:since v1 -->\n<!-- /changes -->\n";
    let fresh = changelog::refresh(document, &section).unwrap();
    assert_eq!(changelog::refresh(&fresh, &section).unwrap(), fresh);
}

#[test]
fn coloured_text_has_the_words_of_the_plain_one() {
    with_diff("enum_narrowed", |diff| {
        let coloured = diff.to_text(Colour::Always);
        assert!(coloured.contains("\u{1b}["));
        assert!(coloured.contains("breaking"));
    });
}
