//! A client that never reads standard error: every call is answered all the same, and afterwards the
//! log has a line for each call or counts it among the dropped ones.

use std::io::{BufRead as _, BufReader, PipeReader};

use serde_json::Value;

use crate::fixtures::{self, SurfaceFixture, ToolCall};
use toolwright_testing::process::Watchdog;
use toolwright_testing::{HttpServer, StdioSession, ToolReply};

/// Several times what a pipe and the log's own queue hold.
const CALLS: u64 = 5_000;
/// Two of so many calls do real work.
const ROUND: u64 = 100;

/// The call of this number, and what its answer must have: mostly quick refusals, now and then real
/// work.
fn call(fixture: &SurfaceFixture, number: u64) -> (ToolCall, Option<&'static str>) {
    match number % ROUND {
        0 => (fixture.read.clone(), None),
        50 => ((fixture.write)(number), None),
        even if even % 2 == 0 => (fixture.refused.0.clone(), Some(fixture.refused.1)),
        _ => (fixture.invalid.clone(), Some(fixture.info.builtin.invalid_arguments.code)),
    }
}

/// Makes all calls through `exchange`, which sends one call to the server and waits.
fn calls(fixture: &SurfaceFixture, mut exchange: impl FnMut(&ToolCall) -> ToolReply) {
    for number in 0..CALLS {
        let (call, wanted) = call(fixture, number);
        let reply = exchange(&call);
        assert_eq!(reply.code(), wanted, "{}", reply.response);
        assert_eq!(reply.is_error, wanted.is_some(), "{}", reply.response);
    }
}

/// Reads the log until it accounts for every call: `(lines of calls, dropped lines)`.
fn account(log: PipeReader, server: i32) -> (u64, u64) {
    let _watchdog = Watchdog::over(server);
    let (mut logged, mut dropped) = (0, 0);
    let mut lines = BufReader::new(log).lines();
    while logged + dropped < CALLS {
        let line = lines.next().expect("the log goes on").expect("readable");
        let line: Value = serde_json::from_str(&line).expect("a whole line");
        match line["event"].as_str() {
            Some("tool.call") => logged += 1,
            Some("log.dropped") => {
                assert_eq!(line["level"], "WARN", "{line}");
                dropped += line["context"]["lines"].as_u64().expect("a count");
            }
            _ => {}
        }
    }
    (logged, dropped)
}

fn over_stdio(name: &str) {
    let fixture = fixtures::named(name);
    let (log, stderr) = std::io::pipe().expect("a pipe");
    let mut server = fixture.server();
    server.stderr(stderr);
    let mut session = StdioSession::start(server, "unread-log");
    calls(&fixture, |call| session.call(call.tool, call.arguments.clone()));
    let (logged, dropped) = account(log, session.process_id());
    assert!(logged > 0 && dropped > 0, "{logged} lines, {dropped} dropped");
    session.close();
}

fn over_http(name: &str) {
    let fixture = fixtures::named(name);
    let (log, stderr) = std::io::pipe().expect("a pipe");
    let server = HttpServer::spawn_logging(fixture.server(), stderr);
    let mut web = server.connect();
    calls(&fixture, |call| web.call(fixture.token.as_deref(), call.tool, &call.arguments));
    let process = i32::try_from(server.process_id()).expect("a process id");
    let (logged, dropped) = account(log, process);
    assert!(logged > 0 && dropped > 0, "{logged} lines, {dropped} dropped");
}

macro_rules! unread {
    ($($name:ident $surface:literal)*) => {
        mod stdio {$(
            #[test]
            fn $name() {
                super::over_stdio($surface);
            }
        )*}
        mod http {$(
            #[test]
            fn $name() {
                super::over_http($surface);
            }
        )*}
    };
}

unread! {
    agentpack_answers_while_nobody_reads_its_log "agentpack"
    wa_answers_while_nobody_reads_its_log "wa"
    wink_answers_while_nobody_reads_its_log "wink"
    worldforge_answers_while_nobody_reads_its_log "worldforge"
    yarnnn_answers_while_nobody_reads_its_log "yarnnn"
}
