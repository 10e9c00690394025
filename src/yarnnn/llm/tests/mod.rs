//! Tests of `llm` against a local server with the same API over real sockets.

mod extractor;
mod failures;
mod reading;
mod requests;
pub(crate) mod server;
mod tls;

use std::time::Duration;

use serde_json::{Value, json};

use self::server::{Reply, Server};
use super::{ErrorKind, Key, LlmClient, LlmError, LlmOptions};
use crate::extract::{self, Extraction};
use crate::model::{Block, BlockState, Operation, SemanticType};

const KEY: &str = "sk-test-hush-0123456789";
const DUMP: &str = "User: We decided to keep the index in SQLite. The budget is 40,000 EUR per year.\n\
                    Assistant: Noted. Acme Cloud may be cheaper than Acme On-Prem.";

fn options(server: &Server) -> LlmOptions {
    LlmOptions {
        base_url: server.base_url(),
        key: Some(Key::new(KEY).unwrap()),
        // Only a hanging server lets it pass.
        timeout: Duration::from_secs(60),
        pause: Duration::from_millis(1),
        ..LlmOptions::default()
    }
}

/// Has a server that answers with `replies` read `dump`.
fn ask(dump: &str, replies: Vec<Reply>) -> (Result<Extraction, LlmError>, Server) {
    let server = Server::start(replies);
    let llm = LlmClient::new(options(&server)).unwrap();
    (llm.extract(dump, &[], &extract::Options::default()), server)
}

fn failure_kind(replies: Vec<Reply>) -> (ErrorKind, usize) {
    let (result, server) = ask(DUMP, replies);
    (result.unwrap_err().kind, server.requests().len())
}

/// Has a model that answers `answer` read `dump`.
fn read(dump: &str, answer: &Value) -> Extraction {
    ask(dump, vec![Reply::answer(answer)]).0.unwrap()
}

fn statement(kind: &str, content: &str, confidence: f64, quotes: &[&str]) -> Value {
    json!({"semantic_type": kind, "title": "", "content": content, "confidence": confidence,
        "quotes": quotes})
}

fn statements(statements: &[Value]) -> Value {
    json!({"statements": statements, "entities": []})
}

/// The content of every block that is made or revised, and what of the dump it points at.
fn blocks<'a>(dump: &'a str, extraction: &'a Extraction) -> Vec<(&'a str, Vec<&'a str>)> {
    let found = extraction.operations.iter().filter_map(|operation| match operation {
        Operation::CreateBlock { content, spans, .. }
        | Operation::ReviseBlock { content, spans, .. } => {
            Some((content.as_str(), spans.iter().map(|at| &dump[at.start..at.end]).collect()))
        }
        Operation::CreateContextItem { .. } => None,
    });
    found.collect()
}

fn block(id: &str, content: &str) -> Block {
    Block {
        id: id.to_owned(),
        semantic_type: SemanticType::Fact,
        title: content.to_owned(),
        content: content.to_owned(),
        confidence: 0.8,
        state: BlockState::Accepted,
        anchor: None,
    }
}
