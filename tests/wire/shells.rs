//! What shells get: completion scripts, words, values that the surface knows, man pages; and
//! `toolwright call`.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::server::folder;

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

fn toolwright(arguments: &[&str], folder: &Path) -> Output {
    Command::new(env!("CARGO_BIN_EXE_toolwright"))
        .args(arguments)
        .current_dir(folder)
        .env_clear()
        .env("WINK_OVERRIDES_DIR", folder.join("overrides"))
        .output()
        .expect("the program runs")
}

/// The words that fish is offered for the last of these.
fn offered(words: &[&str], folder: &Path) -> Vec<String> {
    let output = Command::new(toolwright_testing::program("wink"))
        .arg("--")
        .args(words)
        .current_dir(folder)
        .env_clear()
        .env("TOOLWRIGHT_COMPLETE", "fish")
        .env("WINK_OVERRIDES_DIR", folder.join("overrides"))
        .output()
        .expect("the program runs");
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).expect("text");
    text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_shell_has_a_script() {
    let folder = folder();
    for shell in SHELLS {
        let output = toolwright(&["completions", shell], folder.path());
        assert!(output.status.success(), "{shell}");
        let script = String::from_utf8(output.stdout).expect("text");
        assert!(script.contains("toolwright") && script.contains("TOOLWRIGHT_COMPLETE"), "{shell}");
    }
    let unknown = toolwright(&["completions", "tcsh"], folder.path());
    assert_eq!(unknown.status.code(), Some(2));
}

#[test]
fn bash_completes_words_with_the_script() {
    let folder = folder();
    let script = folder.path().join("script");
    let output =
        Command::new(toolwright_testing::program("wink")).args(["completions", "bash"]).output();
    std::fs::write(&script, output.expect("the program runs").stdout).expect("writable");
    let asked = format!(
        "source '{}'; COMP_WORDS=(wink li); COMP_CWORD=1; COMP_TYPE=9; \
         _clap_complete_wink wink li; echo \"${{COMPREPLY[*]}}\"",
        script.display()
    );
    let output = Command::new("bash").args(["--norc", "-c", &asked]).output().expect("bash runs");
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), "list", "{output:?}");
}

#[test]
fn words_flags_choices_and_values_of_the_surface_are_offered() {
    let folder = folder();
    let home = folder.path().join("overrides/demo/app/welcome");
    std::fs::create_dir_all(&home).expect("a folder");
    let text = r#"{"version": 1, "ns": "demo/app", "prompt_key": "welcome", "tag": "latest",
                   "sections": {}, "tools": {}}"#;
    std::fs::write(home.join("latest.json"), text).expect("writable");
    assert_eq!(offered(&["wink", "get-s"], folder.path()), ["get-section"]);
    let flags = offered(&["wink", "list", "--li"], folder.path());
    assert_eq!(flags, ["--limit"]);
    let profiles = offered(&["wink", "mcp", "--client-profile", "g"], folder.path());
    assert_eq!(profiles, ["gemini"]);
    let prompts = offered(&["wink", "get-section", "--prompt", ""], folder.path());
    assert_eq!(prompts, ["welcome"]);
}

#[test]
fn man_pages_are_printed_and_written() {
    let folder = folder();
    let page = toolwright(&["man"], folder.path());
    assert!(String::from_utf8_lossy(&page.stdout).contains(".TH toolwright 1"));
    let out = folder.path().join("pages/man1");
    let written = toolwright(&["man", "--out", &out.display().to_string()], folder.path());
    assert!(written.status.success(), "{written:?}");
    for name in ["toolwright.1", "toolwright-check.1", "toolwright-call.1"] {
        assert!(out.join(name).is_file(), "{name}");
    }
}

#[test]
fn any_tool_can_be_called_by_either_spelling() {
    let folder = folder();
    for name in ["wink.list_overrides", "wink_list_overrides"] {
        let output = toolwright(&["call", name, "--limit", "3"], folder.path());
        let body: Value = serde_json::from_slice(&output.stdout).expect("JSON");
        assert_eq!((body["total"].clone(), output.status.code()), (0.into(), Some(0)), "{name}");
    }
    let wrong = toolwright(&["call", "wink.list_overrides", "--limit", "0"], folder.path());
    let body: Value = serde_json::from_slice(&wrong.stdout).expect("JSON");
    assert_eq!(body["code"], "invalid_arguments");
    assert_eq!(wrong.status.code(), Some(2));
    let unknown = toolwright(&["call", "wink.lst_overrides"], folder.path());
    assert_eq!(unknown.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("wink.list_overrides"));
}

#[test]
fn every_tool_of_every_surface_can_be_called() {
    let folder = folder();
    for surface in toolwright::surfaces::all() {
        for tool in surface.info.tools {
            let output = toolwright(&["call", tool.canonical, "--help"], folder.path());
            assert!(output.status.success(), "{}: {output:?}", tool.canonical);
        }
    }
}

#[test]
fn a_person_at_a_terminal_gets_lines_and_tables() {
    let folder = folder();
    let program = toolwright_testing::program("wink");
    let output = Command::new("script")
        .args(["-qec", &format!("'{program}' list"), "/dev/null"])
        .env("WINK_OVERRIDES_DIR", folder.path().join("overrides"))
        .output()
        .expect("script runs");
    let text = String::from_utf8_lossy(&output.stdout).replace('\r', "");
    assert!(text.contains("overrides      none\n"), "{text}");
    assert!(text.contains("total          0\n"), "{text}");
}
