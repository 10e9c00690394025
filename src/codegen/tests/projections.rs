//! What is derived from the schemas of every valid fixture: served, accepted, minimal.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a failed helper is a failed test")]

use std::path::{Path, PathBuf};

use jsonschema::{Draft, Validator};
use serde_json::{Value, json};
use toolwright_codegen::model::{Contract, Tool};
use toolwright_codegen::schema::{self, Piece};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn contracts() -> Vec<Contract> {
    let mut all = Vec::new();
    for entry in std::fs::read_dir(root().join("tests/specs/valid")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            all.extend(toolwright_codegen::load(&path).contracts);
        }
    }
    assert!(all.len() >= 6, "valid fixtures are missing");
    all
}

fn each_tool(mut check: impl FnMut(&Contract, &Tool)) {
    for contract in &contracts() {
        contract.tools.iter().for_each(|tool| check(contract, tool));
    }
}

fn validator(schema: &Value) -> Validator {
    jsonschema::options()
        .with_draft(Draft::Draft202012)
        .should_validate_formats(true)
        .build(schema)
        .unwrap()
}

fn assert_valid(schema: &Value, value: &Value, what: &str) {
    let errors: Vec<String> =
        validator(schema).iter_errors(value).map(|error| error.to_string()).collect();
    assert!(errors.is_empty(), "{what}: {errors:?}\nvalue {value}\nschema {schema}");
}

/// Fills the holes of a template as the runtime does.
fn render(template: &Value, fill: &dyn Fn(&Piece) -> Value) -> Value {
    let mut text = String::new();
    for piece in schema::envelope_pieces(template) {
        match &piece {
            Piece::Text(run) => text.push_str(run),
            Piece::ErrorSpread => text.push_str(r#","problems":[]"#),
            hole => text.push_str(&fill(hole).to_string()),
        }
    }
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error} in {text}"))
}

fn fill(piece: &Piece, data: &Value, code: &str, hint: &Value) -> Value {
    match piece {
        Piece::Data => data.clone(),
        Piece::ErrorCode => json!(code),
        Piece::ErrorHint => hint.clone(),
        Piece::ErrorRetryable => json!(true),
        Piece::ErrorDetails => json!({"problems": []}),
        Piece::Warnings | Piece::CommandPath => json!(["a", "b"]),
        Piece::ElapsedMs | Piece::NowMs => json!(12),
        _ => json!("text"),
    }
}

#[test]
fn every_envelope_fits_the_served_output() {
    each_tool(|contract, tool| {
        let served = schema::served_output(contract, tool);
        assert_eq!(served["type"], "object", "{}", tool.name);
        let data = schema::sample(&schema::inline(contract, &tool.output));
        let success =
            render(&contract.envelope.success, &|piece| fill(piece, &data, "", &Value::Null));
        assert_valid(&served, &success, &format!("success of {}", tool.name));
        for kind in &tool.errors {
            let code = &contract.errors[kind].code;
            for hint in [Value::Null, json!("do this")] {
                let failure =
                    render(&contract.envelope.failure, &|piece| fill(piece, &data, code, &hint));
                assert_valid(&served, &failure, &format!("{kind} of {}", tool.name));
            }
        }
        let nonsense = json!({"surely": "not an answer"});
        let closed = contract.envelope.success != json!("$data");
        assert!(!closed || !validator(&served).is_valid(&nonsense), "{}", tool.name);
    });
}

#[test]
fn minimal_calls_are_valid() {
    each_tool(|contract, tool| {
        let call = schema::minimal_call(contract, tool);
        assert_valid(&schema::served_input(contract, tool), &call, &tool.name);
        assert!(schema::broken_constraint(tool, &call).is_none(), "{}: {call}", tool.name);
    });
}

#[test]
fn minimal_calls_are_small_and_mend_constraints() {
    let contracts = contracts();
    let call = |surface: &str, tool: &str| {
        let contract = contracts.iter().find(|contract| contract.name == surface).unwrap();
        let tool = contract.tools.iter().find(|known| known.name == tool).unwrap();
        schema::minimal_call(contract, tool)
    };
    assert_eq!(call("wa", "send"), json!({"pane_id": 0, "text": "echo hi"}));
    assert_eq!(call("wa", "workflow_status"), json!({"active": true}));
    assert_eq!(call("agentpack", "plan"), json!({}));
    assert_eq!(call("agentpack", "deploy_apply"), json!({"yes": true, "confirm_token": "t"}));
}

