//! Deletes ask the user where the client can, and what the answer is worth.

use std::path::Path;

use serde_json::{Value, json};
use toolwright_runtime::client::PROTOCOL;
use toolwright_testing::session::STATELESS;
use toolwright_testing::{Person, ServerHome, StdioSession};

const FILE: &str = "overrides/demo.app/code-review/latest.json";
const SECTION: &str = "wink.delete_section_override";
const TOOL: &str = "wink.delete_tool_override";

/// A project with the golden override file: two sections and a tool.
fn home() -> ServerHome {
    let home = ServerHome::of("wink").path_env("WINK_OVERRIDES_DIR", "overrides");
    let golden = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/wink/v2");
    home.copy(Path::new(golden), "overrides");
    home
}

fn asking(home: &ServerHome, revision: &'static str, arguments: &[&str]) -> StdioSession {
    let arguments = [&["mcp", "--tool-names=canonical"], arguments].concat();
    StdioSession::start_asking(home.command(&arguments), "desk", revision)
}

fn section(path: &str) -> Value {
    json!({"ns": "demo.app", "prompt": "code-review", "section_path": path})
}

fn search_docs() -> Value {
    json!({"ns": "demo.app", "prompt": "code-review", "tool_name": "search_docs"})
}

#[test]
fn a_delete_asks_and_only_a_yes_deletes() {
    for revision in [PROTOCOL, STATELESS] {
        let home = home();
        let before = home.read(FILE);
        let mut session = asking(&home, revision, &[]);
        let (asked, no) = session.call_before(Person::Declines, SECTION, section("System"));
        let [question] = asked.as_slice() else { panic!("{asked:?}") };
        for shown in ["section `system`", "demo.app/code-review", "latest.json", "Review for"] {
            assert!(question.contains(shown), "{shown}: {question}");
        }
        let refused = no.fails("declined");
        assert_eq!(refused["asked"], *question);
        let (asked, no) = session.call_before(Person::Declines, TOOL, search_docs());
        assert!(asked[0].contains("tool `search_docs`"), "{asked:?}");
        no.fails("declined");
        assert_eq!(home.read(FILE), before);

        let (asked, yes) = session.call_before(Person::Agrees, SECTION, section("system"));
        assert_eq!((asked.len(), &yes.ok()["changed"]), (1, &json!(true)));
        let (asked, yes) = session.call_before(Person::Agrees, TOOL, search_docs());
        assert_eq!((asked.len(), &yes.ok()["changed"]), (1, &json!(true)));
        // What would change nothing, or is refused anyway, is not asked for.
        for (tool, arguments) in [(SECTION, section("system")), (TOOL, search_docs())] {
            let (asked, nothing) = session.call_before(Person::Agrees, tool, arguments);
            assert_eq!((asked.len(), &nothing.ok()["changed"]), (0, &json!(false)));
        }
        let (asked, refused) = session.call_before(Person::Agrees, SECTION, section("../x"));
        assert!(asked.is_empty());
        refused.fails("invalid_identifier");
        session.close();
    }
}

#[test]
fn the_last_override_is_announced_as_such() {
    let home = home();
    let mut session = asking(&home, PROTOCOL, &[]);
    let mut questions = Vec::new();
    for path in ["system", "system/style"] {
        questions.extend(session.call_before(Person::Agrees, SECTION, section(path)).0);
    }
    questions.extend(session.call_before(Person::Agrees, TOOL, search_docs()).0);
    let (last, others) = questions.split_last().expect("questions");
    assert!(last.contains("the file is removed with it"), "{questions:?}");
    assert!(others.iter().all(|question| !question.contains("removed with it")), "{questions:?}");
    assert!(!home.path(FILE).exists());
}

/// The user agreed to what the question showed, not to what another writer put there since.
#[test]
fn a_yes_holds_for_the_file_that_was_shown() {
    let home = home();
    let mut session = asking(&home, PROTOCOL, &[]);
    let id = session.begin_call(SECTION, &section("system"));
    let question = session.receive();
    assert_eq!(question["method"], "elicitation/create", "{question}");
    let edited = home.read(FILE).replace("Review for", "Study for");
    home.write(FILE, &edited);
    session.send(&json!({"jsonrpc": "2.0", "id": question["id"],
        "result": {"action": "accept", "content": {"confirm": true}}}));
    session.reply(id).fails("content_changed");
    assert_eq!(home.read(FILE), edited);

    // Without a session the answer comes with a second call, which is asked about the new text.
    let mut session = asking(&home, STATELESS, &[]);
    let call = json!({"name": SECTION, "arguments": section("system")});
    let first = session.request("tools/call", call.clone());
    home.write(FILE, edited.replace("Study for", "Work for"));
    let mut agreed = call;
    agreed["requestState"] = first["requestState"].clone();
    agreed["inputResponses"] =
        json!({"confirm": {"action": "accept", "content": {"confirm": true}}});
    let second = session.request("tools/call", agreed);
    assert_eq!(second["resultType"], "input_required", "{second}");
    let asked = second["inputRequests"]["confirm"]["params"]["message"].as_str();
    assert!(asked.is_some_and(|asked| asked.contains("Work for")), "{second}");
}

#[test]
fn where_nobody_can_be_asked_a_delete_is_what_it_was() {
    let home = home();
    let mut session = StdioSession::start(home.server(), "desk");
    let deleted = session.ok("wink_delete_section_override", section("system"));
    assert_eq!(deleted["changed"], true);
    session.close();
    let mut session = asking(&home, PROTOCOL, &["--ask", "never"]);
    let (asked, reply) = session.call_before(Person::Agrees, TOOL, search_docs());
    assert_eq!((asked.len(), &reply.ok()["changed"]), (0, &json!(true)));
    session.close();
    // The command line is the user's own.
    let finished = home.run(&[
        "delete-section",
        "--ns",
        "demo.app",
        "--prompt",
        "code-review",
        "--section-path",
        "system/style",
        "--json",
    ]);
    assert_eq!(finished.json()["changed"], true);
}

#[test]
fn a_user_can_demand_to_be_asked_and_silence_is_a_no() {
    let home = home().env("WINK_ASK", "always").env("WINK_ASK_TIMEOUT", "1");
    let before = home.read(FILE);
    let mut session = StdioSession::start(home.server(), "desk");
    let refused = session.fails("wink_delete_section_override", section("system"), "declined");
    assert!(refused["hint"].as_str().is_some_and(|hint| hint.contains("`ask` setting")));
    session.close();
    let mut session = asking(&home, PROTOCOL, &[]);
    let (asked, silence) = session.call_before(Person::IsAway, SECTION, section("system"));
    assert_eq!(asked.len(), 1);
    let refused = silence.fails("declined");
    assert!(refused["message"].as_str().is_some_and(|text| text.contains("in time")), "{refused}");
    assert_eq!(home.read(FILE), before);
}
