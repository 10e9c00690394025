//! The command line for people and scripts: help, twins, exit status, checks.

use std::process::{Command, Output};

use serde_json::Value;

use crate::server::folder;

/// The surfaces' own binaries.
const SURFACES: [&str; 5] = ["agentpack", "wa", "wink", "worldforge", "yarnnn"];

fn run(program: &str, arguments: &[&str], folder: &std::path::Path) -> Output {
    Command::new(program)
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("WINK_OVERRIDES_DIR", folder.join("overrides"))
        .output()
        .expect("the program runs")
}

fn wink(arguments: &[&str], folder: &std::path::Path) -> Output {
    run(toolwright_testing::program("wink"), arguments, folder)
}

fn toolwright(arguments: &[&str]) -> Output {
    run(env!("CARGO_BIN_EXE_toolwright"), arguments, env!("CARGO_MANIFEST_DIR").as_ref())
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn help_is_a_snapshot() {
    let folder = folder();
    for name in SURFACES {
        let program = toolwright_testing::program(name);
        let help = stdout(&run(program, &["--help"], folder.path()));
        insta::with_settings!({snapshot_path => "../../snapshots", prepend_module_to_snapshot => false}, {
            insta::assert_snapshot!(format!("{name}.help"), help);
        });
    }
}

#[test]
fn every_tool_has_a_twin() {
    let folder = folder();
    for name in SURFACES {
        let program = toolwright_testing::program(name);
        let surface = toolwright::surfaces::find(name).expect("this build contains it").info;
        for tool in surface.tools {
            let words = tool.command.iter().filter(|word| !word.starts_with('$'));
            let mut arguments: Vec<&str> = words.copied().collect();
            arguments.push("--help");
            let output = run(program, &arguments, folder.path());
            assert!(output.status.success(), "{}", tool.canonical);
            assert!(stdout(&output).contains("--json-args"), "{}", tool.canonical);
        }
    }
}

#[test]
fn a_twin_prints_the_answer_and_exits_by_the_error() {
    let folder = folder();
    let listed = wink(&["list"], folder.path());
    assert_eq!(listed.status.code(), Some(0));
    let body: Value = serde_json::from_str(&stdout(&listed)).expect("JSON");
    assert_eq!(body["total"], 0);

    let section = ["get-section", "--ns", "a", "--prompt", "B", "--section-path", "c"];
    let refused = wink(&section, folder.path());
    let body: Value = serde_json::from_str(&stdout(&refused)).expect("JSON");
    assert_eq!(body["code"], "invalid_identifier");
    assert_eq!(refused.status.code(), Some(2));

    let wrong = wink(&["list", "--limit", "many"], folder.path());
    let body: Value = serde_json::from_str(&stdout(&wrong)).expect("JSON");
    assert_eq!(body["code"], "invalid_arguments");
    assert_eq!(body["problems"][0]["pointer"], "/limit");
}

#[test]
fn json_arguments_and_flags_mix() {
    let folder = folder();
    let output =
        wink(&["list", "--json-args", r#"{"limit": 3, "ns": "x"}"#, "--ns", "../y"], folder.path());
    let body: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
    assert_eq!(body["code"], "invalid_identifier", "the flag wins: {body}");
}

#[test]
fn settings_tell_their_source_and_hide_secrets() {
    let output = Command::new(toolwright_testing::program("wink"))
        .args(["settings", "--overrides-dir", "/tmp/here"])
        .env_clear()
        .env("OPENAI_API_KEY", "sk-very-secret")
        .env("WINK_LLM_MODEL", "gpt-6")
        .output()
        .expect("the program runs");
    let report: Value = serde_json::from_str(&stdout(&output)).expect("JSON");
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
    assert!(output.status.success(), "{}", stdout(&output));
}

#[test]
fn check_reports_findings_with_carets_and_exits_with_1() {
    let output = toolwright(&["check", "tests/specs/invalid/unknown_key"]);
    assert_eq!(output.status.code(), Some(1), "{}", stdout(&output));
    assert!(stdout(&output).contains("error[TW"), "{}", stdout(&output));
    assert!(stdout(&output).contains('^'));
}

#[test]
fn explain_knows_findings_and_error_codes() {
    assert!(stdout(&toolwright(&["explain", "TW001"])).contains("TW001"));
    assert!(
        stdout(&toolwright(&["explain", "hash_mismatch"])).contains("wink.write_section_override")
    );
    assert_eq!(toolwright(&["explain", "nonsense"]).status.code(), Some(2));
}

#[test]
fn budget_counts_what_is_served_by_surface_toolset_and_tool() {
    let table = stdout(&toolwright(&["budget"]));
    for part in ["surface", "instructions", "toolset", "tool"] {
        assert!(table.lines().any(|line| line.split_whitespace().nth(1) == Some(part)), "{table}");
    }
    let rows = |profile: &str| -> Vec<Value> {
        let output = toolwright(&["budget", "--json", "--client-profile", profile]);
        assert!(output.status.success(), "{profile}");
        serde_json::from_str(&stdout(&output)).expect("JSON")
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
fn a_contract_over_its_budget_fails_check_and_budget() {
    let folder = folder();
    let specs = folder.path().join("specs");
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    crate::package::copy(&root.join("examples/echo/specs"), &specs);
    let surface = specs.join("echo/surface.yaml");
    let text = std::fs::read_to_string(&surface).expect("a contract");
    std::fs::write(&surface, text + "\nbudget: {definition_tokens: 100}\n").expect("writable");
    for verb in ["check", "budget"] {
        let output = toolwright(&[verb, &specs.display().to_string()]);
        assert_eq!(output.status.code(), Some(1), "{verb}");
        let said = stdout(&output) + &String::from_utf8_lossy(&output.stderr);
        assert!(said.contains("TW091") && said.contains("more than 100"), "{verb}: {said}");
    }
}

#[test]
fn the_readme_tables_are_fresh() {
    let output = toolwright(&["docs", "--check"]);
    let talk = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{talk}");
}

#[test]
fn the_export_helper_is_python() {
    let folder = folder();
    let text = stdout(&wink(&["export-helper"], folder.path()));
    assert!(text.contains("wink.descriptors") && text.contains("import"), "{text}");
}
