//! Shells: completion scripts, completed words and values, man pages; and `toolwright call`.

use std::process::Command;

use toolwright_testing::{Finished, ServerHome, run};

use crate::server_homes::wink;

const SHELLS: [&str; 5] = ["bash", "elvish", "fish", "powershell", "zsh"];

/// `toolwright` with the settings of `wink`.
fn toolwright(arguments: &[&str], home: &ServerHome) -> Finished {
    run(home.command_of(env!("CARGO_BIN_EXE_toolwright"), arguments))
}

/// The words that fish is offered for the last of these.
fn offered(words: &[&str], home: &ServerHome) -> Vec<String> {
    let home = home.clone().env("TOOLWRIGHT_COMPLETE", "fish");
    let text = home.run(&[&["--"], words].concat()).ok().stdout;
    text.lines().map(|line| line.split('\t').next().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_shell_has_a_script() {
    let home = wink();
    for shell in SHELLS {
        let output = toolwright(&["completions", shell], &home);
        assert!(output.succeeded(), "{shell}");
        let script = output.stdout;
        assert!(script.contains("toolwright") && script.contains("TOOLWRIGHT_COMPLETE"), "{shell}");
    }
    let unknown = toolwright(&["completions", "tcsh"], &home);
    assert_eq!(unknown.code, 2);
}

#[test]
fn bash_completes_words_with_the_script() {
    let home = wink();
    let script = home.write("script", home.run(&["completions", "bash"]).ok().stdout);
    let asked = format!(
        "source '{}'; COMP_WORDS=(wink li); COMP_CWORD=1; COMP_TYPE=9; \
         _clap_complete_wink wink li; echo \"${{COMPREPLY[*]}}\"",
        script.display()
    );
    let mut bash = Command::new("bash");
    bash.args(["--norc", "-c", &asked]);
    assert_eq!(run(bash).ok().line(), "list");
}

#[test]
fn words_flags_choices_and_values_of_the_surface_are_offered() {
    let home = wink();
    let text = r#"{"version": 1, "ns": "demo/app", "prompt_key": "welcome", "tag": "latest",
                   "sections": {}, "tools": {}}"#;
    home.write("overrides/demo/app/welcome/latest.json", text);
    assert_eq!(offered(&["wink", "get-s"], &home), ["get-section"]);
    let flags = offered(&["wink", "list", "--li"], &home);
    assert_eq!(flags, ["--limit"]);
    let profiles = offered(&["wink", "mcp", "--client-profile", "g"], &home);
    assert_eq!(profiles, ["gemini"]);
    let prompts = offered(&["wink", "get-section", "--prompt", ""], &home);
    assert_eq!(prompts, ["welcome"]);
}

#[test]
fn man_pages_are_printed_and_written() {
    let home = wink();
    let page = toolwright(&["man"], &home);
    assert!(page.stdout.contains(".TH toolwright 1"));
    let out = home.path("pages/man1");
    let written = toolwright(&["man", "--out", &out.display().to_string()], &home);
    assert!(written.succeeded(), "{written:?}");
    for name in ["toolwright.1", "toolwright-check.1", "toolwright-call.1"] {
        assert!(out.join(name).is_file(), "{name}");
    }
}

#[test]
fn any_tool_can_be_called_by_either_spelling() {
    let home = wink();
    for name in ["wink.list_overrides", "wink_list_overrides"] {
        let output = toolwright(&["call", name, "--limit", "3"], &home);
        let body = output.json();
        assert_eq!((body["total"].clone(), output.code), (0.into(), 0), "{name}");
    }
    let wrong = toolwright(&["call", "wink.list_overrides", "--limit", "0"], &home);
    let body = wrong.json();
    assert_eq!(body["code"], "invalid_arguments");
    assert_eq!(wrong.code, 2);
    let unknown = toolwright(&["call", "wink.lst_overrides"], &home);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("wink.list_overrides"));
}

#[test]
fn every_tool_of_every_surface_can_be_called() {
    let home = wink();
    for surface in toolwright::surfaces::all() {
        for tool in surface.info.tools {
            let output = toolwright(&["call", tool.canonical, "--help"], &home);
            assert!(output.succeeded(), "{}: {output:?}", tool.canonical);
        }
    }
}

#[test]
fn a_user_at_a_terminal_gets_lines_and_tables() {
    let home = wink();
    let program = toolwright_testing::program("wink");
    let mut script = Command::new("script");
    script.args(["-qec", &format!("'{program}' list"), "/dev/null"]);
    script.env("WINK_OVERRIDES_DIR", home.path("overrides"));
    let text = run(script).stdout.replace('\r', "");
    assert!(text.contains("overrides      none\n"), "{text}");
    assert!(text.contains("total          0\n"), "{text}");
}
