//! What has a line, and what is in it.

use std::fs;
use std::net::{IpAddr, Ipv4Addr};

use serde_json::{Map, Value, json};

use super::*;
use crate::call::Services;
use crate::clock::{CountingIds, FixedClock};
use crate::contract::{Budget, BuiltinErrors, Envelope, ErrorInfo};
use crate::dispatch::{Answer, ProtocolError};

static READ: ToolInfo = tool("read", "test.read", Effects::Read);
static WRITE: ToolInfo = tool("write", "test.write", Effects::Write);

const fn tool(name: &'static str, canonical: &'static str, effects: Effects) -> ToolInfo {
    ToolInfo {
        name,
        canonical,
        portable: canonical,
        title: "",
        description: "",
        effects,
        idempotent: true,
        open_world: false,
        immediate: false,
        listed: true,
        since: "v1",
        deprecated: None,
        command: &[],
        input: "{}",
        projections: &[],
        accepted: "{}",
        data: "{}",
        output: "{}",
        aliases: &[],
        constraints: &[],
        errors: &[],
        guards: &[],
        budget: Budget { definition_tokens: 600, result_tokens: 4000 },
        minimal_call: "{}",
        examples: &[],
        meta: "{}",
    }
}

static INVALID: ErrorInfo = ErrorInfo {
    kind: "invalid_arguments",
    code: "invalid_arguments",
    when: "",
    retryable: false,
    next: None,
    aliases: &[],
    jsonrpc: None,
    exit: 1,
    details: "{}",
};

static SURFACE: SurfaceInfo = SurfaceInfo {
    name: "test",
    title: "",
    contract: "v1",
    digest: "0123456789abcdef",
    instructions: "",
    prefix: "test.",
    tools: &[&READ, &WRITE],
    errors: &[&INVALID],
    builtin: BuiltinErrors { invalid_arguments: &INVALID, unknown_tool: None, internal: &INVALID },
    envelope: Envelope { success: &[], failure: &[] },
    guards: &[],
    settings: &[],
    server_settings: &[],
    config: None,
    resources: &[],
    prompts: &[],
    icons: &[],
    roles: &[],
    identity: None,
    toolsets: &[],
};

struct Fixture {
    folder: tempfile::TempDir,
    clock: Arc<FixedClock>,
    trail: Trail,
}

