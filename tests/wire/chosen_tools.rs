//! Every server lets its user choose the tools that it offers: by flag, in the environment and in the
//! settings file, over both transports.

use crate::fixtures;
use serde_json::Value;
use toolwright_runtime::contract::{Effects, ToolInfo};
use toolwright_testing::{StdioSession, ToolReply};

fn listed(session: &mut StdioSession) -> Vec<String> {
    let name = |tool: &Value| tool["name"].as_str().expect("a name").to_owned();
    session.tools().iter().map(name).collect()
}

fn refused(reply: &ToolReply, flag: &str, surface: &str) {
    assert!(reply.is_error, "{surface}: {}", reply.response);
    let text = reply.response.to_string();
    assert!(text.contains(&format!("is left out by {flag}")), "{surface}: {text}");
}

#[test]
fn a_read_only_server_writes_nothing() {
    for fixture in fixtures::all() {
        let mut session = StdioSession::start(fixture.command(&["mcp", "--read-only"]), "chooser");
        let reads = |tool: &&&ToolInfo| tool.effects == Effects::Read;
        let tools: Vec<&str> =
            fixture.info.tools.iter().filter(reads).map(|tool| tool.canonical).collect();
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
}
