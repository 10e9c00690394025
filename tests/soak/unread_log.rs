//! A client that never reads standard error: every call is answered all the same, and afterwards the
//! log has a line for each call or counts it among the dropped ones.

use std::io::{BufRead as _, BufReader, PipeReader};

use serde_json::{Value, json};
use toolwright_runtime::client::Client;

use crate::homes::{self, Ask, Home};
use toolwright_testing::http_client::{Web, message};
use toolwright_testing::http_server::Listening;
use toolwright_testing::process::Watchdog;

/// Several times what a pipe and the log's own queue hold.
const CALLS: u64 = 5_000;
/// Calls for which a server is given one watchdog.
const ROUND: u64 = 100;

/// The call of this number, and what its answer must have: mostly quick refusals, now and then real
/// work.
fn call(home: &Home, number: u64) -> (Ask, Option<&'static str>) {
    match number % ROUND {
        0 => (home.read.clone(), None),
        50 => ((home.write)(number), None),
        even if even % 2 == 0 => (home.refused.0.clone(), Some(home.refused.1)),
        _ => (home.invalid.clone(), Some(home.info.builtin.invalid_arguments.code)),
    }
}

fn judge(answer: &Value, wanted: Option<&str>) {
    match wanted {
        None => assert_eq!(answer["result"]["isError"], false, "{answer}"),
        Some(code) => assert!(answer.to_string().contains(code), "no {code} in {answer}"),
    }
}

/// Makes all calls through `exchange`, which sends one request to the server and waits.
fn calls(home: &Home, server: u32, mut exchange: impl FnMut(Value) -> Value) {
    let server = i32::try_from(server).expect("a process id");
    let mut watchdog = None;
    for number in 0..CALLS {
        if number % ROUND == 0 {
            watchdog = Some(Watchdog::over(server));
        }
        let (ask, wanted) = call(home, number);
        judge(&exchange(json!({"name": ask.tool, "arguments": ask.arguments})), wanted);
    }
    drop(watchdog);
}

/// Reads the log until it accounts for every call: `(lines of calls, dropped lines)`.
fn account(log: PipeReader, server: u32) -> (u64, u64) {
    let _watchdog = Watchdog::over(i32::try_from(server).expect("a process id"));
    let (mut told, mut dropped) = (0, 0);
    let mut lines = BufReader::new(log).lines();
    while told + dropped < CALLS {
        let line = lines.next().expect("the log goes on").expect("readable");
        let line: Value = serde_json::from_str(&line).expect("a whole line");
        match line["event"].as_str() {
            Some("tool.call") => told += 1,
            Some("log.dropped") => {
                assert_eq!(line["level"], "WARN", "{line}");
                dropped += line["context"]["lines"].as_u64().expect("a count");
            }
            _ => {}
        }
    }
    (told, dropped)
}

fn over_stdio(name: &str) {
    let home = homes::named(name);
    let (log, stderr) = std::io::pipe().expect("a pipe");
    let mut server = home.server();
    server.stderr(stderr);
    let mut client = Client::spawn(server, "unread-log").expect("the server starts");
    let process = client.process_id();
    calls(&home, process, |params| client.exchange("tools/call", params).expect("an answer"));
    let (told, dropped) = account(log, process);
    assert!(told > 0 && dropped > 0, "{told} lines, {dropped} dropped");
    assert!(client.close().expect("it ends").success());
}

fn over_http(name: &str) {
    let home = homes::named(name);
    let (log, stderr) = std::io::pipe().expect("a pipe");
    let notes = tempfile::tempdir().expect("a temporary folder");
    let server = Listening::logging(home.server(), notes.path(), &[], stderr);
    let mut headers = vec![("MCP-Protocol-Version", "2025-11-25".to_owned())];
    headers.extend(home.token.as_ref().map(|token| ("Authorization", format!("Bearer {token}"))));
    let headers: Vec<(&str, &str)> =
        headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let mut web = Web::connect(server.address);
    calls(&home, server.process_id(), |params| {
        web.post(&headers, &message(1, "tools/call", params).to_string()).json()
    });
    let (told, dropped) = account(log, server.process_id());
    assert!(told > 0 && dropped > 0, "{told} lines, {dropped} dropped");
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