#[test]
fn served_schemas_have_no_references_and_inputs_no_root_combinators() {
    each_tool(|contract, tool| {
        let definition = schema::definition(contract, tool);
        assert!(!definition.to_string().contains("$ref"), "{}", tool.name);
        for combinator in ["oneOf", "anyOf", "allOf"] {
            assert!(definition["inputSchema"].get(combinator).is_none(), "{}", tool.name);
        }
    });
}

#[test]
fn guards_judge_the_fields_they_own() {
    let contracts = contracts();
    let agentpack = contracts.iter().find(|contract| contract.name == "agentpack").unwrap();
    let apply = agentpack.tools.iter().find(|tool| tool.name == "deploy_apply").unwrap();
    let accepted = schema::accepted(agentpack, apply);
    assert!(accepted.get("required").is_none(), "{accepted}");
    assert_eq!(accepted["properties"]["yes"]["type"], "boolean");
    assert!(accepted["properties"]["yes"].get("const").is_none());
    // The canonical schema still says what a good call is.
    assert_eq!(apply.input["required"], json!(["yes", "confirm_token"]));
    assert_eq!(schema::served_input(agentpack, apply)["properties"]["yes"]["const"], true);
}

#[test]
fn inputs_of_another_tool_are_shared_and_globs_expanded() {
    let contracts = contracts();
    let by_name = |name: &str| contracts.iter().find(|contract| contract.name == name).unwrap();
    let agentpack = by_name("agentpack");
    let tool = |name: &str| agentpack.tools.iter().find(|tool| tool.name == name).unwrap();
    assert_eq!(tool("plan").input, tool("deploy").input);
    assert_eq!(
        by_name("worldforge").roles["WRITER"],
        ["entity.get", "entity.upsert", "project.get", "storyNode.get"]
    );
    assert_eq!(by_name("worldforge").toolsets["default"].len(), 5);
    assert_eq!(tool("deploy_apply").command, ["deploy", "apply"]);
}

#[test]
fn the_digest_changes_with_the_contract_and_not_with_its_layout() {
    let text = std::fs::read(root().join("tests/specs/base/demo/tools/get.yaml")).unwrap();
    let digest = |tool: &[u8]| {
        let mut files = toolwright_codegen::Files::new();
        for name in ["demo/surface.yaml", "demo/types.yaml"] {
            let bytes = std::fs::read(root().join("tests/specs/base").join(name)).unwrap();
            files.insert(name.to_owned(), Ok(bytes));
        }
        files.insert("demo/tools/get.yaml".to_owned(), Ok(tool.to_vec()));
        let loaded = toolwright_codegen::load_files(Path::new("specs"), &files);
        assert_eq!(loaded.contracts.len(), 1, "{}", loaded.report);
        loaded.contracts[0].digest.clone()
    };
    let original = digest(&text);
    assert_eq!(original.len(), 64);
    let text = String::from_utf8(text).unwrap();
    assert_eq!(
        original,
        digest(format!("# a comment\n{}", text.replace(": a", ":   a")).as_bytes())
    );
    assert_ne!(original, digest(text.replace("Get a thing", "Get the thing").as_bytes()));
}

#[test]
fn all_spec_files_fit_the_schema_for_editors() {
    let text = std::fs::read_to_string(root().join("specs/spec.schema.json")).unwrap();
    let editors: Value = serde_json::from_str(&text).unwrap();
    assert!(jsonschema::meta::is_valid(&editors));
    let validator = validator(&editors);
    let mut seen = 0;
    let mut folders = vec![
        root().join("tests/specs/valid"),
        root().join("tests/specs/base"),
        root().join("tests/specs/diff/base"),
        root().join("specs"),
    ];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.ends_with(toolwright_codegen::diff::ACCEPTED_FILE) {
                // Has a schema of its own.
            } else if path.extension().is_some_and(|suffix| suffix == "yaml") {
                let options = serde_saphyr::options! { strict_booleans: true };
                let text = std::fs::read_to_string(&path).unwrap();
                let value: Value = serde_saphyr::from_str_with_options(&text, options).unwrap();
                let errors: Vec<String> = validator
                    .iter_errors(&value)
                    .map(|error| format!("{}: {error}", error.instance_path()))
                    .collect();
                assert!(errors.is_empty(), "{}: {errors:#?}", path.display());
                seen += 1;
            }
        }
    }
    assert!(seen > 20);
}

#[test]
fn the_schema_for_editors_refuses_what_the_compiler_refuses() {
    let text = std::fs::read_to_string(root().join("specs/spec.schema.json")).unwrap();
    let validator = validator(&serde_json::from_str(&text).unwrap());
    for wrong in [
        json!({"surface": "a"}),
        json!({"tool": "a", "titel": "b"}),
        json!({"$defs": {"A": {"type": "string", "maxLenght": 3}}}),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}
