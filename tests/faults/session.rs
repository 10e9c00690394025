//! A client's session with a server over its standard streams. A call ends with an answer or with a
//! refusal that the contract declares; anything else fails the test. Knows the contracts, no surface.

use std::collections::BTreeMap;
use std::io;
use std::ops::{Deref, DerefMut};
use std::process::Command;

use serde_json::{Value, json};
use toolwright_runtime::contract::SurfaceInfo;
use toolwright_testing::{StdioSession, ToolReply};

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

/// A session, and the contract that its answers must keep to.
pub(crate) struct Session {
    contract: &'static SurfaceInfo,
    stdio: StdioSession,
}

impl Session {
    /// Starts the server; an error when it does not start.
    pub(crate) fn start(contract: &'static SurfaceInfo, command: Command) -> io::Result<Self> {
        let stdio = StdioSession::try_start(command, "faults-test")?;
        Ok(Self { contract, stdio })
    }

    /// Sends a call and does not wait.
    pub(crate) fn begin_call(&mut self, call: &Call) -> u64 {
        self.stdio.begin_call(call.tool, &call.arguments)
    }

    /// Calls a tool.
    pub(crate) fn call(&mut self, call: &Call) -> Outcome {
        let id = self.begin_call(call);
        let response = self.stdio.wait(id);
        self.judge(call, response)
    }

    /// What a response to a call means.
    pub(crate) fn judge(&self, call: &Call, response: Value) -> Outcome {
        let mut reply = ToolReply::of(response);
        if !reply.is_error {
            return Ok(reply.body);
        }
        let code = reply.code().unwrap_or_else(|| panic!("{call:?} failed: {}", reply.response));
        let (code, protocol) = (code.to_owned(), reply.protocol_code);
        let body = &mut reply.body;
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

    /// Kills the server; the responses that it had already sent.
    pub(crate) fn kill(self) -> BTreeMap<u64, Value> {
        self.stdio.kill()
    }
}

impl Deref for Session {
    type Target = StdioSession;

    fn deref(&self) -> &StdioSession {
        &self.stdio
    }
}

impl DerefMut for Session {
    fn deref_mut(&mut self) -> &mut StdioSession {
        &mut self.stdio
    }
}
