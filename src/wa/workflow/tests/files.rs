//! Declared workflows in files: what is read, what is refused and where.

use super::*;

fn listed(process: &Process) -> Vec<String> {
    process.engine.list().workflows.into_iter().map(|workflow| workflow.name).collect()
}

#[test]
fn the_six_are_there_and_files_are_read_again_when_they_change() {
    let (server, process) = fixture(Setup::default());
    let built_in = [
        "handle_auth_required",
        "handle_claude_code_limits",
        "handle_compaction",
        "handle_gemini_quota",
        "handle_session_end",
        "handle_usage_limits",
    ];
    assert_eq!(listed(&process), built_in);
    let all = process.engine.list().workflows;
    let enabled: Vec<&str> =
        all.iter().filter(|one| one.enabled).map(|one| one.name.as_str()).collect();
    assert_eq!(enabled, ["handle_compaction", "handle_usage_limits"]);
    assert!(all.iter().all(|one| !one.steps.is_empty() && !one.description.is_empty()));

    declare(
        server.folder(),
        "a",
        "{schema_version: 1, name: alpha, steps: [{id: s, type: sleep, duration_ms: 5}]}",
    );
    assert_eq!(listed(&process)[0], "alpha");
    declare(
        server.folder(),
        "a",
        "{schema_version: 1, name: alphabet, steps: [{id: s, type: sleep, duration_ms: 5}]}",
    );
    assert_eq!(listed(&process)[0], "alphabet");
    declare(server.folder(), "b", "{schema_version: 1, name: beta\nsteps: 3");
    let now = process.engine.list();
    assert_eq!(now.workflows.len(), 7, "a broken file hides no other");
    assert_eq!(now.broken.len(), 1);
    assert!(now.broken[0].file.ends_with("b.yaml"));
    assert!(now.broken[0].position.is_some(), "{:?}", now.broken);
    let error = process.engine.run("b", 0, false, &client(), None).unwrap_err();
    assert!(error.hint.unwrap().contains("b.yaml"));
}

#[test]
fn limits_and_mistakes_are_named() {
    let (_server, process) = fixture(Setup::default());
    let long = "x".repeat(8193);
    let wait = |matcher: &str, timeout: &str| {
        format!("steps: [{{id: s, type: wait_for, matcher: {matcher}, timeout_ms: {timeout}}}]")
    };
    let sleeps = (0..33).map(|n| format!("{{id: s{n}, type: sleep, duration_ms: 1}}"));
    let many = format!("steps: [{}]", sleeps.collect::<Vec<_>>().join(", "));
    let one = "{id: s, type: sleep, duration_ms: 1}";
    let table = [
        ("steps: []".to_owned(), "0 entries"),
        (many, "33 entries"),
        (format!("steps: [{one}, {one}]"), "used twice"),
        (format!("steps: [{one}]\ncolour: red"), "colour"),
        (
            format!("steps: [{one}]\non_abort: [{{id: t, type: sleep, duration_ms: 1}}]"),
            "sends only",
        ),
        (format!("steps: [{one}]\ntriggers: {{agent_types: [nobody]}}"), "nobody"),
        (format!("steps: [{one}]\ntriggers: {{rule_ids: [core.x:y]}}"), "core.x:y"),
        ("steps: [{id: s, type: sleep, duration_ms: 30001}]".to_owned(), "30001"),
        ("steps: [{id: s, type: sleep, duration_ms: 0}]".to_owned(), "duration_ms"),
        ("steps: [{id: s, type: sleep}]".to_owned(), "duration_ms"),
        ("steps: [{id: s, type: dance}]".to_owned(), "dance"),
        ("steps: [{id: 'S S', type: sleep, duration_ms: 1}]".to_owned(), "not a valid step id"),
        (wait("{kind: regex, value: '('}", "10"), "step `s`"),
        (wait("{kind: rule, value: core.x:y}", "10"), "core.x:y"),
        (wait("{kind: substring, value: ''}", "10"), "0 bytes"),
        (wait("{kind: substring, value: a}", "120001"), "120001"),
        (wait(&format!("{{kind: substring, value: {}}}", "y".repeat(1025)), "10"), "1025"),
        (format!("steps: [{{id: s, type: send_text, text: {long}}}]"), "8193"),
        ("steps: [{id: s, type: send_text, text: \"\\x03\"}]".to_owned(), "send_ctrl"),
        ("steps: [{id: s, type: send_text, text: \"a\\0b\"}]".to_owned(), "NUL"),
        ("steps: [{id: s, type: send_ctrl, key: ctrl_q}]".to_owned(), "ctrl_q"),
    ];
    for (text, expected) in table {
        let text = format!("schema_version: 1\nname: it\n{text}\n");
        let problem = match serde_yaml::from_str::<declared::Declared>(&text) {
            Ok(declared) => declared::check(&declared, &process.context.patterns).unwrap_err(),
            Err(error) => error.to_string(),
        };
        assert!(problem.contains(expected), "{text}: {problem}");
    }
    let head = |version: u32, name: &str| {
        format!("schema_version: {version}\nname: {name}\nsteps: [{one}]")
    };
    for (text, expected) in [
        (head(2, "it"), "only 1 is supported"),
        (head(1, "It"), "lower-case"),
        (head(1, &"n".repeat(65)), "1 to 64"),
    ] {
        let declared = serde_yaml::from_str::<declared::Declared>(&text).unwrap();
        let problem = declared::check(&declared, &process.context.patterns).unwrap_err();
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn a_name_is_taken_only_once() {
    let (server, process) = fixture(Setup::default());
    let text = |name: &str| {
        format!(
            "{{schema_version: 1, name: {name}, steps: [{{id: s, type: sleep, duration_ms: 5}}]}}"
        )
    };
    declare(server.folder(), "a", &text("handle_compaction"));
    declare(server.folder(), "b", &text("mine"));
    declare(server.folder(), "c", &text("mine"));
    let listed = process.engine.list();
    assert_eq!(listed.workflows.len(), 7);
    let broken: Vec<_> = listed.broken.iter().map(|one| one.problem.as_str()).collect();
    assert_eq!(broken, ["the name `handle_compaction` is taken", "the name `mine` is taken"]);
}

#[test]
fn prompts_have_a_name_and_a_length() {
    let folder = tempfile::tempdir().unwrap();
    let process = Process::new(folder.path(), "/nowhere/sock".to_owned(), Setup::default());
    for (name, text) in [("team:x", "hello".to_owned()), ("default", "y".repeat(MAX_PROMPT + 1))] {
        let old = &process.context;
        let context = Context {
            store: Arc::clone(&old.store),
            history: Arc::clone(&old.history),
            set: Arc::clone(&old.set),
            patterns: Arc::clone(&old.patterns),
            policy: Arc::clone(&old.policy),
            accounts: Arc::clone(&old.accounts),
            clock: Arc::clone(&old.clock),
            ids: Arc::clone(&old.ids),
            folder: old.folder.clone(),
            options: Options {
                prompts: BTreeMap::from([(name.to_owned(), text)]),
                ..Options::default()
            },
        };
        let error = Workflows::new(Arc::new(context)).err().unwrap();
        assert_eq!(error.kind, Kind::Config);
        assert!(error.message.contains(name), "{error}");
    }
}
