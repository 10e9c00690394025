//! Every server lets its user choose the tools that it offers: by flag, in the environment and in the
//! settings file, over both transports.

use std::process::Command;

use crate::fixtures::{self, SurfaceFixture};
use serde_json::{Value, json};
use toolwright_runtime::contract::{Effects, ToolInfo};
use toolwright_testing::{HttpServer, ServerHome, StdioSession, ToolReply};

fn listed(session: &mut StdioSession) -> Vec<String> {
    let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
    session.tools().iter().map(name).collect()
}

/// Starts a server that offers one tool only, or all but this one, and looks at the list and at calls.
fn check(fixture: &SurfaceFixture, command: Command, flag: &str) {
    let (surface, one) = (fixture.name(), &fixture.read);
    let other = fixture.info.listed_tools().find(|tool| tool.canonical != one.tool);
    let other = other.expect("another tool").canonical;
    let mut session = StdioSession::start(command, "chooser");
    let names = listed(&mut session);
    let (offered, left_out) = match flag {
        "`--tools`" => {
            assert_eq!(names, [one.tool], "{surface}");
            (one.tool, other)
        }
        _ => {
            assert_eq!(names.len(), fixture.info.listed_tools().count() - 1, "{surface}");
            assert!(!names.iter().any(|name| name == one.tool), "{surface}: {names:?}");
            (other, one.tool)
        }
    };
    refused(&session.call(left_out, json!({})), flag, surface);
    let answer = session.call(offered, one.arguments.clone()).response.to_string();
    assert!(!answer.contains("left out"), "{surface}: {answer}");
}

fn refused(reply: &ToolReply, flag: &str, surface: &str) {
    assert!(reply.is_error, "{surface}: {}", reply.response);
    let text = reply.response.to_string();
    assert!(text.contains(&format!("is left out by {flag}")), "{surface}: {text}");
}

#[test]
fn every_server_offers_what_was_chosen_and_refuses_the_rest_by_the_name_of_the_flag() {
    for fixture in fixtures::all() {
        let one = fixture.read.tool;
        check(&fixture, fixture.command(&["mcp", "--tools", one]), "`--tools`");

        let settings = fixture.info.server_settings;
        let exclude = settings.iter().find(|setting| setting.key == "exclude_tools");
        let mut command = fixture.server();
        command.env(exclude.and_then(|setting| setting.env).expect("a variable"), one);
        check(&fixture, command, "`--exclude-tools`");

        if let Some(config) = &fixture.info.config {
            // `write` of the fixture is a call.
            let file = ServerHome::write(&fixture, "chosen.toml", format!("tools = ['{one}']\n"));
            let file = file.to_str().expect("UTF-8");
            check(&fixture, fixture.command(&["mcp", config.flag, file]), "`--tools`");
        }

        let server = HttpServer::spawn(fixture.command(&["mcp", "--exclude-tools", one]));
        let reply = server.connect().call(fixture.token.as_deref(), one, &json!({}));
        refused(&reply, "`--exclude-tools`", fixture.name());
        writes_nothing(&fixture);
    }
}

/// Looks at a read-only server.
fn writes_nothing(fixture: &SurfaceFixture) {
    let mut session = StdioSession::start(fixture.command(&["mcp", "--read-only"]), "chooser");
    let reads = |tool: &&ToolInfo| tool.effects == Effects::Read;
    let tools: Vec<&str> =
        fixture.info.listed_tools().filter(reads).map(|tool| tool.canonical).collect();
    assert_eq!(listed(&mut session), tools, "{}", fixture.name());
    let write = (fixture.write)(1);
    let reply = session.call(write.tool, write.arguments);
    // worldforge has a setting of its own, with a code of its own.
    match fixture.name() {
        "worldforge" => assert_eq!(reply.code(), Some("FORBIDDEN"), "{}", reply.response),
        surface => refused(&reply, "`--read-only`", surface),
    }
    assert!(!session.call(fixture.read.tool, fixture.read.arguments.clone()).is_error);
}
