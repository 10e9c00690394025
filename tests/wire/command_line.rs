//! The command line for users and scripts: help, tool commands, exit status, checks.

use serde_json::Value;
use toolwright_testing::{Finished, ServerHome};

use crate::server_homes::{empty_home, wink};

/// The surfaces' own binaries.
const SURFACES: [&str; 5] = ["agentpack", "wa", "wink", "worldforge", "yarnnn"];

/// `toolwright` in the repository.
fn toolwright(arguments: &[&str]) -> Finished {
    let root = env!("CARGO_MANIFEST_DIR").as_ref();
    ServerHome::at(env!("CARGO_BIN_EXE_toolwright"), root).run(arguments)
}

#[test]
fn help_is_a_snapshot() {
    for name in SURFACES {
        let help = empty_home(name).run(&["--help"]).stdout;
        insta::with_settings!({snapshot_path => "../../snapshots", prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!(format!("{name}.help"), help);
        });
    }
}

#[test]
fn every_tool_has_a_command() {
    for name in SURFACES {
        let home = empty_home(name);
        let surface = toolwright::surfaces::find(name).expect("this build contains it").info;
        for tool in surface.tools {
            let words = tool.command.iter().filter(|word| !word.starts_with('$'));
            let mut arguments: Vec<&str> = words.copied().collect();
            arguments.push("--help");
            let help = home.run(&arguments).ok().stdout;
            assert!(help.contains("--json-args"), "{}", tool.canonical);
        }
    }
}

#[test]
fn a_tool_command_prints_the_answer_and_exits_by_the_error() {
    let home = wink();
    let listed = home.run(&["list"]);
    assert_eq!(listed.code, 0);
    let body = listed.json();
    assert_eq!(body["total"], 0);

    let section = ["get-section", "--ns", "a", "--prompt", "B", "--section-path", "c"];
    let refused = home.run(&section);
    let body = refused.json();
    assert_eq!(body["code"], "invalid_identifier");
    assert_eq!(refused.code, 2);

    let wrong = home.run(&["list", "--limit", "many"]);
    let body = wrong.json();
    assert_eq!(body["code"], "invalid_arguments");
    assert_eq!(body["problems"][0]["pointer"], "/limit");
}

#[test]
fn json_arguments_and_flags_mix() {
    let home = wink();
    let output = home.run(&["list", "--json-args", r#"{"limit": 3, "ns": "x"}"#, "--ns", "../y"]);
    let body = output.json();
    assert_eq!(body["code"], "invalid_identifier", "the flag wins: {body}");
}

#[test]
fn settings_tell_their_source_and_hide_secrets() {
    let home = wink().env("OPENAI_API_KEY", "sk-very-secret").env("WINK_LLM_MODEL", "gpt-6");
    let output = home.run(&["settings", "--overrides-dir", "/tmp/here"]);
    let report = output.json();
    let text = report.to_string();
    assert!(!text.contains("sk-very-secret"), "{text}");
    assert_eq!(report["settings"]["overrides_dir"]["source"], "flag --overrides-dir");
    assert_eq!(report["settings"]["llm.model"]["value"], "gpt-6");
    assert_eq!(report["settings"]["llm.model"]["source"], "environment WINK_LLM_MODEL");
    assert_eq!(report["settings"]["llm.provider"]["source"], "default");
}

#[test]
fn the_contracts_have_no_findings() {
    let output = toolwright(&["check"]);
    assert!(output.succeeded(), "{}", output.stdout);
}

#[test]
fn check_reports_findings_with_carets_and_exits_with_1() {
    let output = toolwright(&["check", "tests/specs/invalid/unknown_key"]);
    assert_eq!(output.code, 1, "{}", output.stdout);
    assert!(output.stdout.contains("error[TW"), "{}", output.stdout);
    assert!(output.stdout.contains('^'));
}

#[test]
fn explain_knows_findings_and_error_codes() {
    assert!(toolwright(&["explain", "TW001"]).stdout.contains("TW001"));
    assert!(
        toolwright(&["explain", "hash_mismatch"]).stdout.contains("wink.write_section_override")
    );
    assert_eq!(toolwright(&["explain", "nonsense"]).code, 2);
    let shelf = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/shelf");
    let shelf = ServerHome::at(env!("CARGO_BIN_EXE_toolwright"), &shelf);
    let own = shelf.run(&["explain", "book_not_found"]).ok();
    assert!(
        own.stdout.contains("(shelf)") && own.stdout.contains("From: remove"),
        "{}",
        own.stdout
    );
    assert!(shelf.run(&["explain", "hash_mismatch"]).succeeded(), "and those of this build");
}

#[test]
fn budget_counts_what_is_served_by_surface_toolset_and_tool() {
    let table = toolwright(&["budget"]).stdout;
    for part in ["surface", "instructions", "toolset", "tool"] {
        assert!(table.lines().any(|line| line.split_whitespace().nth(1) == Some(part)), "{table}");
    }
    let rows = |profile: &str| -> Vec<Value> {
        let output = toolwright(&["budget", "--json", "--client-profile", profile]);
        assert!(output.succeeded(), "{profile}");
        serde_json::from_value(output.json()).expect("rows")
    };
    let (canonical, openai) = (rows("canonical"), rows("openai"));
    let listed = |rows: &[Value], part: &str| -> u64 {
        let of = rows.iter().filter(|row| row["surface"] == "wink" && row["part"] == part);
        of.map(|row| row["tokens"].as_u64().expect("a number")).sum()
    };
    assert_eq!(listed(&canonical, "tool"), listed(&canonical, "surface"));
    assert_ne!(listed(&canonical, "tool"), listed(&openai, "tool"), "bounds are said in words");
}

#[test]
fn budget_shows_what_a_choice_of_tools_saves() {
    let output = toolwright(&["budget", "--json", "--read-only"]);
    let rows: Vec<Value> = serde_json::from_value(output.json()).expect("rows");
    let of = |part: &str| {
        let row = rows.iter().find(|row| row["surface"] == "wink" && row["part"] == part);
        row.unwrap_or_else(|| panic!("{part}: {rows:?}"))
    };
    let tokens = |part: &str| of(part)["tokens"].as_u64().expect("a number");
    assert_eq!(of("offered")["name"], "3 of 7 tools");
    assert!(tokens("saved") > 0);
    assert_eq!(tokens("offered") + tokens("saved"), tokens("surface"));

    let near = toolwright(&["budget", "--tools", "list_override"]);
    near.fails(2, &["`list_override`", "did you mean `list_overrides`?"]);
}

#[test]
fn a_contract_over_its_budget_fails_check_and_budget() {
    let home = wink();
    let specs = home.path("specs");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    home.copy(&root.join("examples/echo/specs"), "specs");
    let surface = specs.join("echo/surface.yaml");
    let text = std::fs::read_to_string(&surface).expect("a contract");
    std::fs::write(&surface, text + "\nbudget: {definition_tokens: 100}\n").expect("writable");
    for verb in ["check", "budget"] {
        let output = toolwright(&[verb, &specs.display().to_string()]);
        assert_eq!(output.code, 1, "{verb}");
        let said = output.stdout + &output.stderr;
        assert!(said.contains("TW091") && said.contains("more than 100"), "{verb}: {said}");
    }
}

#[test]
fn the_readme_tables_are_fresh() {
    let output = toolwright(&["docs", "--check"]);
    assert!(output.succeeded(), "{}", output.stderr);
}

#[test]
fn the_export_helper_is_python() {
    let home = wink();
    let text = home.run(&["export-helper"]).stdout;
    assert!(text.contains("wink.descriptors") && text.contains("import"), "{text}");
}
