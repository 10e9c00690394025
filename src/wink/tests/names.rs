//! The names of the tools, and how texts that mention them are spelled: as this client knows them.

use serde_json::{Value, json};
use toolwright_testing::session::STATELESS;
use toolwright_testing::{ServerHome, StdioSession};

fn home() -> ServerHome {
    let home = ServerHome::of("wink").path_env("WINK_OVERRIDES_DIR", "overrides");
    std::fs::create_dir(home.path("overrides")).expect("a folder");
    home
}

/// Texts that mention tools: instructions, and messages of refusals.
fn texts(session: &mut StdioSession, instructions: &Value) -> Vec<String> {
    let invalid = session.call("wink.get_tool_override", json!({}));
    let unknown = session.exchange("tools/call", json!({"name": "wink.list_override"}));
    [instructions, &invalid.body["message"], &unknown["error"]["message"]]
        .map(ToString::to_string)
        .into()
}

fn check(session: &mut StdioSession, instructions: &Value, dots: bool) {
    let listed = session.tools();
    assert_eq!(listed.len(), 7);
    for tool in &listed {
        assert_eq!(tool["name"].as_str().expect("a name").contains('.'), dots, "{tool}");
    }
    for text in texts(session, instructions) {
        // The unknown name is quoted as it was sent.
        let text = text.replace("`wink.list_override`", "");
        assert_eq!(text.contains("wink."), dots, "{text}");
        assert_eq!(text.contains("wink_"), !dots, "{text}");
    }
}

#[test]
fn an_unknown_client_and_one_that_refuses_dots_read_their_own_spelling_everywhere() {
    let home = home();
    for (client, dots) in [("mcp", true), ("a new one", true), ("cursor-vscode", false)] {
        let mut session = StdioSession::connect(home.server());
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": client, "version": "1"}});
        let opened = session.request("initialize", hello);
        session.notify("notifications/initialized", json!({}));
        check(&mut session, &opened["instructions"], dots);

        let mut session = StdioSession::start_at(home.server(), client, STATELESS);
        let found = session.request("server/discover", json!({}));
        check(&mut session, &found["instructions"], dots);
    }
}

#[test]
fn both_spellings_are_accepted_from_everybody() {
    let home = home();
    for client in ["mcp", "claude-ai"] {
        let mut session = StdioSession::start(home.server(), client);
        for name in ["wink.list_overrides", "wink_list_overrides"] {
            session.ok(name, json!({}));
        }
    }
}
