//! Lines for the stdio server: whatever comes in, what goes out is JSON-RPC, nothing is answered
//! twice, and a well-formed request is still answered afterwards.
//!
//! The first byte says how the client introduces itself; the rest is sent as it is.

mod uneven;

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, LazyLock};
use std::thread::{JoinHandle, spawn};
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_runtime::Services;
use toolwright_runtime::clock::{CountingIds, FixedClock};
use toolwright_runtime::server::{ServeError, ServeOptions, serve_descriptors};
use wa::generated::SURFACE;

use uneven::Uneven;

/// Only ever reached where a promise is broken.
const PATIENCE: Duration = Duration::from_secs(20);
/// Small, so that lines over the limit are short.
const LONGEST_LINE: usize = 4096;

static SERVED: LazyLock<Arc<Uneven>> = LazyLock::new(|| Arc::new(Uneven::new(&SURFACE)));

/// Sends `data` to a server.
pub fn run(data: &[u8]) {
    let Some((greeting, lines)) = data.split_first() else { return };
    let revision = match greeting {
        b'6' => Some("2025-06-18"),
        b'1' => Some("2025-11-25"),
        _ => None,
    };
    let mut conversation = Conversation::begin();
    let probe = free_id(lines);
    let shake = |revision: &str| {
        json!({"jsonrpc": "2.0", "id": format!("{probe}-shake"), "method": "initialize", "params": {
            "protocolVersion": revision, "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "fuzz", "version": "1"}}})
    };
    if let Some(revision) = revision {
        conversation.send(&shake(revision));
        conversation.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    }
    conversation.send_bytes(lines);
    conversation.send_bytes(b"\n");
    if revision.is_none() {
        conversation.send(&shake("2025-11-25"));
    }
    let ping = json!(format!("{probe}-ping"));
    let call = json!(format!("{probe}-call"));
    conversation.send(&json!({"jsonrpc": "2.0", "id": ping, "method": "ping"}));
    conversation.send(&json!({"jsonrpc": "2.0", "id": call, "method": "tools/call",
        "params": {"name": uneven::steady(&SURFACE), "arguments": {}}}));
    let answers = conversation.until_answered(&[&ping, &call]);
    for id in [&ping, &call] {
        let answer = answers.iter().find(|answer| answer.get("id") == Some(id));
        assert!(answer.is_some_and(|answer| answer.get("result").is_some()), "{answer:?}");
    }
    is_answered_once(lines, &answers, &probe);
}

/// An id that is nowhere in the lines, so that nobody else can cancel or use it.
fn free_id(lines: &[u8]) -> String {
    let is_free = |id: &String| !lines.windows(id.len()).any(|part| part == id.as_bytes());
    (0..).map(|number| format!("probe{number}")).find(is_free).expect("a free id")
}

/// No id has more answers than requests. Lines whose id cannot be told here may have any.
fn is_answered_once(lines: &[u8], answers: &[Value], probe: &str) {
    let mut asked: BTreeMap<String, usize> = BTreeMap::new();
    let mut unclear = 0;
    for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
        let named = line.windows(4).filter(|part| part == b"\"id\"").count();
        match serde_json::from_slice::<Value>(line) {
            Ok(message) if named == 1 && message.get("id").is_some() => {
                *asked.entry(message["id"].to_string()).or_default() += 1;
            }
            _ => unclear += 1,
        }
    }
    let mut answered: BTreeMap<String, usize> = BTreeMap::new();
    for answer in answers.iter().filter(|answer| answer.get("method").is_none()) {
        let id = answer.get("id").map_or_else(String::new, Value::to_string);
        *answered.entry(id).or_default() += 1;
    }
    for (id, count) in answered {
        let own = usize::from(id.contains(probe));
        let most = asked.get(&id).copied().unwrap_or(own) + unclear;
        // Answers without an id are to lines that are no requests.
        let most = if id.is_empty() { lines.len() + 1 } else { most };
        assert!(count <= most, "{id} is answered {count} times");
    }
}

struct Conversation {
    to_server: Option<PipeWriter>,
    answers: Receiver<String>,
    reader: Option<JoinHandle<()>>,
    server: Option<JoinHandle<Result<(), ServeError>>>,
}

impl Conversation {
    fn begin() -> Self {
        let (input, to_server) = std::io::pipe().expect("a pipe");
        let (from_server, output) = std::io::pipe().expect("a pipe");
        let server = spawn(move || {
            let options = ServeOptions {
                max_line_bytes: LONGEST_LINE,
                max_calls: 4,
                grace: Duration::from_millis(20),
                // Nobody answers here; a call that waits must not hold up the others.
                ask_timeout: Duration::from_millis(5),
                seal_key: Some([7; 32]),
                ..ServeOptions::default()
            };
            let services = Services {
                clock: Arc::new(FixedClock::at(1_000)),
                ids: Arc::new(CountingIds::default()),
                version: "1.2.3",
            };
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
            let serving =
                serve_descriptors(SERVED.clone(), services, options, input.into(), output.into());
            runtime.expect("a runtime").block_on(serving)
        });
        let (sender, answers) = channel();
        let reader = Some(spawn(move || forward(from_server, |line| sender.send(line).is_ok())));
        Self { to_server: Some(to_server), answers, reader, server: Some(server) }
    }

    fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    fn send_bytes(&mut self, bytes: &[u8]) {
        let to_server = self.to_server.as_mut().expect("an open conversation");
        to_server.write_all(bytes).expect("a server that reads");
    }

    /// Everything that comes until these are answered, and then until the end.
    fn until_answered(mut self, ids: &[&Value]) -> Vec<Value> {
        let mut all = Vec::new();
        let mut missing = ids.to_vec();
        loop {
            match self.answers.recv_timeout(PATIENCE) {
                Ok(line) => {
                    let message = message(&line);
                    missing.retain(|id| message.get("id") != Some(id));
                    all.push(message);
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("no answer to {missing:?}: {all:?}"),
            }
            if missing.is_empty() {
                self.to_server = None;
            }
        }
        assert!(missing.is_empty(), "the server ended without an answer to {missing:?}");
        self.reader.take().map(JoinHandle::join).expect("once").expect("a reader");
        let served = self.server.take().map(JoinHandle::join).expect("once");
        assert!(served.expect("no panic").is_ok());
        all
    }
}

fn forward(from_server: PipeReader, mut send: impl FnMut(String) -> bool) {
    for line in BufReader::new(from_server).lines() {
        if !send(line.expect("a line of UTF-8")) {
            return;
        }
    }
}

/// One line of output, which must be a message.
fn message(line: &str) -> Value {
    let message: Value =
        serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    assert_eq!(message["jsonrpc"], "2.0", "{line}");
    let has = |name: &str| message.get(name).is_some();
    let kinds = [has("method"), has("result"), has("error")];
    assert_eq!(kinds.iter().filter(|is| **is).count(), 1, "{line}");
    assert!(!has("result") || has("id"), "{line}");
    if let Some(error) = message.get("error") {
        assert!(error["code"].is_i64() && error["message"].is_string(), "{line}");
    }
    message
}
