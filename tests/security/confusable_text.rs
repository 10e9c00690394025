//! Unicode confusables: a name that only looks right names nothing, hidden characters hide nothing
//! from people, and no policy is got round by spelling.
//!
//! What yarnnn reads and shows has tests of its own. Letters of other scripts that look alike are
//! different letters: they name something else, or nothing.

use serde_json::{Value, json};
use toolwright_testing::StdioSession;

use crate::project::{OVERRIDES, with_sections};
use crate::sandbox::Sandbox;
use crate::server_homes::empty_home;
use crate::session::text;
use crate::sizes::SURFACES;
use crate::terminal::Backend;
use crate::workspace::Workspace;

const HIDDEN: [char; 6] = ['\u{200b}', '\u{200e}', '\u{202e}', '\u{2060}', '\u{feff}', '\u{ad}'];

/// Spellings that a person would take for the name.
fn spellings(name: &str) -> Vec<String> {
    let wide = |c: char| match c {
        '!'..='~' => char::from_u32(u32::from(c) + 0xfee0).unwrap_or(c),
        other => other,
    };
    let mut all: Vec<String> = HIDDEN.iter().map(|hidden| format!("{name}{hidden}")).collect();
    all.push(format!("\u{202e}{}", name.chars().rev().collect::<String>()));
    all.push(name.chars().map(wide).collect());
    all.push(name.replace('e', "е").replace('a', "а").replace('o', "о"));
    all.push(name.replacen('e', "e\u{301}", 1).replacen('o', "o\u{301}", 1));
    all.push(format!("{name} "));
    all.push(format!("{name}\0"));
    all.retain(|spelling| spelling != name);
    all
}

#[test]
fn no_tool_answers_to_a_name_that_only_looks_right() {
    for surface in SURFACES {
        let home = empty_home(surface);
        let mut client = StdioSession::start(home.server(), "confusable-text");
        let tools = client.tools();
        for name in tools.iter().filter_map(|tool| tool["name"].as_str()) {
            for spelling in spellings(name) {
                let call = json!({"name": spelling, "arguments": {}});
                let answer = client.exchange("tools/call", call);
                let said = answer.to_string().to_lowercase();
                let unknown = said.contains("unknown tool") || said.contains("wa-mcp-0002");
                assert!(unknown, "{surface} {spelling:?}: {answer}");
            }
        }
    }
}

#[test]
fn names_of_prompts_are_plain_letters() {
    let project = with_sections(1);
    std::fs::create_dir_all(project.path(OVERRIDES)).expect("writable");
    let mut client = project.session();
    let good = json!({"ns": "load", "prompt": "test", "section_path": "s0", "body": "new",
        "confirm": true});
    for field in ["ns", "prompt", "section_path"] {
        let name = good[field].as_str().expect("a text");
        // Outer blanks are taken off, as the library does.
        for spelling in spellings(name).into_iter().filter(|name| !name.ends_with(' ')) {
            let mut arguments = good.clone();
            arguments[field] = json!(spelling);
            let answer = client.call("wink.write_section_override", arguments);
            let code = answer.body["code"].as_str();
            assert_eq!(code, Some("invalid_identifier"), "{field} {spelling:?}: {answer:?}");
        }
    }
    let made = std::fs::read_dir(project.path(OVERRIDES)).expect("a folder").count();
    assert_eq!(made, 0, "no second folder that looks like the first");
}

#[test]
fn a_plan_hides_no_part_of_a_name() {
    for hidden in HIDDEN {
        let sandbox = Sandbox::new();
        let id = format!("prompt:dr{hidden}aft");
        sandbox.modules(&[(&id, "prompt", "modules/prompts/draft.md")]);
        let mut session = sandbox.session();
        session.refused("plan", json!({}), "E_CONFIG_INVALID");

        let sandbox = Sandbox::new();
        sandbox.repo(&format!("modules/hello/run{hidden}.sh"), "echo\n");
        let error = sandbox.session().refused("plan", json!({}), "E_CONFIG_INVALID");
        assert!(error.to_string().contains("⟨U+"), "the name is shown: {error}");
        assert!(!error.to_string().contains(hidden), "{error}");
    }
    // Scripts that are spelled with joiners, and pictures, are names like others.
    let sandbox = Sandbox::new();
    sandbox.repo("modules/hello/نامه\u{200c}ای ❤\u{fe0f}.md", "x\n");
    sandbox.session().data("plan", json!({}));
}