impl Fixture {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Arc::new(FixedClock::at(1_000));
        let limits = Limits { max_bytes: 1 << 20, files: 2 };
        let sink = AuditSink::file(&folder.path().join("audit.jsonl"), limits).unwrap();
        let trail = Trail::new(&SURFACE, clock.clone(), sink, "stdio");
        Self { folder, clock, trail }
    }

    fn call(&self, tool: &'static ToolInfo, client: Client) -> Call {
        let services = Services {
            clock: self.clock.clone(),
            ids: Arc::new(CountingIds::default()),
            version: "1.2.3",
        };
        Call::new(tool, "7", services).from_client(Arc::new(client))
    }

    fn lines(&self) -> Vec<Value> {
        let text = fs::read_to_string(self.folder.path().join("audit.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

fn answer(kind: Option<&'static str>) -> Outcome {
    let (body, meta) = ("{}".to_owned(), Map::new());
    Outcome::Answer(Answer { body, is_error: kind.is_some(), kind, exit: 0, meta })
}

fn client() -> Client {
    Client {
        name: Some("editor".to_owned()),
        version: Some("2.1".to_owned()),
        token_id: Some("0123456789ab".to_owned()),
        address: Some(IpAddr::V4(Ipv4Addr::LOCALHOST)),
        ..Client::default()
    }
}

#[test]
fn a_call_with_effects_has_a_line_and_a_read_has_none() {
    let fixture = Fixture::new();
    for (tool, kind) in
        [(&READ, None), (&READ, Some("missing")), (&WRITE, None), (&WRITE, Some("x"))]
    {
        let call = fixture.call(tool, client());
        call.enter_handler();
        fixture.trail.follow(&call).end(&answer(kind));
    }
    let lines = fixture.lines();
    assert_eq!(lines.len(), 2, "{lines:?}");
    let expected = json!({"time": "1970-01-01T00:00:01.000Z", "event": "call", "surface": "test",
        "contract": "0123456789abcdef", "tool": "test.write", "effects": "write", "outcome": "ok",
        "request_id": "7", "transport": "http", "client": "editor", "client_version": "2.1",
        "token": "0123456789ab", "address": "127.0.0.1", "process": std::process::id()});
    assert_eq!(lines[0], expected);
    assert_eq!(lines[1]["outcome"], "x");
}

#[test]
fn whatever_does_not_reach_its_handler_is_a_refusal() {
    let fixture = Fixture::new();
    let refused = |tool, outcome: &Outcome| {
        fixture.trail.follow(&fixture.call(tool, Client::default())).end(outcome);
    };
    refused(&READ, &answer(Some("forbidden")));
    refused(&WRITE, &answer(Some("invalid_arguments")));
    let (kind, message) = ("signed_out", String::new());
    refused(
        &WRITE,
        &Outcome::Protocol(ProtocolError { code: 1, message, data: None, kind, exit: 1 }),
    );
    let rehearsed = fixture.call(&WRITE, Client::default());
    rehearsed.rehearse();
    rehearsed.enter_handler();
    fixture.trail.follow(&rehearsed).end(&answer(Some("unconfirmed")));
    fixture.trail.absent_tool(&"x".repeat(500), "8", &Client::default());
    fixture.trail.rejected("bad_token", IpAddr::V4(Ipv4Addr::LOCALHOST));
    let lines = fixture.lines();
    let seen: Vec<_> = lines.iter().map(|line| (&line["event"], &line["outcome"])).collect();
    assert_eq!(
        json!(seen),
        json!([
            ["refusal", "forbidden"],
            ["refusal", "invalid_arguments"],
            ["refusal", "signed_out"],
            ["refusal", "unconfirmed"],
            ["refusal", "unknown_tool"],
            ["rejection", "bad_token"],
        ])
    );
    assert_eq!(lines[0]["transport"], "stdio");
    assert!(lines[4]["tool"].as_str().unwrap().len() < 100, "{}", lines[4]);
}

#[test]
fn a_call_that_is_dropped_is_abandoned() {
    let fixture = Fixture::new();
    let call = fixture.call(&WRITE, Client::default());
    call.enter_handler();
    drop(fixture.trail.follow(&call));
    assert_eq!(fixture.lines()[0]["outcome"], "abandoned");
    assert_eq!(fixture.lines()[0]["event"], "call");
}

#[test]
fn refusals_are_limited_and_counted_and_calls_are_not() {
    let mut fixture = Fixture::new();
    let refuse = |fixture: &Fixture| {
        fixture.trail.follow(&fixture.call(&READ, Client::default())).end(&answer(Some("no")));
    };
    for _ in 0..refusals::BURST + 50 {
        refuse(&fixture);
    }
    assert_eq!(fixture.lines().len() as u64, refusals::BURST);
    let call = fixture.call(&WRITE, Client::default());
    call.enter_handler();
    fixture.trail.follow(&call).end(&answer(None));
    assert_eq!(fixture.lines().last().unwrap()["omitted_refusals"], 50);
    fixture.clock.advance(1_000);
    for _ in 0..13 {
        refuse(&fixture);
    }
    let lines = fixture.lines();
    assert_eq!(lines.len() as u64, refusals::BURST + 1 + 10);
    assert_eq!(lines.last().unwrap().get("omitted_refusals"), None);
    let sink = AuditSink::log();
    fixture.trail = Trail::new(&SURFACE, fixture.clock.clone(), sink, "stdio");
    assert_eq!(fixture.lines().last().unwrap()["omitted_refusals"], 3, "at the end");
}

#[test]
fn no_line_breaks_out_of_its_line() {
    let fixture = Fixture::new();
    let client =
        Client { name: Some("a\n{\"event\":\"call\"}\u{85}\u{7f}".to_owned()), ..client() };
    fixture.trail.follow(&fixture.call(&READ, client)).end(&answer(Some("no")));
    assert_eq!(fixture.lines().len(), 1);
    let text = fs::read_to_string(fixture.folder.path().join("audit.jsonl")).unwrap();
    assert!(!text.trim_end().contains(char::is_control), "{text:?}");
}
