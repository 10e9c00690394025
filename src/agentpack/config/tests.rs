//! What is accepted, what is refused, in which words.

use super::*;

const GOOD: &str = "
version: 1
profiles:
  default: {include_tags: [base]}
  work: {include_tags: [base, work], include_modules: ['prompt:x'], exclude_modules: ['skill:b']}
targets:
  codex: {mode: files, scope: both}
  cursor: {mode: files, scope: project, options: {write_rules: 'no'}}
modules:
  - {id: 'skill:b', type: skill, tags: [base], source: {local_path: {path: modules/b}}}
  - {id: 'skill:a', type: skill, tags: [work], source: {local_path: {path: modules/a}}}
  - {id: 'prompt:x', type: prompt, targets: [codex], source: {git: {url: 'https://e/x'}}}
  - {id: 'skill:off', type: skill, enabled: false, tags: [base], source: {local_path: {path: o}}}
";

fn read(text: &str) -> Result<Config> {
    parse(Path::new("/r/agentpack.yaml"), text)
}

/// The failure for `GOOD` with one replacement.
fn refused(from: &str, to: &str) -> Failure<Error> {
    assert!(GOOD.contains(from), "{from}");
    read(&GOOD.replacen(from, to, 1)).unwrap_err()
}

#[test]
fn a_good_config_is_read_with_its_defaults() {
    let config = read(GOOD).unwrap();
    assert_eq!(config.targets[&Target::Codex].scope, Scope::Both);
    assert!(!config.targets[&Target::Cursor].options.flag("write_rules", true));
    let Source::Git(git) = &config.modules[2].source else { panic!() };
    assert_eq!((git.reference.as_str(), git.subdir.as_str(), git.shallow), ("main", "", true));
    assert!(config.modules[2].goes_to(Target::Codex) && !config.modules[2].goes_to(Target::Vscode));
    assert!(config.oddities.is_empty(), "{:?}", config.oddities);
}

#[test]
fn profiles_select_and_sort() {
    let config = read(GOOD).unwrap();
    let ids = |profile: &str| -> Vec<String> {
        let modules = selected_modules(&config, profile).unwrap();
        modules.into_iter().map(|module| module.id.clone()).collect()
    };
    assert_eq!(ids("default"), ["skill:b"]);
    assert_eq!(ids("work"), ["prompt:x", "skill:a"]);
    let failure = selected_modules(&config, "wrok").unwrap_err();
    assert_eq!(failure.kind(), Error::ProfileUnknown);
    assert!(failure.message().contains("Did you mean `work`?"), "{failure}");
    assert_eq!(failure.erase().details["allowed"], serde_json::json!(["default", "work"]));
}

#[test]
fn what_is_wrong_is_named() {
    for (from, to, what) in [
        ("version: 1", "version: one", "version: must be the number 1"),
        ("version: 1", "other: 1", "version: is missing"),
        ("mode: files", "mode: links", "targets.codex.mode: unknown variant `links`"),
        ("scope: both", "scope: all", "targets.codex.scope"),
        (
            "cursor: {mode: files, scope: project",
            "cursor: {mode: files, scope: user",
            "no user scope",
        ),
        ("  default:", "  other:", "profile `default` is missing"),
        ("'skill:a'", "'skill:b'", "`skill:b` is there twice"),
        ("type: prompt", "type: tool", "unknown variant `tool`"),
        ("{git: {url: 'https://e/x'}}", "{}", "exactly one of local_path and git, it has none"),
        (
            "{git: {url: 'https://e/x'}}",
            "{git: {url: u}, local_path: {path: p}}",
            "exactly one of local_path and git, it has both",
        ),
        ("'skill:a'", "'skill:../../../x'", "outside its folder"),
        ("'skill:a'", "'skill:/etc'", "outside its folder"),
        ("'skill:a'", "'skill:'", "outside its folder"),
        ("'skill:a'", "\"skill:a\\nb\"", "no id may have"),
        ("'skill:a'", "' '", "empty id"),
        ("\nmodules:", "\ntargets: {}\nmodules:", "duplicate"),
        ("include_tags: [base]}", "include_tags: [base], include_tags: []}", "duplicate"),
        ("scope: both}", "scope: both, options: {skills_dir: ../x}}", "no relative folder"),
        ("\nmodules:", "\nmodules: [", "while parsing"),
    ] {
        let failure = refused(from, to);
        assert_eq!(failure.kind(), Error::ConfigInvalid, "{to}");
        assert!(failure.message().contains(what), "{to}: {failure}");
        assert!(failure.message().contains("/r/agentpack.yaml"), "{failure}");
    }
}

