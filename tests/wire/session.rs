//! Sessions with a surface's fixture at one protocol revision.

use toolwright_testing::StdioSession;
use toolwright_testing::session::STATELESS;

use crate::fixtures::{SurfaceFixture, ToolCall};

/// Every protocol revision that servers promise.
pub(crate) const REVISIONS: [&str; 3] = ["2025-06-18", "2025-11-25", STATELESS];

/// Starts the server and opens a session.
pub(crate) fn open(fixture: &SurfaceFixture, revision: &'static str) -> StdioSession {
    // Which spelling of the names is listed depends on the client's profile, and that on the revision.
    let command = fixture.command(&["mcp", "--client-profile", "canonical"]);
    StdioSession::start_at(command, "wire-test", revision)
}

/// The text of a tool call at the session's revision, and its id.
pub(crate) fn call_text(session: &mut StdioSession, call: &ToolCall) -> (String, u64) {
    let params = serde_json::json!({"name": call.tool, "arguments": call.arguments});
    session.request_text("tools/call", params)
}

/// The next message is the response to this request.
pub(crate) fn answer_to(session: &mut StdioSession, id: u64) -> serde_json::Value {
    let answer = session.receive();
    assert_eq!(answer["id"], id, "{answer}");
    answer
}

/// The server still serves, and sends nothing before its answer.
pub(crate) fn still_serves(session: &mut StdioSession, fixture: &SurfaceFixture) {
    let id = session.begin_call(fixture.read.tool, &fixture.read.arguments);
    let answer = answer_to(session, id);
    assert_eq!(answer["result"]["isError"], false, "{answer}");
}