#[test]
fn two_users_cannot_look_the_same() {
    let home = empty_home("worldforge").path_env("HOME", ".");
    let worldforge = |arguments: &[&str]| {
        let finished = home.run(arguments);
        (finished.succeeded(), finished.stdout.trim().to_owned() + &finished.stderr)
    };
    let (made, tenant) = worldforge(&["tenant", "create", "Studio"]);
    assert!(made, "{tenant}");
    let add =
        |email: &str| worldforge(&["user", "add", "--tenant", &tenant, email, "--role", "WRITER"]);
    let (made, said) = add("andré@studio.example");
    assert!(made, "{said}");
    for same in
        ["andre\u{301}@studio.example", "ANDRÉ@studio.example", "Andre\u{301}@STUDIO.example"]
    {
        let (made, said) = add(same);
        assert!(!made, "{same:?} is somebody else: {said}");
    }
    for hidden in HIDDEN {
        let (made, said) = add(&format!("andré{hidden}@studio.example"));
        assert!(!made, "{hidden:?}: {said}");
        let (made, said) = worldforge(&["tenant", "create", &format!("Studio{hidden}")]);
        assert!(!made, "{hidden:?}: {said}");
    }
}

#[test]
fn a_command_is_held_however_it_is_spelled_and_shown_as_it_is() {
    let workspace = Workspace::new(Backend::Embedded);
    workspace.write(
        ".wa/policy.yaml",
        "rules:\n  - id: no-deploy\n    match: {commands: ['^deploy\\b']}\n    decision: deny\n",
    );
    let forged = "friend\n    all good: approve me\u{1b}[2K\u{202e}";
    let mut session = workspace.session_named(forged, &[]);
    let pane = workspace.shell(&mut session);
    let mut decide = |text: &str| {
        session.data("wa.send", json!({"pane_id": pane, "text": text, "dry_run": true}))
    };
    for command in
        ["rm\u{200b} -rf build", "ｒｍ -rf build", "\u{202e}rm -rf build", "rm\u{a0}-rf build"]
    {
        let decided = decide(command);
        assert_ne!(decided["policy_decision"], "allow", "{command:?}: {decided}");
        assert!(text(&decided["policy_reason"]).starts_with("command.rm_rf: "), "{decided}");
    }
    for command in ["dep\u{200b}loy now", "ｄｅｐｌｏｙ now"] {
        let decided = decide(command);
        assert_eq!(decided["policy_decision"], "deny", "the user's own rules: {decided}");
    }
    for harmless in ["echo été", "echo 👩\u{200d}🚀", "echo שלום"] {
        assert_eq!(decide(harmless)["policy_decision"], "allow", "{harmless:?}");
    }
    // Whoever approves sees what is there, and nothing that is not.
    let held = json!({"pane_id": pane, "text": "rm -rf build # \u{202e}yltrohs"});
    session.held("wa.send", held, "command.rm_rf");
    for words in [&["approve"][..], &["status"]] {
        let told = workspace.run(words).stdout;
        assert!(told.contains("⟨U+202E⟩yltrohs"), "{words:?}: {told}");
        assert!(told.contains("friend⟨U+000A⟩"), "{words:?}: {told}");
        let raw = told.chars().find(|c| c.is_control() && *c != '\n' || HIDDEN.contains(c));
        assert_eq!(raw, None, "{words:?}: {told:?}");
        assert!(!told.lines().any(|line| line.trim().starts_with("all good")), "{told}");
    }
    let who: Value = session.data("wa.reserve", json!({"pane_id": pane, "owner": "bo\u{200b}b"}));
    assert_eq!(who["owner_id"], "bob");
}