#[test]
fn the_version_is_checked_first() {
    let failure = refused("version: 1", "version: 2\nfuture: [");
    assert_eq!(failure.kind(), Error::ConfigInvalid);
    let failure = read("version: 2\ntargets: 7\n").unwrap_err();
    assert_eq!(failure.kind(), Error::ConfigUnsupportedVersion);
    let details = failure.erase().details;
    assert_eq!((&details["version"], &details["supported"]), (&2.into(), &serde_json::json!([1])));
}

#[test]
fn unknown_targets_are_refused_and_upstreams_own_only_when_they_would_be_deployed() {
    let failure = refused("cursor:", "curso:");
    assert_eq!(failure.kind(), Error::TargetUnsupported);
    let details = failure.erase().details;
    assert_eq!(details["reason_code"], "target_not_compiled");
    assert_eq!(details["next_actions"][1], "edit_manifest_targets");
    let failure = refused("targets: [codex]", "targets: [zeb]");
    assert_eq!(failure.erase().details["module_id"], "prompt:x");

    let with_zed = GOOD.replace("\nmodules:", "\n  zed: {mode: files, scope: project}\nmodules:");
    let config = read(&with_zed.replace("targets: [codex]", "targets: [jetbrains]")).unwrap();
    assert!(config.oddities[0].contains("jetbrains"), "{:?}", config.oddities);
    let mut warnings = Vec::new();
    let one = selected_targets(&config, Some(Target::Codex), &mut warnings).unwrap();
    assert_eq!(one, [Target::Codex]);
    assert!(warnings[0].contains("`zed`"));
    let failure = selected_targets(&config, None, &mut warnings).unwrap_err();
    assert_eq!(failure.kind(), Error::TargetUnsupported);
    assert_eq!(failure.erase().details["missing"], serde_json::json!(["zed"]));
}

#[test]
fn a_target_must_be_known_and_configured() {
    let config = read(GOOD).unwrap();
    let mut warnings = Vec::new();
    let all = selected_targets(&config, None, &mut warnings).unwrap();
    assert_eq!(all, [Target::Codex, Target::Cursor]);
    let failure = selected_targets(&config, Some(Target::Vscode), &mut warnings).unwrap_err();
    assert_eq!(failure.kind(), Error::ConfigInvalid);
    assert!(failure.message().contains("`vscode` is not configured"));
}

#[test]
fn unknown_keys_are_accepted_and_reported() {
    let text = GOOD
        .replace("version: 1", "version: 1\nextra: 1")
        .replace("scope: both", "scope: both, colour: red, options: {write_nothing: true}")
        .replace("tags: [work]", "tags: [work], metadata: {any: thing}, name: x")
        .replace("exclude_modules: ['skill:b']", "exclude_modules: ['skill:gone']");
    let config = read(&text).unwrap();
    let found = config.oddities.join("\n");
    for key in [
        "`extra`",
        "`targets.codex.colour`",
        "`targets.codex.options.write_nothing`",
        "`modules[1].name`",
        "`skill:gone`",
    ] {
        assert!(found.contains(key), "{key}: {found}");
    }
    assert_eq!(config.oddities.len(), 5, "{found}");
}

#[test]
fn a_missing_config_names_its_path() {
    let dir = tempfile::tempdir().unwrap();
    let failure = load(dir.path()).unwrap_err();
    assert_eq!(failure.kind(), Error::ConfigMissing);
    let details = failure.erase().details;
    assert_eq!(details["path"], dir.path().join("agentpack.yaml").to_str().unwrap());
    std::fs::create_dir(dir.path().join("agentpack.yaml")).unwrap();
    let failure = load(dir.path()).unwrap_err();
    assert_eq!(failure.kind(), Error::IoInvalidPath);
    assert!(failure.message().contains("it is a folder"), "{failure}");
}

#[test]
fn an_empty_config_is_a_config_without_anything() {
    let config = read("version: 1\nprofiles: {default: {include_tags: }}\n").unwrap();
    assert!(config.targets.is_empty() && config.modules.is_empty());
}
