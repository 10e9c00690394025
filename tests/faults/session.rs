//! A client's session with a server over its standard streams. What a call comes to is either an
//! answer, or a refusal that the contract declares; anything else fails the test. A server that does
//! not answer is ended, so that no test hangs. Knows the contracts, no surface.

use std::collections::BTreeMap;
use std::io;
use std::process::Command;

use serde_json::{Value, json};
use toolwright_runtime::client::Client;
use toolwright_runtime::contract::SurfaceInfo;

use toolwright_testing::process::{Watchdog, kill};

/// A tool and its arguments.
#[derive(Debug, Clone)]
pub(crate) struct Call {
    pub(crate) tool: &'static str,
    pub(crate) arguments: Value,
}

/// A failure that the tool declares.
#[derive(Debug, Clone)]
pub(crate) struct Refusal {
    pub(crate) code: String,
    /// Everything that it says.
    pub(crate) body: Value,
    /// Nobody knows whether the write happened.
    pub(crate) in_doubt: bool,
}

/// What a call came to.
pub(crate) type Outcome = Result<Value, Refusal>;

/// A server that runs, and its client.
pub(crate) struct Session {
    contract: &'static SurfaceInfo,
    client: Client,
    next: u64,
    /// Answers that came before somebody waited for them.
    early: BTreeMap<u64, Value>,
}

impl Session {
    /// Starts the server; an error when it does not start.
    pub(crate) fn start(contract: &'static SurfaceInfo, command: Command) -> io::Result<Self> {
        let client = Client::spawn(command, "faults-test")?;
        Ok(Self { contract, client, next: 1000, early: BTreeMap::new() })
    }

    /// Sends a request and does not wait.
    pub(crate) fn begin(&mut self, method: &str, params: Value) -> u64 {
        self.next += 1;
        let message =
            json!({"jsonrpc": "2.0", "id": self.next, "method": method, "params": params});
        self.client.send(&message).expect("the server reads");
        self.next
    }

    /// Sends a call and does not wait.
    pub(crate) fn begin_call(&mut self, call: &Call) -> u64 {
        self.begin("tools/call", json!({"name": call.tool, "arguments": call.arguments}))
    }

    /// Takes a request back.
    pub(crate) fn cancel(&mut self, id: u64) {
        let params = json!({"requestId": id, "reason": "nobody waits"});
        let message =
            json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params});
        self.client.send(&message).expect("the server reads");
    }

    /// Waits for the answer to a request.
    pub(crate) fn end(&mut self, id: u64) -> Value {
        let _watchdog = Watchdog::over(self.pid());
        while !self.early.contains_key(&id) {
            let message = self.client.receive().expect("an answer in time");
            if let Some(other) = message["id"].as_u64() {
                self.early.insert(other, message);
            }
        }
        self.early.remove(&id).unwrap_or_default()
    }

    /// Whether the answer has come already.
    pub(crate) fn has_ended(&self, id: u64) -> bool {
        self.early.contains_key(&id)
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, call: &Call) -> Outcome {
        let id = self.begin_call(call);
        let response = self.end(id);
        self.judge(call, response)
    }

    /// What a response to a call means.
    pub(crate) fn judge(&self, call: &Call, mut response: Value) -> Outcome {
        let (mut body, protocol) = match response.get_mut("error") {
            Some(error) => (error["data"].take(), error["code"].as_i64()),
            None => (response["result"]["structuredContent"].take(), None),
        };
        if protocol.is_none() && response["result"]["isError"] == false {
            return Ok(body);
        }
        let code = ["/code", "/error_code", "/errors/0/code"];
        let code = code.iter().find_map(|place| body.pointer(place)?.as_str());
        let code = code.unwrap_or_else(|| panic!("{call:?} failed: {response} {body}")).to_owned();
        let (_, tool) = self.contract.tool(call.tool).expect("a tool of the contract");
        let mut declared = self.contract.errors.iter();
        let declared =
            declared.find(|error| error.code == code && tool.errors.contains(&error.kind));
        let declared =
            declared.unwrap_or_else(|| panic!("{call:?}: {code} is not declared: {body}"));
        assert_eq!(declared.jsonrpc.map(i64::from), protocol, "{call:?}: {body}");
        let advice = ["/hint", "/errors/0/details/next_actions/0", "/message"];
        let mut advice = advice.iter().filter_map(|place| body.pointer(place)?.as_str());
        assert!(advice.any(|text| !text.is_empty()), "{call:?} does not say what to do: {body}");
        let in_doubt = ["/details/in_doubt", "/details/inDoubt"];
        let in_doubt = in_doubt.iter().any(|place| body.pointer(place) == Some(&json!(true)));
        Err(Refusal { code, body: body.take(), in_doubt })
    }

    fn pid(&self) -> i32 {
        self.client.process_id().try_into().expect("a process id")
    }

    /// Ends the server at once; what it still had said.
    pub(crate) fn kill(mut self) -> BTreeMap<u64, Value> {
        kill(self.pid());
        while let Ok(message) = self.client.receive() {
            if let Some(id) = message["id"].as_u64() {
                self.early.insert(id, message);
            }
        }
        self.early
    }
}
