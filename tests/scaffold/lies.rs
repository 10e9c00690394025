//! Handlers that do not keep what their contract says, in a new package: its own `cargo test` finds them,
//! and its server reports answers that do not match.

use std::path::Path;

use serde_json::json;
use toolwright_testing::{HttpServer, ServerHome};

use crate::package::{cargo, program, settle};
use crate::{new_package, toolwright};

/// Makes a tool, then has its handler do something more, or its contract say something else.
fn add(package: &Path, name: &str, tool: &str, effects: &str, changes: &[(&str, &str, &str)]) {
    toolwright(package, &["add-tool", name, tool, "--effects", effects]).ok();
    for (file, old, new) in changes {
        let path = match *file {
            "spec" => package.join(format!("specs/{name}/tools/{tool}.yaml")),
            _ => package.join(format!("src/tools/{tool}.rs")),
        };
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "no {old} in {text}");
        std::fs::write(path, text.replace(old, new)).unwrap();
    }
}

#[test]
fn handlers_that_lie_fail_the_tests_of_their_author() {
    let name = format!("lying_{}", std::process::id());
    let (_folder, package) = new_package(&name);
    settle(&package);
    // Reads, and leaves a file behind.
    let write = "std::fs::write(\"peeked.txt\", \"\").unwrap();\n        Ok(";
    add(&package, &name, "peek", "read", &[("handler", "Ok(", write)]);
    // Says that a second call does nothing more, and keeps every call.
    let append = "use std::io::Write as _;\n        let mut log = std::fs::File::options()\
        .append(true).create(true).open(\"log\").unwrap();\n        \
        log.write_all(b\"kept\").unwrap();\n        Ok(";
    let changes = [("spec", "idempotent: false", "idempotent: true"), ("handler", "Ok(", append)];
    add(&package, &name, "keep", "write", &changes);
    // Answers with more than its contract allows.
    let short = "text: {type: string, maxLength: 8, description: The same text.}";
    let changes = [
        ("spec", "text: {type: string, description: The same text.}", short),
        ("handler", "request.text", "request.text.repeat(2)"),
    ];
    add(&package, &name, "twice", "read", &changes);

    let output = cargo(&package, "test");
    assert!(!output.succeeded(), "{}", output.stdout);
    let missing = |words: &str| format!("no `{words}` in {}\n{}", output.stdout, output.stderr);
    let said = |words: &str| output.stdout.contains(words) || output.stderr.contains(words);
    for words in [
        "peek / works: `effects: read`, but ",
        "/peeked.txt` is new",
        "keep / works: `idempotent: true`, but the second call did more: ",
        "/log` changed",
        "twice / works: failed: ",
    ] {
        assert!(said(words), "{}", missing(words));
    }
    for (test, result) in [
        ("nothing_changes_on_reads_refusals_and_errors", "FAILED"),
        ("idempotent_tools_change_nothing_the_second_time", "FAILED"),
        ("examples_answer_as_written", "FAILED"),
        ("mutated_examples_are_invalid_arguments", "ok"),
    ] {
        let line = format!("contract_tests::{test} ... {result}");
        assert!(said(&line), "{}", missing(&line));
    }
    invalid_answers_are_reported(&name);
    std::fs::remove_file(program(&name)).unwrap();
}

/// The same program, as its author and its operator see it.
fn invalid_answers_are_reported(name: &str) {
    let wrong = "the answer of `twice` does not match its output schema: /text: must have 8 characters or \
                 less (maxLength)";
    let home = ServerHome::for_program(program(name));
    let failed = home.run(&["twice", "--text", "hello"]).exits_with(70);
    assert!(failed.stderr.contains(wrong), "{}", failed.stderr);
    assert!(failed.stderr.contains("request_id=\"cli\""), "{}", failed.stderr);
    let sent = home.run(&["twice", "--text", "hello", "--validate-output", "log"]).ok();
    assert_eq!(sent.json(), json!({"text": "hellohello"}));
    assert!(sent.stderr.contains(wrong), "{}", sent.stderr);

    let log = home.path("log");
    let lenient = home.clone().env(&format!("{}_VALIDATE_OUTPUT", name.to_uppercase()), "log");
    let file = std::fs::File::create(&log).unwrap();
    let mut server = HttpServer::spawn_logging(lenient.server(), file);
    let mut web = server.connect();
    for text in ["hello", "hi", "hello"] {
        let reply = web.call(None, "twice", &json!({"text": text}));
        assert_eq!((reply.is_error, &reply.body), (false, &json!({"text": text.repeat(2)})));
    }
    let metrics = web.get("/metrics").body;
    let counted =
        format!("toolwright_invalid_answers_total{{surface=\"{name}\",tool=\"twice\"}} 2\n");
    assert!(metrics.contains(&counted), "{metrics}");
    server.stop();
    let log = std::fs::read_to_string(log).unwrap();
    let lines = log.lines().filter(|line| line.contains("tool.invalid_answer"));
    assert_eq!(lines.filter(|line| line.contains(wrong)).count(), 2, "{log}");
}
