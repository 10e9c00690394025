//! A client whose user answers questions: calls with elicitation, with and without a handshake.

use std::path::PathBuf;
use std::process::Command;

use serde_json::{Value, json};
use toolwright_runtime::client::PROTOCOL;
use toolwright_runtime::contract::SurfaceInfo;

use crate::contract::{Reply, State};
use crate::home::ServerHome;
use crate::reply::ToolReply;
use crate::session::{STATELESS, StdioSession};

/// What the person at the client does about every question of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Person {
    /// Agrees.
    Agrees,
    /// Declines.
    Declines,
    /// Is not there: nothing is answered.
    IsAway,
}

impl Person {
    fn answer(self) -> Option<Value> {
        match self {
            Self::Agrees => Some(json!({"action": "accept", "content": {"confirm": true}})),
            Self::Declines => Some(json!({"action": "decline"})),
            Self::IsAway => None,
        }
    }
}

impl StdioSession {
    /// Starts the server for a client that can ask its user.
    pub fn start_asking(command: Command, name: &str, revision: &'static str) -> Self {
        Self::start_with(command, name, revision, &json!({"elicitation": {}}))
    }

    /// Calls a tool, and has `person` answer what the server asks. Returns the questions, and the
    /// reply; without a handshake and with nobody there, that is the question itself.
    pub fn call_before(
        &mut self,
        person: Person,
        tool: &str,
        arguments: Value,
    ) -> (Vec<String>, ToolReply) {
        let call = json!({"name": tool, "arguments": arguments});
        if self.revision() == STATELESS {
            return self.repeat_with_answers(person, call);
        }
        let id = self.begin("tools/call", call);
        let mut questions = Vec::new();
        loop {
            if self.has_response(id) {
                return (questions, self.reply(id));
            }
            let message = self.receive();
            if message["method"] == "elicitation/create" {
                questions.push(text(&message["params"]["message"]));
                if let Some(answer) = person.answer() {
                    self.send(&json!({"jsonrpc": "2.0", "id": message["id"], "result": answer}));
                }
            } else {
                self.keep(message);
            }
        }
    }

    fn repeat_with_answers(&mut self, person: Person, mut call: Value) -> (Vec<String>, ToolReply) {
        let mut questions = Vec::new();
        loop {
            let response = self.exchange("tools/call", call.clone());
            let result = &response["result"];
            if result["resultType"] != "input_required" {
                return (questions, ToolReply::of(response));
            }
            let asked = result["inputRequests"].as_object().expect("questions");
            questions.extend(asked.values().map(|asked| text(&asked["params"]["message"])));
            let Some(answer) = person.answer() else {
                return (questions, ToolReply::of(response));
            };
            call["inputResponses"] =
                asked.keys().map(|name| (name.clone(), answer.clone())).collect();
            call["requestState"] = result["requestState"].clone();
        }
    }
}

impl State {
    /// As [`State::served`], for a client whose user does this about every question.
    pub fn served_before(person: Person, surface: &'static SurfaceInfo, home: &ServerHome) -> Self {
        let (server, folder) = (Self::server_in(surface, home), home.folder().to_owned());
        Self::before(person, surface, server, folder, vec![Box::new(home.clone())])
    }

    /// As [`State::over_stdio`], for a client whose user does this about every question.
    pub fn before(
        person: Person,
        surface: &'static SurfaceInfo,
        command: Command,
        folder: PathBuf,
        keep: Vec<Box<dyn std::any::Any>>,
    ) -> Self {
        let mut session = StdioSession::start_asking(command, "contract-test", PROTOCOL);
        let call = move |tool: usize, arguments: &Value| {
            let tool = surface.tools[tool].canonical;
            let (_, reply) = session.call_before(person, tool, arguments.clone());
            Reply { body: reply.body, is_error: reply.is_error }
        };
        Self::new(folder, Box::new(call), keep)
    }
}

fn text(value: &Value) -> String {
    value.as_str().expect("a text").to_owned()
}
